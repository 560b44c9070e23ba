"""When a warm-up is over: enough CPU time for each program, and a cost that no longer falls."""

import math

import pytest

from benchbook.race.warming import LONGER, PATIENCE, Warming, WarmUp, mean_cost, steady


def windows(goal: WarmUp, costs, cpu_seconds=1.0) -> int:
    """After how many windows it is over."""
    warming = Warming(goal)
    for cost in costs:
        if warming.over():
            break
        warming.add([cost, cost], [cpu_seconds, cpu_seconds])
    return len(warming.costs)


def test_it_is_over_when_the_cost_has_fallen_by_less_than_five_percent_twice():
    assert windows(WarmUp(2), [100, 99, 98, 97]) == 3
    assert windows(WarmUp(2), [100, 60, 59, 58, 57]) == 1 + PATIENCE + 1
    assert steady([100, 99, 98]) and steady([100, 96, 120])
    assert not steady([100, 99]) and not steady([100, 94, 93]) and not steady([100, 99, 94])


def test_each_program_gets_the_cpu_time_that_it_needs_however_busy_the_machine_is():
    flat = [20.0] * 50
    assert windows(WarmUp(8), flat, cpu_seconds=0.19) == 4
    assert windows(WarmUp(8), flat, cpu_seconds=0.094) == 8


def test_it_ends_though_the_machine_never_looks_steady():
    wild = [100 * 0.9**i for i in range(100)]
    goal = WarmUp(8)
    assert windows(goal, wild, cpu_seconds=0.19) == 4 + PATIENCE
    assert windows(goal, wild, cpu_seconds=0.0) == LONGER * goal.windows


def test_what_compiles_in_the_background_gets_four_windows():
    assert windows(WarmUp(2, tiered=1), [20.0] * 50) == 4
    assert WarmUp(2, tiered=1).expected > WarmUp(2).expected


@pytest.mark.parametrize("seconds", [0.5, 1, 3])
def test_a_reader_may_say_how_long(seconds):
    goal = WarmUp(8, tiered=8, seconds=seconds)
    assert windows(goal, [100 * 0.5**i for i in range(20)]) == math.ceil(seconds)


def test_where_no_cost_is_known_time_counts():
    assert windows(WarmUp(2), [math.nan] * 20, cpu_seconds=math.nan) == 3
    assert math.isnan(mean_cost([math.nan])) and mean_cost([1, 4, math.nan]) == pytest.approx(2)
