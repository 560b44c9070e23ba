"""Run a plan: yields what happens as it happens, and saves after every block."""

import itertools
import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from benchbook.analysis import connections
from benchbook.analysis.voids import CLIENT_SIDE
from benchbook.load.tool import Load
from benchbook.model import results
from benchbook.model.experiments import Experiment
from benchbook.model.plan import Plan
from benchbook.model.runs import Run, Sample
from benchbook.programs.programs import VariantError
from benchbook.race import limits, witness
from benchbook.race.countdown import Countdown
from benchbook.race.executor import Executor, Measurement
from benchbook.race.options import Options
from benchbook.race.sides import check_sides, failed_requests
from benchbook.race.warming import WINDOW_SECONDS, Warming, WarmUp
from benchbook.setup.words import counted, duration
from benchbook.system.errors import BenchError

WARM_UPS = 4  # of a launch, at most


@dataclass(frozen=True)
class Note:
    """Something that the reader must know: a variant that can't take part, and why."""

    text: str


@dataclass(frozen=True)
class Progress:
    """How far the race is. seconds_left is an estimate; `doing` says what is going on now.

    landed: how many launches are over, told between two of them; 0 while one is under way.
    """

    done: int
    total: int
    seconds_left: float
    doing: str
    sample: Sample | None = None
    landed: int = 0

    @property
    def left(self) -> str:
        """The time left in words: about 1 min 20 s left."""
        return f"about {duration(self.seconds_left)} left"

    @property
    def line(self) -> str:
        """What terminal and notebook show: 12/48 launch 1 of 3, block 2 of 4, about 20 s left."""
        return f"{self.done}/{self.total} {self.doing}, {self.left}"


Event = Note | Progress


