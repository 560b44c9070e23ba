"""Where programs are looked for: the revisions of --git, the installed packages of --npm."""

import filecmp
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchbook.compare import detect
from benchbook.compare.given import environment, git, npm_packages, nuget, runtimes, typed
from benchbook.compare.given.asked import Given
from benchbook.compare.given.git import Repository, Revision
from benchbook.programs.readiness import Say
from benchbook_kernels.base import builds
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.processes import Keeper

SETUP_SECONDS = 3600.0
LAST_LINES = 6
LOCKS = ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "package.json")


@dataclass(frozen=True)
class Placed:
    """Words, placed where they mean what they mean in the folder in which was asked.

    words: as typed, but for files that lie elsewhere in this place (a path from the root), in the
    same order; folder: in which they are read and commands run; labels: what is different here, one
    for each of --git and --npm ("main", "fastify@4.29.1"); told: the same for a title, with more
    ("main (1a2b3c4)").
    """

    words: tuple[str, ...]
    folder: Path
    labels: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

    def marked(self, label: str, told: str) -> "Placed":
        return replace(self, labels=(*self.labels, label), told=(*self.told, told))


@contextmanager
def places(
    words: Sequence[str], given: Given, say: Say, folder: Path | None = None
) -> Iterator[list[Placed]]:
    """The places in which programs are looked for; all that was made for them is removed when the
    context is left. folder: the one in which was asked.

    Raises InputError for what can't be (no such revision, no repository, no such file in one),
    BenchError where a set-up fails or a package can't be had.
    """
    check_typed(given)
    found = [Placed(tuple(words), (folder or Path.cwd()).resolve())]
    with ExitStack() as stack:
        if given.git or given.npm:
            keeper = stack.enter_context(Keeper())  # its guard removes its folder if we are killed
            if given.git:
                found = revisions(found[0], given, say, keeper, stack)
            if given.npm:
                found = installed(found, given, say, keeper)
        yield found


def check_typed(given: Given) -> None:
    """Raises InputError for what makes no sense whatever is there, before anything is made."""
    if given.npm:
        typed.packages(given.npm, npm_packages.FLAG)
    if given.nuget:
        nuget.wanted(given.nuget)
    for text, flag in ((given.node, runtimes.NODE), (given.dotnet, runtimes.DOTNET)):
        if text:
            runtimes.numbers(text, flag)
    environment.check(given.env, bool(given.node))


# ── Revisions ────────────────────────────────────────────────────────────────────────────────────


def revisions(
    asked: Placed, given: Given, say: Say, keeper: Keeper, stack: ExitStack
) -> list[Placed]:
    """A place for each revision, each checked out as long as `stack` lasts."""
    homes = ((asked.folder / file_named(word, asked.folder)).parent for word in asked.words)
    repository = Repository.around([asked.folder, *(home for home in homes if home.is_dir())])
    wanted = repository.revisions(given.git)
    repository.forget_lost()
    commits = {each.commit: each for each in wanted}
    if len(commits) < len(wanted):
        say("some of these revisions are the same commit: " + ", ".join(r.told for r in wanted))
    found = []
    for number, revision in enumerate(wanted):
        if not revision.commit:
            found.append(asked.marked(revision.name, revision.told))
            continue
        slug = re.sub(r"[^\w.-]", "-", revision.name)
        root = keeper.folder / f"{slug}-{number}-{keeper.folder.name}"
        say(f"checking out {revision.told}")
        stack.enter_context(repository.worktree(revision, root))
        folder = git.counterpart(asked.folder, repository.root, root) or root
        if not folder.is_dir():
            inside = asked.folder.relative_to(repository.root)
            raise InputError(git.FLAG, "", f"{revision.told} has no folder {inside}")
        if given.setup:
            set_up(given.setup, folder, revision.told, say)
        elif not given.npm:
            lend_packages(repository, root, revision, say)
        words = tuple(moved(word, asked.folder, repository, root, revision) for word in asked.words)
        found.append(
            replace(asked, words=words, folder=folder).marked(revision.name, revision.told)
        )
    return found


def set_up(command: str, folder: Path, where: str, say: Say) -> None:
    """Run --setup in a folder. Raises BenchError with its last lines where it fails."""
    say(f"{where}: {command}")
    shell = [os.environ.get("COMSPEC", "cmd"), "/c"] if sys.platform == "win32" else ["sh", "-c"]
    code, output = builds.run([*git.cleared(), *shell, command], folder, SETUP_SECONDS)
    if code:
        last = [line for line in output.splitlines() if line.strip()][-LAST_LINES:]
        told = "\n    ".join([f"--setup failed for {where} (exit code {code})", *last])
        raise BenchError(told, f"try it by hand: {command}")


