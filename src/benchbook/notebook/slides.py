"""Which part of a talk each cell of a notebook is, for `jupyter nbconvert --to slides`.

A section begins a slide; below it, a slide for each thing to look at: a program, a plot, a table.
Left out is the code of exercises, and code too long for a slide; solutions are the speaker's notes.
`python tools/tidy_notebooks.py` writes it into the notebooks.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from nbformat import NotebookNode

from benchbook.notebook import editions, wrong_kernel

SLIDE, BELOW, SAME, NOTES, SKIP = "slide", "subslide", "-", "notes", "skip"
LINES, FEW_LINES = 24, 12  # of code, for which a slide of 700 px has room, also below a title
SHORT = 240  # characters of a text that leave room for code on the same slide
WITH_OUTPUT = re.compile(r"%(?!predict|check|%)|%%benchmark")  # what is shown needs a slide


def types(cells: Sequence[NotebookNode]) -> list[str]:
    """The slide_type of each cell, in order."""
    return list(_types(cells))


def _types(cells: Sequence[NotebookNode]) -> Iterator[str]:
    room, exercises = 0, False
    for cell in cells:
        kind = type_of(cell, room)
        exercises = kind != SLIDE and (exercises or editions.role(cell) is not None)
        yield SKIP if exercises and cell.cell_type == "code" else kind
        if kind not in (SKIP, NOTES):
            room = room_below(cell, kind)


def room_below(cell: NotebookNode, kind: str) -> int:
    """For how many lines of code a slide has room below a cell."""
    if cell.cell_type != "markdown" or len(cell.source) > SHORT:
        return 0
    return FEW_LINES if kind == SLIDE else LINES


def type_of(cell: NotebookNode, room: int) -> str:
    """room: for how many lines of code there is room below the text before it."""
    if cell.cell_type == "markdown":
        if re.match("##? ", cell.source):
            return SLIDE
        return NOTES if (editions.role(cell) or ("",))[0] == "solution" else BELOW
    if wrong_kernel.TAG in cell.metadata.get("tags", []) or cell.source.count("\n") >= LINES:
        return SKIP
    if WITH_OUTPUT.match(cell.source):
        return BELOW
    return SAME if cell.source.count("\n") < room else BELOW


def metadata(cells: Sequence[NotebookNode]) -> list[dict[str, Any]]:
    """All of the metadata that each cell of a committed notebook should have, in order."""
    return [_metadata(cell, kind) for cell, kind in zip(cells, types(cells), strict=True)]


def _metadata(cell: NotebookNode, kind: str) -> dict[str, Any]:
    slide = {"slideshow": {"slide_type": kind}} if kind != SAME else {}
    tags = cell.metadata.get("tags", [])
    if wrong_kernel.TAG in tags:
        return {**wrong_kernel.METADATA, **slide}
    code = cell.source if cell.cell_type == "code" else ""
    return {**editions.whole_cell(code), **({"tags": tags} if tags else {}), **slide}
