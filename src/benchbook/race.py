"""Run a plan: yields what happens as it happens, and saves after every block."""

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import benchbook
from benchbook import load, machine, paths, pinning, plan, programs, results, witness
from benchbook.errors import BenchError, InputError
from benchbook.executor import Executor, HttpExecutor, Measurement
from benchbook.experiments import Experiment, Variant
from benchbook.pinning import Pinning
from benchbook.plan import Plan
from benchbook.programs import VariantError
from benchbook.results import Entry, Run, Sample

COPY = "#2"  # the A/A copy of the baseline is named like it, with this at the end


@dataclass(frozen=True)
class Options:
    """What a caller may choose; None means: as the experiment says.

    warmup: seconds of load on each program before its first sample; interleaved: as in Plan;
    until: race on until every interval is narrower than this share, but at most `minutes`.
    """

    mode: str = "quick"
    launches: int | None = None
    blocks: int | None = None
    seconds: float | None = None
    connections: int | None = None
    tool: str | None = None
    variants: tuple[str, ...] = ()
    seed: int | None = None
    path: Path | None = None
    pin: bool = True
    port: int = 0
    warmup: float | None = None
    interleaved: bool = True
    until: float | None = None
    minutes: float = 30.0


@dataclass(frozen=True)
class Note:
    """Something that the reader must know: a variant that can't take part, and why."""

    text: str


@dataclass(frozen=True)
class Progress:
    """How far the race is. seconds_left is an estimate; `doing` says what is going on now."""

    done: int
    total: int
    seconds_left: float
    doing: str
    sample: Sample | None = None


Event = Note | Progress


