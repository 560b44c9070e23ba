"""What a comparison measured, as other tools know it: how long one thing took, again and again."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchbook.analysis.judging.judge import Results
from benchbook.analysis.statistics.stats import Floats, Interval
from benchbook.model.runs import CONTROL, Entry, Run


@dataclass(frozen=True)
class Timing:
    """A round: of so many things, of which one took so many nanoseconds, in the mean."""

    launch: int
    block: int
    things: int
    nanoseconds: float


@dataclass(frozen=True)
class Timed:
    """An entry and its rounds in the order of time; those of its warm-up are left out."""

    entry: Entry
    timings: tuple[Timing, ...]

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def values(self) -> Floats:
        """Nanoseconds, shape (rounds,)."""
        return np.array([timing.nanoseconds for timing in self.timings])


def of(run: Run, results: Results) -> Iterator[Timed]:
    """The entries that were measured, but for the control; the baseline first."""
    entries = [e for e in run.entries if e.role != CONTROL and e.status == "raced"]
    for entry in sorted(entries, key=lambda e: e.name != run.baseline):
        if timings := tuple(rounds(run, results, entry.name)):
            yield Timed(entry, timings)


def rounds(run: Run, results: Results, name: str) -> Iterator[Timing]:
    """The rounds of an entry that count and have a speed."""
    warm_up = dict(enumerate(results.left_out))
    for sample in run.samples:
        speed = run.speed(sample)
        if sample.variant == name and sample.block >= warm_up.get(sample.launch, 0) and speed > 0:
            things = max(1, sample.requests)
            yield Timing(sample.launch, sample.block, things, 1e9 / speed)


def ratios(results: Results) -> dict[str, tuple[str, Interval]]:
    """Of each entry that was compared: with which, and the ratio of their speeds."""
    tested = [judgement for judgement in results.judgements if judgement.tests]
    return {j.statement.a: (j.statement.b, j.tests[0].interval) for j in tested}


def about(run: Run) -> str:
    """What was timed, and how."""
    return f"time a {run.kind.thing}; {run.kind.described(run)}"
