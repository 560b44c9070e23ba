"""Ratios, their intervals, the floor and the tests behind a verdict. Pure functions, no I/O.

Speeds (requests/s, or anything else where more is better) come as arrays of shape (launches,
blocks), with NaN where a sample is missing. Everything is computed on logarithms of ratios within
a block, so that drift of the machine cancels, and "twice" and "half" are equally far from 1.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy import stats as distributions

LEVEL = 0.95

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Interval:
    """A ratio with its confidence interval at `level`, all as factors (1.02 is 2 % more).

    p: two-sided p-value of "the ratio is 1"; launches: how many had data; within_one_launch: there
    was only one, so the interval says nothing about differences between launches.
    """

    ratio: float
    low: float
    high: float
    p: float
    launches: int
    level: float = LEVEL
    within_one_launch: bool = False

    def within(self, band: float) -> bool:
        """Does the whole interval lie between 1/(1 + band) and 1 + band?"""
        return self.low >= 1 / (1 + band) and self.high <= 1 + band

    @property
    def reach(self) -> float:
        """How far from 1 the interval reaches at most, as a fraction: 0.02 is 2 %."""
        return max(self.high, 1 / self.low) - 1 if self.low > 0 else math.inf


def has_data(array: Floats) -> bool:
    """Is there any finite number in it?"""
    return bool(np.isfinite(array).any())


def log_ratios(a: Floats, b: Floats) -> Floats:
    """Logarithm of a/b in each block, shape (launches, blocks); NaN where either is missing.

    Pairing within blocks: Box, Hunter & Hunter 2005, Statistics for Experimenters, section 3.2.
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(a) - np.log(b)
    return np.where(np.isfinite(logs), logs, np.nan)


def hodges_lehmann(values: Floats) -> float:
    """Centre of a sample: the median of the means of all pairs, each value also with itself.

    For normal noise it is nearly as precise as the mean (95 %), and one burst of noise does not
    move it.
    Hodges & Lehmann 1963, Ann. Math. Statist. 34:598, doi:10.1214/aoms/1177704172.
    """
    first, second = pairs(values.size)
    return float(np.median((values[first] + values[second]) / 2))


@functools.cache
def pairs(count: int) -> tuple[Integers, Integers]:
    """The indices of both members of each pair of `count` values, each value also with itself."""
    return np.triu_indices(count)


def launch_centres(logs: Floats) -> Floats:
    """Centre over the blocks of each launch that has any; shape (launches with data,)."""
    rows = [row[~np.isnan(row)] for row in np.atleast_2d(logs)]
    return np.array([hodges_lehmann(row) for row in rows if row.size])


def interval(logs: Floats, level: float = LEVEL, pilot: int | None = None) -> Interval:
    """The ratio behind log ratios of shape (launches, blocks), with a t interval over launches.

    Blocks of one launch share its process layout and JIT state, so launches are the independent
    repetitions: Student's t on their centres, n - 1 degrees of freedom (Kalibera & Jones 2013,
    section 6, doi:10.1145/2464157.2464160; centre: hodges_lehmann). It is what the hierarchical
    bootstrap over launches (Davison & Hinkley 1997, Bootstrap Methods and their Application,
    section 3.8: groups with replacement, their members kept) tends to when it is studentised;
    the plain percentile bootstrap is too narrow for few launches (Hesterberg 2015,
    doi:10.1080/00031305.2015.1089789).
    With one launch the blocks are used instead, and within_one_launch says so.

    pilot: how many of the first launches decided how many there are (see launches_needed); the
    spread is then estimated from those alone, which keeps the level although the data chose the
    sample size (Stein 1945, Ann. Math. Statist. 16:243, doi:10.1214/aoms/1177731088).

    Raises ValueError where there is no complete block at all.
    """
    centres = launch_centres(logs)
    if centres.size == 0:
        raise ValueError("no block holds samples of both")
    single = centres.size == 1
    values = np.asarray(logs)[~np.isnan(logs)] if single else centres
    low, high, p = t_interval(values, level, values[:pilot] if pilot and not single else values)
    return Interval(
        ratio=math.exp(values.mean()),
        low=math.exp(low),
        high=math.exp(high),
        p=p,
        launches=int(centres.size),
        level=level,
        within_one_launch=single,
    )


