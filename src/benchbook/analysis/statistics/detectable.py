"""What a race can see: the smallest difference that it will probably find, by races before it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from scipy import stats as distributions

from benchbook.analysis.statistics.compared import Compared
from benchbook.analysis.statistics.stats import LEVEL
from benchbook.model.runs import Run

POWER = 0.8  # found with this probability, as is usual
ONE_PERCENT = 0.01
PATIENCE_SECONDS = 3600.0  # nobody races for longer; what takes longer, this machine will not tell
LARGEST = 0.25  # a race that sees less, as one of a few seconds, tells nothing of the next
QUIETER = "close other programs, or race on a quieter machine"


@dataclass(frozen=True)
class DetectableEffect:
    """smallest: the difference, as a share, that a race of so many seconds will probably find."""

    smallest: float
    seconds: float

    def seconds_for(self, difference: float) -> float:
        """How long a race must be that finds this difference: an interval's width falls with the
        root of the time."""
        return self.seconds * (math.log1p(self.smallest) / math.log1p(difference)) ** 2

    def for_seconds(self, seconds: float) -> "DetectableEffect":
        """What a race of so many seconds will probably find, in the same noise."""
        root = math.sqrt(self.seconds / seconds)
        return DetectableEffect(math.expm1(math.log1p(self.smallest) * root), seconds)

    def sentence(self, by: str, race: str) -> str:
        """What it says to a reader; by: whom it is known from, race: the one that it is about."""
        found = f"differences of {100 * self.smallest:.1f} % and more"
        told = f"By {by}, {race} will probably find {found}; "
        seconds = self.seconds_for(ONE_PERCENT)
        if seconds <= PATIENCE_SECONDS:
            return f"{told}for 1 % it would take about {math.ceil(seconds / 60)} min."
        best = 100 * self.for_seconds(PATIENCE_SECONDS).smallest
        return (
            f"{told}this machine will not tell 1 %: an hour of racing would find {best:.1f} % and "
            f"more. To see less, {QUIETER}."
        )


def of_race(run: Run) -> DetectableEffect | None:
    """What a race saw, in the median over its entries; None where it knows no intervals.

    The difference to the baseline that is found at the 5 % level with a power of 80 %: the sum of
    both quantiles of t times the standard error (Lehr 1992, doi:10.1002/sim.4780110811).
    """
    compared = Compared.of(run)
    logs = []
    for name in compared.places:
        found = compared.interval(name, run.baseline) if name != run.baseline else None
        if found and math.isfinite(found.error) and found.freedom >= 1:
            power = float(distributions.t.ppf(POWER, found.freedom))
            logs.append((found.reach_at(LEVEL) + power) * found.error)
    seconds = run.timing.get("total_seconds", 0.0)
    return DetectableEffect(math.expm1(median(logs)), seconds) if logs and seconds else None


def expected(runs: Sequence[Run]) -> DetectableEffect | None:
    """What a race like these will see, in the median; None where none of them knows.

    Races that were too short or too disturbed to see anything are not asked.
    """
    seen = [each for run in runs if (each := of_race(run)) and each.smallest <= LARGEST]
    if not seen:
        return None
    return DetectableEffect(median(s.smallest for s in seen), median(s.seconds for s in seen))
