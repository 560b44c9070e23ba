"""Whatever is given to whatever command: one message that names it, exit code 1 or 2, no traceback
and nothing half-written. Commands and their arguments are found, so a new one is tried, too."""

import json
import os
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchbook.commands import cli
from benchbook.commands.begin import lab
from benchbook.commands.maintain import test as testing
from benchbook.notebook import site
from benchbook.setup import overview
from benchbook_kernels.commands.options import NamedPlace
from walk import commands

LONG = "x" * 300
BAD = {
    "missing": lambda path: None,
    "no.ipynb": lambda path: None,
    "folder": Path.mkdir,
    "empty.ipynb": Path.touch,
    "binary.ipynb": lambda path: path.write_bytes(bytes(range(256))),
    "binary.json": lambda path: path.write_bytes(bytes(range(256))),
    "old.ipynb": lambda path: path.write_text(json.dumps({"nbformat": 3, "worksheets": []})),
    "wrong.ipynb": lambda path: path.write_text('{"nbformat": 4, "cells": 7, "metadata": []}'),
    "list.json": lambda path: path.write_text("[1, 2]"),
    "deep.json": lambda path: path.write_text("[" * 100_000),
    "deep.ipynb": lambda path: path.write_text('{"nbformat":' * 50_000),
    "deep.dib": lambda path: path.write_text("#!meta\n\n" + '{"a":' * 50_000),
    "wrong.toml": lambda path: path.write_text("title = 3"),
    "nowhere.ipynb": lambda path: path.symlink_to("/nowhere/at/all"),
    "loop": lambda path: path.symlink_to("loop"),
    "pipe.ipynb": os.mkfifo,
    "of-wrong-types": lambda path: experiment(path, b"title = 3"),
    "of-no-text": lambda path: experiment(path, bytes(range(256))),
    "of-depth": lambda path: experiment(path, b"a = " + b"[" * 50_000),
    "of-a-pipe": lambda path: (path.mkdir(), os.mkfifo(path / "experiment.toml")),
}
NAMELESS = ["", ".", "/", "/dev/null", LONG, "loop/x", "empty.ipynb/x", "0" * 50, "04/nothing"]
# Where nothing can be written, whoever asks: "empty.ipynb" is where a folder is wanted.
NOWHERE = ["", LONG, "loop", "loop/x", "empty.ipynb/x"]
OTHERS = {"experiment": "04", "files": "old.ipynb", "places": "folder", "folder": "new"}
OTHERS["name"] = "mine"


def experiment(path: Path, content: bytes) -> None:
    path.mkdir()
    (path / "experiment.toml").write_bytes(content)


# (command, words, parameter) of everything that names a file, a folder or an experiment
EVERY = [
    (found, words, one)
    for words, found in commands(cli.main)
    if not isinstance(found, click.Group)
    for one in found.params
    if isinstance(one.type, NamedPlace) or isinstance(one, click.Argument)
    if one.type is not click.UNPROCESSED
]
WRITTEN = {("bundle", "folder"), ("room", "folder"), ("new", "name"), ("new", "files")}
# the files of new: test_new.py
READ = [
    each
    for each in EVERY
    if (isinstance(each[2], click.Argument) and (each[1][0], each[2].name) not in WRITTEN)
    or each[2].name == "executed"
]