def t_interval(values: Floats, level: float, spread_of: Floats) -> tuple[float, float, float]:
    """(low, high, p) of the mean of independent values; p tests a mean of 0, two-sided.

    spread_of: the values that give the standard deviation, all of them or only a pilot's. Student
    1908, The Probable Error of a Mean. With a single such value the interval is infinite.
    """
    mean, n = float(values.mean()), spread_of.size
    if n < 2:
        return -math.inf, 709.0, 1.0
    error = float(spread_of.std(ddof=1)) / math.sqrt(values.size)
    if error == 0:
        return mean, mean, 1.0 if mean == 0 else 0.0
    reach = t_quantile(level, n) * error
    return mean - reach, mean + reach, float(2 * special.stdtr(n - 1, -abs(mean) / error))


@functools.cache
def t_quantile(level: float, n: int) -> float:
    """The two-sided quantile of Student's t at `level`, for n values (n - 1 degrees of freedom)."""
    return float(distributions.t.ppf(0.5 + level / 2, n - 1))


def launches_needed(logs: Floats, width: float, level: float = LEVEL) -> int:
    """How many launches make the interval of these log ratios narrower than `width` (a fraction).

    logs: the pilot's. Stein's two-stage procedure: n = (t s / half-width)², where s and t are the
    pilot's (Stein 1945, doi:10.1214/aoms/1177731088). The data are looked at once, before the rest
    is raced, so that looking does not raise the rate of false findings.
    """
    centres = launch_centres(logs)
    if centres.size < 2:
        return int(centres.size)
    half = math.log1p(width) / 2
    wanted = (t_quantile(level, centres.size) * float(centres.std(ddof=1)) / half) ** 2
    return max(int(centres.size), math.ceil(wanted))


def floor(copy: Floats, original: Floats, pilot: int | None = None) -> Interval:
    """The ratio of two copies of the same program in the same race (A/A), with its interval.

    Its `reach` is the floor: how much two equal programs may differ, as far as this race can tell.
    A/A test: Kohavi, Tang & Xu 2020, Trustworthy Online Controlled Experiments, chapter 19.
    """
    return interval(log_ratios(copy, original), pilot=pilot)


def outliers(logs: Floats, threshold: float = 5.0) -> list[tuple[int, int]]:
    """(launch, block) of log ratios far from the others of their launch; they stay in the data.

    Modified z-score: distance from the launch's median in units of the median absolute deviation,
    pooled over launches (Iglewicz & Hoaglin 1993, How to Detect and Handle Outliers, as in
    hyperfine's src/outlier_detection.rs). They use 3.5 for one sample; here it is 5, because every
    entry of a race is examined.
    """
    with np.errstate(invalid="ignore"):
        residuals = logs - np.array([[median(row)] for row in logs])
    known = np.abs(residuals[~np.isnan(residuals)])
    if known.size < 8:
        return []
    spread = float(np.median(known))
    if spread == 0:
        return []
    far = 0.6745 * np.abs(np.nan_to_num(residuals)) / spread > threshold
    return [(int(launch), int(block)) for launch, block in np.argwhere(far)]


