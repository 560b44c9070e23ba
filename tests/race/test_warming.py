"""When a warm-up is over: enough requests for each program, and a cost that no longer falls."""

import itertools
import math

import pytest

from benchbook.race.warming import (
    COMPILED,
    CPU_SECONDS,
    FEW_REQUESTS,
    LONGER,
    REQUESTS,
    TIERED_WINDOWS,
    Warming,
    WarmUp,
    mean_cost,
    steady,
)
from tests.made import sample

PATIENCE = WarmUp(2).patience


def windows(goal: WarmUp, costs, requests=REQUESTS, compiled=()) -> int:
    """After how many windows it is over, where each of two programs answers so many requests in
    each, at these costs in microseconds, and both compile so long after each."""
    compiling = itertools.chain(compiled, itertools.repeat(0.0))
    warming = Warming(goal)
    for cost in costs:
        if warming.over():
            break
        evidence = {"server_cpu_seconds": None if math.isnan(cost) else 1e-6 * cost * requests}
        told = [sample(name, 0, 0, float(requests), evidence=evidence) for name in "ab"]
        warming.add(told, next(compiling))
    return len(warming.costs)


def test_it_is_over_when_the_cost_has_fallen_by_less_than_five_percent_twice():
    assert windows(WarmUp(2), [100, 99, 98, 97]) == 3
    assert windows(WarmUp(2), [100, 60, 59, 58, 57]) == 1 + PATIENCE + 1
    assert steady([100, 99, 98]) and steady([100, 96, 120])
    assert not steady([100, 99]) and not steady([100, 94, 93]) and not steady([100, 99, 94])


def test_each_program_gets_the_requests_that_it_needs_however_busy_the_machine_is():
    flat = [20.0] * 50
    assert windows(WarmUp(8), flat, requests=REQUESTS / 4) == 4
    assert windows(WarmUp(8), flat, requests=REQUESTS / 8) == 8


def test_of_requests_that_are_much_work_fewer_are_enough():
    dear = 8e6 * CPU_SECONDS / REQUESTS  # an eighth of the requests take all the time
    assert windows(WarmUp(8), [dear] * 50, requests=REQUESTS / 40) == 5


def test_the_slowest_program_counts_and_one_that_failed_does_not():
    def told(name: str, requests: float):
        return sample(name, 0, 0, requests, evidence={"server_cpu_seconds": 1e-5 * requests})

    warming = Warming(WarmUp(2))
    for _ in range(5):
        warming.add([told("a", REQUESTS), told("b", REQUESTS / 10)])
    assert not warming.over()
    warming.add([told("a", REQUESTS)])
    assert warming.over()


def test_it_ends_though_the_machine_never_looks_steady():
    wild = [100 * 0.9**i for i in range(100)]
    goal = WarmUp(8)
    assert windows(goal, wild, requests=REQUESTS / 4) == 4 + PATIENCE
    assert windows(goal, wild, requests=1) == LONGER * (goal.windows + PATIENCE)


def test_what_compiles_in_the_background_gets_more_windows():
    assert (
        windows(WarmUp(2, tiered=1), [20.0] * 50)
        == TIERED_WINDOWS
        > windows(WarmUp(2), [20.0] * 50)
    )
    assert WarmUp(2, tiered=1).expected > WarmUp(2).expected


def test_it_is_not_over_while_programs_compile_after_a_window():
    goal = WarmUp(2, tiered=2, continuous=True, few=True)
    much = 2 * 1.1 * COMPILED
    assert windows(goal, [20.0] * 50, compiled=[1.0] * (TIERED_WINDOWS - 2)) == TIERED_WINDOWS
    assert windows(goal, [20.0] * 50, compiled=[much] * TIERED_WINDOWS) == TIERED_WINDOWS + 2
    assert windows(goal, [20.0] * 50, compiled=[much] * 50) == TIERED_WINDOWS + goal.patience


def test_few_requests_are_enough_where_all_compile_what_was_called_a_few_times():
    few, many = (WarmUp(2, 2, continuous=True, few=few) for few in (True, False))
    each = FEW_REQUESTS / TIERED_WINDOWS
    assert windows(few, [20.0] * 50, each) == TIERED_WINDOWS
    assert windows(many, [20.0] * 50, each) == math.ceil(REQUESTS / each)


def test_a_load_without_a_break_is_looked_at_more_often_and_takes_less_time():
    for tiered in (0, 8):
        apart, continuous = (WarmUp(8, tiered, continuous=each) for each in (False, True))
        assert continuous.window < apart.window and continuous.expected < apart.expected
        asked = WarmUp(8, tiered, seconds=3, continuous=True)
        assert windows(asked, [100 * 0.5**i for i in range(90)]) * asked.window == 3


def test_of_what_compiles_at_once_the_half_of_the_patience_is_expected():
    goal = WarmUp(8)
    window = WarmUp(8, seconds=5).expected / 6  # with the one where programs are timed later
    assert goal.windows + 1 < goal.expected / window < goal.windows + PATIENCE + 1


@pytest.mark.parametrize("seconds", [0.1, 0.5, 1, 3])
@pytest.mark.parametrize("continuous", [False, True])
def test_a_reader_may_say_how_long(seconds, continuous):
    goal = WarmUp(8, tiered=8, seconds=seconds, continuous=continuous)
    took = windows(goal, [100 * 0.5**i for i in range(20)]) * goal.window
    assert took == pytest.approx(seconds)
    asked_for_none = WarmUp(8, tiered=8, seconds=0.0, continuous=continuous)
    assert windows(asked_for_none, [100.0] * 20) == 0


def test_where_no_cost_is_known_time_counts():
    assert windows(WarmUp(2), [math.nan] * 20, requests=1) == 3
    assert math.isnan(mean_cost([math.nan])) and mean_cost([1, 4, math.nan]) == pytest.approx(2)