def lend_packages(repository: Repository, root: Path, revision: Revision, say: Say) -> None:
    """Let a revision's programs find the npm packages that are installed in the working tree, where
    it asks for the same. Raises InputError where it asks for others."""
    for package in sorted(root.rglob("package.json")):
        inside = package.parent.relative_to(root)
        there = repository.root / inside
        if "node_modules" in inside.parts or not (there / "node_modules").is_dir():
            continue
        if (package.parent / "node_modules").exists():
            continue
        lock = next((n for n in LOCKS if (package.parent / n).is_file()), "package.json")
        known = (there / lock).is_file()
        if not known or not filecmp.cmp(package.parent / lock, there / lock, shallow=False):
            problem = f"asks for other npm packages than are installed ({inside / lock})"
            raise InputError(git.FLAG, "", f"{revision.told} {problem}", "say --setup 'npm ci'")
        try:
            (package.parent / "node_modules").symlink_to(there / "node_modules")
        except OSError:
            shutil.copytree(there / "node_modules", package.parent / "node_modules", symlinks=True)
        say(f"{revision.told} uses the installed npm packages: its {inside / lock} is the same")


def moved(word: str, folder: Path, repository: Repository, root: Path, revision: Revision) -> str:
    """A word that names a file, as the same file in a revision; others as they are. Raises
    InputError where the revision has no such file, and for a command that names the working tree.
    """
    if not (path := file_named(word, folder)):
        check_command(word, repository.root, git.FLAG)
        return word
    there = git.counterpart(folder / path, repository.root, root)
    if there is None:
        problem = f"lies outside of the repository in {repository.root}"
        raise InputError(word, "", problem, "it is the same in all revisions: leave it out")
    if not there.exists():
        inside = there.relative_to(root)
        why = "it is not committed there" if (folder / path).exists() else "no such file"
        remedy = "commit it, or have --setup make or copy it"
        raise InputError(word, "", f"{revision.told} has no {inside}: {why}", remedy)
    outside = Path(path).is_absolute() or not folder.is_relative_to(repository.root)
    return f"{there}{word.removeprefix(path)}" if outside else word


def check_command(line: str, root: Path, flag: str) -> None:
    """Raises InputError for a command in which a path leads into what is compared, whichever place
    it runs in: all would run the same."""
    whole = re.search(rf"(?<![\w./-]){re.escape(str(root))}(?![\w.-])", line)
    parts = [whole[0]] if whole else re.split(r"[\s'\"`=:;,|&<>(){}]+", line)
    for part in parts:
        if os.path.isabs(part) and Path(os.path.realpath(part)).is_relative_to(root):
            problem = f"has a path that is the same whatever {flag} says: {part}"
            raise InputError(line, "", problem, f"write it as from {root}, without that")


def file_named(word: str, folder: Path) -> str:
    """The path of the file that a word names (`lib.mjs:parse` lib.mjs), '' where it names none."""
    if "://" in word or "\0" in word:
        return ""
    path, member = detect.member_of(word, folder)
    if os.path.isfile(folder / path):  # a command may be longer than a name can be
        return path
    return path if (member or "/" in word) and len(word.split()) == 1 else ""


# ── npm's packages ───────────────────────────────────────────────────────────────────────────────


def installed(found: Sequence[Placed], given: Given, say: Say, keeper: Keeper) -> list[Placed]:
    """Each place once for every set of packages, as a copy in which these are installed."""
    sets = npm_packages.sets(given.npm, found[0].folder)
    made = []
    for i, place in enumerate(found):
        for j, packages in enumerate(sets):
            copies: dict[Path, Path] = {}
            for project in projects(place):
                copies[project] = keeper.folder / f"npm-{i}-{j}-{len(copies)}" / project.name
                npm_packages.copy(project, copies[project])
                npm_packages.install(packages, copies[project], say)
            copied = within(place, copies)
            if given.setup and not given.git:
                set_up(given.setup, copied.folder, packages.told, say)
            made.append(copied.marked(packages.label, packages.told))
    return made


def projects(place: Placed) -> list[Path]:
    """The projects of the files that are named, and that of the folder where a command runs."""
    found: dict[Path, None] = {}
    for word in place.words:
        path = file_named(word, place.folder)
        if not path:
            check_command(word, npm_packages.project_of(place.folder), npm_packages.FLAG)
        begin = (place.folder / path).resolve().parent if path else place.folder
        found[npm_packages.project_of(begin)] = None
    return list(found)


def within(place: Placed, copies: dict[Path, Path]) -> Placed:
    """A place whose words mean the copies of projects."""
    home = npm_packages.project_of(place.folder)
    folder = place.folder
    if home in copies:
        folder = copies[home] / place.folder.relative_to(home)
    words = []
    for word in place.words:
        path = file_named(word, place.folder)
        whole = (place.folder / path).resolve() if path else place.folder
        project = npm_packages.project_of(whole.parent if path else whole)
        if path and (project != home or Path(path).is_absolute()):
            word = f"{copies[project] / whole.relative_to(project)}{word.removeprefix(path)}"
        words.append(word)
    return replace(place, words=tuple(words), folder=folder)
