"""Ratios, intervals, p-values and verdicts from a run file, worked out a second time.

Written from docs/method.md alone: it shares no code with benchbook and uses neither numpy nor
pandas, so that a mistake in one of the two shows. Slow and plain on purpose.
"""

import itertools
import math
from statistics import mean, median, variance

from scipy.stats import chi2
from scipy.stats import t as student

Row = dict[str, float]  # log speeds of a block, by entry


def blocks_of(run: dict) -> list[list[Row]]:
    """[launch][block] -> log speeds, by entry."""
    plan = run["plan"]
    rows: list[list[Row]] = [[{} for _ in range(plan["blocks"])] for _ in range(plan["launches"])]
    for sample in run["samples"]:
        speed = sample["requests_per_second"]
        if plan.get("together"):
            speed = sample["requests"] / sample["evidence"]["server_cpu_seconds"]
        rows[sample["launch"]][sample["block"]][sample["variant"]] = math.log(speed)
    return rows


def centre(values: list[float]) -> float:
    """Hodges and Lehmann: the median of all pairs' means, each value also with itself."""
    pairs = itertools.combinations_with_replacement(values, 2)
    return median((x + y) / 2 for x, y in pairs)


def two_way(blocks: list[Row], shares: Row) -> tuple[Row, list[float]]:
    """(an entry's centre, a block's effect) of one launch: log speed = block + entry + rest."""
    names = sorted({name for block in blocks for name in block})
    centres: Row = dict.fromkeys(names, 0.0)
    effects = [weighted(block, shares) for block in blocks]
    for _ in range(200):
        before = centres
        centres = {}
        for name in names:
            own = [(block, effect) for block, effect in zip(blocks, effects) if name in block]
            centres[name] = centre([block[name] - effect for block, effect in own])
        middle = weighted(centres, shares)
        centres = {name: value - middle for name, value in centres.items()}
        effects = [weighted({n: b[n] - centres[n] for n in b}, shares) for b in blocks]
        if all(abs(centres[name] - before[name]) < 1e-14 for name in names):
            break
    return centres, effects


def weighted(values: Row, shares: Row) -> float:
    """The mean of what is there, by shares; NaN for nothing."""
    total = sum(shares[name] for name in values)
    return sum(shares[name] * v for name, v in values.items()) / total if values else math.nan


def without_warm_up(blocks: list[Row], even: Row) -> list[Row]:
    """The blocks, empty where they are at the start and all are more than 10 % slower than in the
    second half of the first group, and slower than ever in it."""
    seen: set[str] = set(blocks[0])
    group = 1
    while group < len(blocks) and not blocks[group].keys() - seen:
        group += 1
    _, effects = two_way(blocks[:group] if group > 1 else blocks, even)
    half = len(effects) // 2
    limit = min(median(effects[half:]) - math.log(1.1), *effects[half:])
    cold = 0
    while cold < half and effects[cold] < limit:
        cold += 1
    return [{}] * cold + blocks[cold:]


def winsorised(values: list[float]) -> float:
    """Yuen's variance: a fifth pulled in at each end, scaled to that of a trimmed mean."""
    ordered, cut = sorted(values), int(0.2 * len(values))
    if len(ordered) < 2:
        return 0.0
    low, high = ordered[cut], ordered[len(ordered) - 1 - cut]
    return variance([min(max(v, low), high) for v in ordered]) / (1 - 2 * cut / len(ordered)) ** 2


def rest_of(blocks: list[Row], centres: Row, effects: list[float]) -> list[Row]:
    """What is left of a launch's log speeds."""
    return [
        {name: value - effect - centres[name] for name, value in block.items()}
        for block, effect in zip(blocks, effects)
    ]


def cpu_shares(run: dict) -> Row:
    """ln of the share of the CPU that each entry got, the median of its blocks; 0 in turns."""
    blocks: dict[tuple[int, int], Row] = {}
    for s in run["samples"] if run["plan"].get("together") else []:
        spent = s["evidence"]["server_cpu_seconds"]
        blocks.setdefault((s["launch"], s["block"]), {})[s["variant"]] = spent
    found: dict[str, list[float]] = {}
    for spent_by in blocks.values():
        for name, spent in spent_by.items():
            found.setdefault(name, []).append(spent * len(spent_by) / sum(spent_by.values()))
    return {name: math.log(median(shares)) for name, shares in found.items()}


