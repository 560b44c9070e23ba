"""Makes a notebook of .NET Interactive or Polyglot Notebooks into one that runs in our C# kernel.

A cell of another language begins with a `#!` line that says so, because metadata doesn't reach a
kernel. What can't run here (F#, SQL …) is kept as text that says why, in the place where it stood.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.install import kernelspecs
from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook.interactive import directives, documents
from benchbook_kernels.notebook.interactive.documents import OWN, SAY_SO, Cell, Document

KINDS = (".dib", ".ipynb")
CONNECT = "#!connect"
OF_THEIRS = (*SAY_SO, "kernelInfo", "vscode")  # metadata that is not true of the new notebook
LEFT_OUT: Mapping[str, dict[str, Any]] = {
    "stream": {"name": "stdout"},
    "display_data": {"metadata": {}},
    "execute_result": {"metadata": {}, "execution_count": None},
    "error": {"traceback": []},
}
Nbformat: Any = nbformat  # which has no types
untyped: Any = v4


@dataclass
class Converted:
    """The notebook, how many of its code cells run here, and what of which cells can't.

    kept: names of languages, by the number that the cell had among all cells.
    """

    notebook: NotebookNode
    running: int
    kept: dict[int, list[str]]


@dataclass
class LinesOfACell:
    """Consecutive lines of a cell that all run here, or all can't: `title` then says what they are.

    word: what the language of its first line is called.
    """

    title: str
    word: str
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")


def convert(path: Path) -> Converted:
    """Raises InputError for what is no notebook of that kind, BenchError where none of it runs."""
    if path.suffix.lower() not in KINDS:
        raise InputError(path, "", "is not a notebook", f"name a file {' or '.join(KINDS)}")
    document = documents.read(path)
    if path.suffix.lower() == ".ipynb" and not of_net_interactive(document):
        problem = "neither this nor a cell's metadata names a kernel of .NET Interactive"
        raise InputError(path, "metadata.kernelspec", problem, "a notebook of that needs no other")
    made = Converted(untyped.new_notebook(metadata=metadata(document)), 0, {})
    for number, cell in enumerate(document.cells, start=1):
        kept: list[str] = []
        try:
            for new in converted(cell, document, kept):
                new.id = f"cell-{len(made.notebook.cells) + 1}"
                made.notebook.cells.append(new)
                made.running += new.cell_type == "code"
        except nbformat.ValidationError as error:
            reason = str(error).strip().partition("\n")[0]
            raise InputError(path, f"cells[{number - 1}]", f"is broken: {reason}") from None
        if kept:
            made.kept[number] = kept
    if made.kept and not made.running:
        titles = ", ".join(sorted({title for each in made.kept.values() for title in each}))
        raise BenchError(f"{path}: none of its code can run in Benchbook ({titles})")
    return made


def of_net_interactive(document: Document) -> bool:
    """Is it of .NET Interactive, Polyglot Notebooks, or of Benchbook already?"""
    name = str((document.metadata.get("kernelspec") or {}).get("name", "")).lower()
    cells = [cell.saved.get("metadata", {}) for cell in document.cells]
    said = any(key in each for each in (document.metadata, *cells) for key in SAY_SO)
    return said or name.startswith(".net-") or name in kernelspecs.KERNELS


def metadata(document: Document) -> dict[str, Any]:
    """The metadata of the new notebook: its kernel, and what the old one says besides."""
    language = declared()[OWN]
    kept = {key: value for key, value in document.metadata.items() if key not in OF_THEIRS}
    kernel = kernelspecs.portable(language.kernel)
    spec = {key: kernel[key] for key in ("display_name", "language")}
    spec["name"] = language.kernel
    return {**kept, "kernelspec": spec, "language_info": language.info}


def converted(cell: Cell, document: Document, kept: list[str]) -> Iterator[NotebookNode]:
    """The cells that one becomes; what of it can't run here is added to `kept`."""
    own = {k: v for k, v in cell.saved.get("metadata", {}).items() if k not in OF_THEIRS}
    more = {"metadata": own}
    if attached := cell.saved.get("attachments"):
        more["attachments"] = attached
    if cell.kind == "raw":
        yield untyped.new_raw_cell(cell.code, **more)
    elif cell.kind == "markdown" or document.words.language(cell.word) == "markdown":
        yield untyped.new_markdown_cell(cell.code, **more)
    else:
        found = runs(cell, document)
        last = max((at for at, run in enumerate(found) if not run.title), default=-1)
        for at, run in enumerate(found):
            if run.title:
                kept.append(run.title)
                yield untyped.new_markdown_cell(note(run), metadata=own)
                continue
            saved = cell.saved if at == last else {}
            yield untyped.new_code_cell(
                code_of(run, document),
                outputs=outputs(saved),
                execution_count=saved.get("execution_count"),
                metadata=own,
            )


def runs(cell: Cell, document: Document) -> list[LinesOfACell]:
    """A cell's lines, by whether they run here. There is at least one run."""
    words, word = document.words, cell.word
    found: list[LinesOfACell] = []
    for line in cell.code.split("\n"):
        word = words.chosen(line) or word
        title = "" if words.language(word) else words.title(word)
        if not title and line.startswith(CONNECT):
            title = CONNECT
        if not found or found[-1].title != title:
            found.append(LinesOfACell(title, word, []))
        found[-1].lines.append(line)
    return [run for run in found if run.text] or [LinesOfACell("", cell.word, [])]


def code_of(run: LinesOfACell, document: Document) -> str:
    """Lines for our C# kernel, which a `#!` line tells of another language."""
    language = document.words.language(run.word)
    if language == OWN or document.words.chosen(run.text.partition("\n")[0]) or not run.text:
        return run.text
    return f"#!{language}\n{run.text}"


def note(run: LinesOfACell) -> str:
    """Lines that can't run here, as Markdown that says so."""
    if run.title == CONNECT:
        why = f"`{CONNECT}` does nothing here: Benchbook has kernels of its own only."
    else:
        ours = ", ".join(each.title for each in declared().values())
        why = f"{run.title}, which does not run here (Benchbook's kernels run {ours} and Python):"
    longest = max((len(ticks) for ticks in re.findall(r"`+", run.text)), default=0)
    fence = "`" * max(3, longest + 1)
    name = directives.FOREIGN.get(run.word, "") and run.word
    return f"**{why}**\n\n{fence}{name}\n{run.text}\n{fence}"


def outputs(saved: Mapping[str, Any]) -> list[NotebookNode]:
    """The outputs that a cell was saved with, with what programs leave out of them."""
    found = [each for each in saved.get("outputs", []) if isinstance(each, dict)]
    whole = [{**LEFT_OUT.get(str(each.get("output_type")), {}), **each} for each in found]
    return [Nbformat.from_dict(each) for each in whole if is_valid(each)]


def is_valid(output: Any) -> bool:
    """Is it an output as Jupyter knows them? Some that .NET Interactive saved are not."""
    try:
        Nbformat.validate(output, ref="output", version=4)
        return True
    except nbformat.ValidationError:
        return False
