"""Which verdict and which size an interval gets, at the borders."""

import math
from dataclasses import replace

import pytest

from benchbook.analysis.judging import verdicts
from benchbook.analysis.judging.verdicts import (
    AS_PUBLISHED,
    LARGER,
    NO_DIFFERENCE,
    OPPOSITE,
    OUTSIDE,
    REPRODUCED,
    RULED_OUT,
    SMALLER,
    TOO_CLOSE,
)
from benchbook.analysis.statistics.stats import Interval


def interval(percent: float, half: float) -> Interval:
    """A ratio with its 95 % interval: percent ± half, on the log scale."""
    freedom = 8.0
    error = half / 100 / Interval.of(0, 1, freedom, 4).reach_at(0.95)
    return Interval.of(percent / 100, error, freedom, 4)


def compared(percent: float, half: float, factor: float = 1.0) -> verdicts.Test:
    """The test of such a ratio, its p corrected by a factor."""
    found = interval(percent, half)
    return verdicts.Test("a", "b", found, min(1.0, factor * found.p))


@pytest.mark.parametrize(
    ("percent", "half", "factor", "verdict"),
    [
        (10, 2, 1, REPRODUCED),
        (-10, 2, 1, OPPOSITE),
        (0, 2, 1, NO_DIFFERENCE),
        (0, 5.5, 1, NO_DIFFERENCE),  # the 90 % interval is ±4.4
        (0, 7, 1, TOO_CLOSE),
        (4, 3.5, 1, REPRODUCED),  # it is there, and may matter
        (2, 1.5, 1, NO_DIFFERENCE),  # it is there, and is too small to matter
        (-2, 1.5, 1, NO_DIFFERENCE),
        (4, 3.5, 20, TOO_CLOSE),  # one of many statements
        (12, 13, 1, TOO_CLOSE),
    ],
)
def test_a_direction(percent, half, factor, verdict):
    assert verdicts.direction(compared(percent, half, factor), 0.05)[0] == verdict


def test_a_difference_that_is_surely_larger_than_the_smallest_is_said_to_be():
    assert verdicts.direction(compared(10, 2), 0.05)[1] == "a is faster than b, by more than 5 %"
    assert verdicts.direction(compared(-5, 2), 0.05)[1] == "b is faster than a"


@pytest.mark.parametrize(
    ("percent", "half", "verdict"),
    [(1, 2, REPRODUCED), (8, 2, OPPOSITE), (-8, 2, OPPOSITE), (4, 3, TOO_CLOSE)],
)
def test_equality(percent, half, verdict):
    assert verdicts.equality(compared(percent, half), 0.05)[0] == verdict


@pytest.mark.parametrize(
    ("percent", "half", "factor", "why"),
    [
        (4, 3, 1, "a is faster, by less than 5 % or by more"),
        (-4, 3, 1, "b is faster, by less than 5 % or by more"),
        (4, 3, 20, "they may differ by less than 5 %, and by more"),  # one of many statements
        (4, 5, 1, "they may differ by less than 5 %, and by more"),
    ],
)
def test_an_equality_that_is_not_decided_says_what_is_sure_all_the_same(percent, half, factor, why):
    assert verdicts.equality(compared(percent, half, factor), 0.05) == (TOO_CLOSE, why)


@pytest.mark.parametrize(
    ("percent", "half", "verdict"),
    [
        (15, 3, REPRODUCED),
        (30, 3, OUTSIDE),
        (79, 3, OUTSIDE),
        (6, 2, OUTSIDE),
        (19, 3, TOO_CLOSE),
        (0, 2, NO_DIFFERENCE),  # not only out of the range
        (-10, 2, OPPOSITE),
    ],
)
def test_a_range(percent, half, verdict):
    low, high = math.exp(0.1), math.exp(0.2)
    assert verdicts.in_range(compared(percent, half), low, high, 0.05)[0] == verdict


