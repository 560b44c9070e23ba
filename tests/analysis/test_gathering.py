"""Which run files a room uses, and what it says of those that it can't use."""

import json
import math
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchbook.analysis.pooled import gathering, room, untrusted
from benchbook.commands.cli import main
from benchbook.show import room_page
from made import edited_json


def merge(*arguments: object):
    return CliRunner().invoke(main, ["room", "merge", *map(str, arguments)])


WRONG = {
    "no JSON": lambda path: path.write_text("{"),
    "not UTF-8": lambda path: path.write_bytes(b"\xff\xfe{}"),
    "a list": lambda path: path.write_text("[1, 2]"),
    "another format": lambda path: path.write_text('{"format": "hyperfine"}'),
    "no plan": lambda path: edited_json(path, lambda d: d.pop("plan")),
    "a plan of text": lambda path: edited_json(path, lambda d: d.update(plan="soon")),
    "samples of text": lambda path: edited_json(path, lambda d: d.update(samples="many")),
    "a sample of text": lambda path: edited_json(path, lambda d: d["samples"].append("one")),
    "an unknown entry": lambda path: edited_sample(path, variant="c"),
    "a round outside": lambda path: edited_sample(path, launch=99),
    "a negative round": lambda path: edited_sample(path, block=-1),
    "a speed of text": lambda path: edited_sample(path, requests_per_second="fast"),
    "launches with a point": lambda path: edited_json(
        path, lambda d: d["plan"].update(launches=float(d["plan"]["launches"]))
    ),
    "a pilot of one launch": lambda path: edited_json(path, lambda d: d["plan"].update(pilot=1)),
    "a speed beyond all": lambda path: edited_sample(path, requests_per_second=10**400),
    "an infinite speed": lambda path: edited_sample(path, requests_per_second=math.inf),
    "errors of text": lambda path: edited_sample(path, errors="none"),
    "evidence of text": lambda path: edited_sample(path, evidence="idle"),
    "flags of numbers": lambda path: edited_sample(path, flags=[1]),
    "a huge plan": lambda path: edited_json(path, lambda d: d["plan"].update(launches=10**9)),
    "two baselines": lambda path: edited_json(
        path, lambda d: d["entries"][2].update(role="baseline")
    ),
    "verdicts of text": lambda path: edited_json(path, lambda d: d.update(results={"verdicts": 1})),
    "cut short": lambda path: edited_json(
        path, lambda d: d.update(status="incomplete", reason="x")
    ),
    "one after another": lambda path: edited_json(
        path, lambda d: d["plan"].update(interleaved=False)
    ),
    "an edited baseline": lambda path: edited_json(
        path, lambda d: d["entries"][0].update(edited=True)
    ),
}


def edited_sample(path: Path, **changes) -> None:
    edited_json(path, lambda document: document["samples"][3].update(changes))


@pytest.mark.parametrize("kind", WRONG)
def test_a_file_that_cannot_be_used_is_named_and_the_others_are_merged(put, tmp_path, kind):
    for i in range(3):
        put(f"good-{i}", {"a": 1000.0, "b": 1100.0}, seed=i)
    bad = put("bad", {"a": 1000.0, "b": 5000.0}, seed=9)
    WRONG[kind](bad)
    done = merge(bad.parent, "--out", tmp_path / "room.html")
    assert done.exit_code == 0, done.output
    assert "Traceback" not in done.output
    (line,) = [line for line in done.output.splitlines() if "skipped" in line]
    assert "bad.json: " in line and len(line.partition("bad.json: ")[2]) > 8
    markup = (tmp_path / "room.html").read_text(encoding="utf-8")
    assert "bad.json" in markup and "made: 3 machines" in markup


def test_without_any_usable_file_the_exit_code_is_1(put, tmp_path):
    path = put("bad", {"a": 1.0, "b": 1.0})
    path.write_text("{")
    done = merge(path, "--out", tmp_path / "room.html")
    assert done.exit_code == 1
    assert "none of the files could be used" in done.output and "bad.json" in done.output
    assert not (tmp_path / "room.html").exists()


def test_a_path_that_does_not_exist_is_wrong_input(tmp_path):
    done = merge(tmp_path / "nowhere")
    assert done.exit_code == 2 and "does not exist" in done.output


@pytest.mark.skipif(os.name == "nt", reason="pipes and links are made by POSIX")
def test_a_path_that_is_no_file_is_named_and_the_others_are_merged(put, tmp_path):
    good = put("good", {"a": 1000.0, "b": 1100.0})
    (tmp_path / "link.json").symlink_to("gone.json")
    os.mkfifo(tmp_path / "pipe.json")
    names = ("link.json", "pipe.json", "nowhere")
    more = [tmp_path / name for name in names]
    done = merge(*more, "/dev/null", good, "--out", tmp_path / "room.html")
    assert done.exit_code == 0, done.output
    for told in (
        "link.json: is a link to 'gone.json', which does not exist",
        "pipe.json: is not a regular file",
        "/dev/null: is not a regular file",
        "nowhere: does not exist",
    ):
        assert told in done.output
    assert merge(more[0], "/dev/null").exit_code == 1


