"""The score of guesses: what counts, what is kept, and that nothing is lost."""

import json
import os
import subprocess
import sys
from dataclasses import asdict

import pytest

from benchbook.analysis.judging import judge
from benchbook.analysis.judging.verdicts import SMALLEST_EFFECT
from benchbook.model import documents, experiments
from benchbook.notebook import predictions
from benchbook.notebook.predictions import Prediction
from benchbook.notebook.workbench import Workbench
from benchbook.show.cards import race_cards
from benchbook.show.cards.guess_cards import Guess
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError

DEFAULTS = {
    "experiment": "77-made",
    "variant": "b",
    "edited": False,
    "ratio": 1.1,
    "low": 1.08,
    "high": 1.12,
    "delta": 0.05,
    "run": "run.json",
    "when": "2026-01-01T00:00:00+00:00",
}


def prediction(guess: float, **more) -> Prediction:
    return Prediction(guess=guess, **{**DEFAULTS, **more})


@pytest.fixture
def bench(two_servers, checkout, make_run, monkeypatch) -> Workbench:
    """A workbench after a race in which b was 10 % faster, with no guess yet."""
    monkeypatch.delenv(predictions.VARIABLE, raising=False)
    bench = Workbench(experiments.load(two_servers))
    bench.run = bench.raced_here = make_run({"a": 1000.0, "b": 1100.0})
    return bench


def settle(bench: Workbench) -> str:
    return bench.settle(judge.judge(bench.run, bench.experiment.claim))


@pytest.mark.parametrize(
    ("guess", "inside", "right"),
    [(1.1, True, True), (1.5, False, True), (0.9, False, False), (1.0, False, False)],
)
def test_a_guess_lies_in_the_interval_or_at_least_on_its_side(guess, inside, right):
    made = prediction(guess)
    assert (made.inside, made.right_direction) == (inside, right)


def test_no_difference_is_a_direction_too():
    measured = {"ratio": 1.005, "low": 0.99, "high": 1.02}
    assert prediction(1.0, **measured).right_direction
    assert prediction(1.03, **measured).right_direction, "too small to matter"
    assert not prediction(1.1, **measured).right_direction


def test_a_difference_that_is_too_small_to_matter_is_none():
    measured = {"ratio": 1.01, "low": 1.005, "high": 1.015}
    assert prediction(1.0, **measured).right_direction
    assert not prediction(1.0, delta=0.002, **measured).right_direction
    assert not prediction(1.1, **measured).right_direction


def test_a_guess_is_kept_with_the_result_of_the_first_race_after_it(bench):
    bench.guess("b", "+9%")
    assert settle(bench) == ""
    (kept,) = predictions.load()
    assert (kept.experiment, kept.variant, kept.guess) == (bench.experiment.name, "b", 1.09)
    assert kept.low < 1.1 < kept.high and kept.delta == SMALLEST_EFFECT
    settle(bench)
    assert len(predictions.load()) == 1, "a second race answers no guess again"
    bench.guess("b", "+20%")
    settle(bench)
    assert [p.guess for p in predictions.load()] == [1.09, 1.2]


def test_a_guess_against_another_variant_is_scored_against_that_one(bench, make_run):
    """Compared with the baseline, the same guess would lie far outside."""
    bench.run = make_run({"a": 5000.0, "b": 1100.0, "c": 1000.0})
    bench.guesses["b"] = Guess(1.1, "c")
    bench.open_guesses.add("b")
    found = judge.judge(bench.run, bench.experiment.claim)
    assert bench.settle(found) == ""
    (kept,) = predictions.load()
    assert kept.to == "c" and kept.inside and kept.right_direction and 1.05 < kept.ratio < 1.15
    shown = race_cards.ratios(bench.run, found, bench.guesses).text
    assert "to c, in the interval, measured +" in shown
    assert predictions.score("77-made").text.count(" c ") == 1


def test_a_guess_against_one_that_did_not_race_waits(bench):
    bench.guesses["b"] = Guess(1.1, "c")
    bench.open_guesses.add("b")
    assert settle(bench) == "" and predictions.load() == [] and bench.open_guesses == {"b"}


