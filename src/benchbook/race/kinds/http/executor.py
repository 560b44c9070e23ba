"""Real servers under a real load generator."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from benchbook.load import aborts, loading
from benchbook.load.errors import LoadError
from benchbook.load.load_from import Remote
from benchbook.loadtools.tool import Load, LoadTool, Paths
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.http import Http
from benchbook.model.variants import Variant
from benchbook.programs import given_environment, parity, programs, reached, readiness
from benchbook.programs.parity import Answer
from benchbook.programs.programs import Prepared, Program, VariantError
from benchbook.race.evidence import Together, Watch
from benchbook.race.executor import Executor, Measurement, Outcome, alone
from benchbook.race.kinds.http import looks, second_client
from benchbook.race.kinds.http.continuous import ContinuousLoad
from benchbook.race.kinds.http.warm_load import WarmLoad
from benchbook.race.warming import tier_up_wait
from benchbook.system import cores, pinning
from benchbook.system.pinning import Pinning
from benchbook_kernels.base import processes
from benchbook_kernels.base.processes import Keeper
from benchbook_kernels.base.words import counted

T = TypeVar("T")
Seen = tuple[Answer, Answer | None]  # what a program answered, and to a path that is not there
AT_ONCE_ELSEWHERE = 4  # load generators on another host (sshd allows ten sessions of a connection)
AT_ONCE = 2  # programs a CPU that are asked: of more each would keep its first answers waiting
PATIENT_SECONDS = 2.0  # a server that answers nothing for so long is out of the race


@dataclass
class HttpExecutor(Executor):
    """Servers on 127.0.0.1, each on a port of its own, loaded together or one at a time.

    seed: of the order in which many paths are asked, another one in every sample; samples: how many
    there were; remote: the host that the load comes from: servers then listen on its `address`;
    continuous: load generators live through blocks, as far as they can, and counts: through the
    windows of a warm-up; compiled: as WarmsUp has it; changes: how often the two
    sides of the pinning changed before continuous load; pauses and unread: see closing_remarks;
    prepared: changes how entries are started, by their names.
    """

    experiment: Experiment
    variants: Mapping[str, Variant]
    tool: LoadTool
    pinning: Pinning
    connections: int
    first_port: int = 0
    seed: int = 0
    samples: int = 0
    keeper: Keeper = field(default_factory=Keeper)
    running: dict[str, Program] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    remote: Remote | None = None
    continuous: bool = False
    continuous_load: ContinuousLoad | None = None
    warm_load: WarmLoad | None = None
    counts: bool = False
    compiled: float = 0.0
    changes: int = 0
    pauses: int = 0
    unread: set[str] = field(default_factory=set)
    prepared: Mapping[str, Prepared] = field(default_factory=dict)

    @property
    def http(self) -> Http:
        """What is asked of each server."""
        return self.experiment.kind_as(Http)

    @property
    def address(self) -> str:
        return self.remote.address if self.remote else programs.HOST

    def closing_remarks(self) -> Sequence[str]:
        told = list(self.remote.remarks()) if self.remote else []
        if self.changes:
            times = "once" if self.changes == 1 else f"{self.changes} times"
            told.append(
                f"servers and load generators changed CPUs {times}: the servers' were slower at "
                "the moment, as a virtual CPU is that shares a core with the work of others"
            )
        if self.pauses:
            told.append(
                "the race, or the machine, was stopped for more than a minute: the block that was "
                "under way was measured anew"
            )
        if self.unread:
            names = ", ".join(f"'{name}'" for name in sorted(self.unread))
            told.append(
                f"the load generator of {names} gave no result at the end of a launch: latencies "
                "and failed requests there are not known"
            )
        return told

    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        self.end()
        errors: dict[str, VariantError] = {}
        places = list(self.variants)
        for name in names:
            port = self.first_port + places.index(name) if self.first_port else 0
            try:
                self.running[name] = self.start(self.variants[name], port)
            except VariantError as error:
                errors[name] = error
        with self.on_all_cpus():
            told = self.each(self.meet)
        return errors | self.check_parity(told)

    def start(self, variant: Variant, port: int) -> Program:
        """Start a variant, or reach the server that it is. Raises VariantError."""
        if variant.address:
            program = reached.reach(variant, self.keeper)
        else:
            there = self.pinning.server, port
            late = given_environment.tiers_late()
            env = {each: late[each] for each in late.keys() - variant.env.keys()}
            prepared = self.prepared.get(variant.name)
            program = programs.start(variant, self.keeper, *there, env, self.address, prepared)
        program.path = reached.path_of(variant, self.http.path)
        return program

    def each(self, do: Callable[[Program], T]) -> dict[str, T | VariantError]:
        """What it gives for each program that runs, or its error: of several at the same time."""

        def tried(program: Program) -> T | VariantError:
            try:
                return do(program)
            except VariantError as error:
                return error

        with ThreadPoolExecutor(AT_ONCE * len(cores.affinity())) as pool:
            return dict(zip(self.running, pool.map(tried, self.running.values()), strict=True))

    def meet(self, program: Program) -> Seen:
        """What a program answers as soon as it is ready; then it meets clients that go away, and
        compiles meanwhile. Raises VariantError."""
        if not program.variant.address:
            programs.await_ready(program, program.path)
            if self.pinning.server:
                processes.move(program.members, cores.affinity())
        seen = self.ask(program)
        aborts.abort(program.address, program.port, program.path)
        return seen

    def ask(self, program: Program) -> Seen:
        """What a program answers to its path, and to one that is not there. Raises VariantError."""
        answer = parity.ask_as(program, program.path, self.tool.manner)
        unknown = self.http.unknown
        return answer, parity.ask(program, unknown) if unknown else None

    def check_parity(self, told: Mapping[str, Seen | VariantError]) -> dict[str, VariantError]:
        """Compare what every running entry told with the baseline, or with what it must answer
        like; drops those that differ, or failed."""
        errors: dict[str, VariantError] = {}
        running = self.running.items()
        reference = {name: self.experiment.reference(each.variant) for name, each in running}
        for name in self.experiment.starting_order(self.running, self.variants):
            variant, other, seen = self.running[name].variant, reference[name], told[name]
            try:
                if isinstance(seen, VariantError):
                    raise seen
                answer, missed = seen
                if missed:
                    parity.check_unknown(variant, missed, self.http.unknown)
                if other == name:
                    parity.check_baseline(variant, answer)
                elif other in self.running:
                    known, alike = self.answers[other], variant.alike or self.http.answers
                    parity.check(variant, answer, known, alike)
                elif other != self.experiment.baseline:  # without a baseline there is no race
                    raise programs.reference_gone(variant, other)
                self.answers[name] = answer
            except VariantError as error:
                errors[name] = error
                self.drop(name)
        return errors

    def measure(self, name: str, seconds: float) -> Measurement:
        return alone(self.measure_together, name, seconds)

    def measure_together(self, names: Sequence[str], seconds: float) -> dict[str, Outcome]:
        members = {name: self.running[name].members for name in names}
        machine = Watch([pid for pids in members.values() for pid in pids], self.pinning.server)
        watches = {name: Watch(pids) for name, pids in members.items()}
        asked = {name: self.running[name] for name in names}
        asking = asked, self.answers, seconds, self.tool.manner
        with second_client.reading(*asking) as wrong:
            loads = (self.continuous_load.block if self.continuous_load else self.load)(
                names, seconds
            )
        if self.continuous_load and self.continuous_load.over:
            self.pauses += 1
            if not self.continuous_load.renew():
                self.leave()
            return self.measure_together(names, seconds)
        known = [load for load in loads.values() if isinstance(load, Load)]
        clients = sum(load.client_cpu_seconds for load in known)
        whole = machine.evidence(0.0 if self.remote else clients)
        together = None
        if len(names) > 1:
            together = Together(whole.server_cpu_seconds, clients, len(known))
        evidence = {name: watch.part_of(whole) for name, watch in watches.items()}
        if self.continuous_load:  # it looks at CPU time and requests at once
            for name, spent in self.continuous_load.server_cpu_seconds.items():
                if name in evidence:
                    evidence[name] = replace(evidence[name], server_cpu_seconds=spent)
        found: dict[str, Outcome] = {}
        for name, load in loads.items():
            alive = self.running[name].alive
            if isinstance(load, LoadError):  # tools give up where nobody listens any more
                found[name] = self.failed(name, f"could not be put under load: {load.message}")
            elif not alive or not load.requests and seconds >= PATIENT_SECONDS:
                found[name] = self.silent(name, load)
            elif name in wrong:
                found[name] = self.failed(name, wrong[name])
            elif not load.requests:
                # on a machine that is busy elsewhere a short sample may see no answer at all
                found.update(self.measure_together([name], PATIENT_SECONDS))
            else:
                both = replace(evidence[name], sent=load.sent, reused=load.reused)
                found[name] = Measurement(load, both, together=together)
        return found

    def load(self, names: Sequence[str], seconds: float) -> dict[str, Load | LoadError]:
        """Load these entries at the same time, each by a load generator of its own."""
        found: dict[str, Load | LoadError] = {}
        ports = {name: self.running[name].port for name in names}
        with ExitStack() as stack, looks.at(ports, seconds) as seen:
            for name, running in self.started(names, seconds, stack).items():
                try:
                    load = running.finished()
                    found[name] = replace(load, reused=seen[name].reused_or(load.reused))
                except LoadError as error:
                    found[name] = error
        return found

    def started(
        self, names: Sequence[str], seconds: float, stack: ExitStack
    ) -> dict[str, loading.Running]:
        """Begin to load these entries, in this order; all ends with the stack."""
        loads = {}
        for name in names:
            self.samples += 1
            paths = asked_paths(self.experiment, self.variants[name], self.seed + self.samples)
            begun = loading.started(
                self.tool,
                self.url(name),
                seconds,
                self.connections,
                self.keeper,
                self.pinning.client,
                paths,
                1 if len(names) > 1 else None,
            )
            loads[name] = stack.enter_context(begun)
        return loads

    def begin(self, names: Sequence[str], seconds: float) -> None:
        if not self.continuous:
            return
        self.change_sides()
        continuous_load = ContinuousLoad(self.running, self.started, seconds)
        if continuous_load.begin(names):  # if not, each block has load generators of its own
            self.continuous_load = continuous_load

    def change_sides(self) -> None:
        """Let servers and load generators change their CPUs, where the servers' are slower now."""
        chosen = self.pinning if self.remote else pinning.quicker(self.pinning)
        if chosen.server and chosen != self.pinning:
            self.pinning, self.changes = chosen, self.changes + 1
            processes.move(self.members, chosen.server)

    def finish(self) -> Mapping[str, Load]:
        continuous_load, self.continuous_load = self.continuous_load, None
        if not continuous_load:
            return {}
        found = continuous_load.end()
        self.unread |= continuous_load.unread
        return found

    def leave(self) -> None:
        """End continuous load, wherever it is."""
        warm_load, self.warm_load = self.warm_load, None
        if warm_load:
            warm_load.end()
        continuous_load, self.continuous_load = self.continuous_load, None
        if continuous_load:
            continuous_load.stack.close()

    def url(self, name: str) -> str:
        return self.running[name].url

    def silent(self, name: str, load: Load) -> VariantError:
        """Why an entry is out of the race that has answered nothing; it is ended."""
        many = f"it may not stand {counted(self.connections, 'connection')} at once"
        return self.failed(name, load.silence, f"{many}: try --connections 1, or ")

    def failed(self, name: str, problem: str, advice: str = "") -> VariantError:
        """Why an entry is out of the race; it is ended."""
        program = self.running[name]
        there = self.remote.there if self.remote else ""
        remedy = f"{advice}try by hand{there}: curl -i {self.url(name)}"
        error = VariantError(program.variant, problem, remedy)
        if not program.alive:
            error = programs.ended(program, "during the race")
        self.drop(name)
        return error

    def warm_up(self, names: Sequence[str], seconds: float) -> dict[str, Outcome]:
        if self.counts and not self.warm_load:
            given = self.running, self.started, names, frozenset(self.tiered)
            self.warm_load = WarmLoad.begin(*given, self.on_all_cpus())
            self.counts = self.warm_load is not None
        if not self.warm_load:
            return self.warm_up_anew(names, seconds)
        found: dict[str, Outcome] = {}
        for name, done in self.warm_load.window(names, seconds).items():
            if isinstance(done, LoadError):
                found[name] = self.failed(name, f"could not be put under load: {done.message}")
            elif not self.running[name].alive or self.warm_load.silent[name] >= PATIENT_SECONDS:
                found[name] = self.silent(name, done.load)
            else:
                found[name] = done
        self.compiled = self.warm_load.rest()
        return found

    def warm_up_anew(self, names: Sequence[str], seconds: float) -> dict[str, Outcome]:
        """A window of a warm-up with load generators of its own."""
        most = len(names)
        if self.remote:  # its tools may share a file there
            most = 1 if self.tool.result_file else AT_ONCE_ELSEWHERE
        found: dict[str, Outcome] = {}
        with self.on_all_cpus():
            for first in range(0, len(names), most):
                found |= self.measure_together(names[first : first + most], seconds)
            tiered = [self.running[name] for name in self.tiered]
            self.compiled = tier_up_wait([pid for each in tiered for pid in each.members])
        return found

    def warmed_up(self) -> None:
        if self.warm_load:
            self.warm_load.finish()
        self.warm_load = None

    @property
    def tiered(self) -> list[str]:
        """Those that run and compile in the background."""
        running = self.running.items()
        return [name for name, p in running if readiness.compiles_in_background(p.variant)]

    @property
    def members(self) -> list[int]:
        """Every process of the servers that run."""
        return [pid for program in self.running.values() for pid in program.members]

    @contextmanager
    def on_all_cpus(self) -> Iterator[None]:
        """While nothing is timed programs may use the load generators' CPUs, too."""
        if not self.pinning.server:
            yield
            return
        processes.move(self.members, cores.affinity())
        try:
            yield
        finally:
            processes.move(self.members, self.pinning.server)

    def land(self) -> dict[str, VariantError]:
        errors = self.check_parity(self.each(self.ask))
        self.end()
        return errors

    def drop(self, name: str) -> None:
        if self.continuous_load:
            self.continuous_load.drop(name)
        if self.warm_load:
            self.warm_load.load.drop(name)
        self.running.pop(name).end(self.keeper)

    def end(self) -> None:
        self.leave()
        programs.end_all(list(self.running.values()), self.keeper)
        self.running.clear()

    def close(self) -> None:
        self.keeper.close()
        self.end()


def asked_paths(experiment: Experiment, variant: Variant, seed: int = 0) -> Paths | None:
    """The paths that a variant is asked at random; None where it is asked the one path only."""
    form = experiment.kind_as(Http).paths
    return Paths(form, variant.paths, seed) if variant.paths else None
