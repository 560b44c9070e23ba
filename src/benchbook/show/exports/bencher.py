"""Bencher Metric Format: the time a thing took, in nanoseconds, and that as a factor of the
baseline's in the same run, which no slower runner changes."""

import json
import math

import numpy as np

from benchbook.analysis.judging.judge import Results
from benchbook.analysis.statistics import stats
from benchbook.analysis.statistics.stats import Interval
from benchbook.compare.gate import Gated
from benchbook.model.runs import Run
from benchbook.show import wording
from benchbook.show.exports import timings
from benchbook.show.exports.timings import Timed
from benchbook.show.pairs import inverse

RATIO = "time-to-baseline"
Metric = dict[str, float]


def text(run: Run, results: Results, gated: Gated | None = None) -> str:
    """The whole file: {entry: {measure: {value, lower_value, upper_value}}}."""
    document: dict[str, dict[str, Metric]] = {}
    compared = timings.ratios(results)
    for timed in timings.of(run, results):
        found = document[timed.name] = {f"time-per-{run.kind.thing}": time(timed)}
        if timed.name in compared:
            found[RATIO] = metric(inverse(compared[timed.name][1]))
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def time(timed: Timed) -> Metric:
    """Nanoseconds, with the 95 % interval over launches."""
    launches = 1 + max(each.launch for each in timed.timings)
    logs = np.full((launches, 1 + max(each.block for each in timed.timings)), math.nan)
    for each in timed.timings:
        logs[each.launch, each.block] = math.log(each.nanoseconds)
    return metric(stats.interval(logs))


def metric(found: Interval) -> Metric:
    """A value with its bounds; without them where they are not known, or say nothing."""
    if found.within_one_launch or found.high > wording.LARGEST_FACTOR * found.ratio:
        return {"value": found.ratio}
    return {"value": found.ratio, "lower_value": found.low, "upper_value": found.high}
