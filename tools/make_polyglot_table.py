"""Runs the C# cells of .NET Interactive's notebooks, and writes what came of them into
docs/from-polyglot-notebooks.md: `python tools/make_polyglot_table.py FOLDER…`.

Each folder is a checkout of a repository, and is called by the last two parts of its path. Nothing
is fetched here, and a folder is run as a copy. The code of its notebooks is run as it is: look at
it first. Where .NET Interactive is installed (a Jupyter kernel called .net-csharp), it runs the
same cells.
"""

import argparse
import contextlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / path) for path in ("src", "packages/benchbook-kernels/src")]

from nbformat import NotebookNode  # noqa: E402

from benchbook.model import results  # noqa: E402
from benchbook.system import kernels  # noqa: E402
from benchbook_kernels.base.errors import BenchError  # noqa: E402
from benchbook_kernels.notebook.interactive import conversion, documents  # noqa: E402
from benchbook_kernels.notebook.sessions import jupyter  # noqa: E402

TARGET = ROOT / "docs" / "from-polyglot-notebooks.md"
HEADING = "## Measured on public notebooks\n"
OURS, THEIRS = "benchbook-csharp", ".net-csharp"
SECONDS = 90  # that a cell has
START_SECONDS = 120
RAN = "run"
LATE = f"do not end within {SECONDS} s"
FOLLOWS = "need what a cell above declares or loads, which failed or is kept as text"
THROWS = "throw something else"
# why a cell failed, by what its error says; the first that fits
REASONS = {
    "need a package that can't be had on this machine": r"PackageError|\bNU1\d{3}\b",
    "need the network or a service": r"HttpRequestException|SocketException|WebException"
    r"|#!value: http",
    "need a file that is not there": r"(File|Directory)NotFoundException|can't be read",
    "ask the reader, who is not there": r"nobody can be asked|can't ask|[Ii]nput (is )?not",
    "are for Windows": r"PlatformNotSupported|DllNotFound|EntryPointNotFound|System\.Windows",
    "use something of .NET Interactive that Benchbook does not have": r"Microsoft\.DotNet\."
    r"Interactive|\.NET Interactive|is not known here|in Benchbook|no values can be taken",
    "do not compile": r"CompilationError|error CS\d+",
}
UNDECLARED = re.compile(r"\bname '(\w+)'")
LOADS = r"^\s*#(r|load|!import)\b"
COLOUR = re.compile(r"\x1b\[[\d;]*m")


@dataclass
class Outcome:
    """What came of the notebooks of one folder; cells: how each C# cell ended."""

    notebooks: int = 0
    cells: list[str] = field(default_factory=list)
    others: Counter[bool] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)

    def __add__(self, more: "Outcome") -> "Outcome":
        return Outcome(
            self.notebooks + more.notebooks,
            self.cells + more.cells,
            self.others + more.others,
            self.kept + more.kept,
        )


