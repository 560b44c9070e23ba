"""What a race says of the time that is left. Times are made up, none is measured."""

from dataclasses import replace

import pytest

from benchbook.race.countdown import Countdown


@pytest.fixture
def run(make_run):
    """Four launches of four blocks, loaded together, with a warm-up of ten seconds each."""
    run = make_run({"a": 1000, "b": 1100}, launches=4, together=True)
    run.plan = replace(run.plan, warmup_seconds=10.0)
    return run


def told(run, beside, block):
    """(seconds left, by what was said; seconds left in truth) at the start and after each block,
    where a launch took so long beside its blocks, and a block so long."""
    countdown, plan, elapsed, samples = Countdown(), run.plan, 0.0, []
    moments = [(0.0, [])]
    for sample in run.samples:
        first = sample.variant == plan.entries[0]
        if first:
            elapsed += beside[sample.launch] if sample.block == 0 else 0.0
        samples.append(replace(sample, started_seconds=elapsed, seconds=block))
        if sample.variant == plan.entries[-1]:
            elapsed += block
            moments.append((elapsed, list(samples)))
    return [(countdown.left(plan, seen, now), elapsed - now) for now, seen in moments]


def as_planned(plan):
    beside = plan.expected_seconds / plan.launches - plan.blocks_seconds
    return [beside] * plan.launches, plan.blocks_seconds / plan.blocks


def test_a_race_that_goes_as_planned_counts_down_to_nothing(run):
    said = told(run, *as_planned(run.plan))
    assert said[0][0] == pytest.approx(run.plan.expected_seconds)
    for left, truth in said:
        assert left == pytest.approx(truth)


def test_a_first_launch_that_was_slow_does_not_promise_the_same_of_all(run):
    beside, block = as_planned(run.plan)
    said = told(run, [3 * beside[0], *beside[1:]], block)
    left, truth = said[1]
    assert truth < left < truth + 3.1 * beside[0]  # of six that it would be
    assert said[-1][0] == pytest.approx(0.0)


def test_slow_blocks_and_slow_launches_are_told_apart(run):
    beside, block = as_planned(run.plan)
    slow = told(run, beside, 2 * block)
    assert slow[-2][0] == pytest.approx(slow[-2][1], rel=0.25)
    assert slow[0][0] < slow[0][1]


def test_it_counts_down_between_two_looks(run):
    countdown, whole = Countdown(), run.plan.expected_seconds
    assert countdown.left(run.plan, [], 5.0) == pytest.approx(whole - 5)
    assert countdown.left(run.plan, [], 7.0) == pytest.approx(whole - 7)
    assert countdown.left(run.plan, [], 1e6) == 0
    seen = run.samples[:3]
    first = countdown.left(run.plan, seen, 20.0)
    assert countdown.left(run.plan, seen, 22.0) == pytest.approx(first - 2)
