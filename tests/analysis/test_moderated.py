"""The moderated t, on numbers whose answers are known."""

import math

import numpy as np
import pytest
from scipy import stats as distributions
from scipy.stats import mstats

from benchbook.analysis.statistics import moderated, stats

NAN = math.nan


def made(draw, launches=4, blocks=6, entries=5, sample=0.02, launch=0.01):
    """Log speeds with effects of blocks, of launches and of samples; entry i is i % faster."""
    noise = draw.normal(0, sample, (launches, blocks, entries))
    starts = draw.normal(0, launch, (launches, 1, entries))
    shared = draw.normal(0, 0.3, (launches, blocks, 1))
    return noise + starts + shared + 0.01 * np.arange(entries)


def test_what_a_block_does_to_all_cancels():
    logs = made(np.random.default_rng(1))
    shifted = logs + np.random.default_rng(2).normal(0, 5, (4, 6, 1))
    one, other = moderated.fit(logs).interval((1,), (0,)), moderated.fit(shifted).interval(
        (1,), (0,)
    )
    assert (one.ratio, one.low, one.high) == pytest.approx((other.ratio, other.low, other.high))


def test_a_burst_of_noise_does_not_move_a_centre():
    logs = made(np.random.default_rng(3), sample=0.001)
    burst = logs.copy()
    burst[1, 2, 1] -= 2.0
    assert moderated.fit(burst).interval((1,), (0,)).ratio == pytest.approx(
        moderated.fit(logs).interval((1,), (0,)).ratio, rel=1e-3
    )


def test_entries_that_were_in_other_groups_are_compared_all_the_same():
    """Groups hold the baseline and half of the others; blocks differ by far more than entries."""
    logs = made(np.random.default_rng(4), blocks=8, sample=0.001, launch=0.0)
    logs[:, ::2, 3:] = NAN
    logs[:, 1::2, 1:3] = NAN
    fit = moderated.fit(logs)
    for entry in range(1, 5):
        assert math.log(fit.interval((entry,), (0,)).ratio) == pytest.approx(
            0.01 * entry, abs=0.002
        )
    assert math.log(fit.interval((4,), (1,)).ratio) == pytest.approx(0.03, abs=0.002)


def test_an_entry_that_is_missing_from_launches_keeps_the_others():
    logs = made(np.random.default_rng(5))
    logs[2:, :, 4] = NAN
    fit = moderated.fit(logs)
    assert fit.interval((4,), (0,)).launches == 2 and fit.interval((1,), (0,)).launches == 4
    logs[:2, :, 4] = NAN
    with pytest.raises(ValueError, match="no launch"):
        moderated.fit(logs).interval((4,), (0,))


def test_an_entry_that_is_gone_does_not_change_how_fast_the_machine_looks():
    logs = made(np.random.default_rng(5), sample=0.001, launch=0.0)
    logs[:, :, 4] += 2.0 - logs[:, :, :4].mean(2)  # far faster than the others
    logs[:, :, :4] -= logs[:, :, :4].mean(2, keepdims=True)
    logs[2:, :, 4] = NAN
    effects = moderated.fit(logs).blocks
    assert np.ptp(effects[2:].mean(1)) < 0.01
    assert effects[2:].mean() == pytest.approx(effects[:2].mean(), abs=0.2)


def test_one_that_fails_late_does_not_widen_the_others_intervals():
    """Centres are relative to those present; that must be the same reference in each launch."""
    logs = made(np.random.default_rng(15))
    logs[:, :, 4] -= 2.0
    whole = moderated.fit(logs).interval((1,), (0,))
    logs[3, :, 4] = NAN
    gone = moderated.fit(logs)
    assert gone.interval((1,), (0,)).half_width < 1.3 * whole.half_width
    assert gone.interval((4,), (0,)).launches == 3
    logs[3, :, 1:] = NAN
    logs[3, 1:, 0] = NAN  # cut short in the middle of a block
    assert moderated.fit(logs).interval((1,), (0,)).half_width < 2 * whole.half_width


def test_with_many_launches_it_is_welchs_t_on_their_centres():
    logs = made(np.random.default_rng(6), launches=400, blocks=4)
    found = moderated.fit(logs).interval((1,), (0,))
    centres = (logs[:, :, 1] - logs[:, :, 0]).mean(1)
    reach = distributions.t.ppf(0.975, 399) * distributions.sem(centres)
    assert math.log(found.high / found.low) / 2 == pytest.approx(reach, rel=0.1)


def test_entries_keep_variances_of_their_own():
    draw = np.random.default_rng(7)
    logs = made(draw, launches=12)
    logs[:, :, 1] += draw.normal(0, 0.1, (12, 1))
    fit = moderated.fit(logs)
    assert fit.spread[1] > 3 * fit.spread[2]
    assert fit.interval((1,), (0,)).half_width > 2 * fit.interval((2,), (0,)).half_width


