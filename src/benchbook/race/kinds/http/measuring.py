"""Servers under a load generator, which may run on another host."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchbook.load import addressed, capacity, installed, loading, registry, remote_tool
from benchbook.load.remote_tool import RemoteTool
from benchbook.loadtools.tool import LoadTool
from benchbook.model import plan, results
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.http import FEWEST_TOGETHER, Http
from benchbook.model.plan import COPY
from benchbook.model.runs import Entry
from benchbook.model.samples import UsedTool
from benchbook.model.variants import Variant
from benchbook.programs import programs, readiness
from benchbook.race import job
from benchbook.race.evidence import Setting
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.http.executor import HttpExecutor, asked_paths
from benchbook.race.kinds.measuring import Measuring
from benchbook.race.options import Options
from benchbook.race.race import Race
from benchbook.race.warming import WarmUp
from benchbook.system import cores, paths, pinning
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.errors import InputError

FEW = (
    f"With fewer than {FEWEST_TOGETHER} connections servers wait more than they work, and loaded "
    "together they would do so in each other's time: they are raced in turns."
)

THERE = Pinning(None, None, "they run already")
ONE_CPU = (
    "Each server has one CPU here, on which .NET takes its workstation garbage collector, although "
    "{} of these programs ask for the one of servers: where they have more CPUs they may cost "
    "something else."
)
NOT_STARTED = (
    "These servers ran already and were not started anew: how they differ from one start to the "
    "next is in no interval."
)
UNSEEN = (
    "They were loaded in turns and compared by requests/s: whose CPU time it is can't be seen "
    "unless --pid tells their processes."
)


@dataclass(frozen=True)
class Built:
    """What can be raced: the staged experiment, what its entries run, and who they are."""

    experiment: Experiment
    variants: dict[str, Variant]
    entries: list[Entry]


class HttpMeasuring(Measuring):
    """Samples are a load generator's."""

    def prepare(self, asked: Job) -> Race:
        kind, options, remote = asked.experiment.kind_as(Http), asked.options, asked.options.remote
        check_seconds(kind, options.seconds)
        name = options.tool or kind.tool
        tool = remote_tool.choose(remote, name) if remote else registry.choose(name)
        connections = options.connections or kind.connections
        if not remote:
            capacity.check(connections, len(asked.chosen) + 1)
        check_ports(asked)
        built = build(asked, tool)
        wanted = kind.together and options.together and options.interleaved and not remote
        together = wanted and connections >= FEWEST_TOGETHER
        continuous = together and tool.counts_requests
        chosen = plan.usual_seconds(asked.mode, together, continuous)
        seconds = loading.sample_seconds(tool, options.seconds or chosen)
        counts = tool.counts_requests and not remote
        warmth = warm_up(built, options, counts, loading.sample_seconds(tool, 0.0))
        expected = warmth.expected / (1 if together else len(built.entries))
        given = (seconds, connections, expected, together, continuous)
        drawn = asked.plan(built.entries, tool.name, *given)
        least = max(drawn.sample_seconds, kind.shortest_sample_seconds)
        drawn = replace(drawn, sample_seconds=loading.sample_seconds(tool, least))
        there = any(variant.address for variant in asked.chosen)
        pins = THERE if there else pinned(options.pin, remote is not None)
        version = tool.version() if isinstance(tool, RemoteTool) else installed.version(tool)
        used = UsedTool(tool.name, version, remote.to_json() if remote else None)
        run = replace(asked, experiment=built.experiment).run(drawn, used, pins, built.entries)
        if isinstance(tool, RemoteTool):
            run.messages += tool.messages()
        if wanted and not together:
            run.messages.append(FEW)
        if len(pins.server or ()) == 1 and (count := asking_server_gc(built)):
            run.messages.append(ONE_CPU.format(count))
        if there:
            run.messages += [NOT_STARTED] if kind.together else [NOT_STARTED, UNSEEN]
        executor = HttpExecutor(
            built.experiment,
            built.variants,
            tool,
            pins,
            connections,
            first_port=options.port,
            seed=drawn.seed,
            remote=remote,
            continuous=continuous,
            counts=counts,
        )
        setting = setting_of(tool, connections, range(remote.cpus) if remote else pins.client)
        return Race(built.experiment, run, executor, setting, options=options, warmth=warmth)


