"""The one pair that a statement compares, in the direction in which everything shows it.

Title, plot, tables and verdict say the same ratio: to the baseline where one of the two is that,
else of the first that the statement names to the second.
"""

from dataclasses import dataclass, replace

from benchbook.analysis.judging.judge import Judgement
from benchbook.analysis.judging.verdicts import Test
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.claims import Statement


@dataclass(frozen=True)
class ComparedPair:
    """The ratio of name's speed to other's; published: the article's, None without one."""

    name: str
    other: str
    interval: Interval
    published: float | None

    def __str__(self) -> str:
        return f"{self.name} to {self.other}"


def of(judgement: Judgement, baseline: str) -> ComparedPair | None:
    """What was measured of a statement's pair; None for an order, or where nothing was."""
    if len(judgement.tests) != 1:
        return None
    return tested(judgement.tests[0], baseline, judgement.published)


def tested(test: Test, baseline: str, published: float | None = None) -> ComparedPair:
    """The pair of a test, the baseline second where it is one of them."""
    if test.a != baseline:
        return ComparedPair(test.a, test.b, test.interval, published)
    return ComparedPair(test.b, test.a, inverse(test.interval), ratio(published, True))


def stated(judgement: Judgement, baseline: str) -> float | None:
    """The article's ratio of a statement's pair, in that direction; None without one."""
    return directed(judgement.published, judgement.statement, baseline)


def directed(published: float | None, statement: Statement, baseline: str) -> float | None:
    """An article's ratio of the first that a statement names to the second, in that direction."""
    return ratio(published, statement.a == baseline)


def ordered(a: str, b: str, baseline: str) -> tuple[str, str]:
    """Two names, the baseline second where it is one of them."""
    return (b, a) if a == baseline else (a, b)


def ratio(published: float | None, turned: bool) -> float | None:
    return 1 / published if published and turned else published


def inverse(interval: Interval) -> Interval:
    """The ratio of the second to the first."""
    low, high = (1 / end if end > 0 else float("inf") for end in (interval.high, interval.low))
    return replace(interval, ratio=1 / interval.ratio, low=low, high=high)