def test_few_launches_are_drawn_to_what_all_entries_say():
    """Three equal launches by chance are no proof that an entry never differs."""
    logs = made(np.random.default_rng(8), launches=3)
    others = logs[:, :, [0, 2, 3, 4]].mean(-1)
    starts = (logs[:, :, 1] - others).mean(1, keepdims=True)
    logs[:, :, 1] -= starts - starts.mean()
    spread = moderated.fit(logs).spread
    assert 0.3 * np.median(spread) < spread[1] < 1.5 * np.median(spread)


def test_a_noisy_launch_counts_less():
    draw = np.random.default_rng(9)
    logs = made(draw, sample=0.005)
    logs[3] += draw.normal(0, 0.5, logs[3].shape)
    weights = moderated.fit(logs).weights
    assert weights.mean() == pytest.approx(1) and weights[3] < 0.1 * weights[0]


def test_variances_are_told_apart_after_the_mean_is_taken_away():
    true = np.array([1.0, 4.0, 9.0, 1.0, 2.0])
    shares = np.array([0.3, 0.1, 0.05, 0.35, 0.2])
    mixed = (1 - 2 * shares) * true + (shares**2 * true).sum()
    assert moderated.unmixed(mixed, shares) == pytest.approx(true)
    for own in (0.5, 0.2):  # of two, what is seen are (1 - p)² of the difference's variance
        seen = 2.0 * np.array([(1 - own) ** 2, own**2])
        assert moderated.unmixed(seen, np.array([own, 1 - own])).sum() == pytest.approx(2.0)


def test_the_winsorised_variance_is_that_of_a_trimmed_mean():
    values = np.random.default_rng(10).standard_t(2.5, 40)
    error = mstats.trimmed_stde(values, limits=(0.2, 0.2), inclusive=(True, True))
    assert math.sqrt(moderated.winsorised(values) / values.size) == pytest.approx(float(error))
    assert moderated.winsorised(np.array([1.0])) == 0


def test_cold_blocks_at_the_start_are_left_out_but_half_at_most():
    calm = np.random.default_rng(11).normal(0, 0.01, (1, 8, 4))
    cold = calm.copy()
    cold[0, :2] -= 0.5
    assert moderated.of_logs(calm).left_out == (0,)
    assert moderated.of_logs(cold).left_out == (2,)
    one_program = calm.copy()
    one_program[0, :2, 1] -= 0.2  # the others were warm
    assert moderated.of_logs(one_program).left_out == (0,)
    falling = calm + np.linspace(-5, 0, 8)[None, :, None]
    assert moderated.of_logs(falling).left_out == (4,)


def test_a_machine_that_is_as_slow_later_is_not_taken_for_warm_up():
    calm = np.random.default_rng(14).normal(0, 0.01, (1, 8, 4))
    calm[0, [0, 5], :] -= [[0.15], [0.2]]
    assert moderated.of_logs(calm).left_out == (0,)
    calm[0, 0, :] -= 0.1
    assert moderated.of_logs(calm).left_out == (1,)


def test_a_group_is_not_warm_up_because_the_next_one_met_a_faster_machine():
    logs = np.full((1, 12, 6), np.nan)
    logs[0, :6, :4] = np.random.default_rng(15).normal(0, 0.01, (6, 4))
    logs[0, 6:, [0, 1, 4, 5]] = np.random.default_rng(16).normal(0.3, 0.01, (4, 6))
    assert moderated.of_logs(logs).left_out == (0,)
    logs[0, 0, :] -= 0.3
    assert moderated.of_logs(logs).left_out == (1,)


def test_steins_interval_uses_the_pilots_spread():
    pattern = np.random.default_rng(12).normal(0, 0.01, (1, 6, 3))
    starts = np.random.default_rng(13).normal(0, 0.02, (6, 1, 3))
    starts[3:] = 0
    logs = pattern + starts
    whole, pilot = moderated.fit(logs, pilot=3), moderated.fit(logs[:3])
    assert whole.spread == pytest.approx(pilot.spread, rel=0.02)
    assert whole.freedom == pytest.approx(pilot.freedom)
    long, short = whole.interval((1,), (0,)), pilot.interval((1,), (0,))
    assert long.error == pytest.approx(short.error / math.sqrt(2), rel=0.02)
    assert long.launches == 6


def test_launches_needed_follow_from_the_error():
    fit = moderated.fit(made(np.random.default_rng(14)))
    found = fit.interval((1,), (0,))
    half = math.asinh(0.005 / found.ratio)
    reach = stats.t_quantile(0.95, found.freedom) * found.error
    assert moderated.launches_needed(fit, (1,), (0,), 0.01) == math.ceil(4 * (reach / half) ** 2)
    assert moderated.launches_needed(fit, (1,), (0,), 0.9) == 4


@pytest.mark.parametrize("ratio", [0.1, 0.5, 1.0, 1.1, 2.0, 10.0])
def test_a_width_is_in_points_of_the_ratio_wherever_it_lies(ratio):
    # a reader compares the ends that are printed: 1.98 and 2.02 are ±0.02, as 0.98 and 1.02 are
    wide = stats.Interval.of(math.log(ratio), 0.01, 8, 4)
    assert wide.half_width == (wide.high - wide.low) / 2
    half = math.asinh(wide.half_width / wide.ratio)
    assert half == pytest.approx(wide.reach_at(0.95) * 0.01)
