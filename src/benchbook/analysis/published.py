"""What an article's own measurements say by our statistics, where it lists more than their mean."""

import math

import numpy as np

from benchbook.analysis.statistics import stats
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.claims import Claim
from benchbook.model.published import PublishedFigure, speed_ratio
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError


def paired(claim: Claim, a: str, b: str) -> Interval:
    """How many times as fast a was as b, from the measurements that the article lists of both.

    The n-th is taken with the n-th: Student's t on the logarithms of their ratios. Raises
    InputError where there are fewer than two such pairs.
    """
    of_a, of_b = measurements(claim, a), measurements(claim, b)
    shared = sorted(of_a.keys() & of_b.keys())
    if len(shared) < 2:
        problem = f"has fewer than two measurements of both '{a}' and '{b}'"
        remedy = "an interval needs rows with a number for both"
        raise InputError(paths.relative(claim.path), "published.rows", problem, remedy)
    ratios = [speed_ratio(of_a[n].value, of_b[n].value, of_a[n].unit) for n in shared]
    return stats.interval(np.array([[math.log(ratio)] for ratio in ratios]))


def measurements(claim: Claim, variant: str) -> dict[int, PublishedFigure]:
    """The single measurements of a variant, by their number in the article's table."""
    if not claim.method:
        return {}
    figures = {f.label: f for f in claim.figures if f.unit == claim.method.columns[0]}
    rows = [row for row in claim.method.rows if row.number and row.reads == variant]
    return {row.number: figures[row.figure] for row in rows if row.figure in figures}
