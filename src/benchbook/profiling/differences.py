"""What B spends more than A, by function and by layer, with intervals over launches.

Many functions are looked at, so some would seem to differ by chance: false discoveries are held at
5 % of those that are said to differ (Benjamini & Hochberg 1995,
doi:10.1111/j.2517-6161.1995.tb02031.x). Rows with few samples, whichever program they are of, are
not tested (Bourgon et al. 2010, doi:10.1073/pnas.0914005107: a filter that does not look at the
difference leaves the rate as it is). With five launches the spread of one row is known badly: it is
never taken for less than what the number of its samples makes of it, times by how much rows in
general scatter more than that; what is known of it from all rows counts as four launches more (as
in analysis/statistics/moderated.py). How often that errs: studies/why_samples.py.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats as distributions

from benchbook.model.profiles.comparison import ProfileComparison, ProfiledLaunch
from benchbook.profiling.costs import (
    HELPERS,
    Cost,
    Costs,
    Floats,
    Key,
    by_layer,
    costs,
    frequent,
    pace,
    slowdown,
)

LEVEL = 0.95
FALSE_DISCOVERIES = 0.05
PRIOR_FREEDOM = 4.0
FEWEST_OF_ROW = 20  # samples of both programs, in all launches
FEWEST = 1000  # busy samples of each program, in all launches: with fewer there is no ranking
FEWEST_LAUNCHES = 2  # of one launch no interval is known
NAMELESS = frozenset({"(program)", "(garbage collector)"})
OTHERS = "functions with few samples"


@dataclass(frozen=True)
class Range:
    """A mean over launches with its 95 % interval, in µs; q: the rate of false discoveries at which
    it would just be said to differ from 0; 1 where it was not tested."""

    mean: float
    low: float
    high: float
    q: float = 1.0

    @property
    def differs(self) -> bool:
        return self.q < FALSE_DISCOVERIES


@dataclass(frozen=True)
class Row:
    """A function, or lines of own code. a, b: µs a request of each program; more: of B."""

    key: Key
    a: float
    b: float
    more: Range
    text: str = ""
    link: str = ""

    @property
    def named(self) -> bool:
        """Is it a function that has a name?"""
        if self.key.function.startswith("["):  # in brackets is what is no function
            return False
        nameless = self.key.function in NAMELESS or self.key.layer == HELPERS
        return not nameless and self.key.function != OTHERS


@dataclass(frozen=True)
class TwoLooks:
    """The difference of CPU time a request, in µs, seen twice, in the threads that are sampled: in
    the unprofiled copies (plain), and in the profiled ones, which are other processes. These are
    slower by the profiler's overhead (a share, by program), and so is their difference, which is
    divided by it (scaled)."""

    plain: Range
    scaled: Range
    overhead: Mapping[str, float]

    @property
    def agree(self) -> bool:
        """Does one lie in the other's interval?"""
        return self.plain.low <= self.scaled.mean <= self.plain.high or (
            self.scaled.low <= self.plain.mean <= self.scaled.high
        )


@dataclass(frozen=True)
class Why:
    """What came of a comparison. rows: the functions, those that differ most first, [] where there
    are too few samples to rank them; layers: likewise; cost: of each program, µs a request, of all
    its threads, and total: what B spends more, by the unprofiled copies; busy: samples by program;
    problem: why there is no ranking, ''."""

    a: str
    b: str
    thing: str
    cost: Mapping[str, float]
    total: Range
    rows: Sequence[Row]
    layers: Sequence[Row]
    check: TwoLooks
    busy: Mapping[str, int]
    problem: str = ""

    @property
    def found(self) -> list[Row]:
        """The rows that differ."""
        return [row for row in self.rows if row.more.differs]

    @property
    def explained(self) -> float:
        """The share of the difference that falls on named functions which differ; NaN where none is
        known to be there."""
        if not self.total.differs:
            return math.nan
        return sum(row.more.mean for row in self.found if row.named) / self.total.mean


def why(comparison: ProfileComparison) -> Why:
    """What came of a comparison of two programs."""
    a, b = comparison.programs
    known = frequent(comparison, FEWEST_OF_ROW)
    both = {name: costs(comparison, name, known) for name in (a, b)}
    busy = {name: each.busy for name, each in both.items()}
    launches = comparison.launches
    problem = too_little(busy, len(launches))
    of_rows, of_layers = [] if problem else rows(both[a], both[b]), layers(both[a], both[b])
    evened = pace(comparison)
    every = {n: evened * [each.plain[n].all_us for each in launches] for n in (a, b)}
    cost = {name: float(values.mean()) for name, values in every.items()}
    checked, total = check(launches, a, b, evened), spread(every[b] - every[a])
    return Why(
        *(a, b, comparison.thing, cost, total, of_rows, of_layers, checked, busy),
        problem,
    )


def too_little(busy: Mapping[str, int], launches: int) -> str:
    """Why functions can't be ranked, '' where they can."""
    if launches < FEWEST_LAUNCHES:
        return "one launch is no figure: how functions differ from start to start is not known"
    name = min(busy, key=lambda each: busy[each])
    if busy[name] < FEWEST:
        return (
            f"{busy[name]} samples found '{name}' at work, and a ranking needs {FEWEST}: "
            "give it more --seconds or --launches"
        )
    return ""


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────