def notebooks(folder: Path) -> Iterator[tuple[Path, conversion.Converted]]:
    """The notebooks of .NET Interactive in a folder that have code for us."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in conversion.KINDS and path.is_file() and ".ipynb_" not in path.parent.name:
            with contextlib.suppress(BenchError):
                yield path, conversion.convert(path)


def is_csharp(cell: NotebookNode) -> bool:
    words = documents.Words({})
    return words.language(words.chosen(cell.source.partition("\n")[0]) or "csharp") == "csharp"


def run_notebook(name: str, path: Path, made: conversion.Converted) -> Outcome:
    """Run all cells of a notebook, one after the other, in a kernel of this name."""
    outcome = Outcome(notebooks=1)
    for titles in made.kept.values():
        outcome.kept.update(titles)
    lost = [cell.source for cell in made.notebook.cells if cell.cell_type == "markdown"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with kernels.started(name, START_SECONDS, cwd=str(path.parent), **quiet) as running:
        for cell in made.notebook.cells:
            if cell.cell_type == "code" and cell.source.strip():
                said = run_cell(*running, cell.source)
                if is_csharp(cell):
                    ended = RAN if said is None else reason(said, lost)
                    outcome.cells.append(ended)
                    print(f"  {ended}: {said[:300]!r}" if said else ".", file=sys.stderr)
                else:
                    outcome.others[said is None] += 1
                if said is not None:
                    lost.append(cell.source)
    return outcome


def run_cell(manager, client, code: str) -> str | None:
    """None where a cell ran, else what its error says."""
    if not manager.is_alive():  # an interrupt ended it
        return LATE
    try:
        reply = client.execute_interactive(
            code,
            timeout=SECONDS,
            allow_stdin=False,
            stop_on_error=False,
            output_hook=lambda _: None,
        )["content"]
    except TimeoutError:
        manager.interrupt_kernel()
        with contextlib.suppress(RuntimeError):
            client.wait_for_ready(timeout=SECONDS)
        return LATE
    if reply["status"] == "ok":
        return None
    words = [reply.get("ename", ""), reply.get("evalue", ""), *reply.get("traceback", [])]
    return COLOUR.sub("", "\n".join(words))


def reason(said: str, lost: list[str]) -> str:
    """Why a cell failed. lost: the texts of what did not run before it."""
    if said == LATE:
        return LATE
    names = UNDECLARED.findall(said)
    brings = re.compile(rf"\b({'|'.join(names)})\b|{LOADS}", re.MULTILINE)
    if names and any(brings.search(text) for text in lost):
        return FOLLOWS
    return next((why for why, words in REASONS.items() if re.search(words, said)), THROWS)


def run_folder(name: str, folder: Path) -> Outcome:
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(shutil.copytree(folder, Path(scratch) / folder.name))
        for path, made in notebooks(copy):
            print(f"{name} {path.relative_to(scratch)}", file=sys.stderr)
            outcome += run_notebook(name, path, made)
    return outcome


def table(heads: list[str], columns: list[Outcome], theirs: list[Outcome]) -> str:
    """A column a folder; the last is of all."""
    whys = [why for why in (*REASONS, FOLLOWS, LATE, THROWS) if why in columns[-1].cells]
    rows = {
        "notebooks with code that runs here": [c.notebooks for c in columns],
        "C# cells in them": [len(c.cells) for c in columns],
        "**run**": [f"**{c.cells.count(RAN)}**" for c in columns],
    }
    if theirs:
        pairs = [list(zip(a.cells, b.cells, strict=True)) for a, b in zip(columns, theirs)]
        rows["run in .NET Interactive"] = [c.cells.count(RAN) for c in theirs]
        rows["run here only"] = [sum(a == RAN != b for a, b in each) or "" for each in pairs]
        rows["run there only"] = [sum(a != RAN == b for a, b in each) or "" for each in pairs]
    rows |= {why: [c.cells.count(why) or "" for c in columns] for why in whys}
    rows["cells in HTML, JavaScript, Mermaid … that run"] = [
        f"{c.others[True]} of {c.others.total()}" for c in columns
    ]
    rows["cells kept as text (F#, PowerShell, SQL …)"] = [c.kept.total() or "" for c in columns]
    lines = [["", *heads], ["---", *["--:"] * len(heads)]]
    lines += [[label, *map(str, values)] for label, values in rows.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def page(old: str, made: str) -> str:
    """The page with a new table under the heading, to its end."""
    head = (
        f"\nMade by `tools/make_polyglot_table.py` on {results.now()[:10]}. Cells were run in the"
        " order of their notebook, also after one\nthat failed; nobody was there to answer. Some"
        " cells are meant to fail, to show an error, and some throw because a\nvariable of a cell"
        " that failed is empty.\n\n"
    )
    return old.partition(HEADING)[0] + HEADING + head + made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    folders = [folder.resolve() for folder in parser.parse_args().folders]
    columns = [run_folder(OURS, folder) for folder in folders]
    theirs = []
    if jupyter.installed(THEIRS):
        theirs = [run_folder(THEIRS, folder) for folder in folders]
        theirs.append(sum(theirs, Outcome()))
    columns.append(sum(columns, Outcome()))
    made = table(["/".join(f.parts[-2:]) for f in folders] + ["all"], columns, theirs)
    TARGET.write_text(page(TARGET.read_text(encoding="utf-8"), made), encoding="utf-8")
    print(made)


if __name__ == "__main__":
    main()
