"""Verdicts on races of which a part failed or is missing."""

from dataclasses import replace

import pytest

from benchbook.analysis.judging import judge
from benchbook.model.claims import Statement


def test_an_excluded_copy_does_not_stand_for_the_baseline(make_run, experiment):
    """Half of its requests failed, which makes it look twice as fast as it is."""
    run = make_run({"a": 1000, "b": 1100})
    alone = replace(run, samples=[s for s in run.samples if s.variant != "a#2"])
    run.samples = [
        replace(
            one,
            requests=2 * one.requests,
            requests_per_second=2 * one.requests_per_second,
            non_2xx=one.requests,
        )
        if one.variant == "a#2"
        else one
        for one in run.samples
    ]
    found = judge.judge(run, experiment.claim).judgements[0].tests[0].interval
    assert found.ratio == pytest.approx(1.1, rel=0.02)
    expected = judge.judge(alone, experiment.claim).judgements[0].tests[0].interval
    assert found.ratio == pytest.approx(expected.ratio, rel=0.005)


@pytest.mark.parametrize("failed, valid", [(1, True), (100, False)])
def test_failures_exclude_by_their_number_not_by_the_samples_they_are_in(
    make_run, experiment, failed, valid
):
    run = make_run({"a": 1000, "b": 1100})
    for one in run.samples:
        if one.variant == "b":
            one.flags.append("errors")
            one.errors["read"] = failed
    found = judge.judge(run, experiment.claim).judgements[0]
    assert (found.verdict != "not valid") == valid
    assert valid or found.why.endswith("requests failed")


def test_launches_that_were_not_raced_do_not_change_a_verdict(make_run, experiment):
    """A race that was cut short says the same, whatever had been planned."""
    run = make_run({"a": 1000, "b": 1100}, noise=0.03, launches=3)
    run.samples = [s for s in run.samples if s.launch < 2 or s.block == 0]
    short = judge.judge(run, experiment.claim).ratios["b"]
    run.plan = replace(run.plan, launches=12, order=run.plan.order * 4)
    long = judge.judge(run, experiment.claim).ratios["b"]
    assert (long.low, long.high, long.p) == pytest.approx((short.low, short.high, short.p))


def test_whoever_fell_out_does_not_lengthen_a_race(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100, "c": 1000}, noise=0.01, launches=3)
    run.plan = replace(run.plan, until=0.02, pilot=3)
    without = [s for s in run.samples if s.variant != "c"]
    run.samples = [*without, *(s for s in run.samples if s.variant == "c")][: len(without) + 1]
    run.entry("c").status = "failed"
    needed = judge.launches_needed(run, experiment.claim)
    run.entries = [e for e in run.entries if e.name != "c"]
    run.samples = without
    assert needed == pytest.approx(judge.launches_needed(run, experiment.claim), abs=2)


def test_an_order_of_equal_speeds_has_no_kendalls_tau(make_run, experiment):
    run = make_run({"a": 1000, "b": 1000})
    run.samples = [replace(s, requests=1000, requests_per_second=1000.0) for s in run.samples]
    order = Statement("s", "s", "order", "here", variants=("a", "b"))
    claim = replace(experiment.claim, statements=(order,))
    found = judge.judge(run, claim).judgements[0]
    assert found.tau is None and "τ" not in found.why


def test_kendalls_tau_is_of_what_the_verdict_is_made_of(make_run, experiment):
    """b was missing while the machine was slow: its mean speed is higher, its ratio is not."""
    run = make_run({"a": 1000, "b": 950}, noise=0.002)
    slow = [replace(s, requests_per_second=s.requests_per_second / 2) for s in run.samples]
    kept = [s for s in slow if s.launch == 0 and s.variant != "b"]
    run.samples = [*kept, *(s for s in run.samples if s.launch > 0)]
    order = Statement("s", "s", "order", "here", variants=("a", "b"), smallest_effect=0.01)
    found = judge.judge(run, replace(experiment.claim, statements=(order,))).judgements[0]
    assert (found.verdict, found.tau) == ("reproduced", 1.0)
