"""Files that a `#!import` line runs, as the parts of a cell: notebooks, scripts and source files.

A .dib notebook is text in which a `#!` line begins a cell; an .ipynb notebook says in its metadata
which language a cell is in. What only explains (markdown, #!meta) is not run.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchbook.notebook import cells
from benchbook.notebook.cells import Part
from benchbook.notebook.interactive import directives
from benchbook.notebook.interactive.directives import DirectiveError
from benchbook.setup.languages import declared

LANGUAGES = {
    **{suffix: each.name for each in declared().values() for suffix in each.suffixes},
    ".py": "python",
    ".html": "html",
}
META = re.compile(r"^#!meta[ \t]*\n(?:(?!#!).*(?:\n|$))*", re.MULTILINE)


def parts_of(name: str, within: tuple[Path, ...] = ()) -> list[Part]:
    """The parts of a file and of those that it imports. Raises DirectiveError."""
    name = name.strip("\"'")
    path = Path(name)
    if not name:
        raise DirectiveError("#!import names no file", "write #!import helpers.dib")
    if path.resolve() in within:
        raise DirectiveError(f"#!import: {path.name} imports itself")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise DirectiveError(f"#!import: {name} can't be read: {error}") from None
    found: list[Part] = []
    for part in _parts(path, text):
        if part.language == "markdown":
            continue
        if part.directive and part.directive.word == "import":
            found += parts_of(part.directive.rest, (*within, path.resolve()))
        else:
            found.append(part)
    return found


def _parts(path: Path, text: str) -> Iterator[Part]:
    """The parts of one file, which errors in them name."""
    kind = path.suffix.lower()
    if kind == ".ipynb":
        for number, (language, code) in enumerate(_notebook(path, text), start=1):
            for part in cells.split(code, language):
                yield replace(part, source=f"{path.name}, cell {number}")
    elif kind == ".dib" or kind in LANGUAGES:
        if kind == ".dib":
            text = META.sub(lambda match: "\n" * match[0].count("\n"), text)
        for part in cells.split(text, LANGUAGES.get(kind, "csharp")):
            yield replace(part, source=path.name)
    else:
        known = ", ".join([".dib", ".ipynb", *LANGUAGES])
        raise DirectiveError(f"#!import does not know {path.suffix or 'such'} files", known)


def _notebook(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """The language and the code of each code cell of an .ipynb notebook."""
    try:
        notebook = json.loads(text)
        own = _word(notebook["metadata"]["kernelspec"]["name"])
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                yield _language(path, cell.get("metadata", {}), own), "".join(cell["source"])
    except (ValueError, KeyError, TypeError):
        raise DirectiveError(f"#!import: {path.name} is not a notebook with a kernel") from None


def _word(kernel: str) -> str:
    """What a `#!` line calls the language of a kernel: .net-csharp, benchbook-node, python3."""
    return kernel.removeprefix(".net-").removeprefix("benchbook-").rstrip("0123456789")


def _language(path: Path, metadata: dict[str, Any], own: str) -> str:
    polyglot, older = metadata.get("polyglot_notebook", {}), metadata.get("dotnet_interactive", {})
    word = (polyglot.get("kernelName") or older.get("language") or own).lower()
    if word not in directives.LANGUAGES:
        raise DirectiveError(
            f"#!import: {path.name} has cells of '{word}', which is not known here"
        )
    return directives.LANGUAGES[word]
