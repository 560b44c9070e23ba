"""`--git main..HEAD`: programs as they are in several revisions, each in a worktree of its own.

The worktrees lie in a temporary folder, outside of any checkout, so that a program finds nothing
there that it would not find elsewhere; they go when the context ends, and git forgets them.
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from benchbook.compare.given import typed
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.running import run

FLAG = "--git"
SECONDS = 900.0  # for a checkout of something large
HERE = "working-tree"
# Where git itself runs us (a hook), these would name its files; a hook of theirs would run ours.
FOREIGN = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX")
WHOLE_HASH = re.compile(r"[0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?")
PREFIX = "benchbook-"  # of a keeper's folder


@dataclass(frozen=True)
class Revision:
    """name: as typed, a whole hash in short; commit: its hash, '' for the working tree."""

    name: str
    commit: str

    @property
    def told(self) -> str:
        if not self.commit:
            return "the working tree"
        if self.commit.startswith(self.name):
            return self.name
        return f"{self.name} ({self.commit[:7]})"


@dataclass(frozen=True)
class Repository:
    """root: the folder of its working tree."""

    root: Path

    @classmethod
    def around(cls, folders: Sequence[Path]) -> "Repository":
        """That of the first of these folders which is in one. Raises InputError where none is,
        BenchError where git is missing."""
        if not shutil.which("git"):
            raise BenchError("git is not installed", "install it, as with apt-get install git")
        found = [git(folder, "rev-parse", "--show-toplevel") for folder in folders]
        if root := next((output for code, output, _ in found if not code and output), ""):
            return cls(Path(root).resolve())
        said = found[0][2].partition("\n")[0]
        reason = "" if "not a git repository" in said else f": {said}"
        problem = f"{folders[0]} is in no git repository with a working tree{reason}"
        raise InputError(FLAG, "", problem, "go to one")

    def revisions(self, text: str) -> list[Revision]:
        """Those that are typed: `a..b` (`a...b` from where they parted), `a,b,c`, or one, with
        which the working tree is compared. Raises InputError for one that does not exist."""
        found = [Revision(self.short(name), self.commit(name)) for name in self.names(text)]
        return found if len(found) > 1 else [*found, Revision(HERE, "")]

    def names(self, text: str) -> list[str]:
        if "," in text or ".." not in text:
            return typed.choices(text, FLAG)
        first, dots, second = text.partition("..." if "..." in text else "..")
        first, second = first or "HEAD", second or "HEAD"
        if dots == "...":
            code, base, _ = git(self.root, "merge-base", self.commit(first), self.commit(second))
            if code:
                raise InputError(FLAG, "", f"{first} and {second} never were the same")
            first = base[:12]
        return [first, second]

    def short(self, name: str) -> str:
        """A revision's name; of a whole hash, which nobody reads, as much as is unique."""
        if not WHOLE_HASH.fullmatch(name):
            return name
        return git(self.root, "rev-parse", "--short", self.commit(name))[1] or name

    def commit(self, name: str) -> str:
        """The hash of a revision. Raises InputError where it does not exist."""
        words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
        code, output, _ = git(self.root, *words)
        if not code and output:
            return output
        shallow = git(self.root, "rev-parse", "--is-shallow-repository")[1] == "true"
        remedy = "this clone is shallow: git fetch --unshallow" if shallow else "git log shows them"
        raise InputError(FLAG, "", f"there is no revision '{name}' in {self.root}", remedy)

    @contextmanager
    def worktree(self, revision: Revision, folder: Path) -> Iterator[None]:
        """A revision, checked out into a new folder, whose name nothing else has, as long as the
        context lasts. Raises BenchError where git can't."""
        # hooks of the repository don't run for us
        options = ["-c", f"core.hooksPath={os.devnull}", "-c", "advice.detachedHead=false"]
        words = ["worktree", "add", "--quiet", "--detach", str(folder), revision.commit]
        try:
            code, _, said = git(self.root, *words, options=options)
            if code:
                raise BenchError(f"git can't check out {revision.told}: {said}")
            yield
        finally:
            self.forget(folder)

    def forget(self, folder: Path) -> None:
        """Remove a worktree, also where only a part of it was made. No others are: whoever keeps
        one on a disk that is not there now wants to have it tomorrow, so nothing is pruned."""
        shutil.rmtree(folder, ignore_errors=True)
        git(self.root, "worktree", "remove", "--force", "--force", str(folder))
        known = Path(self.root, git(self.root, "rev-parse", "--git-common-dir")[1], "worktrees")
        shutil.rmtree(known / folder.name, ignore_errors=True)
        with suppress(OSError):
            known.rmdir()  # where nobody has another one

    def forget_lost(self) -> None:
        """Remove what is left of worktrees of ours whose process was killed: the guard has removed
        the folder, but git still lists it."""
        listed = git(self.root, "worktree", "list", "--porcelain")[1]
        for line in listed.splitlines():
            folder = Path(line.removeprefix("worktree "))
            ours = any(part.startswith(PREFIX) for part in folder.parts)
            temporary = folder.is_relative_to(Path(tempfile.gettempdir()).resolve())
            if line.startswith("worktree ") and ours and temporary and not folder.exists():
                self.forget(folder)


def git(folder: Path, *words: str, options: Sequence[str] = ()) -> tuple[int, str, str]:
    """Exit code, output and errors of git, without the last line's end."""
    done = run(
        [*cleared(), "git", *options, *words],
        timeout=SECONDS,
        cwd=folder,
        env={"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"},
    )
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def cleared() -> list[str]:
    """The prefix of a command that does not find git's own variables in its environment."""
    if sys.platform == "win32" or not set(FOREIGN) & set(os.environ):
        return []
    return ["env", *(f"-u{name}" for name in FOREIGN)]


def counterpart(path: Path, root: Path, other: Path) -> Path | None:
    """Where a path in one tree lies in another; None where it is not in the first."""
    with suppress(ValueError):
        return other / Path(os.path.normpath(path)).relative_to(root)
    return None
