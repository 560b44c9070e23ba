"""Reads notebooks of .NET Interactive and Polyglot Notebooks, cell by cell: .dib and .ipynb files.

A .dib file is text in which a `#!` line begins a cell, and #!meta a JSON text about its kernels. An
.ipynb notebook says in the metadata of each cell in which language that is.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

from benchbook_kernels.base import untrusted
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.notebook.interactive import directives

OWN = "csharp"  # the language of a cell that names none, and of `#!value` lines
META = re.compile(r"^#!meta[ \t]*\n((?:(?!#!).*(?:\n|\Z))*?)(?=#!|\Z)", re.MULTILINE)
Nbformat: Any = nbformat  # which has no types
SAY_SO = ("polyglot_notebook", "dotnet_interactive")  # metadata that says a cell's language


@dataclass(frozen=True)
class Words:
    """What the words of one notebook for languages mean.

    kernels: what the notebook itself says of them, such as {"sales": "SQL"}.
    """

    kernels: Mapping[str, str]

    def language(self, word: str) -> str:
        """The language of directives.LANGUAGES that a word means, '' for one that can't run here.

        A kernel that a notebook connects to counts by its language, but not one of C#: that is
        another process, with state of its own.
        """
        if word == "value":
            return OWN
        known = directives.LANGUAGES.get(self.kernels.get(word, "").lower(), "")
        return directives.LANGUAGES.get(word, "" if known == OWN else known)

    def title(self, word: str) -> str:
        """What readers call a language that can't run here: its name, or that of its kernel."""
        known = self.kernels.get(word, "")
        named = "" if known.lower() in directives.LANGUAGES else known
        return directives.foreign(word) or named or word

    def chosen(self, line: str) -> str:
        """The word of a language that a `#!` line chooses for what is below, '' of any other."""
        found = directives.parse(line) if line.startswith("#!") else None
        if found is None or (found.word == "value" and found.rest):
            return ""
        known = {"value", *directives.LANGUAGES, *self.kernels}
        return found.word if found.word in known or directives.foreign(found.word) else ""


@dataclass(frozen=True)
class Cell:
    """kind: code, markdown or raw; word: what the notebook calls the language of code.

    line: how many lines of a .dib file stand before it; saved: the cell as an .ipynb file has it.
    """

    kind: str
    word: str
    code: str
    line: int = 0
    saved: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Document:
    cells: tuple[Cell, ...]
    words: Words
    metadata: Mapping[str, Any]


def read(path: Path) -> Document:
    """A notebook. Raises InputError for a file that can't be read, or is none."""
    where = str(path)
    if path.suffix.lower() == ".dib":
        return _dib(path, untrusted.read(path, where, "text", str))
    return _ipynb(path, untrusted.read_json(path, where))


def _dib(path: Path, text: str) -> Document:
    metadata: Any = {}
    if (match := META.search(text)) and match[1].strip():
        try:
            metadata = json.loads(match[1])
        except (ValueError, RecursionError) as error:
            raise InputError(
                path, "#!meta", f"is not JSON: {untrusted.message_of(error)}"
            ) from None
    text = META.sub(lambda match: "\n" * match[0].count("\n"), text)
    words, own = _kernels(path, metadata, "#!meta")
    return Document(tuple(_dib_cells(path, text.split("\n"), words, own or OWN)), words, {})


def _dib_cells(path: Path, lines: list[str], words: Words, word: str) -> Iterator[Cell]:
    begin = 0
    for number, line in enumerate([*lines, f"#!{OWN}"]):
        if not (chosen := words.chosen(line)):
            continue
        while begin < number and not lines[begin].strip():
            begin += 1
        if code := "\n".join(lines[begin:number]).rstrip():
            kind = "markdown" if words.language(word) == "markdown" else "code"
            yield Cell(kind, word, code, begin)
        found = directives.parse(line)
        if found and number < len(lines) and words.language(chosen) and directives.dropped(found):
            text = directives.dropped(found)
            problem = f"'{text}' after #!{chosen} would be lost"
            raise InputError(path, f"line {number + 1}", problem, "write it on the next line")
        # options of a language that can't run here, such as the name of a query, belong to it
        begin = number if " " in line.strip() and not words.language(chosen) else number + 1
        word = chosen