def test_a_guess_without_a_result_waits_for_the_next_race(bench, make_run):
    bench.run = make_run({"a": 1000.0})
    bench.guess("b", "+9%")
    settle(bench)
    assert predictions.load() == [] and bench.open_guesses == {"b"}


def test_a_race_that_was_cut_short_answers_nothing(bench):
    bench.run.status = "incomplete"
    bench.guess("b", "+9%")
    settle(bench)
    assert predictions.load() == [] and bench.open_guesses == {"b"}


def test_executing_notebooks_for_nobody_keeps_no_guess(bench, monkeypatch):
    monkeypatch.setenv(predictions.VARIABLE, "off")
    bench.guess("b", "+9%")
    settle(bench)
    assert not predictions.file().exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{ half", "is not JSON"),
        ('{"format": "benchbook-predictions/1"}', "predictions"),
        ('{"format": "benchbook-predictions/9", "predictions": []}', "format"),
        ('{"format": "benchbook-predictions/1", "predictions": [{"guess": "much"}]}', "guess"),
    ],
)
def test_a_damaged_file_is_named_kept_and_nothing_is_lost(bench, text, said):
    predictions.file().parent.mkdir(parents=True)
    predictions.file().write_text(text)
    bench.guess("b", "+9%")
    problem = settle(bench)
    assert ".benchbook/predictions.json" in problem and said in problem and "rename" in problem
    assert "1 guess waits" in problem
    assert predictions.file().read_text() == text
    with pytest.raises(BenchError, match="predictions.json"):
        predictions.score()
    predictions.file().rename(predictions.file().with_suffix(".old"))
    assert bench.keep() == ""
    assert [p.guess for p in predictions.load()] == [1.09] and bench.unkept == []


ADD = """
import json, sys
from benchbook.notebook import predictions
for given in json.loads(sys.argv[1]):
    predictions.add([predictions.Prediction(**given)])
"""


def test_notebooks_that_write_at_the_same_time_lose_nothing(checkout):
    guesses = [1 + i / 100 for i in range(1, 7)]
    writers = []
    for some in (guesses[:2], guesses[2:4], guesses[4:]):
        given = json.dumps([asdict(prediction(guess)) for guess in some])
        environment = {**os.environ, "PYTHONPATH": paths.pythonpath()}
        writers.append(subprocess.Popen([sys.executable, "-c", ADD, given], env=environment))
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert sorted(p.guess for p in predictions.load()) == guesses


def test_the_file_fits_its_schema_and_comes_back(checkout):
    some = [prediction(1.1), prediction(0.5, delta=0.03, edited=True)]
    predictions.add(some)
    document = json.loads(predictions.file().read_text())
    documents.check(document, "predictions", "predictions.json")
    assert document["predictions"] == [asdict(p) for p in some] and predictions.load() == some


def test_a_file_from_the_time_of_the_floor_is_read(checkout):
    old = {**asdict(prediction(1.1)), "floor": 0.08}
    del old["delta"]
    predictions.file().parent.mkdir(parents=True)
    text = json.dumps({"format": predictions.FORMAT, "predictions": [old]})
    predictions.file().write_text(text)
    assert predictions.load() == [prediction(1.1)]


def test_the_score_counts_and_lists(checkout):
    assert "No guess has a result yet" in predictions.score().text
    predictions.add([prediction(1.1), prediction(1.5), prediction(0.9)])
    predictions.add([prediction(1.1, experiment="78-other")])
    shown = predictions.score()
    assert "Of 4 guesses 2 lay in the measured interval, and 3 had" in shown.text
    rows = [line.split() for line in shown.text.splitlines() if line.startswith("7")]
    assert rows == [["77-made", "3", "1", "2"], ["78-other", "1", "1", "1"]]
    one = predictions.score("78-other")
    assert "Of 1 guess 1 lay" in one.text and "+10.0 %" in one.text
    assert "<table" in one.html