MEASURING = HttpMeasuring()


def asking_server_gc(built: Built) -> int:
    """How many of the programs that are raced ask for .NET's garbage collector of servers."""
    raced = [built.variants[entry.name] for entry in built.entries if entry.status == "raced"]
    return len({variant.path for variant in raced if readiness.asks_server_gc(variant)})


def check_seconds(kind: Http, seconds: float | None) -> None:
    """Raises InputError for samples that are too short for a load generator."""
    if seconds and seconds < kind.shortest_sample_seconds:
        problem = f"{seconds:g} s are too short for a load generator"
        raise InputError("--seconds", "", problem, f"at least {kind.shortest_sample_seconds:g}")


def setting_of(tool: LoadTool, connections: int, cpus: Sequence[int] | None) -> Setting:
    """What samples are taken with; cpus: of the load generators, None where they are not pinned."""
    return Setting(
        client_cpus=loading.threads(tool, connections, cpus),
        connections=connections,
        corrected=tool.corrects,
        cpus=len(cores.affinity()),
        all_clients_cpus=len(cpus or cores.affinity()),
        quota=cores.cpu_quota() or math.inf,
    )


def build(asked: Job, tool: LoadTool) -> Built:
    """Stage and build the chosen variants. Raises BenchError where the baseline is unavailable."""
    name, remote = asked.experiment.name, asked.options.remote
    experiment = asked.staged().experiment
    raced, unfit = experiment, dict[str, str]()
    if remote:
        remote.copies = paths.scratch() / f"{name}-{results.stamp()}"
        raced, unfit = addressed.addressed(experiment, remote.address, remote.copies)

    def check(known: Reasons) -> None:
        """What needs no build: can the tool ask it, is there anything to compare?"""
        for variant in asked.chosen:
            refused = registry.refuses(tool, asked_paths(experiment, variant))
            known[variant.name] = unfit.get(variant.name, "") or known[variant.name] or refused
        job.check_baseline(experiment, known)

    chosen = [raced.variant(variant.name) for variant in asked.chosen]
    reasons = readiness.make_ready(chosen, asked.say, check)
    job.check_baseline(experiment, reasons)
    variants, entries = job.enter(experiment, asked.chosen, reasons)
    moved = {n: raced.variant(n.removesuffix(COPY)).path for n in variants}
    variants = {name: replace(variant, path=moved[name]) for name, variant in variants.items()}
    return Built(experiment, variants, entries)


def check_ports(asked: Job) -> None:
    """Raises VariantError where somebody listens on one of the ports from --port on: there is one
    for each variant, and one for the baseline's copy."""
    remote, port = asked.options.remote, asked.options.port
    for variant in asked.chosen if port else []:
        for _ in range(1 if variant.pid or variant.name != asked.experiment.baseline else 2):
            if not variant.address:
                programs.check_port(variant, port, remote.address if remote else programs.HOST)
            port += 1


def warm_up(built: Built, options: Options, continuous: bool, shortest: float) -> WarmUp:
    """How long the entries are warmed up together: as asked for, or as their runtimes need, where
    that is allowed. continuous, shortest: as WarmUp has them."""
    raced = [built.variants[entry.name] for entry in built.entries if entry.status == "raced"]
    tiered = sum(readiness.compiles_in_background(variant) for variant in raced)
    few = all(map(readiness.compiles_early, raced))
    needed = WarmUp(len(raced), tiered, options.warmup, continuous, few, shortest)
    most = options.most.get("warmup", math.inf)
    return replace(needed, seconds=most) if most < needed.expected else needed


def pinned(wanted: bool, remote: bool) -> Pinning:
    """Which CPUs the server and the load generator get."""
    if remote:
        return Pinning(None, None, "the load generator is on another host")
    return pinning.split() if wanted else Pinning(None, None, pinning.UNPINNED)
