"""What many machines say together of one ratio: a random-effects summary. Pure functions, no I/O.

Each machine has its own true log ratio, and these scatter by τ around the room's mean; what a
machine measured differs from its own truth by its standard error. Everything is in logarithms.
Overview of the method: Veroniki et al. 2016, doi:10.1002/jrsm.1164.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special
from scipy import stats as distributions

from benchbook.analysis.statistics import stats
from benchbook.analysis.statistics.stats import Floats

DRAWS = 2000  # of chance, for a p-value
LEAST_FREEDOM = 3.0  # from 2 down Student's t has no variance


@dataclass(frozen=True)
class Pooled:
    """The mean ratio over machines with its 95 % interval, as factors.

    tau: how much the machines' own ratios scatter (standard deviation of the logarithm);
    i_squared: how much of the scatter is more than chance, 0 to 1; q and q_p: Cochran's test
    of "all machines have the same ratio"; next_low, next_high: where a further machine's ratio is
    expected, None for fewer than 3 machines.
    """

    ratio: float
    low: float
    high: float
    tau: float
    i_squared: float
    q: float
    q_p: float
    machines: int
    next_low: float | None = None
    next_high: float | None = None


def pool(
    logs: Sequence[float],
    variances: Sequence[float] | Floats,
    freedom: Sequence[float] | Floats | None = None,
) -> Pooled:
    """Pool log ratios with the variances of their errors, one of each for every machine.

    freedom: degrees of freedom of these variances, over 2; None where they are known. With few of
    them big errors are more frequent than in a normal distribution, and Q's p-value allows for it.

    τ²: Paule & Mandel 1982, doi:10.6028/jres.087.022. Interval: Hartung & Knapp 2001,
    doi:10.1002/sim.791, never narrower than without their factor (Röver, Knapp & Friede 2015,
    doi:10.1186/s12874-015-0091-1). I²: Higgins & Thompson 2002, doi:10.1002/sim.1186.
    The next machine: Higgins, Thompson & Spiegelhalter 2009, doi:10.1111/j.1467-985X.2008.00552.x.

    Raises ValueError for fewer than two machines, or a variance that is not positive.
    """
    y, v = np.asarray(logs, float), np.asarray(variances, float)
    k = y.size
    if k < 2 or v.size != k:
        raise ValueError("pooling needs two machines, and one variance for each")
    if not (np.isfinite(y).all() and np.isfinite(v).all() and (v > 0).all()):
        raise ValueError("pooling needs finite ratios and variances above 0")
    q = scatter(0.0, y, v)
    tau2 = between(y, v)
    weights = 1 / (v + tau2)
    centre = float(np.average(y, weights=weights))
    factor = max(1.0, scatter(tau2, y, v) / (k - 1))
    error = math.sqrt(factor / weights.sum())
    reach = stats.t_quantile(stats.LEVEL, k - 1) * error
    ends: list[float | None] = [None, None]
    if k > 2:
        further = stats.t_quantile(stats.LEVEL, k - 2) * math.hypot(error, math.sqrt(tau2))
        ends = [math.exp(bounded(centre - further)), math.exp(bounded(centre + further))]
    return Pooled(
        ratio=math.exp(centre),
        low=math.exp(bounded(centre - reach)),
        high=math.exp(bounded(centre + reach)),
        tau=math.sqrt(tau2),
        i_squared=max(0.0, 1 - (k - 1) / q) if q > 0 else 0.0,
        q=q,
        q_p=chance_of(q, v, freedom),
        machines=int(k),
        next_low=ends[0],
        next_high=ends[1],
    )


def bounded(log: float) -> float:
    """The nearest logarithm that exp() can take."""
    return max(-700.0, min(700.0, log))


def scatter(tau2: float, y: Floats, v: Floats) -> float:
    """Weighted squares around the weighted mean; Cochran's Q where tau2 is 0."""
    weights = 1 / (v + tau2)
    return float(np.sum(weights * (y - np.average(y, weights=weights)) ** 2))


def chance_of(q: float, v: Floats, freedom: Sequence[float] | Floats | None) -> float:
    """p-value of Cochran's Q: by chi-square (Cochran 1954, doi:10.2307/3001666) where the variances
    are known, else by drawing errors of Student's t, with the variances v, DRAWS times."""
    if freedom is None or np.isinf(freedom).all():
        return float(distributions.chi2.sf(q, v.size - 1))
    d = np.asarray(freedom, float)
    draw = np.random.default_rng(1954)  # the same room gives the same p-value
    errors = draw.standard_t(d, (DRAWS, v.size)) * np.sqrt(v * (d - 2) / d)
    weights = 1 / v
    means = errors @ weights / weights.sum()
    drawn = ((errors - means[:, None]) ** 2) @ weights
    return float((1 + np.sum(drawn >= q)) / (1 + DRAWS))


def between(y: Floats, v: Floats) -> float:
    """Paule and Mandel's τ²: the one with which the scatter is what chance expects, k - 1."""

    def excess(tau2: float) -> float:
        return scatter(tau2, y, v) - (y.size - 1)

    if excess(0.0) <= 0:
        return 0.0
    most = float(np.var(y, ddof=1))
    while excess(most) > 0:
        most *= 2
    return float(optimize.brentq(excess, 0.0, most, xtol=1e-15, rtol=1e-12))


def steadied(squares: Sequence[float], freedom: Sequence[float]) -> tuple[Floats, Floats]:
    """Variances that machines estimated from a few launches each, drawn towards their common size.

    squares: sample variances, freedom: their degrees of freedom (1 or more). Returns the variances,
    as expected after all squares were seen, and their degrees of freedom (more than 2).

    A variance from three launches may be ten times too small by chance, and its machine would then
    outweigh the whole room and seem to contradict it. How far to draw follows from how much the
    variances differ more than chance: Smyth 2004, Linear Models and Empirical Bayes Methods for
    Assessing Differential Expression, sections 3 and 6, doi:10.2202/1544-6115.1027.
    """
    s2, d = np.asarray(squares, float), np.asarray(freedom, float)
    s2 = np.maximum(s2, max(1e-5 * float(np.median(s2)), 1e-16))  # equal launches have no spread
    logs = np.log(s2) - special.digamma(d / 2) + np.log(d / 2)
    chance = float(np.mean(special.polygamma(1, d / 2)))
    more = float(np.var(logs, ddof=1)) - chance if s2.size > 1 else 0.0
    if more <= 0:
        return np.full(s2.size, math.exp(float(logs.mean()))), np.full(s2.size, math.inf)
    prior = 2 * trigamma_inverse(more)
    size = math.exp(float(logs.mean() + special.digamma(prior / 2)) - math.log(prior / 2))
    total = np.maximum(prior + d, LEAST_FREEDOM)
    drawn = (prior * size + d * s2) / (prior + d)
    return drawn * total / (total - 2), total  # the mean of an inverse chi-square


def trigamma_inverse(value: float) -> float:
    """The x whose trigamma is `value`, above 0."""

    def excess(log_x: float) -> float:
        return math.log(float(special.polygamma(1, math.exp(log_x)))) - math.log(value)

    return math.exp(float(optimize.brentq(excess, -30.0, 30.0)))