def _ipynb(path: Path, notebook: Any) -> Document:
    older = isinstance(notebook, dict) and "worksheets" in notebook
    if older:
        notebook = _newer(path, notebook)
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        there = isinstance(notebook, dict) and "cells" in notebook
        problem = (
            f"{'is not a list' if there else 'is missing'}: not a notebook in Jupyter's format 4"
        )
        raise InputError(path, "cells", problem, "save it once in Jupyter or VS Code")
    metadata = notebook.get("metadata", {})
    words, own = _kernels(path, metadata, "metadata")
    for name in ("kernelspec", "language_info"):
        if not isinstance(metadata.get(name) or {}, dict):
            raise InputError(path, f"metadata.{name}", "is not an object", untrusted.AGAIN)
    own = own or _word(metadata)
    return Document(tuple(_ipynb_cells(path, notebook["cells"], own, older)), words, metadata)


def _newer(path: Path, notebook: dict[str, Any]) -> Any:
    """A notebook in Jupyter's format 3 as one in format 4. Raises InputError."""
    try:
        return Nbformat.convert(Nbformat.reader.reads(json.dumps(notebook)), 4)
    except Exception as error:  # it takes for granted that a notebook is as it should be
        problem = f"is not a notebook in Jupyter's format 3: {type(error).__name__}: {error}"
        raise InputError(path, "worksheets", problem, "save it once in Jupyter") from None


def _word(metadata: Mapping[str, Any]) -> str:
    """What a `#!` line calls the language of a kernel: .net-csharp, benchbook-node, python3."""
    name = str((metadata.get("kernelspec") or {}).get("name", ""))
    return name.lower().removeprefix(".net-").removeprefix("benchbook-").rstrip("0123456789")


def _ipynb_cells(path: Path, cells: list[Any], own: str, older: bool) -> Iterator[Cell]:
    for number, cell in enumerate(cells):
        try:
            kind, source = _text(cell["cell_type"]), cell["source"]
            code = joined(source)
            polyglot, net = (cell.get("metadata", {}).get(name, {}) for name in SAY_SO)
            if not isinstance(cell.get("outputs", []), list):
                raise TypeError
            word = _text(polyglot.get("kernelName") or net.get("language") or own).lower()
        except (KeyError, TypeError, AttributeError):
            problem = "is not a cell in Jupyter's format 4"
            raise InputError(path, f"cells[{number}]", problem) from None
        if kind == "code" and not word:
            problem = "is missing" + (", as this is Jupyter's format 3" if older else "")
            remedy = "open it in Jupyter, choose its kernel and save"
            raise InputError(path, "metadata.kernelspec", problem, remedy)
        yield Cell(kind, word, code, saved=cell)


def joined(source: Any) -> str:
    """The text of a cell, saved whole or as a list of lines. Raises TypeError for what is neither.

    Some programs leave out the newlines of a list, and Jupyter then glues the lines together.
    """
    if isinstance(source, str):
        return source
    *lines, last = [*map(_text, source)] or [""]
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines) + last


def _kernels(path: Path, metadata: Any, field: str) -> tuple[Words, str]:
    """What a notebook says of its kernels, and its word for the one that cells run in.

    field: where its metadata stand. Raises InputError where that part of them is broken.
    """
    if not isinstance(metadata, dict):
        raise InputError(path, field, "is not an object", "write {} in its place")
    try:
        info = metadata.get("polyglot_notebook", metadata).get("kernelInfo", {})
        found: dict[str, str] = {}
        for each in info.get("items", []):
            for word in (each["name"], *each.get("aliases", [])):
                found[_text(word).lower()] = _text(each.get("languageName"))
        return Words(found), _text(info.get("defaultKernelName")).lower()
    except (KeyError, TypeError, AttributeError):
        problem = "is not what .NET Interactive writes there"
        raise InputError(path, "kernelInfo", problem, "delete that part of the metadata") from None


def _text(value: Any) -> str:
    """What should be a text, or is missing. Raises TypeError for what is neither."""
    if not isinstance(value, str | None):
        raise TypeError
    return value or ""
