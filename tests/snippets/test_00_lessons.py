"""Notebook 00's figures say what the samples hold."""

import dataclasses

import numpy as np
import pytest

from benchbook.analysis.judging import judge
from benchbook.analysis.simulation import APART, IN_TURNS, TOGETHER
from benchbook.race.checks import known_effects
from benchbook.show import markup
from benchbook.show.figures.base import figure
from benchbook_kernels.base.errors import InputError
from made import known_effect_race as told
from notebook_00 import figures as lessons


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
    for order in known_effects.ORDERS:
        assert order in shown.numbers.text and order in shown.label
