"""The verdicts that a statement can get, and the tests that decide which one it gets.

Each test returns a verdict with the reason for it, one sentence in the reader's words.
"""

import math
from dataclasses import dataclass

from benchbook.analysis.stats import LEVEL, Interval

REPRODUCED = "reproduced"
OPPOSITE = "opposite"
NO_DIFFERENCE = "no difference"
TOO_CLOSE = "too close to call"
NOT_VALID = "not valid"
VERDICTS = (REPRODUCED, OPPOSITE, NO_DIFFERENCE, TOO_CLOSE, NOT_VALID)

ALPHA = 1 - LEVEL
WIDEST_FLOOR = 0.10  # with a wider floor than this a race can't say that two things are equal
WIDEST_PERCENT = 2.0  # a band wider than ±200 % is written as a factor


@dataclass(frozen=True)
class Test:
    """One comparison of a to b; p_adjusted is Holm's, over all tests of the experiment."""

    a: str
    b: str
    interval: Interval
    p_adjusted: float = 1.0


def band_text(band: float) -> str:
    """A band around equality as a reader knows it: ±5.0%; a very wide one as a factor."""
    return f"±{band:.1%}" if band < WIDEST_PERCENT else f"a factor of {1 + band:,.1f}"


def direction(
    test: Test, floor: float, effect: float = 0.0, published: float | None = None
) -> tuple[str, str]:
    """Is a faster than b, by more than the band: the floor, or the smallest effect that matters?

    A difference counts when its corrected p is under 5 % and the ratio lies outside the band; there
    is none when the whole interval lies inside it (equivalence: Schuirmann 1987,
    doi:10.1007/BF01068419, here with the 95 % interval). A floor in which the published size, or
    10 %, would be lost is too wide to say "no difference".
    """
    interval, band = test.interval, max(floor, effect)
    if interval.within(band):
        if too_wide(floor, published):
            return TOO_CLOSE, too_noisy(floor)
        return NO_DIFFERENCE, f"the whole interval lies within {band_text(band)}"
    outside = abs(math.log(interval.ratio)) > math.log1p(band)
    if test.p_adjusted < ALPHA and outside:
        faster, slower = (test.a, test.b) if interval.ratio > 1 else (test.b, test.a)
        verdict = REPRODUCED if interval.ratio > 1 else OPPOSITE
        return verdict, f"{faster} is faster than {slower}, by more than {band_text(band)}"
    if outside:
        doubt = "the interval includes 1"
        if not interval.low <= 1 <= interval.high:  # on its own the test would be significant
            doubt = f"p is {test.p_adjusted:.2g} once it is corrected for the other statements"
        return TOO_CLOSE, f"{doubt}: a longer race may decide it (--full)"
    if floor > WIDEST_FLOOR:
        return TOO_CLOSE, too_noisy(floor)
    return TOO_CLOSE, f"the ratio lies within {band_text(band)}, but its interval reaches beyond it"


def too_wide(floor: float, published: float | None) -> bool:
    """Would the published size, or 10 %, be lost in this floor?"""
    hidden = published is not None and abs(math.log(published)) <= math.log1p(floor)
    return floor > WIDEST_FLOOR or hidden


def too_noisy(floor: float) -> str:
    """The reason why nothing can be said over such a floor, and what to do."""
    return (
        f"equal programs may differ by {band_text(floor)} here, too much to see the claimed "
        "difference: race longer (--full), or on a quieter machine (./bench doctor)"
    )


def equality(test: Test, floor: float, within: float | None) -> tuple[str, str]:
    """Do a and b differ by less than `within` (or, where none is stated, than the floor)?

    Equivalence as in direction().
    """
    interval, band = test.interval, within or floor
    if interval.within(band):
        if band > WIDEST_FLOOR and not within:
            return TOO_CLOSE, too_noisy(band)
        return REPRODUCED, f"the whole interval lies within {band_text(band)}"
    wider = max(band, floor)
    apart = interval.low > 1 + wider or interval.high < 1 / (1 + wider)
    if apart and test.p_adjusted < ALPHA:
        return OPPOSITE, f"they differ by more than {band_text(wider)}"
    return TOO_CLOSE, f"the interval reaches beyond {band_text(band)}"


def in_range(test: Test, low: float, high: float, floor: float) -> tuple[str, str]:
    """Does the ratio of a to b lie between low and high?

    Where that is a difference (1 lies outside), the ratio must lie outside the floor, too.
    """
    interval = test.interval
    stated = f"{low:g} to {high:g}"
    apart = interval.high < low or interval.low > high
    if not low <= 1 <= high and abs(math.log(interval.ratio)) <= math.log1p(floor):
        if apart and interval.within(floor) and floor <= WIDEST_FLOOR:
            return NO_DIFFERENCE, f"the whole interval lies within the floor, {band_text(floor)}"
        return TOO_CLOSE, f"the ratio lies within the floor, {band_text(floor)}"
    if low <= interval.low and interval.high <= high:
        return REPRODUCED, f"the whole interval lies within {stated}"
    if apart:
        return OPPOSITE, f"the whole interval lies outside {stated}"
    return TOO_CLOSE, f"the interval reaches beyond {stated}"


def ordering(tests: tuple[Test, ...], floor: float, effect: float) -> tuple[str, str]:
    """Is every variant faster than the next? One pair the other way round refutes the order."""
    verdicts = [(test, direction(test, floor, effect)[0]) for test in tests]
    reversed_pairs = [f"{t.b} > {t.a}" for t, verdict in verdicts if verdict == OPPOSITE]
    if reversed_pairs:
        return OPPOSITE, f"the other way round: {', '.join(reversed_pairs)}"
    if all(verdict == REPRODUCED for _, verdict in verdicts):
        return REPRODUCED, "every pair is in this order"
    if all(verdict == NO_DIFFERENCE for _, verdict in verdicts):
        return NO_DIFFERENCE, "no pair differs"
    unclear = [f"{t.a} and {t.b}" for t, verdict in verdicts if verdict != REPRODUCED]
    return TOO_CLOSE, f"could not be told apart: {', '.join(unclear)}"
