"""The simulation study at reduced size; `./bench selfcheck --full` runs it at full size.

Seeded, so that it gives the same numbers everywhere; the bounds are the promised ones, widened by
two standard errors of a share at this size.
"""

import math

import numpy as np
import pytest

from benchbook.analysis import simulation, stats

RACES = 400
SLACK = 2 * math.sqrt(0.05 * 0.95 / RACES)
MODELS = pytest.mark.parametrize("name", simulation.MODELS)


@MODELS
@pytest.mark.parametrize(("launches", "blocks"), [(3, 4), (5, 3)])
def test_the_interval_covers_the_truth_as_often_as_it_says(name, launches, blocks):
    noise = simulation.MODELS[name]
    found = simulation.study(noise, 1.03, launches, blocks, RACES, seed=1)
    assert 0.93 - SLACK <= found.covered <= 0.98 + SLACK


@MODELS
def test_equal_programs_are_hardly_ever_told_apart(name):
    found = simulation.study(simulation.MODELS[name], 1.0, 3, 4, RACES, seed=2)
    assert found.faster <= 0.05
    assert found.nothing >= 0.1


@MODELS
def test_racing_until_the_interval_is_narrow_keeps_both_promises(name):
    noise = simulation.MODELS[name]
    equal = simulation.study(noise, 1.0, 5, 3, RACES // 2, seed=3, until=0.04)
    assert equal.faster <= 0.05
    assert equal.covered >= 0.93 - 1.5 * SLACK
    assert equal.half_width <= 0.021


def test_a_difference_of_3_percent_is_found_in_10_by_10():
    found = simulation.study(simulation.normal, 1.03, 10, 10, 200, seed=4)
    assert found.faster >= 0.9


def test_racing_one_after_the_other_is_worse_when_the_machine_drifts():
    drift = simulation.drifting
    mixed = simulation.study(drift, 1.0, 5, 4, 200, seed=5)
    apart = simulation.study(drift, 1.0, 5, 4, 200, seed=5, interleaved=False)
    assert apart.half_width > 2 * mixed.half_width


def test_samples_share_the_noise_of_their_moment():
    def clock(_draw, entries, launches, blocks):
        """Noise that tells when a sample was taken, and nothing else."""
        rounds = blocks * entries
        when = np.arange(rounds, dtype=float)[None, :, None]
        return np.broadcast_to(when, (launches, rounds, entries))

    draw = np.random.default_rng(6)
    taken = np.log(simulation.speeds(draw, clock, [0.0] * 3, 4, 5))
    for launch in range(4):
        for block in range(5):
            assert sorted(taken[:, launch, block].round()) == [3 * block + i for i in range(3)]
    apart = np.log(simulation.speeds(draw, clock, [0.0] * 3, 1, 5, interleaved=False))
    assert apart[1, 0].round().tolist() == [5, 6, 7, 8, 9]


def test_steins_interval_uses_the_pilots_spread():
    logs = np.array([[0.01], [0.03], [0.02], [0.02], [0.02], [0.02]])
    found = stats.interval(logs, pilot=3)
    reach = stats.t_quantile(0.95, 3) * 0.01 / math.sqrt(6)
    assert math.log(found.high / found.ratio) == pytest.approx(reach)
    assert found.launches == 6


def test_launches_needed_follow_from_the_spread():
    logs = np.array([[0.00], [0.02], [0.01]])
    half = math.log1p(0.01) / 2
    wanted = math.ceil((stats.t_quantile(0.95, 3) * 0.01 / half) ** 2)
    assert stats.launches_needed(logs, 0.01) == wanted
    assert stats.launches_needed(np.zeros((3, 2)), 0.01) == 3
