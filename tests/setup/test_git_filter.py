"""--git-filter: what running a notebook leaves in its file is not seen by git."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from benchbook.setup import bootstrap, git_filter, notebooks_for_git
from benchbook.setup.installation import wants_more
from benchbook.setup.steps import Environment, Setup, SetupError, SetupOptions
from benchbook.system import paths

NAME = "notebooks/07a-bytes-and-memory.ipynb"
HERE = Environment("debian", Path(sys.executable), "")


def git(root: Path, *words: str) -> str:
    """What git prints, without the user's own settings."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *identity, *words], cwd=root, env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def checkout(tmp_path) -> Setup:
    """A repository with our .gitattributes, one notebook and the filter's program, committed."""
    root = tmp_path / "check out"
    for name in (".gitattributes", NAME, git_filter.PROGRAM.as_posix()):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(paths.beside_bench(name), root / name)
    (root / ".benchbook").mkdir()
    (root / ".gitignore").write_text(".benchbook\n")
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "first")
    return Setup(root, SetupOptions(quiet=True))


def run_it(root: Path, editor: bool = False) -> None:
    """Leave in the notebook what front ends leave; editor: what VS Code does besides."""
    notebook = nbformat.read(root / NAME, 4)
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cell.execution_count = number
            cell.outputs = [nbformat.v4.new_output("stream", text="ran\n")]
            cell.metadata["execution"] = {"iopub.execute_input": "2026-11-23T23:00:00Z"}
            cell.metadata.pop("scrolled", None)
        if editor:
            cell.metadata["vscode"] = {"languageId": "csharp"}
    notebook.metadata["language_info"] |= {"version": "12", "file_extension": ".cs"}
    if editor:
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, root / NAME)


@pytest.mark.parametrize("editor", [False, True])
def test_git_sees_no_change_where_a_notebook_was_only_run(checkout, editor):
    git_filter.switch(checkout, HERE, True)
    run_it(checkout.root, editor)
    assert git(checkout.root, "status", "--porcelain") == ""
    git(checkout.root, "add", "--all")
    assert git(checkout.root, "diff", "--cached", "--stat") == ""
    assert '"ran' in (checkout.root / NAME).read_text()  # the file keeps its outputs


def test_an_edit_of_a_cell_is_all_that_is_committed(checkout):
    git_filter.switch(checkout, HERE, True)
    before = git(checkout.root, "show", f"HEAD:{NAME}")
    run_it(checkout.root)
    notebook = nbformat.read(checkout.root / NAME, 4)
    notebook.cells[0].source = "# Another title"
    theirs = {"tags": ["exercise-1"], "slideshow": {"slide_type": "notes"}}
    notebook.cells[1].metadata |= theirs
    fresh = nbformat.v4.new_code_cell("%race", metadata={"scrolled": False, "collapsed": True})
    notebook.cells.append(fresh)
    nbformat.write(notebook, checkout.root / NAME)
    assert git(checkout.root, "status", "--porcelain") == f" M {NAME}\n"
    git(checkout.root, "commit", "--all", "--quiet", "--message", "second")
    expected = json.loads(before)
    expected["cells"][0]["source"] = ["# Another title"]
    expected["cells"][1]["metadata"] |= theirs
    *cells, last = (after := json.loads(git(checkout.root, "show", f"HEAD:{NAME}")))["cells"]
    assert {**after, "cells": cells} == expected
    assert last["metadata"] == {"scrolled": False} and last["outputs"] == []
    assert git(checkout.root, "status", "--porcelain") == ""


def test_without_the_filter_git_works_as_everywhere(checkout):
    assert git(checkout.root, "status", "--porcelain") == ""
    run_it(checkout.root)
    assert git(checkout.root, "status", "--porcelain") == f" M {NAME}\n"
    git_filter.switch(checkout, HERE, False)  # nothing to take out
    git_filter.switch(checkout, HERE, True)
    git_filter.switch(checkout, HERE, True)  # may be repeated
    assert git(checkout.root, "status", "--porcelain") == ""
    git_filter.switch(checkout, HERE, False)
    assert git(checkout.root, "status", "--porcelain") == f" M {NAME}\n"
    config = (checkout.root / ".git" / "config").read_text()
    assert "filter" not in config and "fsmonitor" not in config


