"""An interval by resampling: what a reader computes by hand, beside the race's own interval.

The percentile bootstrap over launches (Efron & Tibshirani 1993, chapter 13). With few launches it
is narrower than the race's interval, which knows from Student's t and from the other programs how
little a few launches tell.
"""

import statistics
from collections.abc import Iterator, Mapping

import numpy as np

from benchbook.analysis.rows import rows
from benchbook.analysis.statistics.compared import Compared
from benchbook.model.runs import Run

TIMES = 4000
MIDDLE = (2.5, 97.5)  # percentiles
NEAR = 0.2  # of the width of our interval: what two honest resamplings may differ by


def by_launch(run: Run, name: str, other: str) -> dict[int, float]:
    """The ratio of two entries' speeds in each launch that has both, without warm-up: of the means
    over its blocks, as a reader computes it by hand."""
    left_out = Compared.of(run).fit.left_out
    speeds: dict[int, dict[str, list[float]]] = {}
    for row in rows(run, left_out):
        if row["name"] in (name, other) and row["speed"] and not row["warm_up"]:
            speeds.setdefault(row["launch"], {}).setdefault(row["name"], []).append(row["speed"])
    return {
        launch: statistics.fmean(both[name]) / statistics.fmean(both[other])
        for launch, both in speeds.items()
        if len(both) == 2
    }


def interval(ratios: Mapping[int, float], seed: int = 1) -> tuple[float, float]:
    """The middle 95 % of the means of as many ratios, drawn with replacement.

    ratios: by launch, or by block within one. Raises ValueError for fewer than two: of one nothing
    can be drawn but itself.
    """
    values = np.array(list(ratios.values()))
    if values.size < 2:
        raise ValueError("an interval needs at least two ratios")
    drawn = np.random.default_rng(seed).choice(values, (TIMES, values.size)).mean(axis=1)
    low, high = np.percentile(drawn, MIDDLE)
    return float(low), float(high)


def wrong(mine: object, ours: tuple[float, float], drawn: str) -> Iterator[str]:
    """What is wrong with a reader's [low, high], in a sentence; nothing: it is within NEAR of ours,
    an interval of the same ratios. drawn: what each ratio is of, such as "launches"."""
    if not isinstance(mine, list) or len(mine) != 2 or not all(map(is_number, mine)):
        yield "interval is not [low, high] yet: two numbers."
        return
    width = max(ours[1] - ours[0], 1e-4 * ours[1])
    if mine[0] > mine[1]:
        yield "Its low end is above its high end: sort the means first."
    elif max(mine) > 10 * ours[1] or min(mine) * 10 < ours[0]:
        yield "These are no ratios: a mean divides the sum by as many as were drawn."
    elif abs((mine[1] - mine[0]) / width - 1) > NEAR:
        than = "wider" if mine[1] - mine[0] > width else "narrower"
        yield (
            f"It is {than} than the middle 95 % of the means: draw as many ratios as there are"
            f" {drawn}, with replacement, 2,000 times, and leave out 50 means at each end."
        )
    elif any(abs(a - b) > NEAR * width for a, b in zip(mine, ours, strict=True)):
        yield f"Its width is right, its place is not: are these the ratios of the last {drawn}?"


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
