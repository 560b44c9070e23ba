"""What is known of a race while it goes on: its run, which grows, and what is told of it."""

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from benchbook.analysis.statistics.exclusion import CLIENT_SIDE
from benchbook.loadtools.tool import Load
from benchbook.model.runs import Run
from benchbook.model.samples import Sample
from benchbook.programs.programs import VariantError
from benchbook.race.countdown import Countdown
from benchbook.race.evidence import Setting
from benchbook.race.evidence import flags as flags_of
from benchbook.race.evidence import of_answers
from benchbook.race.executor import Measurement, Outcome
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.words import duration

SAVE_SECONDS = 1.0  # between two times that a run is saved while it goes on


@dataclass(frozen=True)
class Note:
    """Something that the reader must know: a variant that can't take part, and why."""

    text: str


@dataclass(frozen=True)
class RaceProgress:
    """How far the race is. seconds_left is an estimate; `doing` says what is going on now.

    landed: how many launches are over, told between two of them; 0 while one is under way.
    between: nothing is measured until the next event is asked for, because a block is over.
    """

    done: int
    total: int
    seconds_left: float
    doing: str
    sample: Sample | None = None
    landed: int = 0
    between: bool = False

    @property
    def left(self) -> str:
        """The time left in words: about 1 min 20 s left."""
        return f"about {duration(self.seconds_left)} left"

    @property
    def line(self) -> str:
        """What terminal and notebook show: 12/48 launch 1 of 3, block 2 of 4, about 20 s left."""
        return f"{self.done}/{self.total} {self.doing}, {self.left}"


Event = Note | RaceProgress


@dataclass
class Record:
    """A run that is filled, sample by sample. setting: what they are taken with; began, and saved
    for the last time: by time.monotonic()."""

    run: Run
    setting: Setting
    saved: float = -math.inf
    countdown: Countdown = field(default_factory=Countdown)
    began: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> float:
        """Seconds since the race began."""
        return time.monotonic() - self.began

    @property
    def active(self) -> list[str]:
        """The entries that are still in the race."""
        return [e.name for e in self.run.entries if e.status == "raced"]

    @contextmanager
    def spent_on(self, what: str) -> Iterator[None]:
        """Adds the time that this takes to one of run.timing."""
        begun = time.monotonic()
        yield
        self.run.timing[what] += time.monotonic() - begun

    def save(self) -> None:
        self.run.timing["sample_seconds"] = wall_seconds(self.run.samples)
        self.run.save()
        self.saved = time.monotonic()

    def keep(self) -> None:
        """Save, but not again and again where blocks are short: the whole file is written."""
        if time.monotonic() - self.saved >= SAVE_SECONDS:
            self.save()

    def note(self, text: str) -> Note:
        self.run.messages.append(text)
        return Note(text)

    def progress(
        self, doing: str, sample: Sample | None = None, landed: int = 0, between: bool = False
    ) -> RaceProgress:
        plan, samples = self.run.plan, self.run.samples
        left = self.countdown.left(plan, samples, self.elapsed)
        return RaceProgress(len(samples), plan.samples, left, doing, sample, landed, between)

    def take(self, sample: Sample, doing: str) -> RaceProgress:
        """Keep a sample, and tell of it."""
        self.run.samples.append(sample)
        return self.progress(doing, sample)

    def sample(
        self,
        measured: Measurement,
        launch: int,
        block: int,
        position: int,
        name: str,
        begun: float,
    ) -> Sample:
        """A measurement with what speaks against it. begun: seconds since the race began, when the
        executor was asked."""
        if measured.began is not None:
            begun = measured.began - self.began
        clocks = [s.evidence["clock_mhz"] for s in self.run.samples if s.evidence["clock_mhz"]]
        highest = max(clocks, default=None)
        seen = measured.load, measured.evidence, self.setting, highest, measured.together
        return measured.sample(launch, block, position, name, begun, flags_of(*seen))

    def fail(self, name: str, error: VariantError) -> Note:
        """An entry is out of the race from here on. Raises BenchError where nothing is left."""
        entry = self.run.entry(name)
        entry.status, entry.reason = "failed", str(error)
        note = self.note(str(error))
        if entry.role == "baseline":
            raise BenchError(f"the baseline can't be raced: {error.message}", error.remedy)
        compared = self.run.experiment.delta is not None
        if compared and not any(
            e.role == "variant" and e.status == "raced" for e in self.run.entries
        ):
            raise BenchError(f"nothing is left to compare: {error.message}", error.remedy)
        return note

    def complaints(self, samples: Iterable[Sample]) -> Iterator[Note]:
        """The first time that an entry answers with errors in a block that is over, of which these
        are the samples, say so, once; where all do, whose side that is."""
        found, alike = dict[str, str](), True
        for sample in samples:
            entry = self.run.entry(sample.variant)
            if not entry.reason and {"errors", "non-2xx"} & set(sample.flags):
                found[entry.name] = entry.reason = failed_requests(sample)
                alike = alike and bool(sum(sample.errors.values()))
        if alike and len(found) > 1 and set(self.active) <= set(found):
            told = "".join(f"\n  {name}: {reason}" for name, reason in found.items())
            yield self.note(f"requests to every program failed{told}\n  → {CLIENT_SIDE}")
            return
        for name, reason in found.items():
            yield self.note(
                f"variant '{name}': {reason}\n  → look at what it does under load; its figures are "
                "excluded where more than one request in a thousand fails"
            )

    def complete(self, loads: Mapping[str, Load], first: int) -> Iterator[Note]:
        """Put into the samples from `first` on what is known of their loads in the end only.

        Latencies are those of all blocks; failures are counted in its last sample, and all
        its samples are flagged.
        """
        samples, last = self.run.samples, dict[str, int]()
        for i in range(first, len(samples)):
            sample = samples[i]
            if load := loads.get(sample.variant):
                flags = {*sample.flags, *of_answers(load, self.setting)}
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


def check_sides(found: Mapping[str, Outcome]) -> None:
    """Raises BenchError where all programs failed alike: then it is no program's fault, but the
    client's side."""
    errors = [outcome for outcome in found.values() if isinstance(outcome, VariantError)]
    if len(errors) > 1 and len(errors) == len(found):
        told = "".join(f"\n  {error.message.splitlines()[0]}" for error in errors)
        raise BenchError(f"no program could be put under load{told}", CLIENT_SIDE)


def failed_requests(sample: Sample) -> str:
    """Which requests had failed when a sample was over, in words."""
    failures = {**sample.errors, "status not 2xx": sample.non_2xx}
    counts = ", ".join(f"{count} {kind}" for kind, count in failures.items() if count)
    place = f"launch {sample.launch + 1}, block {sample.block + 1}"
    return f"requests had failed by {place} ({counts})"


def wall_seconds(samples: Sequence[Sample]) -> float:
    """How long samples took; those that began at the same time count once."""
    longest: dict[float, float] = {}
    for sample in samples:
        known = longest.get(sample.started_seconds, 0.0)
        longest[sample.started_seconds] = max(known, sample.seconds)
    return sum(longest.values())
