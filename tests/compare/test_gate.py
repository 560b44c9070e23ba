"""The gate of a comparison: what is slower, what is not, what can't be told, and what is broken."""

from dataclasses import replace

import pytest

from benchbook.analysis.judging import judge
from benchbook.compare import gate, question
from benchbook.model.runs import RacedExperiment, Run
from benchbook.model.samples import Sample
from benchbook.show import gated as told


def as_comparison(run: Run, delta: float = 0.02) -> Run:
    run.experiment = RacedExperiment("compare", "a and others", "compare", "/", delta=delta)
    run.timing["total_seconds"] = 30.0
    return run


def gated(run: Run, limit: float = 0.05, **more) -> gate.Gated:
    return gate.gate(run, judge.judge(run, question.claim_of(as_comparison(run))), limit, **more)


def lines(run: Run, limit: float = 0.05, **more) -> list[str]:
    return list(told.lines(run, gated(run, limit, **more)))


def change(run: Run, name: str, **fields) -> None:
    """Change every sample of an entry."""

    def changed(sample: Sample) -> Sample:
        return replace(sample, **fields) if sample.variant == name else sample

    run.samples = [changed(sample) for sample in run.samples]


def test_surely_slower_is_3_and_said_with_the_interval(make_run):
    run = make_run({"a": 1000.0, "b": 900.0}, noise=0.002)
    assert gated(run).code == 3
    (line,) = lines(run)
    assert line.startswith("✘ b is 10.")
    assert "slower than a [" in line and line.endswith("surely slower by more than 5 %")


@pytest.mark.parametrize("speed", [1000.0, 980.0, 1500.0])
def test_surely_not_slower_is_0_whether_equal_a_little_slower_or_faster(make_run, speed):
    run = make_run({"a": 1000.0, "b": speed}, noise=0.002)
    assert gated(run).code == 0
    assert lines(run)[0].startswith("✔ b is ")
    assert lines(run)[0].endswith("surely not slower by more than 5 %")


def test_what_can_not_be_told_is_4_with_the_time_that_would_or_0_where_that_is_let_through(
    make_run,
):
    run = make_run({"a": 1000.0, "b": 960.0}, noise=0.05)
    assert gated(run).code == 4
    (line,) = lines(run)
    assert line.startswith("? b is ") and "can't tell if slower by more than 5 %" in line
    assert "would (--for " in line
    assert gated(run, undecided_ok=True).code == 0
    assert lines(run, undecided_ok=True)[1] == "What can't be told is let through (--undecided ok)."


def test_letting_through_what_is_undecided_lets_nothing_else_through(make_run):
    slower = make_run({"a": 1000.0, "b": 800.0}, noise=0.002)
    assert gated(slower, undecided_ok=True).code == 3
    slower.entry("b").status, slower.entry("b").reason = "failed", "it ended with exit code 7"
    assert gated(slower, undecided_ok=True).code == 1


def test_the_limit_is_one_of_the_speed_as_differences_are_shown(make_run):
    run = make_run({"a": 1000.0, "b": 951.0}, noise=0.0001)  # −4.9 %; 5.2 % more time
    assert gated(run).code == 0
    assert gated(run, limit=0.045).code == 3


def test_of_several_entries_the_worst_counts_and_each_is_listed(make_run):
    run = make_run({"a": 1000.0, "b": 1000.0, "c": 800.0, "d": 1000.0}, noise=0.002)
    run.entry("d").status, run.entry("d").reason = "failed", "it ended with exit code 7"
    found = gated(run)
    assert [(p.name, p.code) for p in found.passages] == [("b", 0), ("c", 3), ("d", 1)]
    assert found.code == 3
    assert "d: broken: d failed: it ended with exit code 7" in lines(run)[2]
    assert "surely slower by more than 5 % (98.3 % interval)" in lines(run)[1]
    run.entry("c").status = "failed"
    assert gated(run).code == 1