@dataclass
class Race:
    """A race that is ready to run: iterate over events() to run it.

    needed: asked once, after the pilot of a plan with `until`: how many launches are wanted?
    """

    experiment: Experiment
    plan: Plan
    run: Run
    executor: Executor
    setting: witness.Setting
    needed: Callable[[Run], int] | None = None
    minutes: float = Options.minutes

    def events(self) -> Iterator[Event]:
        """Run to the end. The run is saved after every block, and however this ends.

        Raises BenchError where the baseline or the load generator fails, KeyboardInterrupt as
        it comes; the run is then saved as incomplete.
        """
        started = time.monotonic()
        run = self.run
        try:
            run.save()
            yield from (Note(message) for message in run.messages)
            yield from self.launches(started)
            run.status, run.reason = "complete", ""
        except BenchError as error:
            run.reason = str(error)
            raise
        except (GeneratorExit, KeyboardInterrupt):
            run.reason = "interrupted"
            raise
        finally:
            self.executor.close()
            run.finished = now()
            run.timing["total_seconds"] = time.monotonic() - started
            run.timing["sample_seconds"] = sum(s.seconds for s in run.samples)
            run.timing["warmup_seconds"] = sum(s.seconds for s in run.warmups)
            run.save()

    def launches(self, started: float) -> Iterator[Event]:
        run = self.run
        run.timing["launch_seconds"] = 0.0
        launch = -1
        while (launch := launch + 1) < self.plan.launches:
            total = self.plan.samples
            where = f"launch {launch + 1} of {self.plan.launches}"
            yield Progress(len(run.samples), total, self.left(started), f"{where}: starting")
            begun = time.monotonic()
            errors = self.executor.launch(self.active())
            run.timing["launch_seconds"] += time.monotonic() - begun
            for name, error in errors.items():
                yield self.fail(name, error)
            if answers := getattr(self.executor, "answers", None):
                run.parity = {name: answer.to_json() for name, answer in answers.items()}
            yield from self.warm_up(launch, started, where)
            for turn, (block, position, name) in enumerate(self.plan.rounds(launch), 1):
                doing = f"{where}, block {block + 1} of {self.plan.blocks}"
                if name in self.active():
                    yield from self.round(launch, block, position, name, started, doing)
                if turn % len(self.plan.entries) == 0:
                    run.save()
            begun = time.monotonic()
            errors = self.executor.land()
            run.timing["launch_seconds"] += time.monotonic() - begun
            for name, error in errors.items():
                yield self.fail(name, error)
            if launch + 1 == self.plan.pilot and self.needed:
                yield self.extend(self.needed(run), time.monotonic() - started)

    def extend(self, wanted: int, pilot_seconds: float) -> Note:
        """Decide, once, how many launches there will be: as many as wanted, or as time allows."""
        pilot = self.plan.launches
        affordable = int(self.minutes * 60 / (pilot_seconds / pilot))
        launches = max(pilot, min(wanted, affordable))
        self.plan = self.plan.extended(launches)
        self.run.plan = self.plan.to_json()
        aim = f"intervals narrower than {self.plan.until:.3g} need {wanted} launches"
        if launches < wanted:
            aim += f", of which {self.minutes:g} minutes allow {launches}"
        return self.note(f"after {pilot} launches: {aim}")

    def warm_up(self, launch: int, started: float, where: str) -> Iterator[Event]:
        """Load every entry for a moment, so that its JIT has compiled the hot code."""
        if not self.plan.warmup_seconds:
            return
        for name in self.active():
            try:
                measured = self.executor.measure(name, self.plan.warmup_seconds)
                self.run.warmups.append(
                    self.sample(measured, launch, -1, -1, name, time.monotonic() - started)
                )
            except VariantError as error:
                yield self.fail(name, error)
            done, total = len(self.run.samples), self.plan.samples
            yield Progress(done, total, self.left(started), f"{where}: warming up")

    def round(
        self, launch: int, block: int, position: int, name: str, started: float, doing: str
    ) -> Iterator[Event]:
        begun = time.monotonic() - started
        try:
            measured = self.executor.measure(name, self.plan.sample_seconds)
        except VariantError as error:
            yield self.fail(name, error)
            return
        sample = self.sample(measured, launch, block, position, name, begun)
        self.run.samples.append(sample)
        note = self.complaint(sample)
        if note:
            yield note
        done, total = len(self.run.samples), self.plan.samples
        yield Progress(done, total, self.left(started), doing, sample)

    def sample(
        self,
        measured: Measurement,
        launch: int,
        block: int,
        position: int,
        name: str,
        begun: float,
    ) -> Sample:
        result = measured.load
        return Sample(
            launch=launch,
            block=block,
            position=position,
            variant=name,
            started_seconds=begun,
            seconds=result.seconds,
            requests=result.requests,
            requests_per_second=result.requests_per_second,
            latency_ms=dict(result.latency_ms),
            errors=dict(result.errors),
            non_2xx=result.non_2xx,
            bytes=result.bytes,
            client_cpu_seconds=result.client_cpu_seconds,
            evidence=asdict(measured.evidence),
            flags=witness.flags(result, measured.evidence, self.setting, self.highest_clock()),
        )

    def highest_clock(self) -> float | None:
        clocks = [s.evidence["clock_mhz"] for s in self.run.samples if s.evidence["clock_mhz"]]
        return max(clocks, default=None)

    def complaint(self, sample: Sample) -> Note | None:
        """The first time that an entry answers with errors, say so, once."""
        entry = self.run.entry(sample.variant)
        if entry.reason or not {"errors", "non-2xx"} & set(sample.flags):
            return None
        failures = {**sample.errors, "status not 2xx": sample.non_2xx}
        counts = ", ".join(f"{count} {kind}" for kind, count in failures.items() if count)
        entry.reason = (
            f"of {sample.requests} requests in launch {sample.launch + 1}, block "
            f"{sample.block + 1}, some failed ({counts})"
        )
        return self.note(
            f"variant '{entry.name}': {entry.reason}\n"
            f"  → its figures are kept but judged not valid; look at what it does under load"
        )

    def fail(self, name: str, error: VariantError) -> Note:
        """An entry is out of the race from here on. Raises BenchError where nothing is left."""
        entry = self.run.entry(name)
        entry.status, entry.reason = "failed", str(error)
        note = self.note(str(error))
        if entry.role == "baseline":
            raise BenchError(f"the baseline can't be raced: {error.message}", error.remedy)
        return note

    def note(self, text: str) -> Note:
        self.run.messages.append(text)
        return Note(text)

    def active(self) -> list[str]:
        return [e.name for e in self.run.entries if e.status == "raced"]

    def left(self, started: float) -> float:
        """Seconds left: as planned, scaled by how fast it went so far once that is known."""
        expected = self.plan.expected_seconds
        share = len(self.run.samples) / self.plan.samples
        elapsed = time.monotonic() - started
        if share < 0.1:
            return max(0.0, expected - elapsed)
        return elapsed * (1 - share) / share


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def prepare(experiment: Experiment, options: Options = Options()) -> Race:
    """Check what can be raced, draw the plan, and return a race that is ready to run.

    Raises InputError for options that make no sense, BenchError where the baseline or the load
    generator is not available.
    """
    if options.mode not in experiment.modes:
        known = ", ".join(experiment.modes)
        raise InputError("--mode", "", f"no mode '{options.mode}' (there are: {known})")
    chosen = choose(experiment, options.variants)
    tool = load.choose(options.tool or experiment.http.tool)
    reasons = {variant.name: programs.unavailable(variant) for variant in chosen}
    if reason := reasons[experiment.baseline]:
        raise BenchError(f"the baseline '{experiment.baseline}' can't be raced: {reason}")
    path = options.path or results.folder(experiment.name) / f"{stamp()}.json"
    experiment = programs.stage(experiment, paths.scratch() / f"{experiment.name}-{stamp()}")
    variants, entries = enter(experiment, chosen, reasons)
    connections = options.connections or experiment.http.connections
    drawn = plan.make(
        [e.name for e in entries if e.status == "raced"],
        options.mode,
        experiment.modes[options.mode],
        connections=connections,
        tool=tool.name,
        seed=secrets.randbits(32) if options.seed is None else options.seed,
        sample_seconds=load.sample_seconds(
            tool, options.seconds or experiment.modes[options.mode].sample_seconds
        ),
        launches=options.launches,
        blocks=options.blocks,
        warmup_seconds=options.warmup,
        interleaved=options.interleaved,
        until=options.until,
    )
    pins = pinning.split() if options.pin else Pinning(None, None, "switched off with --no-pin")
    run = Run(
        experiment={
            "name": experiment.name,
            "title": experiment.title,
            "claim": experiment.claim.name,
            "path": experiment.http.path,
        },
        plan=drawn.to_json(),
        tool={"name": tool.name, "version": tool.version()},
        pinning={"server": pins.server, "client": pins.client, "reason": pins.reason},
        machine=machine.manifest(),
        entries=entries,
        benchbook=benchbook.__version__,
        started=now(),
        messages=[f"variant '{e.name}' is unavailable: {e.reason}" for e in entries if e.reason],
        path=path,
    )
    executor = HttpExecutor(experiment, variants, tool, pins, connections, first_port=options.port)
    setting = witness.Setting(
        server_cpus=len(pins.server or machine.affinity()),
        client_cpus=load.threads(tool, connections, pins.client),
        connections=connections,
        corrected=tool.corrects,
        cpus=len(machine.affinity()),
    )
    return Race(experiment, drawn, run, executor, setting, minutes=options.minutes)


