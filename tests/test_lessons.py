"""Notebook 00's figures say what the samples hold; selfcheck's tables say what was found."""

import dataclasses
import json

import numpy as np
import pytest

from benchbook import judge, lessons, paths, selfcheck
from benchbook.errors import InputError
from benchbook.selfcheck import Report, Told


def told(interleaved: bool, twin: float, slower: float, verdict="opposite") -> Told:
    ratios = {"twin": (twin, twin - 0.01, twin + 0.01), "plus-ten": (slower, 0.8, 0.95)}
    return Told(interleaved, 0.02, ratios, {"twin": "no difference", "plus-ten": verdict})


def judged(run, experiment):
    return judge.judge(run, experiment.claim)


def test_each_launch_stands_beside_all_of_them(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, launches=6)
    found = judged(run, experiment)
    shown = lessons.launches(run, found, "b")
    assert shown.numbers.text.count("launch") == 7
    assert "all 6 launches" in shown.numbers.text
    assert "of 6 launches, taken alone" in shown.label


def test_launches_that_differ_exclude_the_truth(make_run, experiment):
    run = make_run({"a": 1000, "b": 1000}, noise=0.001, launches=6)
    modes = dict(enumerate([0.9, 1.1, 0.95, 1.05, 0.92, 1.08]))
    run.samples = [
        dataclasses.replace(s, requests_per_second=s.requests_per_second * modes[s.launch])
        if s.variant == "b"
        else s
        for s in run.samples
    ]
    assert lessons.launches(run, judged(run, experiment), "b").label.startswith("6 of 6")


def test_best_of_three_is_drawn_from_the_samples_and_seeded(make_run, experiment):
    run = make_run({"a": 1000, "b": 1000})
    found = judged(run, experiment)
    first = lessons.best_of_three(run, found, "b")
    assert (
        first.plotly["data"][0]["x"]
        == lessons.best_of_three(run, found, "b").plotly["data"][0]["x"]
    )
    highest = max(s.requests_per_second for s in run.samples)
    lowest = min(s.requests_per_second for s in run.samples)
    values = np.array(first.plotly["data"][0]["x"]) / 100 + 1
    assert len(values) == lessons.DRAWS
    assert lowest / highest <= values.min() <= values.max() <= highest / lowest


def test_a_variant_without_samples_is_explained(make_run, experiment):
    run = make_run({"a": 1000})
    for lesson in (lessons.launches, lessons.best_of_three):
        with pytest.raises(InputError, match="'b' has no samples"):
            lesson(run, judged(run, experiment), "b")


def test_interleaving_shows_every_recorded_race():
    races = [told(True, 1.001, 0.92), told(True, 0.999, 0.93), told(False, 1.08, 0.99)]
    shown = lessons.interleaving(races)
    marks = sum(len(trace["x"]) for trace in shown.plotly["data"])
    assert marks == 2 * len(races)
    assert "one after the other" in shown.numbers.text


def test_the_recorded_races_tell_no_twins_apart():
    recorded = selfcheck.load_planted(paths.root() / "data" / "runs" / lessons.RECORDED)
    mixed = [t for t in recorded if t.interleaved]
    claimed = sum(t.verdicts["twin"] in ("reproduced", "opposite") for t in mixed)
    assert mixed and claimed <= len(mixed) / 10
    assert [t for t in recorded if not t.interleaved]


def test_a_report_comes_back_from_disk(tmp_path):
    path = tmp_path / "report.json"
    path.write_text(Report(planted=[told(True, 1.0, 0.9)]).to_json())
    again = selfcheck.load_planted(path)
    assert again[0].ratios["twin"] == [1.0, 0.99, 1.01]
    path.write_text(json.dumps({"planted": 3}))
    with pytest.raises(InputError, match="is not a selfcheck's report"):
        selfcheck.load_planted(path)
    with pytest.raises(InputError, match="selfcheck --full"):
        selfcheck.load_planted(tmp_path / "nothing.json")


def test_broken_promises_are_named():
    rows = selfcheck.simulate(60, lambda text: None)
    assert {row.model for row in rows} == set(selfcheck.simulation.MODELS)
    bad = dataclasses.replace(
        rows[0], coverage={"3 × 4": 0.5}, false_faster={"3 × 4": 0.4}, power=0.1
    )
    said = "\n".join(selfcheck.kept([bad]))
    assert "coverage 50.0%" in said and "40.0% of A/A" in said and "10 × 10" in said
    assert "normal" in selfcheck.simulation_table(rows).text


def test_planted_truths_are_counted_by_order():
    races = [
        told(True, 1.0, 0.92),
        told(True, 1.0, 0.93, "too close to call"),
        told(False, 1.1, 1.0),
    ]
    text = selfcheck.planted_table(races).text
    assert "1 of 2" in text and "1 of 1" in text
