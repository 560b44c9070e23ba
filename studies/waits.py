"""What a person waits for, in this version and in that of an earlier commit, side by side: medians
and their ratios.

    .venv/bin/python studies/waits.py                   all rows, each three times in both: hours
    .venv/bin/python studies/waits.py 'race 04' kernels --turns 5
    .venv/bin/python studies/waits.py --list

Both versions are checked out into a temporary folder, as git worktrees, set up there, and run in
turns, one command at a time, on a machine that does nothing else. It writes docs/waits.md, and what
was measured to .benchbook/waits.json after each command: started again, it goes on from there, as
long as this version's commit is the same. What is not committed is not measured.
"""

import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from waits_page import NOW, THEN, Figures, Measured, Results

from benchbook.model import experiments
from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.base.processes import Keeper

ROOT = Path(__file__).resolve().parent.parent
PAGE, KEPT = ROOT / "docs" / "waits.md", ROOT / ".benchbook" / "waits.json"
EARLIER = "223c62b"
TURNS = 3
UNDECIDED = ("too close to call", "not valid")
LOOK_SECONDS = 0.2  # between two looks at the memory of what runs
KERNEL = r"""
import sys, time
from benchbook.system import kernels
begun = time.monotonic()
with kernels.started(sys.argv[1], 300) as (_, client):
    ready = time.monotonic()
    reply = client.execute_interactive(sys.argv[2], output_hook=lambda message: None, timeout=300)
    done = time.monotonic()
assert reply["content"]["status"] == "ok", reply["content"]
print("\nkernel:", ready - begun, done - ready, flush=True)
"""
LANGUAGES, CELL = ("csharp", "node"), "1 + 1"


@dataclass(frozen=True)
class Ended:
    """A command that ended well: how long it took, and the CPU time of it and all that it waited
    for, in seconds; what it printed; peaks: of memory, in bytes."""

    seconds: float
    cpu_seconds: float
    printed: str
    peaks: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Version:
    """One of the two: its commit, where its worktree is, and what starts commands in it."""

    name: str
    commit: str
    folder: Path
    keeper: Keeper

    def run(
        self,
        *command: str,
        folder: Path | None = None,
        watch: bool = False,
        fine: Sequence[int] = (0,),
    ) -> Ended:
        """Run a command to its end, in the worktree unless a folder is given.

        fine: exit codes that are no error. Raises RuntimeError where it ends with another one.
        """
        before, begun = cpu_seconds(), time.monotonic()
        with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
            process = self.keeper.start(
                command, cwd=folder or self.folder, stdout=out, stderr=out, inherited=clean()
            )
            with peaks_of(process.pid if watch else None) as peaks:
                code = process.wait()
            seconds, spent = time.monotonic() - begun, cpu_seconds() - before
            out.seek(0)
            printed = out.read()
        if code not in fine:
            last = "\n".join(printed.strip().splitlines()[-5:])
            raise RuntimeError(f"{' '.join(command)} ended with exit code {code}\n{last}")
        return Ended(seconds, spent, printed, peaks)

    @contextlib.contextmanager
    def clone(self) -> Iterator[Path]:
        """A fresh clone of this version, for as long as the context lasts."""
        with tempfile.TemporaryDirectory(prefix="waits-clone-") as name:
            folder = Path(name) / "benchbook"
            git("clone", "--quiet", "--no-checkout", str(ROOT), str(folder))
            git("-C", str(folder), "checkout", "--quiet", "--detach", self.commit)
            yield folder


def clean() -> dict[str, str]:
    """The environment of commands: without limits or settings of Benchbook's."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("BENCHBOOK_", "PYTHONPATH"))}


def cpu_seconds() -> float:
    """CPU time of all that this process has waited for, and what that has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# ── Memory ───────────────────────────────────────────────────────────────────────────────────────


@contextlib.contextmanager
def peaks_of(pid: int | None) -> Iterator[dict[str, float]]:
    """Filled with the highest memory of a process and all below it, but for programs under test:
    "ours" of all, "without builds" without dotnet, in bytes. None: with nothing."""
    if pid is None:
        yield {}
        return
    peaks, over = {"ours": 0.0, "without builds": 0.0}, threading.Event()

    def watch() -> None:
        while not over.wait(LOOK_SECONDS):
            for name, value in memory_below(pid).items():
                peaks[name] = max(peaks[name], value)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield peaks
    finally:
        over.set()
        watching.join()


