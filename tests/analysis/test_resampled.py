"""An interval by resampling, ours and a learner's: notebook 04's third exercise."""

import json
import random
import statistics

import pytest

from benchbook.analysis.judging import judge
from benchbook.analysis.statistics import resampled
from benchbook.model import results
from benchbook.model.experiments import find
from benchbook.notebook import exercises
from benchbook.notebook.workbench import Workbench
from benchbook.system import paths

RECORDED = paths.root() / "data" / "runs" / "04-setheader-vs-writehead.json"


@pytest.fixture(scope="module")
def run():
    return results.load(RECORDED)


def mine(ratios, times=2000, seed=7):
    """The solution's way, in Python."""
    drawn = random.Random(seed)
    means = sorted(
        statistics.fmean(drawn.choice(ratios) for _ in range(len(ratios))) for _ in range(times)
    )
    return [means[int(0.025 * times)], means[int(0.975 * times) - 1]]


def said(run, value) -> list[str]:
    bench = Workbench(find("04"))
    bench.run = bench.raced_here = run
    return exercises.missing(3, exercises.view(bench, lambda name: json.dumps(value)))


def test_the_ratios_by_launch_are_those_of_the_race(run):
    ratios = resampled.by_launch(run, "write-head-length", "bare")
    assert len(ratios) == run.plan.launches
    judged = {each.statement.names: each for each in judge.judge(run, find("04").claim).judgements}
    (test,) = judged["write-head-length", "bare"].tests
    assert statistics.fmean(ratios.values()) == pytest.approx(test.interval.ratio, abs=0.002)
    low, high = resampled.interval(ratios)
    assert test.interval.low < high and low < test.interval.high, "two methods, one answer"


def test_one_launch_has_no_interval():
    with pytest.raises(ValueError, match="at least two"):
        resampled.interval({0: 1.0})


@pytest.mark.parametrize("launches", [2, 3, 5, None])
def test_an_honest_interval_passes(run, launches):
    some = run.until(launches) if launches else run
    ratios = list(resampled.by_launch(some, "write-head-length", "bare").values())
    assert said(some, mine(ratios)) == []


@pytest.mark.parametrize(
    "wrong, sentence",
    [
        (lambda ratios: [], "two numbers"),
        (lambda ratios: mine(ratios)[::-1], "above its high end"),
        (lambda ratios: [min(ratios), max(ratios)], "It is wider"),
        (lambda ratios: [statistics.fmean(ratios)] * 2, "It is narrower"),
        (lambda ratios: [each + 0.05 for each in mine(ratios)], "its place is not"),
        (lambda ratios: [each * 1000 for each in mine(ratios)], "no ratios"),
        (lambda ratios: [True, False], "two numbers"),
    ],
)
def test_wrong_intervals_get_a_useful_sentence(run, wrong, sentence):
    ratios = list(resampled.by_launch(run, "write-head-length", "bare").values())
    assert sentence in " ".join(said(run, wrong(ratios)))


def test_without_a_race_it_says_so(run):
    assert "Nothing was raced yet" in said(None, [1, 1])[0]
    assert "fewer than two launches" in said(run.until(1), [1, 1])[0]
