"""The verdicts that a statement can get, and the tests that decide which one it gets.

Every statement has a δ, the smallest effect that matters. A difference is found by a test that is
corrected for the number of statements, equality by two one-sided tests against δ. Each function
returns a verdict with the reason for it, one sentence in the reader's words.
"""

import math
from dataclasses import dataclass

from benchbook.analysis.statistics.stats import LEVEL, Interval
from benchbook.model.schemas import saved_results

VERDICTS = saved_results.VERDICTS
REPRODUCED, OPPOSITE, OUTSIDE, NO_DIFFERENCE, TOO_CLOSE, NOT_VALID = VERDICTS
SIZES = saved_results.SIZES[1:]  # without the empty one, where none was published
AS_PUBLISHED, SMALLER, LARGER, RULED_OUT = SIZES
NOT_YET = "not decided yet"  # while a race goes on; in no run file

ALPHA = 1 - LEVEL
SMALLEST_EFFECT = 0.05  # δ, where a statement declares none
WIDEST_PERCENT = 2.0  # a band wider than ±200 % is written as a factor


@dataclass(frozen=True)
class Test:
    """One comparison of a to b; p_adjusted is corrected for the experiment's other statements;
    statements: how many there are."""

    a: str
    b: str
    interval: Interval
    p_adjusted: float = 1.0
    statements: int = 1

    @property
    def significant(self) -> bool:
        return self.p_adjusted < ALPHA

    @property
    def correction(self) -> float:
        """By what its p-value was multiplied; the most that it may be where the product is 1."""
        if self.p_adjusted >= 1 or not self.interval.p:
            return float(self.statements)
        return max(1.0, self.p_adjusted / self.interval.p)


def share_text(share: float) -> str:
    """A share as a reader knows it: 5 %, 2.5 %."""
    return f"{100 * share:.3g} %"


def band_text(band: float) -> str:
    """A band around equality: ±5 %; a very wide one as a factor."""
    return f"±{share_text(band)}" if band < WIDEST_PERCENT else f"a factor of {1 + band:,.1f}"


def equal(interval: Interval, delta: float) -> bool:
    """Is any difference smaller than δ? Two one-sided tests (Schuirmann 1987,
    doi:10.1007/BF01068419)."""
    return interval.at(equal_level(interval)).within(delta)


def equal_level(interval: Interval, pairs: int = 1) -> float:
    """Two one-sided tests of so many pairs, each at what the interval's level leaves to chance, are
    an interval at this level."""
    return 1 - 2 * (1 - interval.level) / pairs


def direction(test: Test, delta: float) -> tuple[str, str]:
    """Is a faster than b?

    A difference counts when its corrected p is under 5 % and it is not surely smaller than δ.
    """
    interval = test.interval
    if test.significant and not interval.within(delta):
        faster, slower = (test.a, test.b) if interval.ratio > 1 else (test.b, test.a)
        verdict = REPRODUCED if interval.ratio > 1 else OPPOSITE
        surely = f", by more than {share_text(delta)}" if interval.beyond(delta) else ""
        return verdict, f"{faster} is faster than {slower}{surely}"
    if equal(interval, delta):
        return NO_DIFFERENCE, f"if they differ, then by less than {share_text(delta)}"
    return TOO_CLOSE, undecided(test, delta)


def undecided(test: Test, delta: float) -> str:
    """Why a direction is not decided."""
    interval = test.interval
    if not interval.low <= 1 <= interval.high and not test.significant:
        return by_chance(test)
    return f"it may be nothing, and it may be more than {share_text(delta)}"


def by_chance(test: Test) -> str:
    """Why an interval that alone would decide does not."""
    return f"with so many statements it may be chance (corrected p {test.p_adjusted:.2g})"


def equality(test: Test, within: float) -> tuple[str, str]:
    """Do a and b differ by less than `within`?"""
    interval = test.interval
    if equal(interval, within):
        return REPRODUCED, f"they differ by less than {share_text(within)}"
    if test.significant and interval.beyond(within):
        return OPPOSITE, f"they differ by more than {share_text(within)}"
    if test.significant:
        faster = test.a if interval.ratio > 1 else test.b
        return TOO_CLOSE, f"{faster} is faster, by less than {share_text(within)} or by more"
    return TOO_CLOSE, f"they may differ by less than {share_text(within)}, and by more"


