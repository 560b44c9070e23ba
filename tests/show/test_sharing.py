"""./bench share: one file with the newest runs, and no name of a user, a host or a folder in it."""

import json
import platform
import re
import socket
from dataclasses import replace

import pytest
from click.testing import CliRunner

from benchbook.analysis.pooled import gathering, untrusted
from benchbook.commands.cli import main
from benchbook.model import documents, results
from benchbook.model.runs import Run
from benchbook.show import sharing
from benchbook.system import machine, paths
from made import edited_json, sample

USER, HOST = "alice", "alices-laptop"
PLANTED = [USER, HOST, "example.org", "alice-secret", "00:1a:2b:3c:4d:5e", "S3R14L"]


@pytest.fixture
def root(checkout, make_experiment, monkeypatch):
    """A checkout with one experiment, on a machine and under a user with names to be found."""
    (checkout / "snippets").mkdir()
    make_experiment({"a": "1", "b": "2"}).rename(checkout / "snippets" / "77-made")
    monkeypatch.setenv("USER", USER)
    monkeypatch.setenv("LOGNAME", USER)
    monkeypatch.setenv("HOME", f"/home/{USER}")
    monkeypatch.setattr(platform, "node", lambda: f"{HOST}.example.org")
    monkeypatch.setattr(socket, "gethostname", lambda: HOST)
    monkeypatch.chdir(checkout)
    return checkout


@pytest.fixture
def save(root, make_run):
    """save(seed=1, status=…) -> a run of 77-made in the default place."""

    def write(seed: int = 1, name: str = "77-made", **changes) -> Run:
        run = make_run({"a": 1000.0, "b": 1100.0}, seed=seed)
        run.experiment = replace(run.experiment, name=name)
        run.started = f"2026-01-01T00:00:{seed:02}+00:00"
        for key, value in changes.items():
            setattr(run, key, value)
        run.path = results.folder(name) / f"20260101T0000{seed:02}-000000.json"
        run.save()
        return run

    return write


def plant(document: dict) -> None:
    """Names wherever a run holds text."""
    names = " ".join([*PLANTED, f"/home/{USER}/work", rf"C:\Users\{USER}\work"])
    document["machine"] = machine.manifest()
    document["machine"]["hostname"] = HOST
    document["machine"]["os"]["distribution"] = f"Debian 12 of {HOST} by {USER}"
    document["machine"]["os"]["kernel"] = f"6.1.0-{USER}"
    document["machine"]["cpu"]["model"] = f"X1 on {HOST.upper()}, 00:1A:2B:3C:4D:5E"
    document["machine"]["virtual_machine"] = f"VM S3R14L of {USER}"
    document["machine"]["versions"]["node"] = f"20.1.0-{USER}"
    document["machine"]["versions"][f"{USER}-tool"] = "1.0"
    document["tool"]["version"] = f"4.1.0 built by {USER}@{HOST}"
    document["benchbook"] = f"0.1.0+{USER}"
    document["pinning"]["reason"] = names
    document["messages"] = [names]
    document["reason"] = names
    document["parity"] = {"a": {"headers": {"server": HOST}, "body": names}}
    document["experiment"]["title"] = names
    for entry in document["entries"]:
        entry["title"], entry["reason"] = names, names
        entry["file"] = f"/home/{USER}/work/{entry['file']}"
    document["entries"][0]["file"] = rf"C:\Users\{USER}\work\a.mjs"
    document["samples"][0]["flags"] = ["server-idle", f"{USER}-flag"]
    document["results"] = None
    mine = {**document["entries"][2], "name": "alice-secret"}
    document["entries"].append(mine)
    document["plan"]["entries"].append("alice-secret")
    document["samples"].append({**document["samples"][0], "variant": "alice-secret"})