def median(values: Floats) -> float:
    """The median of the values that are not NaN; NaN where there are none."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else math.nan


@dataclass(frozen=True)
class Trend:
    """How a speed changed during a race: by which factor from start to end, and the p-value."""

    change: float
    p: float


def trend(times: Floats, speeds: Floats) -> Trend | None:
    """Did a speed drift? None with fewer than 8 samples.

    Direction: Mann-Kendall test (Mann 1945, Econometrica 13:245). Size: Theil-Sen slope of the
    log speed (Sen 1968, doi:10.1080/01621459.1968.10480934) over the time from first to last.
    """
    if times.size < 8:
        return None
    logs = np.log(speeds)
    p = float(distributions.kendalltau(times, logs).pvalue)
    slope = float(distributions.theilslopes(logs, times).slope)
    return Trend(math.exp(slope * float(times.max() - times.min())), 1.0 if math.isnan(p) else p)


def launch_effect(logs: Floats) -> float | None:
    """p-value of "all launches have the same ratio"; None where there are too few data.

    One-way analysis of variance of the log ratios by launch (Fisher 1925, Statistical Methods for
    Research Workers, chapter VII). A small one says that launches disagree more than the
    scatter of their blocks explains: more launches will help, more blocks will not.
    """
    groups = [row[~np.isnan(row)] for row in np.atleast_2d(logs)]
    groups = [row for row in groups if row.size >= 2]
    if len(groups) < 2 or not np.ptp(np.concatenate(groups)):
        return None
    p = float(distributions.f_oneway(*groups).pvalue)
    return None if math.isnan(p) else p


def excess_scatter(logs: Floats, chance: Floats) -> float | None:
    """p-value of "blocks scatter no more than those of the A/A pair"; None with too few data.

    Log ratios within launches against those of two equal programs, which show what is chance here.
    Brown & Forsythe 1974, doi:10.1080/01621459.1974.10482955 (Levene's test on medians), one-sided.
    """
    sides = []
    for array in (logs, chance):
        residuals = [np.abs(row - median(row))[~np.isnan(row)] for row in np.atleast_2d(array)]
        sides.append(np.concatenate(residuals) if residuals else np.array([]))
    if min(side.size for side in sides) < 8 or not sides[0].mean() > sides[1].mean():
        return None if min(side.size for side in sides) < 8 else 1.0
    return float(distributions.ttest_ind(*sides, equal_var=False, alternative="greater").pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number (Holm 1979, Scand. J. Statist. 6:65), in the same order.

    Rejecting where the corrected value is under 5 % keeps the chance of any false rejection
    among all of them at 5 %.
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, running = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = running
    return adjusted


def resample(shape: tuple[int, int], generator: np.random.Generator) -> tuple[Integers, Integers]:
    """Indices of one draw of the hierarchical bootstrap: launches, then blocks within each.

    Davison & Hinkley 1997, section 3.8.
    """
    launches, blocks = shape
    rows = generator.integers(0, launches, launches)
    columns = generator.integers(0, blocks, (launches, blocks))
    return rows[:, None], columns


def bootstrap(
    speeds: Sequence[Floats],
    statistic: Callable[[list[Floats]], float],
    seed: int,
    resamples: int = 1000,
    level: float = LEVEL,
) -> tuple[float, float]:
    """Percentile interval of a statistic of several (launches, blocks) arrays.

    The same launches and blocks are drawn for all arrays, so that samples stay paired. Hierarchical
    bootstrap: see resample. For statistics without a simple distribution, as rank correlations.
    """
    generator = np.random.default_rng(seed)
    arrays = [np.asarray(s, float) for s in speeds]
    launches, blocks = arrays[0].shape
    values = []
    for _ in range(resamples):
        chosen = resample((launches, blocks), generator)
        values.append(statistic([array[chosen] for array in arrays]))
    tail = (1 - level) / 2
    low, high = np.nanquantile(values, [tail, 1 - tail])
    return float(low), float(high)


def kendall_tau(speeds: Sequence[Floats]) -> float:
    """Agreement of the measured order with the given one, fastest first: 1 same, -1 reversed.

    Kendall 1938, Biometrika 30:81, on the mean log speeds.
    """
    means = [float(np.nanmean(np.log(s))) for s in speeds]
    given = range(len(means), 0, -1)
    tau = float(distributions.kendalltau(given, means, method="asymptotic").statistic)
    return round(tau, 12)  # the same order is 1, not 0.9999999999999999