@dataclass
class Race:
    """A race that is ready to run: iterate over events() to run it.

    needed: asked once, after the pilot of a plan with `until`: how many launches are wanted?
    warmth: how long all entries are warmed up together; None: one after the other.
    """

    experiment: Experiment
    plan: Plan
    run: Run
    executor: Executor
    setting: witness.Setting
    needed: Callable[[Run], int] | None = None
    options: Options = Options()
    warmth: WarmUp | None = None
    countdown: Countdown = field(default_factory=Countdown)

    def events(self) -> Generator[Event, None, None]:
        """Run to the end. The run is saved after every block, and however this ends.

        Raises BenchError where the baseline or the load generator fails, KeyboardInterrupt as
        it comes; the run is then saved as incomplete.
        """
        started = time.monotonic()
        with results.recording(self.run, self.save, self.executor.close):
            yield from (Note(message) for message in self.run.messages)
            yield from self.launches(started)

    def save(self) -> None:
        timing = self.run.timing
        timing["sample_seconds"] = wall_seconds(self.run.samples)
        self.run.save()

    def launches(self, started: float) -> Iterator[Event]:
        run = self.run
        run.timing["launch_seconds"] = run.timing["warmup_seconds"] = 0.0
        launch = -1
        while (launch := launch + 1) < self.plan.launches:
            total = self.plan.samples
            where = f"launch {launch + 1} of {self.plan.launches}"
            done, left = len(run.samples), self.left(started)
            yield Progress(done, total, left, f"{where}: starting", landed=launch)
            begun = time.monotonic()
            errors = self.executor.launch(self.starting(launch))
            run.timing["launch_seconds"] += time.monotonic() - begun
            for name, error in errors.items():
                yield self.fail(name, error)
            if answers := self.executor.answers:
                run.parity = {name: answer.to_json() for name, answer in answers.items()}
                told = connections.warnings(run) if not launch else ()
                yield from [self.note(text) for text in told]
            begun = time.monotonic()
            yield from self.warm_up(launch, started, where)
            run.timing["warmup_seconds"] += time.monotonic() - begun
            if self.plan.together or (self.executor.slices and self.plan.interleaved):
                yield from self.heats(launch, started, where)
            else:
                yield from self.turns(launch, started, where)
            begun = time.monotonic()
            errors = self.executor.land()
            run.timing["launch_seconds"] += time.monotonic() - begun
            for name, error in errors.items():
                yield self.fail(name, error)
            if launch + 1 == self.plan.pilot and self.needed:
                yield self.extend(self.needed(run), time.monotonic() - started)
        for remark in self.executor.closing_remarks():
            yield self.note(remark)

    def extend(self, wanted: int, pilot_seconds: float) -> Note:
        """Decide, once, how many launches there will be: as many as wanted, or as time allows."""
        pilot = self.plan.launches
        minutes, most = self.options.minutes, self.options.most.get("launches", math.inf)
        affordable = int(minutes * 60 / (pilot_seconds / pilot))
        launches = int(max(pilot, min(wanted, affordable, most)))
        self.plan = self.plan.extended(launches)
        self.run.plan = self.plan
        width, needed = 100 * (self.plan.until or 0), counted(wanted, "launch")
        aim = f"intervals narrower than {width:.3g} points of the ratio need {needed}"
        if launches == most < wanted:
            aim += f", of which {limits.VARIABLE} allows {launches}"
        elif launches < wanted:
            time_given = f"{minutes:g} {'minute allows' if minutes == 1 else 'minutes allow'}"
            aim += f", of which {time_given} {launches}"
        return self.note(f"after {counted(pilot, 'launch')}: {aim}")

    def warm_up(self, launch: int, started: float, where: str) -> Iterator[Event]:
        """Load every entry for a moment, so that its JIT has compiled the hot code.

        Again, for shorter moments, as long as the executor says that it was not all.
        """
        if not self.plan.warmup_seconds:
            return
        if self.warmth:
            yield from self.warm_together(self.warmth, launch, started, where)
            return
        seconds = self.plan.warmup_seconds
        for count in range(WARM_UPS):
            yield from self.load_all(seconds, launch, started, where)
            if not self.executor.settle(count):
                break
            seconds = min(seconds, self.executor.again_seconds)

    def warm_together(
        self, warmth: WarmUp, launch: int, started: float, where: str
    ) -> Iterator[Event]:
        """Load all entries at the same time until what a request costs them no longer falls.

        On all CPUs, and for one more window on those where they are timed, where a stint does not
        begin with one.
        """
        warming, over = Warming(warmth), False
        while not over:
            over = warming.over()
            if over and self.plan.continuous:
                return
            begun = time.monotonic() - started
            load = self.executor.measure_together if over else self.executor.warm_up
            found = load(self.starting(launch), WINDOW_SECONDS)
            check_sides(found)
            samples = []
            for name, outcome in found.items():
                if isinstance(outcome, VariantError):
                    yield self.fail(name, outcome)
                else:
                    samples.append(self.sample(outcome, launch, -1, -1, name, begun))
            self.run.warmups += samples
            warming.add(samples)
            done, total = len(self.run.samples), self.plan.samples
            yield Progress(done, total, self.left(started), f"{where}: warming up")

    def load_all(self, seconds: float, launch: int, started: float, where: str) -> Iterator[Event]:
        for name in self.starting(launch):
            try:
                measured = self.executor.measure(name, seconds)
                self.run.warmups.append(
                    self.sample(measured, launch, -1, -1, name, time.monotonic() - started)
                )
            except VariantError as error:
                yield self.fail(name, error)
            done, total = len(self.run.samples), self.plan.samples
            yield Progress(done, total, self.left(started), f"{where}: warming up")

    def heats(self, launch: int, started: float, where: str) -> Iterator[Event]:
        """The blocks of a launch, each of which has one sample of every entry."""
        planned = enumerate(self.plan.order[launch])
        for _, blocks in itertools.groupby(planned, key=lambda each: frozenset(each[1])):
            stint, first = list(blocks), len(self.run.samples)
            names = [name for name in stint[0][1] if name in self.active()]
            self.executor.begin(names, len(stint) * self.plan.sample_seconds)
            for block, members in stint:
                doing = f"{where}, block {block + 1} of {self.plan.blocks}"
                yield from self.block(launch, block, members, started, doing)
            yield from self.told_in_the_end(self.executor.finish(), first)

    def block(
        self, launch: int, block: int, names: Sequence[str], started: float, doing: str
    ) -> Iterator[Event]:
        """One sample of each of these entries that is still in the race."""
        there = [name for name in names if name in self.active()]
        begun = time.monotonic() - started
        found = self.executor.measure_together(there, self.plan.sample_seconds)
        check_sides(found)
        first = len(self.run.samples)
        for position, (name, outcome) in enumerate(found.items()):
            if isinstance(outcome, VariantError):
                yield self.fail(name, outcome)
                continue
            at = begun if outcome.began is None else outcome.began - started
            sample = self.sample(outcome, launch, block, position, name, at)
            yield self.taken(sample, started, doing)
        yield from self.complaints(self.run.samples[first:])
        self.save()

    def told_in_the_end(self, loads: Mapping[str, Load], first: int) -> Iterator[Event]:
        """Put into the samples from `first` on what is known of their loads in the end only.

        Latencies are those of the whole stint; failures are counted in its last sample, and all
        its samples are flagged.
        """
        samples, last = self.run.samples, dict[str, int]()
        for i in range(first, len(samples)):
            sample = samples[i]
            if load := loads.get(sample.variant):
                flags = {*sample.flags, *witness.of_answers(load, self.setting)}
                samples[i] = replace(
                    sample,
                    latency_ms=dict(load.latency_ms),
                    bytes=round(load.bytes * sample.requests / max(1, load.requests)),
                    flags=sorted(flags),
                    evidence={**sample.evidence, "reused": load.reused},
                )
                last[sample.variant] = i
        for name, i in last.items():
            load = loads[name]
            samples[i] = replace(samples[i], errors=dict(load.errors), non_2xx=load.non_2xx)
        yield from self.complaints([samples[i] for i in last.values()])
        if loads:
            self.save()

    def turns(self, launch: int, started: float, where: str) -> Iterator[Event]:
        """The rounds of a launch, one entry after the other."""
        first = len(self.run.samples)  # of the block
        for turn, (block, position, name) in enumerate(self.plan.rounds(launch), 1):
            doing = f"{where}, block {block + 1} of {self.plan.blocks}"
            if name in self.active():
                yield from self.round(launch, block, position, name, started, doing)
            if turn % len(self.plan.entries) == 0:
                yield from self.complaints(self.run.samples[first:])
                first = len(self.run.samples)
                self.save()

    def round(
        self, launch: int, block: int, position: int, name: str, started: float, doing: str
    ) -> Iterator[Event]:
        begun = time.monotonic() - started
        try:
            measured = self.executor.measure(name, self.plan.sample_seconds)
        except VariantError as error:
            yield self.fail(name, error)
            return
        if measured.began is not None:
            begun = measured.began - started
        sample = self.sample(measured, launch, block, position, name, begun)
        yield self.taken(sample, started, doing)

    def taken(self, sample: Sample, started: float, doing: str) -> Progress:
        """Keep a sample, and tell of it."""
        self.run.samples.append(sample)
        done, total = len(self.run.samples), self.plan.samples
        return Progress(done, total, self.left(started), doing, sample)

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
            flags=witness.flags(
                result, measured.evidence, self.setting, self.highest_clock(), measured.together
            ),
            parts_ms=dict(measured.parts_ms),
        )

    def highest_clock(self) -> float | None:
        clocks = [s.evidence["clock_mhz"] for s in self.run.samples if s.evidence["clock_mhz"]]
        return max(clocks, default=None)

    def complaints(self, samples: Iterable[Sample]) -> Iterator[Note]:
        """The first time that an entry answers with errors in a block that is over, of which these
        are the samples, say so, once; where all do, whose side that is."""
        found, alike = dict[str, str](), True
        for sample in samples:
            entry = self.run.entry(sample.variant)
            if not entry.reason and {"errors", "non-2xx"} & set(sample.flags):
                found[entry.name] = entry.reason = failed_requests(sample)
                alike = alike and bool(sum(sample.errors.values()))
        if alike and len(found) > 1 and set(self.active()) <= set(found):
            told = "".join(f"\n  {name}: {reason}" for name, reason in found.items())
            yield self.note(f"requests to every program failed{told}\n  → {CLIENT_SIDE}")
            return
        for name, reason in found.items():
            yield self.note(
                f"variant '{name}': {reason}\n  → look at what it does under load; its figures are "
                "void where more than one request in a thousand fails"
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

    def starting(self, launch: int) -> list[str]:
        """The entries in the order in which they are started and warmed up, which is that of the
        launch's plan. Who came first cost 0.6 % less than equal programs when it was the same one
        in each launch (docs/method.md)."""
        planned = dict.fromkeys(name for block in self.plan.order[launch] for name in block)
        there = self.active()
        return sorted(there, key=[*planned, *there].index)

    def left(self, started: float) -> float:
        return self.countdown.left(self.plan, self.run.samples, time.monotonic() - started)


def wall_seconds(samples: Sequence[Sample]) -> float:
    """How long samples took; those that began at the same time count once."""
    longest: dict[float, float] = {}
    for sample in samples:
        known = longest.get(sample.started_seconds, 0.0)
        longest[sample.started_seconds] = max(known, sample.seconds)
    return sum(longest.values())
