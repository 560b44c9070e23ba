"""Replays in run files: written as they were read, whatever their age; what is broken is told."""

import json
import shutil

import pytest

from benchbook.model import results
from benchbook.show.cards import replay_cards
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from made import edited_json

RECORDED = sorted(
    folder / name
    for folder in (paths.references(), paths.references().parents[1] / "tests" / "runs")
    for name in folder.glob("*.as-published.json")
)
RACE = {
    "file": "race.json",
    "started": "2026-11-27T00:00:00+00:00",
    "tool": "wrk",
    "connections": 50,
    "launches": 5,
    "blocks": 4,
    "sample_seconds": 1.0,
    "warmup_seconds": 4.0,
    "pinned": True,
    "floor": 0.012,  # as the control was called
    "changed": ["bare"],
}


@pytest.fixture
def copied(tmp_path):
    return shutil.copy(RECORDED[0], tmp_path / "replay.json")


def test_there_are_replays_of_three_kinds():
    kinds = {results.load(path).replay.kind for path in RECORDED}
    assert kinds == {"http", "loop", "client"}


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_replay_is_written_as_it_was_read(path):
    written = json.loads(results.load(path).to_text())
    assert written["replay"] == json.loads(path.read_text(encoding="utf-8"))["replay"]


def test_an_older_file_calls_the_control_floor(copied):
    edited_json(copied, lambda run: run["replay"].update(honest=RACE))
    run = results.load(copied)
    assert run.replay.honest.control == 0.012 and run.replay.honest.doubt == ""
    text = "\n".join(replay_cards.reasons(run))
    assert "differ by at most 1.2 %" in text and "in the race wrk with 50" in text
    assert json.loads(run.to_text())["replay"]["honest"] == RACE


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda replay: replay.pop("rows"), "replay.rows: is missing"),
        (lambda replay: replay.update(kind="race"), 'replay.kind: expected one of "http", "loop"'),
        (lambda replay: replay.update(honest={}), "replay.honest.file: is missing"),
        (lambda replay: replay["method"].pop("tool"), "replay.method: is no method of the kind"),
        (lambda replay: replay["played"].update(speed=1), "replay.played: is no method of the"),
        (lambda replay: replay["method"].update(rows=[1]), "replay.method: is no method of the"),
    ],
)
def test_a_replay_that_does_not_fit_is_explained(copied, change, words):
    edited_json(copied, lambda run: change(run["replay"]))
    with pytest.raises(InputError) as caught:
        results.load(copied)
    assert words in str(caught.value) and "replay.json" in str(caught.value)
