"""What the checks of 07c's exercises say of right and of wrong attempts."""

from statistics import mean
from types import SimpleNamespace

import pytest

from benchbook.model import experiments
from benchbook.notebook import exercises

pytestmark = pytest.mark.usefixtures("recorded_runs")  # by one worker

LOOP = "const f = JSON.parse(text);\nfor (const each of f) each.date = new Date(each.date);"
REVIVER = "return JSON.parse(text, (name, value) => (name === 'date' ? new Date(value) : value));"


def checks():
    return exercises.load(experiments.find("07/browser"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"load": 0.0}, "load is not what the race measured"),
        ({"load": 1000.0}, "load is not what the race measured"),
        ({"decoding": 0.001}, "decoding is not what the race measured"),
        ({"atMost": 1.0}, "Amdahl's law"),
    ],
)
def test_what_a_decoder_can_win_is_held_against_the_race(recorded_runs, change, said):
    run = recorded_runs["07-serializers/browser"]
    of_json = [sample for sample in run.samples if sample.variant == "json"]
    load = mean(1000 / sample.requests_per_second for sample in of_json)
    decoding = mean(sample.parts_ms["decode"] for sample in of_json)
    right = {"load": load, "decoding": decoding, "atMost": load / (load - decoding)}
    values = {**right, **change}
    view = SimpleNamespace(value=values.__getitem__, raced=lambda *names: run)
    told = list(checks()[1](view))
    assert [each for each in told if said and said in each] == told and bool(told) is bool(said)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (REVIVER, []),
        (LOOP, ["no reviver", "a loop of your own"]),
        ("return JSON.parse(text);", ["no reviver"]),
        (f"{REVIVER}\nfor (;;) {{}}", ["a loop of your own"]),
        ("function revive(name, value) {}\nreturn JSON.parse(text, revive);", []),
    ],
)
def test_a_reviver_is_seen_and_a_loop_is_told(code, said):
    view = SimpleNamespace(edited=lambda name: code, raced=lambda *names: None)
    told = list(checks()[2](view))
    assert len(told) == len(said)
    assert all(words in each for words, each in zip(said, told, strict=True))
