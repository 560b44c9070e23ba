"""Files that a `#!import` line runs, as the parts of a cell: notebooks, scripts and source files.

What only explains (markdown) is not run.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchbook_kernels.base.errors import InputError
from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook import cells
from benchbook_kernels.notebook.cells import Part
from benchbook_kernels.notebook.interactive import documents
from benchbook_kernels.notebook.interactive.directives import DirectiveError

LANGUAGES = {
    **{suffix: each.name for each in declared().values() for suffix in each.suffixes},
    ".py": "python",
    ".html": "html",
}
NOTEBOOKS = (".dib", ".ipynb")


def parts_of(name: str, within: tuple[Path, ...] = ()) -> list[Part]:
    """The parts of a file and of those that it imports. Raises DirectiveError."""
    name = name.strip("\"'")
    path = Path(name)
    if not name:
        raise DirectiveError("#!import names no file", "write #!import helpers.dib")
    if path.resolve() in within:
        raise DirectiveError(f"#!import: {path.name} imports itself")
    found: list[Part] = []
    for part in _parts(path):
        if part.language == "markdown":
            continue
        if part.directive and part.directive.word == "import":
            found += parts_of(part.directive.rest, (*within, path.resolve()))
        else:
            found.append(part)
    return found


def _parts(path: Path) -> Iterator[Part]:
    """The parts of one file, which errors in them name. Raises DirectiveError."""
    kind = path.suffix.lower()
    if kind in NOTEBOOKS:
        yield from _notebook(path)
    elif kind in LANGUAGES:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            raise DirectiveError(f"#!import: {path} can't be read: {error}") from None
        for part in cells.split(text, LANGUAGES[kind]):
            yield replace(part, source=path.name)
    else:
        known = ", ".join([*NOTEBOOKS, *LANGUAGES])
        raise DirectiveError(f"#!import does not know {path.suffix or 'such'} files", known)


def _notebook(path: Path) -> Iterator[Part]:
    """The parts of a notebook's code. Raises DirectiveError."""
    try:
        document = documents.read(path)
    except InputError as error:
        raise DirectiveError(f"#!import: {error.message}", error.remedy) from None
    is_text = path.suffix.lower() == ".dib"  # where cells are told by their lines
    code = [cell for cell in document.cells if cell.kind == "code"]
    for number, cell in enumerate(code, start=1):
        language = document.words.language(cell.word)
        if not language:
            title = document.words.title(cell.word)
            raise DirectiveError(f"#!import: {path.name} has {title} cells, which can't run here")
        source = path.name if is_text else f"{path.name}, cell {number}"
        for part in cells.split(cell.code, language):
            yield replace(part, line=part.line + cell.line, source=source)
