"""An interval by resampling: what a reader computes by hand, beside the race's own interval.

The percentile bootstrap over launches (Efron & Tibshirani 1993, chapter 13). With few launches it
is narrower than the race's interval, which knows from Student's t and from the other programs how
little a few launches tell.
"""

import statistics
from collections.abc import Mapping

import numpy as np

from benchbook.analysis.rows import rows
from benchbook.analysis.statistics.compared import Compared
from benchbook.model.runs import Run

TIMES = 4000
MIDDLE = (2.5, 97.5)  # percentiles


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
    """The middle 95 % of the means of as many launches, drawn with replacement.

    Raises ValueError for fewer than two launches: of one nothing can be drawn but itself.
    """
    values = np.array(list(ratios.values()))
    if values.size < 2:
        raise ValueError("an interval over launches needs at least two")
    drawn = np.random.default_rng(seed).choice(values, (TIMES, values.size)).mean(axis=1)
    low, high = np.percentile(drawn, MIDDLE)
    return float(low), float(high)
