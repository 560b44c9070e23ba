"""The real noise of the recorded races: do a few launches say what the others of a race say?"""

import itertools
import math

import numpy as np
import pytest

from benchbook.analysis.statistics import moderated
from benchbook.analysis.statistics.stats import LEVEL

LAUNCHES, DRAWS = 4, 20  # of a quick race; how many times that many are drawn from each race


def held(logs: np.ndarray, drawn: list[int], whole: moderated.Fit) -> list[bool]:
    """For each pair of programs: does the interval that some launches give hold the mean of the
    others? It is made wider by what that mean itself may be wrong."""
    few = moderated.of_logs(logs[drawn])
    others = [launch for launch in range(len(logs)) if launch not in drawn]
    wider = math.sqrt(1 + few.weights.sum() / whole.weights[others].sum())
    found = []
    for a, b in itertools.combinations(range(logs.shape[2]), 2):
        interval = few.interval((a,), (b,))
        differences = whole.centres[others, a] - whole.centres[others, b]
        said = np.average(differences, weights=whole.weights[others])
        reach = interval.reach_at(LEVEL) * interval.error * wider
        found.append(abs(math.log(interval.ratio) - said) <= reach)
    return found


def test_the_intervals_of_four_launches_hold_what_the_others_say(recorded_runs):
    draw = np.random.default_rng(1)
    coverage = {}
    for name, run in recorded_runs.items():
        if run.plan.launches < LAUNCHES + 2:
            continue
        logs = moderated.logs_of([np.array(rows, float) for rows in run.speeds().values()])
        logs = logs[:, :, np.isfinite(logs).any(1).all(0)]  # those that raced in all launches
        whole = moderated.of_logs(logs)
        ways = [sorted(draw.permutation(len(logs))[:LAUNCHES]) for _ in range(DRAWS)]
        coverage[name] = np.mean([each for way in ways for each in held(logs, way, whole)])
    assert len(coverage) >= 6
    assert min(coverage.values()) > 0.86, coverage
    assert np.mean(list(coverage.values())) == pytest.approx(LEVEL, abs=0.025), coverage