def memory_below(pid: int) -> dict[str, float]:
    """What processes take now. Shared pages count in parts (PSS) where the system tells."""
    found = {"ours": 0.0, "without builds": 0.0}
    with contextlib.suppress(psutil.Error):
        top = psutil.Process(pid)
        for each in [top, *top.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                if "PORT" in each.environ():  # a server is told where to listen: it is under test
                    continue
                info = each.memory_full_info()
                size = float(getattr(info, "pss", info.rss))
                found["ours"] += size
                if not each.name().startswith("dotnet"):
                    found["without builds"] += size
    return found


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────


Row = Callable[[Version], Figures]


def run_from_clone(version: Version) -> Figures:
    with version.clone() as folder:
        done = version.run("./bench", "run", "04", folder=folder)
    return {"`./bench run 04` from a fresh clone to its verdict": Measured(done.seconds)}


def run_all(version: Version) -> Figures:
    with tempfile.TemporaryDirectory() as out:
        done = version.run("./bench", "run", "--out", out)
    return {"`./bench run`, all notebooks": Measured(done.seconds)}


def race(number: str) -> Row:
    """A quick race of an experiment, to its verdict."""

    def row(version: Version) -> Figures:
        done, decided = raced(version, number, watch=False)
        return {f"`./bench race {number} --quick`": Measured(done.seconds, note=decided)}

    return row


def raced(version: Version, number: str, watch: bool) -> tuple[Ended, str]:
    """A quick race, and how many of its statements were decided."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        words = ("./bench", "race", number, "--quick", "--json", str(path))
        done = version.run(*words, watch=watch)
        return done, decided_in(json.loads(path.read_text(encoding="utf-8")))


def decided_in(run: Mapping[str, Any]) -> str:
    """How many of a run file's statements have a verdict that decides them: "3 of 4 decided"."""
    verdicts = [each["verdict"] for each in run["results"]["verdicts"]]
    decided = sum(verdict not in UNDECIDED for verdict in verdicts)
    return f"{decided} of {len(verdicts)} decided"


def kernel(language: str) -> Row:
    """A notebook's kernel until it is ready, and its first cell."""

    def row(version: Version) -> Figures:
        python = str(version.folder / ".venv" / "bin" / "python")
        done = version.run(python, "-P", "-c", KERNEL, f"benchbook-{language}", CELL)
        line = next(line for line in done.printed.splitlines() if line.startswith("kernel: "))
        ready, cell = map(float, line.split()[1:])
        told = f"kernel {language}: "
        return {f"{told}ready": Measured(ready), f"{told}first cell": Measured(cell)}

    return row


def suite(version: Version) -> Figures:
    """Also where tests fail: they take their time all the same, and it is told."""
    done = version.run("./bench", "test", fine=(0, 1))
    note = done.printed.strip().splitlines()[-1].strip("= ")
    return {"`./bench test`, CPU time": Measured(done.cpu_seconds, note=note)}


def ci(version: Version) -> Figures:
    with version.clone() as folder:
        done = version.run(".ci/run", folder=folder, fine=(0, 1))
    note = done.printed.strip().splitlines()[-1]
    return {"`.ci/run` in a fresh clone": Measured(done.seconds, note=note)}


def memory(number: str) -> Row:
    def row(version: Version) -> Figures:
        done, _ = raced(version, number, watch=True)
        return {
            f"`./bench race {number} --quick`, peak memory, {name}": Measured(peak / 1e6, "MB")
            for name, peak in done.peaks.items()
        }

    return row


def rows() -> dict[str, Row]:
    """All rows by name, the short ones first."""
    raceable = [each.number for each in experiments.load_all() if not each.number.startswith("00")]
    return {
        **{f"kernel {language}": kernel(language) for language in LANGUAGES},
        **{f"race {number}": race(number) for number in raceable},
        "memory 03": memory("03"),
        "run 04": run_from_clone,
        "run all": run_all,
        "tests": suite,
        "ci": ci,
    }


# ── Both versions ────────────────────────────────────────────────────────────────────────────────


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@contextlib.contextmanager
def checked_out(commits: Mapping[str, str]) -> Iterator[dict[str, Version]]:
    """Worktrees of both versions, set up; they, and all that was started in them, are gone in the
    end."""
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="waits-")))
        stack.callback(git, "-C", str(ROOT), "worktree", "prune")
        keeper = stack.enter_context(Keeper())
        found = {}
        for name, commit in commits.items():
            folder = home / name
            git("-C", str(ROOT), "worktree", "add", "--detach", str(folder), commit)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            found[name] = version = Version(name, commit, folder, keeper)
            print(f"{commit}: set-up", flush=True)
            version.run("./bench", "setup", "--yes", "--with-tests")
        yield found


def measure(
    versions: Mapping[str, Version],
    chosen: Mapping[str, Row],
    turns: int,
    results: Results,
    path: Path,
) -> None:
    """Run all rows in turns, as often as is still missing; who comes first changes."""
    for turn in range(turns):
        for name, row in chosen.items():
            order = (THEN, NOW) if turn % 2 == 0 else (NOW, THEN)
            for each in order:
                if len(results.turns(name, each)) > turn:
                    continue
                print(f"{name}, {versions[each].commit}, turn {turn + 1} of {turns}", flush=True)
                results.problems.pop(f"{name}: {each}", None)
                try:
                    found = row(versions[each])
                except Exception as error:  # whatever it is, the other rows are measured
                    why = next(iter(str(error).splitlines()), type(error).__name__)
                    results.problems[f"{name}: {each}"] = f"{versions[each].commit}: {why}"
                    print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
                else:
                    results.turns(name, each).append(found)
                results.save(path)


def select(words: Sequence[str]) -> dict[str, Row]:
    """The rows that are named, by their whole name or its first word. Raises SystemExit."""
    every = rows()
    chosen: dict[str, Row] = {}
    for word in words or every:
        found = {name: row for name, row in every.items() if word in (name, name.split()[0])}
        if not found:
            raise SystemExit(f"there is no row '{word}': {', '.join(every)}")
        chosen |= found
    return chosen


def main() -> None:
    parser = ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("rows", nargs="*", help="rows, or the first words of several; all")
    parser.add_argument("--turns", type=int, default=TURNS, help="of each row, in both versions")
    parser.add_argument("--list", action="store_true", help="show the rows' names")
    asked = parser.parse_args()
    chosen = select(asked.rows)
    if asked.list:
        print("\n".join(chosen))
        return
    revisions = {THEN: EARLIER, NOW: "HEAD"}
    commits = {n: git("-C", str(ROOT), "rev-parse", "--short=7", c) for n, c in revisions.items()}
    results = Results.kept(KEPT, commits)
    try:
        with checked_out(commits) as versions:
            measure(versions, chosen, asked.turns, results, KEPT)
    finally:
        page = results.page(list(rows()), asked.turns)
        write_atomically(PAGE, page)
        print(page)


if __name__ == "__main__":
    main()
