"""The statistics, on numbers whose answers are known."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats as distributions

from benchbook.analysis.statistics import stats


def test_the_interval_of_one_thing_is_students_on_the_launches():
    logs = np.array([[0.02], [0.04], [0.03], [0.05]])
    found = stats.interval(logs)
    low, high = distributions.t.interval(0.95, 3, logs.mean(), distributions.sem(logs[:, 0]))
    assert found.ratio == pytest.approx(math.exp(0.035))
    assert found.low == pytest.approx(math.exp(low))
    assert found.high == pytest.approx(math.exp(high))
    assert found.p == pytest.approx(distributions.ttest_1samp(logs[:, 0], 0).pvalue)
    assert found.launches == 4


def test_a_burst_of_noise_in_one_block_does_not_move_the_centre():
    calm = np.full(6, 0.03)
    burst = calm.copy()
    burst[2] = -2.0
    assert stats.hodges_lehmann(burst) == pytest.approx(0.03)


def test_hodges_lehmann_is_the_median_of_pairwise_means():
    values = np.array([1.0, 2.0, 4.0, 8.0])
    pairs = [(a + b) / 2 for i, a in enumerate(values) for b in values[i:]]
    assert stats.hodges_lehmann(values) == pytest.approx(np.median(pairs))


def test_missing_samples_leave_the_other_blocks():
    a = np.array([[110.0, np.nan], [110.0, 110.0], [np.nan, np.nan]])
    b = np.array([[100.0, 100.0], [100.0, np.nan], [100.0, 100.0]])
    found = stats.interval(stats.log_ratios(a, b))
    assert found.ratio == pytest.approx(1.1)
    assert found.launches == 2


def test_drift_cancels_within_blocks():
    draw = np.random.default_rng(1)
    speed = 1000 * np.exp(draw.normal(0, 0.5, (6, 5)))
    found = stats.interval(stats.log_ratios(1.05 * speed, speed))
    assert found.low == pytest.approx(1.05)
    assert found.high == pytest.approx(1.05)


def test_one_launch_says_so():
    found = stats.interval(np.array([[0.01, 0.02, 0.03]]))
    assert found.within_one_launch
    assert found.low < 1.02 < found.high


def test_a_single_sample_has_no_finite_interval():
    found = stats.interval(np.array([[0.01]]))
    assert found.low == 0 and found.high > 1e300
    assert not found.within(0.5)


def test_no_data_is_an_error():
    with pytest.raises(ValueError, match="no data"):
        stats.interval(np.full((2, 2), np.nan))


def test_holm_by_its_papers_rule():
    assert stats.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert stats.holm([0.5, 0.9]) == [1.0, 1.0]
    assert stats.holm([]) == []


def test_kendall_agrees_with_scipy():
    speeds = [np.full((2, 2), v) for v in (9.0, 7.0, 8.0, 3.0)]
    expected = distributions.kendalltau([4, 3, 2, 1], [9, 7, 8, 3]).statistic
    assert stats.kendall_tau(speeds) == pytest.approx(expected)


def test_bootstrap_is_seeded_and_covers_the_estimate():
    draw = np.random.default_rng(2)
    speeds = [np.exp(draw.normal(m, 0.01, (4, 4))) for m in (3, 2, 1)]
    first = stats.bootstrap(speeds, stats.kendall_tau, seed=5, resamples=200)
    assert first == stats.bootstrap(speeds, stats.kendall_tau, seed=5, resamples=200)
    assert first[0] <= stats.kendall_tau(speeds) <= first[1]


def test_reach_is_how_far_the_interval_goes_from_one():
    interval = stats.Interval(1.0, 1 / 1.03, 1.01, p=1.0, launches=3)
    assert interval.reach == pytest.approx(0.03)
    assert interval.within(0.031) and not interval.within(0.02)


def test_outliers_are_named_and_kept():
    draw = np.random.default_rng(3)
    logs = draw.normal(0, 0.01, (4, 6))
    logs[2, 1] = 0.5
    assert stats.outliers(logs) == [(2, 1)]
    assert stats.interval(logs).launches == 4
    assert stats.outliers(np.zeros((4, 6))) == []
    assert stats.outliers(np.array([[0.0, 9.0]])) == []


def test_a_trend_is_found_and_sized():
    times = np.arange(20.0)
    draw = np.random.default_rng(4)
    falling = 1000 * np.exp(-0.01 * times + draw.normal(0, 0.005, 20))
    found = stats.trend(times, falling)
    assert found.p < 0.001 and found.change == pytest.approx(math.exp(-0.19), abs=0.02)
    assert stats.trend(times, np.exp(draw.normal(0, 0.02, 20))).p > 0.01
    assert stats.trend(times[:5], falling[:5]) is None
    falling[3] = math.nan  # not known
    assert stats.trend(times, falling).p < 0.001
    falling[4:16] = math.nan
    assert stats.trend(times, falling) is None


def test_what_a_longer_race_leaves_is_not_for_it_to_shorten():
    found = replace(stats.Interval.of(0.1, 0.05, 6.0, 4), lasting=0.03)
    assert found.longer(0.04) == pytest.approx(16 / 7)  # 4² of random error that becomes 7
    assert found.longer(0.03) == math.inf
    assert stats.Interval.of(0.1, 0.05, 6.0, 4).longer(0.025) == pytest.approx(4)


def test_launches_that_disagree_are_told_from_blocks_that_scatter():
    draw = np.random.default_rng(5)
    scatter = draw.normal(0, 0.01, (5, 6))
    assert stats.launch_effect(scatter) > 0.01
    assert stats.launch_effect(scatter + np.array([[0], [0.05], [0], [-0.05], [0]])) < 1e-4
    assert stats.launch_effect(np.zeros((3, 3))) is None


def test_scatter_beyond_that_of_equal_programs_is_seen():
    draw = np.random.default_rng(6)
    chance = draw.normal(0, 0.01, (5, 6))
    assert stats.excess_scatter(draw.normal(0, 0.01, (5, 6)), chance) > 0.01
    assert stats.excess_scatter(draw.normal(0, 0.1, (5, 6)), chance) < 0.001
    assert stats.excess_scatter(chance[:1, :3], chance[:1, :3]) is None