def in_range(test: Test, low: float, high: float, delta: float) -> tuple[str, str]:
    """Does the ratio of a to b lie between low and high?

    Outside is opposite only on the other side of 1: faster by more than published is not slower.
    """
    interval = test.interval
    stated = f"{low:g} to {high:g}"
    if low <= interval.low and interval.high <= high:
        return REPRODUCED, f"the whole interval lies within {stated}"
    if interval.high < low or interval.low > high:
        if not low <= 1 <= high and equal(interval, delta):
            return NO_DIFFERENCE, f"if they differ, then by less than {share_text(delta)}"
        if not test.significant:
            return TOO_CLOSE, by_chance(test)
        place = "above" if interval.low > high else "below"
        outside = f"the whole interval lies {place} {stated}"
        turned = interval.high < 1 <= low or high <= 1 < interval.low
        return OPPOSITE if turned and not interval.within(delta) else OUTSIDE, outside
    return TOO_CLOSE, f"the interval reaches beyond {stated}"


def ordering(tests: tuple[Test, ...], delta: float) -> tuple[str, str]:
    """Is every variant faster than the next? One pair the other way round refutes the order, and
    one pair without a difference says that it is not one (then corrected for their number)."""
    verdicts = [(test, direction(test, delta)[0]) for test in tests]
    reversed_pairs = [f"{t.b} > {t.a}" for t, verdict in verdicts if verdict == OPPOSITE]
    if reversed_pairs:
        return OPPOSITE, f"the other way round: {', '.join(reversed_pairs)}"
    if all(verdict == REPRODUCED for _, verdict in verdicts):
        return REPRODUCED, "every pair is in this order"
    alike = [
        f"{t.a} and {t.b}"
        for t in tests
        if t.interval.at(equal_level(t.interval, len(tests))).within(delta)
    ]
    if alike:
        return NO_DIFFERENCE, f"less than {share_text(delta)} between {', '.join(alike)}"
    unclear = [f"{t.a} and {t.b}" for t, verdict in verdicts if verdict != REPRODUCED]
    return TOO_CLOSE, f"could not be told apart: {', '.join(unclear)}"


def size(interval: Interval, published: float) -> str:
    """The published size against the measured one: an answer of its own, beside the direction.

    Ruled out: the size that was published is not possible here, and perhaps no difference at all.
    """
    if interval.low <= published <= interval.high:
        return AS_PUBLISHED
    nearer = interval.high < published if published > 1 else interval.low > published
    if published == 1 or not nearer:
        return LARGER
    same_side = interval.low > 1 if published > 1 else interval.high < 1
    return SMALLER if same_side else RULED_OUT


def is_narrow(interval: Interval, published: float, delta: float) -> bool:
    """Is an interval that holds the published size narrow enough to say so: would neither half of
    the effect nor one and a half of it lie in it, or is it narrower than δ?"""
    half = math.log(interval.high / interval.low) / 2 if interval.low > 0 else math.inf
    return half <= max(abs(math.log(published)) / 2, math.log1p(delta))


def size_of_range(interval: Interval, low: float, high: float) -> str:
    """A published range of sizes against the measured one."""
    if interval.low <= high and low <= interval.high:
        return AS_PUBLISHED
    faster, slower = low >= 1, high <= 1
    if not (faster or slower) or (interval.low > high if faster else interval.high < low):
        return LARGER
    same_side = interval.low > 1 if faster else interval.high < 1
    return SMALLER if same_side else RULED_OUT


def error_to_decide(test: Test, delta: float) -> float:
    """The standard error, on the log scale, with which a direction would be decided.

    Either the difference that was seen becomes significant, although it is corrected for other
    statements, or the interval fits within δ: what needs less.
    """
    interval = test.interval
    seen = abs(math.log(interval.ratio))
    found = seen / interval.reach_at(1 - (1 - interval.level) / test.correction)
    equal_ = max(0.0, math.log1p(delta) - seen) / interval.reach_at(equal_level(interval))
    return max(found, equal_)


def error_to_equal(interval: Interval, within: float) -> float:
    """The standard error, on the log scale, with which a ratio would differ by less, or by more."""
    seen, edge = abs(math.log(interval.ratio)), math.log1p(within)
    level = equal_level(interval) if seen < edge else interval.level
    return abs(edge - seen) / interval.reach_at(level)


def error_to_place(test: Test, low: float, high: float) -> float:
    """The standard error, on the log scale, with which a ratio would lie between two or outside,
    although that is corrected for other statements."""
    interval = test.interval
    seen = math.log(interval.ratio)
    nearest = min(abs(seen - math.log(bound)) for bound in (low, high) if bound > 0)
    inside = low <= interval.ratio <= high
    return nearest / interval.reach_at(
        1 - (1 - interval.level) / (1 if inside else test.statements)
    )
