"""Ratios, their intervals and the tests behind a verdict. Pure functions, no I/O.

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

from benchbook.analysis.statistics import looks
from benchbook.analysis.statistics.looks import Interim

LEVEL = looks.LEVEL
MOST_LOG = 709.0  # of what math.exp can take

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Interval:
    """A ratio with its confidence interval at `level`, all as factors (1.02 is 2 % more).

    p: two-sided p-value of "the ratio is 1"; launches: how many had data; within_one_launch: there
    was only one, so the interval says nothing about differences between launches; error: standard
    error of the ratio's logarithm, freedom: its degrees of freedom, lasting: the part of the error
    that no longer race makes smaller; look: the one that this is from, None where there was one
    only: level and p are then adjusted for all looks.
    """

    ratio: float
    low: float
    high: float
    p: float
    launches: int
    level: float = LEVEL
    within_one_launch: bool = False
    error: float = math.nan
    freedom: float = math.nan
    lasting: float = 0.0
    look: Interim | None = None

    @classmethod
    def of(
        cls,
        log: float,
        error: float,
        freedom: float,
        launches: int,
        level: float | None = None,
        look: Interim | None = None,
    ) -> "Interval":
        """The t interval of a ratio, from its logarithm and that one's standard error; of the usual
        level, or of that of the look, where none is given."""
        if level is None:
            level = look.level if look else LEVEL
        reach = t_quantile(level, freedom) * error if error else 0.0
        if error:
            p = float(2 * special.stdtr(freedom, -abs(log) / error))
        else:
            p = 1.0 if log == 0 else 0.0
        low, high = (math.exp(min(log + way * reach, MOST_LOG)) for way in (-1, 1))
        return cls(
            math.exp(log),
            low,
            high,
            look.adjusted(p) if look else p,
            launches,
            level,
            launches == 1,
            error,
            freedom,
            look=look,
        )

    def at(self, level: float) -> "Interval":
        """The same ratio with its interval at another level."""
        log = math.log(self.ratio)
        return Interval.of(log, self.error, self.freedom, self.launches, level, self.look)

    def reach_at(self, level: float) -> float:
        """How many standard errors its interval reaches to each side at a level."""
        return t_quantile(level, self.freedom)

    def longer(self, error: float) -> float:
        """How many times as long a race must be for this standard error, which shrinks with the
        root of the time; infinite where it stays larger."""
        if error <= self.lasting:
            return math.inf
        return (self.error**2 - self.lasting**2) / (error**2 - self.lasting**2)

    def within(self, band: float) -> bool:
        """Does the whole interval lie between 1/(1 + band) and 1 + band?"""
        return self.low >= 1 / (1 + band) and self.high <= 1 + band

    def beyond(self, band: float) -> bool:
        """Does the whole interval lie outside of that band?"""
        return self.low > 1 + band or self.high < 1 / (1 + band)

    def p_beyond(self, low: float, high: float) -> float:
        """Two-sided p-value of "the ratio lies between these two"; 1 where it was seen there."""
        log = math.log(self.ratio)
        off = max(math.log(low) - log if low > 0 else -math.inf, log - math.log(high))
        if off <= 0:
            return 1.0
        p = float(2 * special.stdtr(self.freedom, -off / self.error)) if self.error else 0.0
        return self.look.adjusted(p) if self.look else p

    @property
    def reach(self) -> float:
        """How far from 1 the interval reaches at most, as a fraction: 0.02 is 2 %."""
        return max(self.high, 1 / self.low) - 1 if self.low > 0 else math.inf

    @property
    def half_width(self) -> float:
        """Half of the interval's width, in points of the ratio: 0.02 is ±2 %, of the baseline.

        So a ratio of 2 with ±0.02 is [1.98, 2.02]: what a reader sees, and what --until promises.
        """
        return (self.high - self.low) / 2 if self.low > 0 else math.inf


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


def interval(logs: Floats, level: float = LEVEL) -> Interval:
    """The t interval over launches of one thing's logarithms, of shape (launches, blocks).

    For what is not compared with others of a race, such as the time of an operation: ratios within
    a race are moderated.fit's. Blocks of one launch share its process layout and JIT state, so
    launches are the independent repetitions: Student's t on their centres (Kalibera & Jones 2013,
    section 6, doi:10.1145/2464157.2464160). With one launch the blocks are used instead, and
    within_one_launch says so. Raises ValueError where there is no data at all.
    """
    centres = launch_centres(logs)
    if centres.size == 0:
        raise ValueError("there is no data")
    single = centres.size == 1
    values = np.asarray(logs)[~np.isnan(logs)] if single else centres
    log, freedom = float(values.mean()), float(values.size - 1)
    if not freedom:
        return Interval(math.exp(log), 0.0, math.exp(MOST_LOG), 1.0, 1, level, True, math.inf, 0.0)
    error = float(values.std(ddof=1)) / math.sqrt(values.size)
    return Interval.of(log, error, freedom, int(centres.size), level)


@functools.lru_cache(10_000)
def t_quantile(level: float, freedom: float) -> float:
    """The two-sided quantile of Student's t at `level`."""
    return float(special.stdtrit(freedom, 0.5 + level / 2))


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
    """Did a speed drift? None with fewer than 8 speeds that are known.

    Direction: Mann-Kendall test (Mann 1945, Econometrica 13:245). Size: Theil-Sen slope of the
    log speed (Sen 1968, doi:10.1080/01621459.1968.10480934) over the time from first to last.
    """
    known = np.isfinite(speeds)
    times, logs = times[known], np.log(speeds[known])
    if times.size < 8:
        return None
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
    logs = [np.log(s[np.isfinite(s)]) for s in speeds]
    means = [float(each.mean()) if each.size else math.nan for each in logs]
    # τ-b, as scipy's kendalltau gives it, which takes a hundred times as long with its p
    rows, columns = np.triu_indices(len(means), 1)
    pairs = np.sign(np.subtract(np.array(means)[rows], np.array(means)[columns]))
    untied = np.count_nonzero(pairs)  # NaN counts, and makes a NaN of the sum
    tau = float(pairs.sum() / math.sqrt(untied * pairs.size)) if untied else math.nan
    return round(tau, 12)  # the same order is 1, not 0.9999999999999999