@pytest.mark.parametrize(
    ("percent", "half", "ends", "verdict", "size"),
    [
        (79, 3, (1.17, 1.5), OUTSIDE, LARGER),  # passed, in the direction that was published
        (8, 2, (1.17, 1.5), OUTSIDE, SMALLER),
        (8, 10, (1.17, 1.5), TOO_CLOSE, AS_PUBLISHED),
        (30, 3, (1.17, 1.5), REPRODUCED, AS_PUBLISHED),
        (-20, 3, (1.17, 1.5), OPPOSITE, RULED_OUT),
        (1, 2, (1.17, 1.5), NO_DIFFERENCE, RULED_OUT),
        (-79, 3, (0.67, 0.85), OUTSIDE, LARGER),  # the same, of a program that is slower
        (-10, 2, (0.67, 0.85), OUTSIDE, SMALLER),
        (20, 3, (0.67, 0.85), OPPOSITE, RULED_OUT),
        (30, 3, (0.9, 1.1), OUTSIDE, LARGER),  # a range on both sides has no opposite
        (-30, 3, (0.9, 1.1), OUTSIDE, LARGER),
        (-20, 3, (1.0, 1.5), OPPOSITE, RULED_OUT),
        (60, 3, (1.0, 1.5), OUTSIDE, LARGER),
    ],
)
def test_a_range_that_is_passed_is_opposite_only_in_the_other_direction(
    percent, half, ends, verdict, size
):
    found = compared(percent, half)
    assert verdicts.in_range(found, *ends, 0.05)[0] == verdict
    assert verdicts.size_of_range(found.interval, *ends) == size


def test_outside_of_a_range_by_chance_among_many_is_too_close_to_call():
    low, high = math.exp(0.1), math.exp(0.2)
    test = replace(compared(30, 3), p_adjusted=0.2)
    assert verdicts.in_range(test, low, high, 0.05) == (TOO_CLOSE, verdicts.by_chance(test))


@pytest.mark.parametrize("percent", [15, 19, 30, 5])
def test_the_error_that_places_a_ratio_just_does(percent):
    low, high, many = math.exp(0.1), math.exp(0.2), 5
    wide = replace(compared(percent, 30), statements=many)
    goal = verdicts.error_to_place(wide, low, high)
    for share, decided in ((0.99, True), (1.01, False)):
        found = Interval.of(percent / 100, share * goal, wide.interval.freedom, 4)
        p = min(1.0, many * found.p_beyond(low, high))
        test = replace(wide, interval=found, p_adjusted=p)
        assert (verdicts.in_range(test, low, high, 0.0)[0] != TOO_CLOSE) == decided


def test_a_capped_p_value_was_corrected_for_all_statements_at_most():
    test = replace(compared(1, 3), p_adjusted=1.0, statements=6)
    assert test.correction == 6
    assert replace(test, p_adjusted=2 * test.interval.p).correction == pytest.approx(2)


@pytest.mark.parametrize(
    ("pairs", "verdict"),
    [
        ([(10, 2), (20, 2)], REPRODUCED),
        ([(10, 2), (-10, 2)], OPPOSITE),
        ([(0, 20), (-10, 2)], OPPOSITE),
        ([(10, 2), (0, 2)], NO_DIFFERENCE),
        ([(10, 2), (3, 20)], TOO_CLOSE),
        ([(10, 2), (0, 5.5), (8, 2)], TOO_CLOSE),  # alike, but not once corrected for three
    ],
)
def test_an_order(pairs, verdict):
    assert verdicts.ordering(tuple(compared(*pair) for pair in pairs), 0.05)[0] == verdict


@pytest.mark.parametrize(
    ("percent", "half", "size"),
    [
        (10, 3, AS_PUBLISHED),
        (5, 3, SMALLER),
        (20, 3, LARGER),
        (1, 3, RULED_OUT),
        (-20, 3, RULED_OUT),
        (0, 50, AS_PUBLISHED),
    ],
)
@pytest.mark.parametrize("way", [1, -1])
def test_the_size_is_answered_on_its_own_either_way_round(percent, half, size, way):
    assert verdicts.size(interval(way * percent, half), math.exp(way * 0.1)) == size


@pytest.mark.parametrize("percent", [3.5, -3.5, 2, -2])
def test_the_error_that_decides_an_equality_just_does(percent):
    """More than 3 % apart takes an interval beyond 3 %, not only one that leaves out 0."""
    wide = interval(percent, 3)
    goal = verdicts.error_to_equal(wide, 0.03)
    for share, decided in ((0.99, True), (1.01, False)):
        found = Interval.of(math.log(wide.ratio), share * goal, wide.freedom, wide.launches)
        test = replace(compared(percent, 3), interval=found, p_adjusted=found.p)
        assert (verdicts.equality(test, 0.03)[0] != TOO_CLOSE) == decided


def test_a_published_equality_has_no_direction():
    for percent in (20, -20):
        assert verdicts.size(interval(percent, 3), 1.0) == LARGER


def test_every_verdict_is_a_known_one():
    found = {
        verdicts.direction(compared(p, h), 0.05)[0] for p in range(-20, 21, 4) for h in (1, 4, 16)
    }
    assert found < set(verdicts.VERDICTS)
