"""Ratios with intervals from a race's log speeds: a moderated t over launches.

Log speeds come as arrays of shape (launches, blocks, entries), NaN where a sample is missing: an
entry that failed, or that was in another group of the block. In each launch they are taken for the
sum of a block's effect, which hits all entries alike, and an entry's own; the entry's centre over
the blocks is robust, so one burst of noise does not move it. Launches are the independent
repetitions (Kalibera & Jones 2013, doi:10.1145/2464157.2464160). With three or four of them the
spread of one entry is known badly, so it is moderated: shrunk towards what all entries together
and the scatter of the blocks say of it (Smyth 2004, doi:10.2202/1544-6115.1027; Phipson et al.
2016, doi:10.1214/16-AOAS920). Entries keep variances of their own: pooling them wholly is wrong
where one starts in two modes. A launch in which the machine was noisy, as its blocks' scatter over
all entries says, counts less.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats as distributions

from benchbook.analysis.statistics.looks import Interim
from benchbook.analysis.statistics.stats import Floats, Interval, hodges_lehmann, pairs

PRIOR_FREEDOM = 2.0  # what the prior counts, in degrees of freedom: two launches more
TRIMMED = 0.2  # of the residuals at each end, for their winsorised variance
STEADYING = 20.0  # degrees of freedom that the usual noise of a launch counts for each of them
MOST_OF_MEAN = 0.4  # that one entry may make up
ROUNDS = 50  # of the additive fit, at most
CLOSE = 1e-10  # on the log scale: the fit has converged
LAUNCH_SD = 0.01  # what launches of warm programs add to the scatter of their blocks, about
COLD = 0.10  # a block at the start in which all are slower by more than this was warm-up

Places = tuple[int, ...]  # of entries that stand for one together: their mean is taken


@dataclass(frozen=True)
class Fit:
    """What a race says of its entries, all on the log scale.

    centres: of each launch, relative to the others of it, shape (launches, entries); weights: of
    the launches, 1 in the mean of those raced; spread: the moderated standard deviation of an
    entry's centres from one launch of weight 1 to the next (infinite for a single sample), and
    freedom its degrees of freedom, both of shape (entries,); blocks: the effect that a block had on
    all, shape (launches, blocks); left_out: how many blocks at the start of each launch were still
    warm-up.
    """

    centres: Floats
    weights: Floats
    spread: Floats
    freedom: Floats
    blocks: Floats
    left_out: tuple[int, ...] = ()

    def interval(self, a: Places, b: Places, look: Interim | None = None) -> Interval:
        """The ratio of a to b, each the (geometric) mean of one entry or more, as seen at a look.
        Raises ValueError where no launch has all of them.

        The variance of a difference of means is the sum of all variances, each divided by the
        square of how many the mean is of; its degrees of freedom are Welch's and Satterthwaite's
        (Welch 1947, Biometrika 34:28).
        """
        differences = self.mean(a) - self.mean(b)
        there = np.isfinite(differences)
        known, weights_ = differences[there], self.weights[there]
        if not known.size:
            raise ValueError("no launch holds samples of both")
        parts = self.variances(a, b) / weights_.sum()
        error = math.sqrt(parts.sum())
        if math.isinf(error):
            return Interval.of(float(known.mean()), error, 1.0, int(known.size), look=look)
        weights = (parts**2 / self.freedom[[*a, *b]]).sum()
        freedom = float(parts.sum() ** 2 / weights) if weights else float(self.freedom[a[0]])
        log = float(np.average(known, weights=weights_))
        return Interval.of(log, error, freedom, int(known.size), look=look)

    def mean(self, entries: Places) -> Floats:
        """The mean of their centres in each launch, NaN where one is missing."""
        found: Floats = self.centres[:, list(entries)].mean(1)
        return found

    def variances(self, a: Places, b: Places) -> Floats:
        """What each entry adds to the variance of the difference of two means, in one launch."""
        sizes = np.array([len(a)] * len(a) + [len(b)] * len(b))
        found: Floats = (self.spread[[*a, *b]] / sizes) ** 2
        return found


def fit(logs: Floats, pilot: int | None = None) -> Fit:
    """Fit log speeds of shape (launches, blocks, entries).

    pilot: how many of the first launches decided how many there are; the spread is estimated from
    those alone, which keeps the level although the data chose the number of launches (Stein 1945,
    doi:10.1214/aoms/1177731088).
    """
    even = np.ones(logs.shape[2])
    first_look = np.array([additive(launch, even)[2] for launch in logs])
    shares = entry_shares(first_look)
    fitted = [additive(launch, shares) for launch in logs]
    own = np.array([centre for centre, _, _ in fitted])
    centres = aligned(own, shares)
    residuals = np.array([residual for _, _, residual in fitted])
    effects = np.array([effect for _, effect, _ in fitted])
    effects += nan_mean(own - centres, 1)[:, None]  # of the same reference
    weights = launch_weights(residuals)
    first = slice(0, pilot)
    spread, freedom = moderated(centres[first], residuals[first], weights[first], shares)
    return Fit(centres, weights, spread, freedom, effects)


def entry_shares(residuals: Floats) -> Floats:
    """How much each entry counts in the mean of all, in inverse proportion to its noise.

    One that scatters much more than the others would otherwise lend them its noise.
    """
    raced = np.isfinite(residuals).any((1, 2)).sum()
    blocks = np.maximum(np.isfinite(residuals).sum((0, 1)) / max(1, raced), 1)
    scatter = np.array([winsorised(residuals[:, :, e]) for e in range(residuals.shape[2])])
    inverse = 1 / (LAUNCH_SD**2 + scatter / blocks)
    shares: Floats = inverse / inverse.sum()
    return shares


def aligned(centres: Floats, shares: Floats) -> Floats:
    """Centres (launches, entries) relative to the same reference in each launch.

    shares: how much each entry counts in the mean of all. Centres of a launch that lacks entries
    are relative to the mean of the others, which is another one: the launches' effects of an
    additive fit are taken away. A launch with one entry says nothing of ratios.
    """
    if np.isfinite(centres).all():
        return centres
    known = np.where(np.isfinite(centres).sum(1)[:, None] > 1, centres, np.nan)
    entries = np.zeros(centres.shape[1])
    launches = np.zeros(len(centres))
    for _ in range(ROUNDS):
        launches = nan_mean(known - entries, 1, shares)
        entries = nan_mean(known - launches[:, None], 0)
    same: Floats = known - launches[:, None]
    return same


def launch_weights(residuals: Floats) -> Floats:
    """How much each launch counts, 1 in the mean, from residuals (launches, blocks, entries).

    In inverse proportion to the variance of a centre in it: of what is left in its blocks, taken
    over all entries (so it selects nothing on their ratios), and of launches of warm programs.
    One that has not been raced counts for nothing.
    """
    blocks = np.isfinite(residuals).any(2).sum(1)
    raced = blocks > 0
    if not raced.any():
        return np.ones(len(residuals))
    entries = np.isfinite(residuals).any((0, 1)).sum()
    scatter = np.array([winsorised(launch) for launch in residuals])
    freedom = np.maximum(blocks - 1, 0) * max(1, int(entries) - 1)
    usual = STEADYING * np.median(scatter[raced])  # few blocks say little of how a launch differs
    scatter = (freedom * scatter + usual) / (freedom + STEADYING)
    variance = LAUNCH_SD**2 + scatter / np.maximum(blocks, 1)
    weights: Floats = raced / variance / np.mean(1 / variance[raced])
    return weights


def of_logs(logs: Floats, pilot: int | None = None) -> Fit:
    """As fit, without the blocks at the start of launches that were still warm-up."""
    kept, left_out = logs.copy(), tuple(map(warm_up_blocks, logs))
    for launch, count in zip(kept, left_out, strict=True):
        launch[:count] = np.nan
    return replace(fit(kept, pilot), left_out=left_out)


def additive(values: Floats, shares: Floats) -> tuple[Floats, Floats, Floats]:
    """(entries' centres, blocks' effects, residuals) of one launch, shape (blocks, entries).

    Alternates between the mean of each block over its entries, weighted by their shares, and the
    Hodges-Lehmann centre of each entry over its blocks, until neither moves: the robust kin of a
    two-way fit, which also holds where blocks lack entries (Tukey 1977, Exploratory Data Analysis,
    chapter 11). The centres' mean is 0.
    """
    centres = nan_mean(values - nan_mean(values, 1, shares)[:, None], 0)
    effects = np.zeros(len(values))
    for _ in range(ROUNDS):
        effects = nan_mean(values - centres, 1, shares)
        moved = centres_of(values - effects[:, None])
        moved -= nan_mean(moved[None], 1, shares)[0]
        change = np.nanmax(np.abs(moved - centres), initial=0.0)
        centres = moved
        if change < CLOSE:
            break
    effects = nan_mean(values - centres, 1, shares)
    return centres, effects, values - effects[:, None] - centres


def warm_up_blocks(values: Floats) -> int:
    """How many blocks at the start of a launch, shape (blocks, entries), were still warm-up.

    Those in which all entries together are more than 10 % slower than in the second half, and
    slower than in any block of it (on some machines the speed changes by as much from one second to
    the next), but half of the blocks at most. It sees what all share and so selects nothing on
    their ratios; after MSER (White 1997, doi:10.1177/003754979706900601). Blocks of a later group
    have other entries, at another time: where the first group has several, it alone is looked at.
    """
    first = first_group(values)
    _, effects, _ = additive(first, np.ones(values.shape[1]))
    half = len(effects) // 2
    later = effects[half:]
    known = later[np.isfinite(later)]
    limit = min(np.median(known) - math.log1p(COLD), known.min()) if known.size else math.nan
    count = 0
    while count < half and effects[count] < limit:
        count += 1
    return count


def first_group(values: Floats) -> Floats:
    """The blocks of a launch before one with an entry that they have not; all where that is the
    second, as where each block is a group."""
    there = np.logical_or.accumulate(np.isfinite(values))
    more = np.flatnonzero((there[1:] != there[:-1]).any(1))
    return values[: more[0] + 1] if more.size and more[0] else values


def nan_mean(values: Floats, axis: int, shares: Floats | None = None) -> Floats:
    """The mean of what is there; NaN, without a warning, where nothing is. shares: weights along
    the last axis, equal ones where None."""
    there = np.isfinite(values) * (1.0 if shares is None else shares)
    weight = there.sum(axis)
    total = np.where(there > 0, values, 0.0) * there
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: Floats = np.where(weight > 0, total.sum(axis) / weight, np.nan)
    return mean


def centres_of(values: Floats) -> Floats:
    """The Hodges-Lehmann centre of each column; NaN where it has no data."""
    whole = values[np.isfinite(values).any(1)]
    if whole.size and np.isfinite(whole).all():
        first, second = pairs(len(whole))
        centres: Floats = np.median((whole[first] + whole[second]) / 2, axis=0)
        return centres
    known = [column[np.isfinite(column)] for column in values.T]
    return np.array([hodges_lehmann(each) if each.size else math.nan for each in known])


def moderated(
    centres: Floats, residuals: Floats, weights: Floats, shares: Floats
) -> tuple[Floats, Floats]:
    """(standard deviation between launches, its degrees of freedom) of each entry.

    The prior of an entry's variance is τ² + w/B: w is the variance of its samples within a launch,
    from its residuals (some of which the fit has used up), B the number of its blocks in a launch,
    and τ² what launches add to that, the median over the entries, so that one that is wild does not
    count for the others.
    """
    launches = np.isfinite(centres).sum(0)
    blocks = np.maximum(np.isfinite(residuals).sum((0, 1)) / np.maximum(launches, 1), 1)
    spent = (1 - 1 / max(2, int((launches > 0).sum()))) * (1 - 1 / np.maximum(blocks, 2))
    scaled = residuals * np.sqrt(weights)[:, None, None]
    scatter = np.array([winsorised(scaled[:, :, e]) for e in range(centres.shape[1])])
    within = scatter / spent / blocks
    own = unmixed(nan_variance(centres, weights), shares)
    several = launches >= 2
    known = np.where(several, launches - 1.0, 0.0)
    freedom = known + PRIOR_FREEDOM
    # a variance from few launches is mostly smaller than the true one: its median is put right
    skew = distributions.chi2.median(np.maximum(known, 1)) / np.maximum(known, 1)
    excess = (own / skew - within)[several]
    prior = within + (max(0.0, float(np.median(excess))) if several.any() else 0.0)
    variance = (known * np.where(several, own, 0.0) + PRIOR_FREEDOM * prior) / freedom
    alone = ~several & (blocks < 2)  # one sample knows nothing of its spread
    return np.sqrt(np.where(alone, np.inf, variance)), freedom


def nan_variance(centres: Floats, weights: Floats) -> Floats:
    """The variance of each entry in a launch of weight 1; NaN where it has fewer than two."""
    there = np.isfinite(centres)
    count = there.sum(0)
    shares = np.where(there, weights[:, None], 0.0)
    values = np.where(there, centres, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (shares * values).sum(0) / shares.sum(0)
        squares = (shares * (values - means) ** 2).sum(0)
        variance: Floats = np.where(count > 1, squares / (count - 1), np.nan)
    return variance


def unmixed(variances: Floats, shares: Floats) -> Floats:
    """Entries' own variances from those of centres whose mean over the entries was taken away.

    With shares p of that mean the variance of the k-th is then (1 - 2 p_k) v_k + Σ p² v. Where one
    makes up nearly half of the mean, as if all had equal shares. Two entries share the variance of
    their difference, V, equally: what was seen of them are (1 - p)² V.
    """
    known = np.isfinite(variances)
    if known.sum() < 2:
        return variances
    p = np.where(known, shares, 0.0) / shares[known].sum()
    seen = np.where(known, variances, 0.0)
    if known.sum() == 2:
        return np.where(known, seen.sum() / (2 * (p**2).sum()), np.nan)
    if p.max() > MOST_OF_MEAN:
        p = known / known.sum()
    rest = 1 - 2 * p
    common = (p**2 * seen / rest).sum() / (1 + (p**2 / rest).sum())
    cleaned: Floats = np.where(known, np.maximum((seen - common) / rest, 0.0), np.nan)
    return cleaned


def winsorised(values: Floats) -> float:
    """The variance of residuals with their tails pulled in, scaled to that of a trimmed mean.

    Yuen 1974, doi:10.1093/biomet/61.1.165. 0 with fewer than two values.
    """
    known: NDArray[np.float64] = np.sort(values[np.isfinite(values)])
    cut = int(TRIMMED * known.size)
    if known.size < 2:
        return 0.0
    pulled = np.clip(known, known[cut], known[known.size - 1 - cut])
    return float(pulled.var(ddof=1)) / (1 - 2 * cut / known.size) ** 2


def launches_needed(fit: Fit, a: Places, b: Places, width: float) -> int:
    """How many launches make the interval of this ratio narrower than `width`, in points of it.

    fit: the pilot's. Stein's two-stage procedure: n = (t s / half-width)², where s and t are the
    pilot's (Stein 1945, doi:10.1214/aoms/1177731088). The data are looked at once, before the rest
    is raced, so that looking does not raise the rate of false findings.
    """
    found = fit.interval(a, b)
    half = math.asinh(width / 2 / found.ratio)  # as e^half - e^-half is twice its sinh
    wanted = found.launches * (found.reach_at(found.level) * found.error / half) ** 2
    return max(found.launches, math.ceil(wanted))


def logs_of(speeds: Sequence[Floats]) -> Floats:
    """Speeds of each entry, of shape (launches, blocks), as one array of their logarithms."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.stack([np.asarray(each, float) for each in speeds], axis=-1))
    return np.where(np.isfinite(logs), logs, np.nan)
