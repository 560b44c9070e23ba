"""`./bench setup --git-filter`: running a notebook leaves git clean; --no-git-filter: as before.

.gitattributes names the filter; which program that is stands in this checkout's .git/config, so
it is only there where somebody asked for it, and git passes over it elsewhere.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from benchbook.setup.steps import Environment, Setup, SetupError
from benchbook_kernels.base.running import run

PROGRAM = Path("src/benchbook/setup/notebooks_for_git.py")
CLEAN, CHANGED = "filter.benchbook.clean", "core.fsmonitor"


def switch(setup: Setup, environment: Environment, on: bool) -> None:
    """Write the filter into the checkout's configuration, or take it out.

    Raises SetupError where there is no git, or the folder is no checkout of it.
    """
    root = setup.root
    if shutil.which("git") is None:
        raise SetupError("the filter for git needs git", "install git, or leave --git-filter out")
    if not (root / ".git").exists():
        raise SetupError(f"{root} is not a checkout of git", "leave --git-filter out")
    if value(root, "--local", CLEAN):
        git(root, "config", "--local", "--remove-section", "filter.benchbook")
    if PROGRAM.as_posix() in value(root, CHANGED):
        git(root, "config", "--local", "--unset", CHANGED)
    if on:
        write(setup, f'"{environment.python.as_posix()}" -I -S {PROGRAM.as_posix()}')
    look_anew(root)


def write(setup: Setup, program: str) -> None:
    """Name the program to git: relative, because it is called at the top of each worktree.

    In one that has an older commit without the program, nothing happens.
    """
    there = f"test -f {PROGRAM.as_posix()}"
    clean = f"if {there}; then {program} clean %f; else cat; fi"
    git(setup.root, "config", "--local", CLEAN, clean)
    if value(setup.root, CHANGED):
        setup.notes.append(
            "core.fsmonitor is set already: after running a notebook git status shows it as "
            "modified until `git add` finds that it is not"
        )
    else:
        git(setup.root, "config", "--local", CHANGED, f"{there} && {program} changed")
    setup.say("  git no longer sees what running a notebook leaves (--no-git-filter: it does)")


def look_anew(root: Path) -> None:
    """Let git look into the notebooks once: it forgets what it knows of their size and time."""
    entries = git(root, "ls-files", "--stage", "notebooks")
    git(root, "update-index", "--index-info", given=entries)
    for _ in range(2):  # the first finds that they are unchanged, the second relies on it
        git(root, "status", "--porcelain")


def value(root: Path, *words: str) -> str:
    """What git's configuration says, here or for the user; '' for nothing."""
    return run(["git", "config", *words], timeout=20, cwd=root).stdout.strip()


def git(root: Path, *words: str, given: str | None = None) -> str:
    """What git prints. Raises SetupError where it fails."""
    done = run(["git", *words], timeout=60, cwd=root, input=given)
    if done.returncode:
        said = f"git {words[0]} failed: {done.stderr.strip()}"
        raise SetupError(said, "mend that, or leave --git-filter out")
    return done.stdout