def test_several_entries_need_more_evidence_for_slower_and_not_for_fine(make_run):
    alone = make_run({"a": 1000.0, "b": 900.0}, noise=0.01)
    (one,) = gated(alone).passages
    crowd = gate.passage(alone, several(alone, 20), several(alone, 20).judgements[0], 0.05)
    assert crowd.code == one.code == gate.SLOWER
    assert crowd.interval.high > one.interval.high
    fine = make_run({"a": 1000.0, "b": 990.0}, noise=0.01)
    (one,) = gated(fine).passages
    crowd = gate.passage(fine, several(fine, 20), several(fine, 20).judgements[0], 0.05)
    assert crowd.code == one.code == gate.FINE and crowd.interval == one.interval


def several(run: Run, count: int) -> judge.Results:
    """The results as those of a comparison of so many entries, which all are alike."""
    found = judge.judge(run, question.claim_of(run))
    return replace(found, judgements=found.judgements * count)


def test_one_launch_is_undecided_and_failing_requests_are_broken(make_run):
    single = make_run({"a": 1000.0, "b": 500.0}, launches=1)
    assert gated(single).code == 4
    assert "fewer than two launches" in lines(single)[0]
    failing = make_run({"a": 1000.0, "b": 1000.0}, noise=0.002)
    change(failing, "b", non_2xx=100)
    assert gated(failing, undecided_ok=True).code == 1
    assert "requests failed" in lines(failing)[0]


def test_samples_of_a_load_generator_at_its_limit_are_undecided(make_run):
    run = make_run({"a": 1000.0, "b": 500.0}, noise=0.002)
    change(run, "b", flags=["client-bound"])
    assert gated(run).code == 4 and "client-bound" in lines(run)[0]


def test_requests_that_are_not_alike_are_broken(make_run):
    run = make_run({"a": 1000.0, "b": 500.0}, noise=0.002)
    for name, share in (("a", 1.0), ("b", 0.0)):
        evidence = {**run.samples[0].evidence, "reused": share}
        change(run, name, evidence=evidence)
    change(run, "a#2", evidence={**run.samples[0].evidence, "reused": 1.0})
    assert gated(run, undecided_ok=True).code == 1


def test_what_no_time_would_tell_is_said(make_run):
    run = make_run({"a": 1000.0, "b": 950.0}, noise=0.05, seed=3)
    (passage,) = gated(run).passages
    never = replace(passage, seconds_more=float("inf"))
    assert "this machine will not tell" in told.advice(run, never)
    assert told.advice(run, replace(passage, seconds_more=42.0)) == "about 80 s would (--for 80s)"
    assert told.advice(run, replace(passage, seconds_more=150.0)) == "about 3 min would (--for 3m)"


def test_an_input_is_compared_with_the_same_input_of_the_first_and_so_it_is_told(make_run):
    speeds = {"parse on few": 1000.0, "parse on many": 10.0, "format on few": 1500.0}
    run = make_run({**speeds, "format on many": 8.0}, noise=0.002)
    for entry in run.entries:
        entry.series, _, entry.case = entry.name.removesuffix("#2").partition(" on ")
    few, many = lines(run)
    assert few.startswith("✔ format on few is ") and " than parse on few [" in few
    assert many.startswith("✘ format on many is ") and " than parse on many [" in many


def test_the_gate_of_one_thing_and_itself_passes(make_run):
    assert gated(make_run({"a": 1000.0})).code == 0


@pytest.mark.parametrize("others", [1, 4])
def test_of_races_at_the_limit_itself_few_are_decided(make_run, others):
    """There both answers are wrong, each in at most 2.5 % of races, whatever is compared."""
    speeds = {"a": 1000.0, **{name: 950.0 for name in "bcde"[:others]}}
    runs = [make_run(speeds, noise=0.03, seed=seed, launches=4) for seed in range(100)]
    codes = [gated(run).code for run in runs]
    assert codes.count(gate.SLOWER) <= 5 and codes.count(gate.FINE) <= 6
    assert codes.count(gate.UNDECIDED) >= 90
