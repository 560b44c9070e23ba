"""The random-effects summary: equal to published results and to a computation of its own."""

import math

import numpy as np
import pytest
from scipy import stats as distributions

from benchbook.analysis.pooled import pooling

# Nine laboratories: Kacker 2004, Metrologia 41:132, doi:10.1088/0026-1394/41/3/004. Results of R's
# metafor, rma(y, v, method = "PM") and (Q, I²) rma(y, v, method = "DL"), as statsmodels' tests
# (stats/tests/results/results_meta.py) record them.
LABS = np.array([61.0, 61.4, 62.21, 62.3, 62.34, 62.6, 62.7, 62.84, 65.9])
VARIANCES = np.array([0.2025, 1.21, 0.09, 0.2025, 0.3844, 0.5625, 0.0676, 0.0225, 1.8225])
MEAN, ERROR, TAU2 = 62.4076199113286, 0.338030602684471, 0.705395309224248
Q, Q_P, I2 = 24.801897741835, 0.00167935146372742, 67.744403741711


def test_a_textbook_example_has_its_published_results():
    found = pooling.pool(LABS - 62, VARIANCES)  # as logarithms, 62 would be a large factor
    reach = distributions.t.ppf(0.975, 8) * ERROR  # Hartung and Knapp's factor is 1 with this τ²
    assert math.log(found.ratio) + 62 == pytest.approx(MEAN, abs=1e-6)
    assert math.log(found.low) + 62 == pytest.approx(MEAN - reach, abs=1e-6)
    assert math.log(found.high) + 62 == pytest.approx(MEAN + reach, abs=1e-6)
    assert found.tau**2 == pytest.approx(TAU2, abs=1e-6)
    assert found.q == pytest.approx(Q) and found.q_p == pytest.approx(Q_P)
    assert 100 * found.i_squared == pytest.approx(I2)
    further = distributions.t.ppf(0.975, 7) * math.hypot(ERROR, math.sqrt(TAU2))
    assert math.log(found.next_low) + 62 == pytest.approx(MEAN - further, abs=1e-6)
    assert found.machines == 9


def brute_force(y, v):
    """(mean, standard error, τ²) by trying every τ² on ever finer grids."""

    def scatter(tau2):
        w = 1 / (v + tau2)
        return sum(w * (y - sum(w * y) / sum(w)) ** 2)

    low, high = 0.0, 100 * float(np.var(y))
    for _ in range(12):
        grid = np.linspace(low, high, 101)
        best = int(np.argmin([abs(scatter(tau2) - (len(y) - 1)) for tau2 in grid]))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, 100)]
    tau2 = (low + high) / 2 if scatter(0) > len(y) - 1 else 0.0
    w = 1 / (v + tau2)
    mean = sum(w * y) / sum(w)
    knapp = sum(w * (y - mean) ** 2) / (len(y) - 1)
    return mean, math.sqrt(max(1, knapp) / sum(w)), tau2


@pytest.mark.parametrize("seed", range(8))
def test_it_agrees_with_brute_force(seed):
    draw = np.random.default_rng(seed)
    k = int(draw.integers(3, 30))
    v = draw.uniform(0.0001, 0.01, k)
    y = 0.05 + draw.normal(0, 0.05 * (seed % 3), k) + draw.normal(0, np.sqrt(v))
    found = pooling.pool(y, v)
    mean, error, tau2 = brute_force(y, v)
    assert math.log(found.ratio) == pytest.approx(mean, abs=1e-6)
    assert found.tau**2 == pytest.approx(tau2, abs=1e-7)
    reach = math.log(found.high) - math.log(found.ratio)
    assert reach == pytest.approx(distributions.t.ppf(0.975, k - 1) * error, rel=1e-4)


def test_machines_that_agree_too_well_do_not_make_the_interval_narrower():
    found = pooling.pool([0.1] * 5, [0.01] * 5)
    reach = distributions.t.ppf(0.975, 4) * 0.1 / math.sqrt(5)
    assert found.tau == 0 and found.i_squared == 0 and found.q_p == pytest.approx(1)
    assert math.log(found.high) == pytest.approx(0.1 + reach)


def test_two_machines_can_be_pooled_but_foresee_nothing():
    found = pooling.pool([0.0, 0.1], [0.01, 0.01])
    assert found.ratio == pytest.approx(math.exp(0.05))
    assert found.next_low is None and found.next_high is None


@pytest.mark.parametrize(
    ("logs", "variances"),
    [([0.1], [0.1]), ([0.1, 0.2], [0.1]), ([0.1, 0.2], [0.1, 0.0]), ([0.1, math.nan], [0.1, 0.1])],
)
def test_what_cannot_be_pooled_is_an_error(logs, variances):
    with pytest.raises(ValueError, match="pooling needs"):
        pooling.pool(logs, variances)


def simulated(machines, tau, steady, rooms=200, noise=0.5):
    """How often rooms of machines with 3 launches each have the truth in the mean's interval, call
    their machines different, and have the next machine's truth in its interval."""
    draw = np.random.default_rng(7)
    inside = different = foreseen = 0
    for _ in range(rooms):
        size = 0.01 * np.exp(noise * draw.standard_normal(machines))
        truths = 0.05 + tau * draw.standard_normal(machines)
        launches = truths[:, None] + size[:, None] * draw.standard_normal((machines, 3))
        squares, freedom = launches.var(axis=1, ddof=1), [2] * machines
        squares, freedom = pooling.steadied(squares, freedom) if steady else (squares, None)
        found = pooling.pool(launches.mean(axis=1), squares / 3, freedom)
        inside += found.low <= math.exp(0.05) <= found.high
        different += found.q_p < 0.05
        further = math.exp(0.05 + tau * draw.standard_normal())
        foreseen += found.next_low <= further <= found.next_high
    return inside / rooms, different / rooms, foreseen / rooms


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_rooms_of_equal_machines_are_seldom_called_different(noise):
    inside, different, _ = simulated(20, 0.0, steady=True, noise=noise)
    assert inside >= 0.9 and different <= 0.15


def test_without_steadying_they_mostly_are():
    """Why steadied() is there: variances from 3 launches, taken at their word, mislead."""
    assert simulated(20, 0.0, steady=False)[1] > 0.5


@pytest.mark.parametrize("machines", [5, 20])
def test_a_known_difference_between_machines_is_found(machines):
    inside, different, foreseen = simulated(machines, 0.03, steady=True)
    assert inside >= 0.88 and different >= 0.9 and foreseen >= 0.88


def test_variances_from_many_launches_stay_and_those_of_few_are_drawn():
    squares = [1.0, 4.0, 9.0, 25.0]
    known, _ = pooling.steadied(squares, [5000] * 4)
    assert known == pytest.approx(squares, rel=0.01)
    drawn, freedom = pooling.steadied([0.9, 1.0, 1.1, 1.2], [2] * 4)
    assert np.ptp(drawn) == pytest.approx(0) and np.isinf(freedom).all()


def test_launches_that_are_all_equal_do_not_outweigh_the_room():
    drawn, _ = pooling.steadied([0.0, 1e-4, 2e-4], [2] * 3)
    assert drawn.min() > 0 and np.isfinite(drawn).all()
    alone, _ = pooling.steadied([0.0], [2])
    assert alone[0] > 0