def test_other_changes_are_seen_as_ever(checkout):
    git_filter.switch(checkout, HERE, True)
    assert git(checkout.root, "status", "--porcelain") == ""
    run_it(checkout.root)
    (checkout.root / ".gitignore").write_text(".benchbook\nmore\n")
    (checkout.root / "notebooks" / "mine.ipynb").write_text("{}")
    (checkout.root / "src" / "new.py").write_text("")
    seen = git(checkout.root, "-c", "core.untrackedCache=true", "status", "--porcelain")
    assert seen.split() == ["M", ".gitignore", "??", "notebooks/mine.ipynb", "??", "src/new.py"]
    (checkout.root / NAME).unlink()
    assert f" D {NAME}" in git(checkout.root, "status", "--porcelain")
    git(checkout.root, "checkout", "--quiet", NAME)
    assert NAME not in git(checkout.root, "status", "--porcelain")


def test_a_branch_that_has_another_notebook_can_be_checked_out(checkout):
    """git would refuse that for local changes; outputs are none."""
    git(checkout.root, "switch", "--quiet", "--create", "other")
    notebook = nbformat.read(checkout.root / NAME, 4)
    notebook.cells[0].source = "# Another title"
    nbformat.write(notebook, checkout.root / NAME)
    git(checkout.root, "commit", "--all", "--quiet", "--message", "other")
    git(checkout.root, "switch", "--quiet", "-")
    git_filter.switch(checkout, HERE, True)
    git(checkout.root, "status")
    run_it(checkout.root)
    git(checkout.root, "status")
    git(checkout.root, "switch", "--quiet", "other")
    assert nbformat.read(checkout.root / NAME, 4).cells[0].source == "# Another title"
    git(checkout.root, "status")
    run_it(checkout.root)
    assert git(checkout.root, "status", "--porcelain") == ""


def test_a_commit_without_the_program_is_as_before(checkout):
    git_filter.switch(checkout, HERE, True)
    git(checkout.root, "rm", "--quiet", git_filter.PROGRAM.as_posix())
    git(checkout.root, "commit", "--quiet", "--message", "older")
    run_it(checkout.root)
    assert git(checkout.root, "status", "--porcelain") == f" M {NAME}\n"
    assert '"ran' in git(checkout.root, "diff")


def test_a_monitor_of_the_users_own_stays(checkout):
    git(checkout.root, "config", "core.fsmonitor", "true")
    git_filter.switch(checkout, HERE, True)
    assert git(checkout.root, "config", "core.fsmonitor") == "true\n"
    assert "core.fsmonitor is set already" in checkout.notes[0]
    git_filter.switch(checkout, HERE, False)
    assert git(checkout.root, "config", "core.fsmonitor") == "true\n"


def test_what_is_no_notebook_passes_as_it_is():
    for text in ("", "[]", "{}", "<<<<<<< HEAD", '{"nbformat": 3, "metadata": {}}'):
        assert notebooks_for_git.cleaned(text, "") == text


def test_a_new_notebook_is_written_as_jupyter_does():
    cell = nbformat.v4.new_code_cell("a\n\u2028b", execution_count=1)
    text = nbformat.writes(nbformat.v4.new_notebook(cells=[cell])) + "\n"
    assert notebooks_for_git.cleaned(text, "") == text.replace('count": 1', 'count": null')


def test_set_up_knows_the_option():
    for words, wanted in (([], None), (["--git-filter"], True), (["--no-git-filter"], False)):
        options = bootstrap.options_from(words)
        assert options.git_filter is wanted
        assert wants_more(options) is (wanted is not None)


def test_a_folder_that_is_no_checkout_of_git_is_told(tmp_path):
    with pytest.raises(SetupError, match="is not a checkout of git"):
        git_filter.switch(Setup(tmp_path, SetupOptions(quiet=True)), HERE, True)