def test_the_same_run_twice_counts_once(put):
    path = put("one", {"a": 1000.0, "b": 1100.0})
    (path.parent / "copy.json").write_bytes(path.read_bytes())
    machines, skipped = gathering.gather([path.parent])
    assert len(machines) == 1
    assert "is the same run as" in skipped[0].reason


def shared(path: Path, attendee: str) -> Path:
    run = json.loads(path.read_text())
    document = {"format": untrusted.SHARED, "attendee": attendee, "runs": [run]}
    path.write_text(json.dumps(document))
    return path


def test_an_attendee_who_gives_raw_and_shared_files_counts_once(put):
    raw = put("raw", {"a": 1000.0, "b": 1100.0}, seed=2)
    (raw.parent / "same.json").write_bytes(raw.read_bytes())
    shared(raw.parent / "same.json", "abcdef")
    shared(put("older", {"a": 1000.0, "b": 1200.0}, seed=1), "abcdef")
    machines, skipped = gathering.gather([raw.parent])
    assert [(m.name, m.shared) for m in machines] == [("abcdef", True)]
    assert len(skipped) == 2


def test_of_a_checkouts_runs_the_newest_counts(put):
    folder = put("one", {"a": 1000.0, "b": 1100.0}, seed=1).parent
    name = json.loads((folder / "one.json").read_text())["experiment"]["name"]
    put(f"runs/{name}/20260101", {"a": 1000.0, "b": 1100.0}, seed=2)
    put(f"runs/{name}/20260102", {"a": 1000.0, "b": 1200.0}, seed=3)
    machines, skipped = gathering.gather([folder])
    assert sorted(Path(m.file).name for m in machines) == ["20260102.json", "one.json"]
    assert "older run of" in skipped[0].reason


def test_benchmarks_whose_launches_take_turns_are_pooled_and_shared(put):
    path = put("bdn", {"a": 1000.0, "b": 1100.0})
    edited_json(path, lambda d: d["plan"].update(interleaved=False))
    edited_json(path, lambda d: d.update(kind="benchmarks"))
    machines, skipped = gathering.gather([path])
    assert len(machines) == 1 and not skipped


def test_no_control_character_of_a_file_reaches_the_terminal(put, tmp_path):
    for i in range(2):
        path = put(f"m{i}", {"a": 1000.0, "b": 1100.0}, seed=i)
        edited_json(path, lambda d: d["experiment"].update(title="\x1b[31mred \ud800"))
    done = merge(path.parent, "--out", tmp_path / "room.html")
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output and "red" in done.output


def test_of_an_attendee_who_shared_twice_the_newest_counts(put):
    old = shared(put("first", {"a": 1000.0, "b": 1100.0}, seed=1), "abcdef")
    new = shared(put("second", {"a": 1000.0, "b": 1200.0}, seed=2), "abcdef")
    machines, skipped = gathering.gather([old.parent])
    assert [(m.name, Path(m.file).name) for m in machines] == [("abcdef", new.name)]
    assert skipped[0].file.endswith(old.name) and "older run of abcdef" in skipped[0].reason


def test_a_shared_file_with_a_wrong_run_says_which(put):
    path = shared(put("first", {"a": 1000.0, "b": 1100.0}), "abcdef")
    edited_json(path, lambda d: d["runs"][0].update(status="incomplete", reason="the power failed"))
    _, skipped = gathering.gather([path])
    assert skipped[0].reason == "77-made: was cut short: the power failed"


@pytest.mark.parametrize("attendee", ["alice", "", 5])
def test_a_shared_file_needs_a_code(put, attendee):
    path = shared(put("first", {"a": 1000.0, "b": 1100.0}), attendee)
    assert "attendee" in gathering.gather([path])[1][0].reason


def test_machines_that_compare_with_another_baseline_are_left_out(put):
    for i in range(3):
        put(f"m{i}", {"a": 1000.0, "b": 1100.0}, seed=i)
    path = put("other", {"b": 1000.0, "a": 1100.0}, seed=5)
    rooms, skipped = room_page.gather_rooms([path.parent])
    assert len(rooms[0].machines) == 3
    assert skipped[0].reason == "compares with b in requests/s, the room with a in requests/s"


def test_an_edited_variant_is_left_out_and_other_versions_are_told(put):
    for i in range(3):
        path = put(f"m{i}", {"a": 1000.0, "b": 1100.0, "c": 1000.0}, seed=i)
    edited_json(path, lambda d: d["entries"][2].update(edited=True))
    edited_json(path, lambda d: d["entries"][3].update(sha256="1" * 64))
    rooms, _ = room_page.gather_rooms([path.parent])
    assert {line.name: len(line.machines) for line in rooms[0].lines} == {"b": 2, "c": 3}
    assert "the machines did not all race the same version of c" in rooms[0].remarks
    assert "left out on 1 of 3 machines: b was edited" in rooms[0].remarks


def test_each_experiment_has_a_room_of_its_own(put, tmp_path):
    for i in range(2):
        put(f"m{i}", {"a": 1000.0, "b": 1100.0}, seed=i)
    path = put("part", {"a": 1000.0, "b": 1100.0}, seed=5)
    edited_json(path, lambda d: d["experiment"].update(name="07-made/http", title="a part"))
    rooms, _ = room_page.gather_rooms([path.parent])
    assert [r.experiment for r in rooms] == ["07-made/http", "77-made"]
    assert rooms[0].lines[0].answer == room.ALONE