def choose(experiment: Experiment, names: tuple[str, ...]) -> list[Variant]:
    """The variants asked for (all where none is), the baseline always among them."""
    if not names:
        return list(experiment.variants)
    wanted = {experiment.variant(name).name for name in names} | {experiment.baseline}
    return [variant for variant in experiment.variants if variant.name in wanted]


def enter(
    experiment: Experiment, chosen: list[Variant], reasons: dict[str, str]
) -> tuple[dict[str, Variant], list[Entry]]:
    """The contestants: each chosen variant, and right after the baseline its A/A copy."""
    variants: dict[str, Variant] = {}
    entries: list[Entry] = []
    for name in [variant.name for variant in chosen]:
        variant = experiment.variant(name)
        is_baseline = name == experiment.baseline
        copies = [(name, variant, "baseline" if is_baseline else "variant")]
        if is_baseline:
            twin = replace(variant, name=name + COPY, title=f"{variant.title} (A/A copy)")
            copies.append((twin.name, twin, "floor"))
        for entry_name, entry_variant, role in copies:
            variants[entry_name] = entry_variant
            entries.append(
                Entry(
                    name=entry_name,
                    title=entry_variant.title,
                    role=role,
                    file=paths.relative(entry_variant.path),
                    sha256=hashlib.sha256(entry_variant.path.read_bytes()).hexdigest(),
                    edited=entry_variant.edited,
                    status="unavailable" if reasons[name] else "raced",
                    reason=reasons[name],
                )
            )
    return variants, entries


def stamp() -> str:
    """A file name that sorts by time and is never given twice."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
