"""The simulation study at reduced size; `./bench selfcheck --full` runs it at full size.

Seeded, so that it gives the same numbers everywhere; the bounds are the promised ones, widened by
two standard errors of a share at this size.
"""

import functools
import math

import numpy as np
import pytest

from benchbook.analysis import simulation
from benchbook.analysis.simulation import APART, IN_TURNS, TOGETHER

RACES = 300
LAUNCHES, BLOCKS = 4, 6
MODELS = pytest.mark.parametrize("name", simulation.MODELS)


def slack(share: float, races: int = RACES) -> float:
    """Two standard errors of a share of so many races."""
    return 2 * math.sqrt(share * (1 - share) / races)


@functools.cache
def studied(name: str, ratio: float, launches: int = LAUNCHES, races: int = RACES):
    noise = simulation.MODELS[name]
    return simulation.study(noise, ratio, launches, BLOCKS, races, seed=1)


@MODELS
def test_the_interval_covers_the_truth_as_often_as_it_says(name):
    found = studied(name, 1.1)
    assert 0.93 - slack(0.95) <= found.covered <= 0.98 + slack(0.98)


@MODELS
def test_equal_programs_are_hardly_ever_told_apart(name):
    """Of five equal programs none is called different, in 94 % of the races at least."""
    assert studied(name, 1.0).false <= 0.06 + slack(0.06)


@MODELS
def test_nor_beside_a_program_that_differs(name):
    assert studied(name, 1.1).false <= 0.06 + slack(0.06)


@pytest.mark.parametrize("launches", [3, 8])
@pytest.mark.parametrize("name", ["heavy-tailed", "unequal", "bimodal"])
def test_few_and_many_launches_keep_the_level_too(name, launches):
    found = studied(name, 1.05, launches, RACES // 2)
    assert 0.93 - slack(0.95, RACES // 2) <= found.covered <= 1.0
    assert found.false <= 0.06 + slack(0.06, RACES // 2)


@MODELS
def test_a_difference_of_10_percent_is_found_in_10_by_10(name):
    races = 60
    found = simulation.study(simulation.MODELS[name], 1.1, 10, 10, races, seed=4)
    assert found.found >= 0.95 - slack(0.95, races)


@pytest.mark.parametrize("name", ["heavy-tailed", "drifting"])
def test_racing_until_the_interval_is_narrow_keeps_both_promises(name):
    noise, races = simulation.MODELS[name], 150
    equal = simulation.study(noise, 1.0, 5, BLOCKS, races, seed=3, until=0.08)
    assert equal.false <= 0.06 + slack(0.06, races)
    assert equal.covered >= 0.93 - slack(0.95, races)
    assert equal.half_width <= 0.04 * 1.05
    assert equal.equal >= 0.7  # as ±4 % lies mostly within ±5 %


def test_one_program_after_the_other_is_worse_where_the_machine_drifts():
    width = {
        order: simulation.study(simulation.drifting, 1.0, 4, 6, 40, seed=5, order=order).half_width
        for order in (TOGETHER, IN_TURNS, APART)
    }
    assert width[APART] > 1.5 * max(width[TOGETHER], width[IN_TURNS])


def clock(_draw, entries, launches, times):
    """Noise that tells when a sample was taken, and nothing else."""
    when = np.arange(times, dtype=float)[None, :, None]
    return np.broadcast_to(when, (launches, times, entries))


def test_samples_share_the_noise_of_their_moment():
    measure = functools.partial(simulation.logs, np.random.default_rng(6), clock, [0.0] * 3)
    together = measure(2, 5, TOGETHER)
    assert (together == np.arange(5)[None, :, None]).all()
    turns = measure(4, 5, IN_TURNS)
    for launch in turns:
        for block, moments in enumerate(launch):
            assert sorted(moments) == [3 * block + i for i in range(3)]
    assert len({tuple(moments - moments.min()) for launch in turns for moments in launch}) > 1
    apart = measure(1, 5, APART)
    assert apart[0, :, 1].tolist() == [5, 6, 7, 8, 9]


def test_a_true_difference_is_added_to_the_noise():
    logs = simulation.logs(np.random.default_rng(7), clock, [0.0, 0.1], 1, 3, TOGETHER)
    assert (logs[..., 1] - logs[..., 0]) == pytest.approx(np.full((1, 3), 0.1))
