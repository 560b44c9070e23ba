"""A run's entries, compared with each other: the one place that turns samples into ratios."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean

import numpy as np

from benchbook.analysis.statistics import looks, moderated
from benchbook.analysis.statistics.exclusion import why_excluded
from benchbook.analysis.statistics.looks import Interim
from benchbook.analysis.statistics.moderated import Fit, Places
from benchbook.analysis.statistics.stats import Floats, Interval, has_data
from benchbook.model.runs import Run

EQUAL_SHARES = 0.03  # of the CPU: those who differ by less had the same
# ln(CPU time of a request) changed by this for each unit of ln(share of the CPU): who gets more
# wakes up less often. Kestrel, six equal programs, r = -0.76 (docs/method.md).
COST_OF_SHARE = 0.2


@dataclass(frozen=True)
class Compared:
    """What a race measured, and the fit of it.

    speeds: of each entry, of shape (launches, blocks), NaN where it has no sample; places: of the
    entries in `fit`; fits: of the launches up to each look but the last, by their number, where the
    race was looked at; shares: of the CPU, by entry, as a factor of an equal share, {} where
    entries took turns.
    """

    run: Run
    speeds: Mapping[str, Floats]
    places: Mapping[str, int]
    fit: Fit
    shares: Mapping[str, float]
    fits: Mapping[int, Fit] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run) -> "Compared":
        speeds = {name: np.array(rows, float) for name, rows in run.speeds().items()}
        raced = [name for name in speeds if has_data(speeds[name])]
        logs = moderated.logs_of([speeds[name] for name in raced] or [np.full((1, 1), np.nan)])
        places = {name: i for i, name in enumerate(raced)}
        fit, fits = moderated.of_logs(logs, run.plan.pilot), dict[int, Fit]()
        if run.plan.looks:
            last = np.isfinite(logs).any(1).cumsum(0).argmax(0) + 1  # launch of each entry
            fits = {int(n): moderated.of_logs(logs[:n]) for n in set(last) if n < len(logs)}
        return cls(run, speeds, places, fit, shares_of(run), fits)

    def look(self, launches: int) -> Interim | None:
        """The look after so many launches; None where the race had none."""
        most = self.run.plan.looks
        return Interim(min(launches, most), most) if most and launches >= looks.FIRST else None

    def interval(self, a: str, b: str) -> Interval | None:
        """The ratio of a to b; None where no launch has both. The baseline is the mean of both of
        its copies, but where they are compared with each other.

        Where both had different shares of the CPU, the interval also holds what that may do.
        """
        if a not in self.places or b not in self.places:
            return None
        first, second = self.standing_for(a, b), self.standing_for(b, a)
        both = np.flatnonzero(np.isfinite(self.fit.mean(first) - self.fit.mean(second)))
        if not both.size:
            return None
        # an entry that was decided after an earlier launch is left as it was seen then
        last = int(both[-1]) + 1
        found = self.fits.get(last, self.fit).interval(first, second, self.look(last))
        unequal = self.log_share(first) - self.log_share(second)
        if abs(unequal) <= math.log1p(EQUAL_SHARES):
            return found
        lasting = COST_OF_SHARE * abs(unequal)
        error, log = math.hypot(found.error, lasting), math.log(found.ratio)
        wider = Interval.of(log, error, found.freedom, found.launches, look=found.look)
        return replace(wider, lasting=lasting)

    def standing_for(self, name: str, other: str) -> Places:
        """The places of those that stand for an entry when it is compared with another one.

        Both copies of the baseline are the same program, so their mean is known better than either;
        a copy that a launch lacks, or whose samples are excluded, is left out.
        """
        place, copy = self.places[name], self.sound_copy
        if name != self.run.baseline or other == self.run.control or copy is None:
            return (place,)
        there = np.isfinite(self.fit.centres)
        return (place, copy) if (there[:, copy] >= there[:, place]).all() else (place,)

    def centres(self, names: Sequence[str]) -> list[Floats]:
        """Speeds of entries by launch, of shape (launches, 1), as a factor of the mean of all.

        NaN where a launch lacks one. They are paired within blocks, as what verdicts are made of.
        """
        return [np.exp(self.fit.centres[:, [self.places[name]]]) for name in names]

    @cached_property
    def sound_copy(self) -> int | None:
        """The place of the baseline's copy; None where there is none, or it is excluded."""
        copy = self.run.control
        return None if why_excluded(self.run, copy) else self.places.get(copy)

    def log_share(self, places: Places) -> float:
        """ln of the share of the CPU that entries had, in the mean."""
        names = [name for name, place in self.places.items() if place in places]
        return fmean(math.log(self.shares.get(name, 1.0)) for name in names)

    def launches_needed(self, a: str, b: str, width: float) -> int:
        """As moderated.launches_needed, for the ratio of a to b."""
        first, second = self.standing_for(a, b), self.standing_for(b, a)
        return moderated.launches_needed(self.fit, first, second, width)

    def medians(self) -> dict[str, float]:
        """The median speed of each entry."""
        return {name: float(np.nanmedian(self.speeds[name])) for name in self.places}

    def uneven(self) -> dict[str, float]:
        """The shares of the CPU that were not equal."""
        return {n: share for n, share in self.shares.items() if abs(share - 1) > EQUAL_SHARES}


def shares_of(run: Run) -> dict[str, float]:
    """The share of the CPU that each entry got, as a factor of an equal one: 1.1 is 10 % more.

    The median over blocks in which all were loaded together; {} where they took turns.
    """
    if not run.plan.together:
        return {}
    blocks: dict[tuple[int, int], dict[str, float]] = {}
    for sample in run.samples:
        spent = sample.evidence["server_cpu_seconds"]
        if spent:
            blocks.setdefault((sample.launch, sample.block), {})[sample.variant] = spent
    found: dict[str, list[float]] = {}
    for spent_by in blocks.values():
        mean = sum(spent_by.values()) / len(spent_by)
        for name, spent in spent_by.items():
            found.setdefault(name, []).append(spent / mean)
    return {name: float(np.median(each)) for name, each in found.items()}