def rows(a: Costs, b: Costs) -> list[Row]:
    """The functions by what B spends more in them; those with few samples are one row."""
    launches = len(next(iter(a.rows.values())).us)
    nothing = Cost(np.zeros(launches), np.zeros(launches))
    many: list[tuple[Key, tuple[Cost, Cost]]] = []
    few: list[tuple[Key, tuple[Cost, Cost]]] = []
    for key in dict.fromkeys((*a.rows, *b.rows)):
        pair = a.rows.get(key, nothing), b.rows.get(key, nothing)
        enough = pair[0].samples + pair[1].samples >= FEWEST_OF_ROW
        (many if enough else few).append((key, pair))
    if few:
        summed = [sum_of([pair[i] for _, pair in few], launches) for i in (0, 1)]
        many.append((Key("", OTHERS), (summed[0], summed[1])))
    tested = ranges([pair for _, pair in many])
    found = []
    for (key, pair), more in zip(many, tested, strict=True):
        frame = b.frames.get(key) or a.frames.get(key)
        text = b.texts.get(key) or a.texts.get(key) or ""
        of_a, of_b = (float(each.us.mean()) for each in pair)
        found.append(Row(key, of_a, of_b, more, text, frame.link if frame else ""))
    return sorted(found, key=lambda row: -abs(row.more.mean))


def layers(a: Costs, b: Costs) -> list[Row]:
    """The layers by what B spends more in them."""
    of_a, of_b = by_layer(a.rows), by_layer(b.rows)
    launches = len(next(iter(of_a.values())).us)
    nothing = Cost(np.zeros(launches), np.zeros(launches))
    names = list(dict.fromkeys((*of_a, *of_b)))
    pairs = [(of_a.get(name, nothing), of_b.get(name, nothing)) for name in names]
    found = [
        Row(Key(name, name), float(pair[0].us.mean()), float(pair[1].us.mean()), more)
        for name, pair, more in zip(names, pairs, ranges(pairs), strict=True)
    ]
    return sorted(found, key=lambda row: -abs(row.more.mean))


def sum_of(every: Iterable[Cost], launches: int) -> Cost:
    total = Cost(np.zeros(launches), np.zeros(launches))
    for each in every:
        total.us, total.chance = total.us + each.us, total.chance + each.chance
        total.samples += each.samples
    return total


def ranges(pairs: Sequence[tuple[Cost, Cost]]) -> list[Range]:
    """What B spends more, of rows that are looked at together."""
    differences = np.array([b.us - a.us for a, b in pairs]).T
    chance = np.array([a.chance + b.chance for a, b in pairs]).T
    count = len(differences)
    means = differences.mean(0)
    if count < FEWEST_LAUNCHES:
        return [Range(float(mean), -math.inf, math.inf) for mean in means]
    error, freedom = errors(differences, chance)
    reach = distributions.t.ppf((1 + LEVEL) / 2, freedom) * error
    p_values = 2 * distributions.t.sf(np.abs(means) / np.maximum(error, 1e-12), freedom)
    return [
        Range(float(mean), float(mean - half), float(mean + half), float(q))
        for mean, half, q in zip(means, reach, false_discovery_rates(p_values), strict=True)
    ]


def errors(differences: Floats, chance: Floats) -> tuple[Floats, float]:
    """Standard errors of the means of shape (launches, rows), and their degrees of freedom."""
    count = len(differences)
    freedom = count - 1
    own, expected = differences.var(0, ddof=1), np.maximum(chance.mean(0), 1e-12)
    usual = distributions.chi2.ppf(0.5, freedom) / freedom
    sampled = chance.mean(0) > 0
    more = float(np.median(own[sampled] / expected[sampled]) / usual) if sampled.any() else 1.0
    least = np.where(sampled, max(1.0, more) * expected, own)
    error: Floats = np.sqrt(np.maximum(own, least) / count)
    return error, freedom + PRIOR_FREEDOM


def false_discovery_rates(p_values: Floats) -> Floats:
    """p-values as the rate of false discoveries at which each would just be one (Benjamini and
    Hochberg), in the same order."""
    count = len(p_values)
    order = np.argsort(p_values)
    stepped = p_values[order] * count / np.arange(1, count + 1)
    found = np.empty(count)
    found[order] = np.minimum(1.0, np.minimum.accumulate(stepped[::-1])[::-1])
    return found


# ── Is it true? ──────────────────────────────────────────────────────────────────────────────────


def check(launches: Sequence[ProfiledLaunch], a: str, b: str, evened: Floats) -> TwoLooks:
    """The difference in the unprofiled copies, and in the profiled ones; evened: see pace."""
    plain = np.array([each.plain[b].sampled_us - each.plain[a].sampled_us for each in launches])
    slower = {name: slowdown(launches, name) for name in (a, b)}
    # Divided by A's overhead: with B's own, its unprofiled copy would come in again.
    scaled = np.array(
        [
            (each.profiled[b].sampled_us - each.profiled[a].sampled_us) / factor
            for each, factor in zip(launches, slower[a], strict=True)
        ]
    )
    overhead = {name: float(np.mean(values)) - 1 for name, values in slower.items()}
    return TwoLooks(spread(plain * evened), spread(scaled * evened), overhead)


def spread(values: Floats) -> Range:
    """A mean over launches, with its interval by Student's t."""
    mean, count = float(values.mean()), len(values)
    if count < FEWEST_LAUNCHES:
        return Range(mean, -math.inf, math.inf)
    error = float(values.std(ddof=1)) / math.sqrt(count)
    half = float(distributions.t.ppf((1 + LEVEL) / 2, count - 1)) * error
    p_value = 2 * float(distributions.t.sf(abs(mean) / max(error, 1e-12), count - 1))
    return Range(mean, mean - half, mean + half, p_value)