class Fit:
    """Centres by launch, their moderated variances and degrees of freedom, by entry."""

    def __init__(self, run: dict) -> None:
        launches = blocks_of(run)
        self.cpu_shares = cpu_shares(run)
        self.names = sorted({name for blocks in launches for block in blocks for name in block})
        even = dict.fromkeys(self.names, 1.0)
        launches = [without_warm_up(blocks, even) for blocks in launches]
        rest = [rest_of(blocks, *two_way(blocks, even)) for blocks in launches]
        self.shares = self.entry_shares(rest)
        fitted = [two_way(blocks, self.shares) for blocks in launches]
        self.centres = [centres for centres, _ in fitted]
        rest = [rest_of(blocks, *found) for blocks, found in zip(launches, fitted)]
        self.weights = self.launch_weights(rest)
        self.variances, self.freedom = self.moderated(rest)

    def left(self, rest: list[list[Row]], name: str, weights: list[float]) -> list[float]:
        """An entry's residuals, of all launches."""
        pairs = [(math.sqrt(w), block) for w, blocks in zip(weights, rest) for block in blocks]
        return [root * block[name] for root, block in pairs if name in block]

    def entry_shares(self, rest: list[list[Row]]) -> Row:
        inverse = {}
        for name in self.names:
            values = self.left(rest, name, [1.0] * len(rest))
            inverse[name] = 1 / (0.01**2 + winsorised(values) / (len(values) / len(rest)))
        return {name: value / sum(inverse.values()) for name, value in inverse.items()}

    def launch_weights(self, rest: list[list[Row]]) -> list[float]:
        used = [sum(bool(block) for block in blocks) for blocks in rest]
        scatter = [winsorised([v for block in blocks for v in block.values()]) for blocks in rest]
        usual, inverse = median(scatter), []
        for count, own in zip(used, scatter):
            freedom = (count - 1) * (len(self.names) - 1)
            steadied = (freedom * own + 20 * usual) / (freedom + 20)
            inverse.append(1 / (0.01**2 + steadied / count))
        return [each / mean(inverse) for each in inverse]

    def own_variances(self) -> Row:
        """Of each entry between launches, freed of the noise of the mean that was taken away."""
        seen, launches = {}, len(self.centres)
        for name in self.names:
            values = [centres[name] for centres in self.centres]
            middle = sum(w * v for w, v in zip(self.weights, values)) / sum(self.weights)
            squares = sum(w * (v - middle) ** 2 for w, v in zip(self.weights, values))
            seen[name] = squares / (launches - 1)
        p = self.shares
        if max(p.values()) > 0.4:
            p = dict.fromkeys(self.names, 1 / len(self.names))
        common = sum(p[n] ** 2 * seen[n] / (1 - 2 * p[n]) for n in self.names)
        common /= 1 + sum(p[n] ** 2 / (1 - 2 * p[n]) for n in self.names)
        return {n: max(0.0, (seen[n] - common) / (1 - 2 * p[n])) for n in self.names}

    def moderated(self, rest: list[list[Row]]) -> tuple[Row, Row]:
        count, known = len(self.names), len(self.centres) - 1
        within, own = {}, self.own_variances()
        for name in self.names:
            values = self.left(rest, name, self.weights)
            blocks = len(values) / len(self.centres)
            used_up = (1 - 1 / count) * (1 - 1 / max(2, blocks))
            within[name] = winsorised(values) / used_up / blocks
        skew = chi2.median(known) / known
        added = max(0.0, median(own[n] / skew - within[n] for n in self.names))
        variances = {
            n: (known * own[n] + 2 * (added + within[n])) / (known + 2) for n in self.names
        }
        return variances, dict.fromkeys(self.names, known + 2.0)

    def copies(self, name: str, other: str) -> list[str]:
        """The entry itself; of the baseline both copies, but where they are compared."""
        copy = name + "#2"
        whole = copy in self.names and all(copy in c for c in self.centres if name in c)
        return [name, copy] if whole and other != copy else [name]

    def ratio(self, a: str, b: str, level: float = 0.95) -> tuple[float, float, float, float]:
        """(ratio, low, high, p) of a to b."""
        sides = self.copies(a, b), self.copies(b, a)
        differences = [
            mean(centres[n] for n in sides[0]) - mean(centres[n] for n in sides[1])
            for centres in self.centres
        ]
        weight = sum(self.weights)
        log = sum(w * d for w, d in zip(self.weights, differences)) / weight
        parts = {n: self.variances[n] / len(side) ** 2 / weight for side in sides for n in side}
        freedom = sum(parts.values()) ** 2 / sum(p**2 / self.freedom[n] for n, p in parts.items())
        error = math.sqrt(sum(parts.values()))
        of_a, of_b = (mean(self.cpu_shares.get(n, 0.0) for n in side) for side in sides)
        unequal = of_a - of_b
        if abs(unequal) > math.log(1.03):
            error = math.hypot(error, 0.2 * unequal)
        reach = student.ppf(0.5 + level / 2, freedom) * error
        p = 2 * student.sf(abs(log) / error, freedom)
        return math.exp(log), math.exp(log - reach), math.exp(log + reach), p


def verdicts(fit: Fit, statements: list[dict]) -> dict[str, str]:
    """The verdict of each statement "a is faster than b" about raced variants, by its id."""
    pairs = {s["id"]: fit.ratio(s["a"], s["b"]) for s in statements}
    ordered = sorted(
        {frozenset((s["a"], s["b"])): pairs[s["id"]][3] for s in statements}.items(),
        key=lambda item: item[1],
    )
    corrected, highest = {}, 0.0
    for rank, (pair, p) in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - rank) * p))
        corrected[pair] = highest
    found = {}
    for s in statements:
        ratio, low, high, _ = pairs[s["id"]]
        _, equal_low, equal_high, _ = fit.ratio(s["a"], s["b"], 0.90)
        delta = s.get("smallest_effect") or 0.05
        small = 1 / (1 + delta) <= low and high <= 1 + delta
        if corrected[frozenset((s["a"], s["b"]))] < 0.05 and not small:
            found[s["id"]] = "reproduced" if ratio > 1 else "opposite"
        elif 1 / (1 + delta) <= equal_low and equal_high <= 1 + delta:
            found[s["id"]] = "no difference"
        else:
            found[s["id"]] = "too close to call"
    return found
