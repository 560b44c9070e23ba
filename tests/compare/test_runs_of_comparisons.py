"""A comparison's run file says all that is needed to judge it again and to pool it with others."""

from dataclasses import replace

import pytest

import benchbook
from benchbook.analysis.judging import judge
from benchbook.compare import question
from benchbook.model import results
from benchbook.model.runs import RacedExperiment, Run
from benchbook.show import room_page
from benchbook_kernels.base.errors import InputError


def compared(run: Run, title: str = "a.mjs and b.mjs") -> Run:
    """The run as one of a comparison."""
    run.experiment = RacedExperiment("compare", title, "compare", "/", delta=0.02)
    return run


def saved(run: Run, path) -> Run:
    run.path = path
    run.save()
    return results.load(path)


def test_it_is_judged_again_from_its_file_alone(make_run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where there is no experiment
    made = compared(make_run({"a": 1000.0, "b": 1100.0, "c": 1001.0}, noise=0.002))
    run = saved(made, tmp_path / "run.json")
    found = benchbook.judge(benchbook.load_run(run.path))
    assert [(j.statement.a, j.statement.b) for j in found.judgements] == [("b", "a"), ("c", "a")]
    assert [j.verdict for j in found.judgements] == ["reproduced", "no difference"]
    assert {j.delta for j in found.judgements} == {0.02}


def test_a_run_of_an_experiment_has_no_question_of_its_own(recorded):
    with pytest.raises(InputError, match="is no comparison"):
        question.claim_of(recorded)


def test_runs_of_one_comparison_are_pooled_and_those_of_another_are_not(make_run, tmp_path):
    for i in range(4):
        title = "a.mjs and b.mjs" if i < 3 else "a.mjs and other.mjs"
        run = compared(make_run({"a": 1000.0, "b": 1100.0}, seed=i), title)
        run.started = f"2026-01-01T00:0{i}:00+00:00"
        found = judge.judge(run, question.claim_of(run))
        assert found.judgements
        saved(run, tmp_path / f"machine-{i}.json")
    rooms, skipped = room_page.gather_rooms([tmp_path])
    assert [(room.title, len(room.machines)) for room in rooms] == [
        ("a.mjs and b.mjs", 3),
        ("a.mjs and other.mjs", 1),
    ]
    assert not skipped


def test_of_one_place_the_newest_of_each_comparison_counts(make_run, tmp_path):
    folder = tmp_path / "compare"
    for i, title in enumerate(["a and b", "a and b", "a and c"]):
        run = compared(make_run({"a": 1000.0, "b": 1100.0}, seed=i), title)
        run = replace(run, started=f"2026-01-01T00:0{i}:00+00:00", path=folder / f"{i}.json")
        run.save()
    rooms, skipped = room_page.gather_rooms([tmp_path])
    assert [room.title for room in rooms] == ["a and b", "a and c"]
    assert [each.file.endswith("0.json") for each in skipped] == [True]


def test_each_case_has_its_ratio_to_the_same_case(make_run):
    run = make_run({"a small": 1000.0, "a large": 100.0, "b small": 2000.0, "b large": 50.0})
    for entry in run.entries:
        if entry.name != run.control:
            entry.series, entry.case = entry.name.split()
    run.experiment = replace(run.experiment, delta=0.02)
    ratios = question.judged(run).ratios
    assert set(ratios) == {run.control, "b small", "b large"}
    assert ratios["b small"].ratio > 1.5 and ratios["b large"].ratio < 0.7