@pytest.fixture(autouse=True)
def bad_things(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, make in BAD.items():
        make(tmp_path / name)
    return tmp_path


def call(found, words, one, value):
    """The call of a command in which one parameter is this, and others that it needs are good."""
    given = [value] if isinstance(one, click.Argument) else [one.opts[0], value]
    for other in found.params:
        if other is not one and isinstance(other, click.Argument) and other.required:
            given.append(OTHERS[other.name])
    if words == ("export",) and one.name == "experiments":
        given += ["--student", "new"]
    return CliRunner().invoke(cli.main, [*words, *given])


def check(done, what, value):
    """One message, which names what is wrong, or the option; no fault of our own behind it."""
    assert isinstance(done.exception, SystemExit), (what, done.exception)
    assert done.exit_code in (1, 2), (what, done.output)
    assert "Traceback" not in done.output and "fault of Benchbook" not in done.output, what
    named = (Path(value).name or value)[:40] in done.output or any(w in done.output for w in what)
    assert named, (what, done.output)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links are made by POSIX")
@pytest.mark.parametrize("found, words, one", READ, ids=lambda v: getattr(v, "name", None))
def test_what_is_read(found, words, one, bad_things):
    before = sorted(bad_things.rglob("*"))
    for value in [*BAD, *NAMELESS]:
        if one.name == "executed" and value in ("folder", ".", "/"):
            continue  # a folder, as is asked for
        if value.startswith("of-") and one.name not in ("experiment", "experiments"):
            continue  # likewise
        if one.name == "places" and value == "/":
            continue  # a folder, too, and who knows what is in it
        check(call(found, words, one, value), (*one.opts, one.human_readable_name), value)
    assert sorted(bad_things.rglob("*")) == before


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links are made by POSIX")
@pytest.mark.parametrize(
    "found, words, one",
    [each for each in EVERY if isinstance(each[2].type, NamedPlace) and each not in READ],
    ids=lambda v: getattr(v, "name", None),
)
def test_where_nothing_can_be_written(found, words, one, bad_things):
    before = sorted(bad_things.rglob("*"))
    kinds = {"file": ["folder"], "folder": ["empty.ipynb", "pipe.ipynb", "/dev/null"], "": []}
    for value in [*NOWHERE, *kinds[one.type.kind]]:
        check(call(found, words, one, value), one.opts, value)
    assert sorted(bad_things.rglob("*")) == before


@pytest.mark.parametrize("value", ["missing", "no/such/folder", "binary.json", "old.ipyn", LONG])
def test_lab_opens_nothing_that_is_not_there(value, monkeypatch):
    monkeypatch.setattr(lab.running, "become", lambda words: pytest.fail(f"started {words}"))
    done = CliRunner().invoke(cli.main, ["lab", value])
    assert done.exit_code == 2 and value[:40] in done.output


@pytest.mark.parametrize("name", overview.COMMANDS)
def test_an_option_that_is_not_there(name):
    if name in ("setup", "test", "lab"):  # whose options are others'
        return
    done = CliRunner().invoke(cli.main, [name, "--nonsense"])
    assert done.exit_code == 2 and "--nonsense" in done.output


@pytest.mark.parametrize(
    "words, wanted",
    [
        (["race", "pipe.ipynb"], "pipe.ipynb: is a file, not an experiment"),
        (["race", "./binary.json"], "binary.json: is a file, not an experiment"),
        (["bundle", "nowhere.ipynb"], "is a link to '/nowhere/at/all', which does not exist"),
        (["share", "--out", "nowhere.ipynb"], "is a link to '/nowhere/at/all'"),
        (["share", "--out", "none/x.json"], "the folder 'none' does not exist"),
        (["convert", "old.ipynb", "--out", "none/x.ipynb"], "the folder 'none' does not exist"),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links are made by POSIX")
def test_what_is_wrong_is_said(words, wanted, bad_things):
    before = sorted(bad_things.rglob("*"))
    done = CliRunner().invoke(cli.main, words)
    assert done.exit_code == 2 and wanted in done.output
    assert sorted(bad_things.rglob("*")) == before


def test_options_that_pytest_does_not_know_are_a_wrong_call(monkeypatch):
    monkeypatch.setattr(testing, "get_missing", lambda fast: None)
    monkeypatch.setattr(testing, "run", lambda words: 4)
    assert CliRunner().invoke(cli.main, ["test", "--foo"]).exit_code == 2


def test_a_site_that_can_t_be_written_is_told_before_anything_is_judged(monkeypatch):
    monkeypatch.setattr(site.scoreboard, "board", lambda: pytest.fail("judges"))
    monkeypatch.setattr(site, "check_folder", lambda folder: os.listdir("nowhere/x"))
    done = CliRunner().invoke(cli.main, ["report", "--out", "new"])
    assert done.exit_code == 1 and "nowhere/x" in done.output
