"""Notebook 00's figures say what the samples hold; selfcheck's tables say what was found."""

import dataclasses
import json

import numpy as np
import pytest

from benchbook.analysis import judge, simulation
from benchbook.analysis.simulation import APART, IN_TURNS, TOGETHER
from benchbook.notebook import lessons
from benchbook.race.checks import planted, selfcheck
from benchbook.race.checks.planted import RaceOutcome
from benchbook.race.checks.selfcheck import Report
from benchbook.show import markup, selfcheck_cards
from benchbook.show.figures.base import figure
from benchbook.system import paths
from benchbook.system.errors import InputError


def told(order: str, twin: float, slower: float, verdict="opposite") -> RaceOutcome:
    ratios = {"twin": (twin, twin - 0.01, twin + 0.01), "plus-ten": (slower, 0.8, 0.95)}
    return RaceOutcome(order, 0.02, ratios, {"twin": "no difference", "plus-ten": verdict})


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
    first = lessons.best_of_three(run, found, "b").plotly["data"][0]
    assert first == lessons.best_of_three(run, found, "b").plotly["data"][0]
    highest = max(s.requests_per_second for s in run.samples)
    lowest = min(s.requests_per_second for s in run.samples)
    readers = np.array(first["y"])
    assert sum(readers) == lessons.DRAWS
    values = np.array(first["x"])[readers > 0] / 100 + 1
    half = first["width"] / 100 / 2
    assert lowest / highest - half <= values.min() <= values.max() <= highest / lowest + half


def test_bars_keep_their_width_beside_an_interval_that_says_little(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, noise=0.5, launches=2, blocks=2)
    shown = lessons.best_of_three(run, judged(run, experiment), "b").plotly
    bars, layout = shown["data"][0], shown["layout"]
    left, right = layout["xaxis"]["range"]
    assert left < min(bars["x"]) and max(bars["x"]) < right
    assert (right - left) / bars["width"] < 100
    for shape in layout["shapes"]:
        assert left <= shape["x0"] <= shape["x1"] <= right


def test_readers_who_all_find_the_same_are_one_bar(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, launches=2, blocks=1)
    bars = lessons.best_of_three(run, judged(run, experiment), "b").plotly["data"][0]
    assert [count for count in bars["y"] if count] == [lessons.DRAWS]


def test_a_figure_that_pages_can_not_draw_is_an_error():
    with pytest.raises(ValueError, match="not .'histogram'."):
        figure("x", [{"type": "histogram", "x": [1]}], {}, markup.note("x"))


def test_a_variant_without_samples_is_explained(make_run, experiment):
    run = make_run({"a": 1000})
    for lesson in (lessons.launches, lessons.best_of_three):
        with pytest.raises(InputError, match="'b' has no samples"):
            lesson(run, judged(run, experiment), "b")


def test_interleaving_shows_every_recorded_race():
    races = [told(IN_TURNS, 1.001, 0.92), told(IN_TURNS, 0.999, 0.93), told(APART, 1.08, 0.99)]
    races += [told(TOGETHER, 1.0, 0.91)]
    shown = lessons.interleaving(races)
    marks = sum(len(trace["x"]) for trace in shown.plotly["data"])
    assert marks == 2 * len(races)
    for order in planted.ORDERS:
        assert order in shown.numbers.text and order in shown.label


def test_the_recorded_races_keep_the_promise():
    """Of 20 quick races at most 2 tell twins apart; 10 % more work is found in 9 of 10."""
    recorded = planted.load_planted(paths.root() / "data" / "runs" / lessons.RECORDED)
    by_order = {order: [t for t in recorded if t.order == order] for order in planted.ORDERS}
    mixed = by_order[TOGETHER] or by_order[IN_TURNS]
    assert len(mixed) >= 20
    assert sum(t.verdicts["twin"] in ("reproduced", "opposite") for t in mixed) <= 2
    assert sum(t.verdicts["plus-ten"] == "opposite" for t in mixed) >= 0.9 * len(mixed)
    assert len(by_order[APART]) == len(mixed)


def test_a_report_comes_back_from_disk(tmp_path):
    path = tmp_path / "report.json"
    path.write_text(Report(planted=[told(TOGETHER, 1.0, 0.9)]).to_json())
    again = planted.load_planted(path)
    assert again[0].ratios["twin"] == [1.0, 0.99, 1.01] and again[0].order == TOGETHER
    path.write_text(json.dumps({"planted": 3}))
    with pytest.raises(InputError, match="is not a selfcheck's report"):
        planted.load_planted(path)
    with pytest.raises(InputError, match="selfcheck --full"):
        planted.load_planted(tmp_path / "nothing.json")


def test_a_report_from_the_time_of_the_floor_is_read(tmp_path):
    old = {**dataclasses.asdict(told(IN_TURNS, 1.0, 0.9)), "interleaved": False, "floor": 0.03}
    del old["order"], old["control"]
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"planted": [old]}))
    (again,) = planted.load_planted(path)
    assert (again.order, again.control) == (APART, 0.03)


def test_broken_promises_are_named(monkeypatch):
    models = dict(list(simulation.MODELS.items())[:2])
    monkeypatch.setattr(simulation, "MODELS", models)
    rows = selfcheck.simulate(10, lambda text: None)
    assert {row.model for row in rows} == set(models)
    assert set(rows[0].coverage) == {"3 × 4", "4 × 6", "10 × 10", "--until"}
    bad = dataclasses.replace(
        rows[0], races=1000, coverage={"3 × 4": 0.5}, false={"3 × 4": 0.4}, power={"10 × 10": 0.1}
    )
    said = "\n".join(selfcheck.kept([bad]))
    assert "coverage 50.0%" in said and "40.0% of equal races" in said and "10% of 10 × 10" in said
    good = dataclasses.replace(bad, coverage={"a": 0.95}, false={"a": 0.05}, power={"10 × 10": 1})
    assert selfcheck.kept([good]) == []
    assert rows[0].model in selfcheck_cards.simulation_table(rows).text


def test_planted_truths_are_counted_by_order():
    races = [
        told(TOGETHER, 1.0, 0.92),
        told(TOGETHER, 1.0, 0.93, "too close to call"),
        told(APART, 1.1, 1.0),
    ]
    text = selfcheck_cards.planted_table(races).text
    assert "1 of 2" in text and "1 of 1" in text