def test_no_name_of_user_host_or_folder_is_in_the_file(root, save):
    run = save(seed=2)
    edited_json(run.path, plant)
    done = CliRunner().invoke(main, ["share", "--out", "shared.json"])
    assert done.exit_code == 0, done.output
    text = (root / "shared.json").read_text(encoding="utf-8")
    for name in [*PLANTED, "home", "Users", "work", str(root)]:
        assert name.lower() not in text.lower(), name
    assert not re.search(r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}", text, re.IGNORECASE)
    document = json.loads(text)
    shared = document["runs"][0]
    assert shared["started"] == run.started
    assert shared["machine"]["os"]["kernel"] == "6.1.0"
    assert shared["machine"]["os"]["distribution"] == "Debian 12 of … by …"
    assert shared["machine"]["cpu"]["model"] == "X1 on …, …"
    assert shared["machine"]["versions"]["node"] == "20.1.0"
    assert [entry["file"] for entry in shared["entries"]] == ["a.mjs", "a#2.mjs", "b.mjs"]
    assert shared["samples"][0]["flags"] == ["server-idle"]


def test_the_file_is_what_a_room_takes(root, save):
    run = save()
    written = sharing.write(None, None)
    path = written.path
    assert path.name == f"benchbook-share-{sharing.code()}.json"
    document = json.loads(path.read_text())
    documents.check(document, "share", "it")
    documents.check(document["runs"][0], "run", "it")
    machines, skipped = gathering.gather([path])
    assert not skipped and machines[0].name == sharing.code()
    own = gathering.gather([run.path])[0][0]
    assert machines[0].readings == own.readings and machines[0].control == own.control
    told = untrusted.SharedVerdict("b is faster than a", "reproduced", ("b", "a"))
    assert machines[0].verdicts == {"b-faster": told}


def test_the_code_is_random_and_stays(root, save):
    save()
    first = sharing.code()
    assert re.fullmatch(r"[0-9a-f]{6}", first) and sharing.code() == first
    (paths.state() / "attendee").unlink()
    assert sharing.code() != first


def test_the_newest_whole_race_of_each_experiment_is_shared(root, save, make_experiment):
    part = make_experiment({"a": "1", "b": "2"}, name="http")
    (root / "snippets" / "78-parts").mkdir()
    part.rename(root / "snippets" / "78-parts" / "http")
    save(1)
    whole = save(2)
    save(3, status="incomplete")
    edited_json(save(4).path, lambda d: d["entries"][2].update(edited=True))
    edited_json(save(5).path, lambda d: d["plan"].update(interleaved=False))
    save(6).path.write_text("{")
    save(7, name="78-parts/http")
    written = sharing.write(None, root / "all.json")
    runs = written.runs
    assert [run.experiment.name for run in runs] == ["77-made", "78-parts/http"]
    assert runs[0].started == whole.started
    one = sharing.write("78/http", root / "one.json").runs
    assert [run.experiment.name for run in one] == ["78-parts/http"]


def test_an_unavailable_variant_is_shared_without_its_reason(root, save):
    run = save()

    def change(document):
        document["entries"][2].update(status="unavailable", reason=f"not in /home/{USER}")
        document["samples"] = [s for s in document["samples"] if s["variant"] != "b"]

    edited_json(run.path, change)
    path = sharing.write("77", None).path
    assert USER not in path.read_text()
    entry = json.loads(path.read_text())["runs"][0]["entries"][2]
    assert (entry["status"], entry["reason"]) == ("unavailable", "unavailable")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [([], 1, "./bench race 04"), (["77"], 1, "./bench race 77"), (["98"], 2, "no experiment '98'")],
)
def test_without_runs_it_says_what_to_do(root, arguments, code, said):
    done = CliRunner().invoke(main, ["share", *arguments])
    assert done.exit_code == code and said in done.output
    assert not list(root.glob("benchbook-share-*"))


def test_a_sample_keeps_its_numbers(root):
    kept = sharing.bare(sample("a", 0, 0, 1000.0))
    assert kept == sample("a", 0, 0, 1000.0)


def test_guesses_are_shared_before_any_race_as_far_as_they_name_what_is_known(root):
    known = {"experiment": "77-made", "variant": "b", "to": "", "guess": 1.1}
    others = [{**known, "variant": "alice-secret"}, {**known, "experiment": "cells-alice"}]
    guessed = sharing.SharedGuesses([known, *others], [])
    written = sharing.write(None, None, guessed)
    document = json.loads(written.path.read_text())
    documents.check(document, "share", "it")
    assert written.runs == [] and document["runs"] == [] and document["guesses"] == [known]
    assert written.guesses == 1
