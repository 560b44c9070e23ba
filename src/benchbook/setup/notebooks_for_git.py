"""What git calls where `./bench setup --git-filter` was: running a notebook is no change of it.

    python notebooks_for_git.py clean notebooks/04-….ipynb <the file >what git compares and commits
    python notebooks_for_git.py changed 2 TOKEN    which files git has to look at (core.fsmonitor)

What running a notebook leaves in its file is taken out: outputs, numbers, times, and what a front
end writes about the kernel and the cells. A file in which nothing else changed comes out as git has
it, byte by byte. That alone would leave `git status` saying "modified", because git takes a file of
another size for a changed one and does not ask its filter; so it is not told of such a file.

Called by git at the top of the checkout, many times: it needs Python's standard library alone, and
imports nothing of Benchbook.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]
FOLDER = Path("notebooks")
AUTHORS = ("slideshow", "tags")  # metadata that only authors change
KEPT = ("scrolled", *AUTHORS)  # of a new cell's


# ── The filter ───────────────────────────────────────────────────────────────────────────────────


def cleaned(text: str, committed: str) -> str:
    """A notebook's text without what running it left; committed: as git has it, '' if new.

    A text that is no notebook stays as it is.
    """
    notebook, before = parsed(text), parsed(committed) or {"cells": [], "metadata": {}}
    if notebook is None or text == committed:
        return text
    cells = {cell.get("id"): cell["metadata"] for cell in before["cells"]}
    for cell in notebook["cells"]:
        mine, known = cell["metadata"], cells.get(cell.get("id"))
        kept = {key: mine[key] for key in KEPT if key in mine}
        if known is not None:  # all else of a cell front ends change, too
            kept = {key: value for key, value in known.items() if key not in AUTHORS}
            kept |= {key: mine[key] for key in AUTHORS if key in mine}
        cell["metadata"] = kept
        cell["source"] = "".join(cell["source"]).splitlines(keepends=True)
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    notebook["metadata"] = before["metadata"] or notebook["metadata"]
    if notebook == before:
        return committed
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def parsed(text: str) -> Json | None:
    """A notebook of the format that Jupyter writes today; None for anything else."""
    try:
        found: Json = json.loads(text)
        return found if found["nbformat"] == 4 and "metadata" in found else None
    except (ValueError, KeyError, TypeError):
        return None


# ── What git has to look at ──────────────────────────────────────────────────────────────────────


def changed() -> Iterator[str]:
    """Every file that may differ from the index: all but notebooks that were run and no more."""
    files = {*git("ls-files", "-z").split("\0"), *(path.as_posix() for path in FOLDER.iterdir())}
    for name in sorted(files - {""}):
        if Path(name).parent != FOLDER or not only_run(Path(name)):
            yield name


def only_run(path: Path) -> bool:
    """Is a notebook as git has it, apart from what running it left?"""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    committed = indexed(path.as_posix())
    return committed != "" and cleaned(text, committed) == committed


def indexed(path: str) -> str:
    """A file as the index has it, '' where it has none."""
    return git("cat-file", "blob", f":{path}")


def git(*words: str) -> str:
    """What git prints; '' where it fails. It must not ask us again."""
    command = ["git", "-c", "core.fsmonitor=false", *words]
    return subprocess.run(command, capture_output=True).stdout.decode("utf-8", "surrogateescape")


def main(task: str, *words: str) -> None:
    if task == "clean":
        given = sys.stdin.buffer.read().decode("utf-8")
        sys.stdout.buffer.write(cleaned(given, indexed(words[0])).encode("utf-8"))
    elif words[0] != "2":
        sys.exit(1)  # an older git: it looks at all files
    else:
        names = ["benchbook", *changed()]  # the first is a token for git's next question
        sys.stdout.buffer.write(
            b"".join(f"{name}\0".encode("utf-8", "surrogateescape") for name in names)
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
