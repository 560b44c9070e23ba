"""Which part of a talk each cell of a notebook is, for `jupyter nbconvert --to slides`.

A section begins a slide; below it, a slide for each thing to look at: a program, a plot, a table.
What belongs to whoever runs the notebook is left out (checks, starting cells, code too long for a
slide), and solutions are the speaker's notes. `python docs/tidy_notebooks.py` writes it into the
notebooks.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from nbformat import NotebookNode

from benchbook.notebook import editions, wrong_kernel

SLIDE, BELOW, SAME, NOTES, SKIP = "slide", "subslide", "-", "notes", "skip"
LINES = 24  # of code, for which a slide of 700 px has room
SHORT = 240  # characters of a text that leave room for code on the same slide
WITH_OUTPUT = re.compile(r"%(?!predict|check|%)|%%benchmark")  # what is shown needs a slide


def types(cells: Sequence[NotebookNode]) -> list[str]:
    """The slide_type of each cell, in order."""
    return list(_types(cells))


def _types(cells: Sequence[NotebookNode]) -> Iterator[str]:
    open_ = False  # is there a text on the slide that waits for its code?
    for cell in cells:
        kind = type_of(cell, open_)
        yield kind
        if kind not in (SKIP, NOTES):
            open_ = cell.cell_type == "markdown" and len(cell.source) <= SHORT


def type_of(cell: NotebookNode, waiting: bool) -> str:
    """waiting: stands a short text before it, which may share a slide with its code?"""
    role = (editions.role(cell) or ("", 0))[0]
    if cell.cell_type == "markdown":
        if re.match("##? ", cell.source):
            return SLIDE
        return NOTES if role == "solution" else BELOW
    of_reader = role or wrong_kernel.TAG in cell.metadata.get("tags", [])
    if of_reader or cell.source.count("\n") >= LINES:
        return SKIP
    return SAME if waiting and not WITH_OUTPUT.match(cell.source) else BELOW


def metadata(cells: Sequence[NotebookNode]) -> list[dict[str, Any]]:
    """All of the metadata that each cell of a committed notebook should have, in order."""
    return [_metadata(cell, kind) for cell, kind in zip(cells, types(cells), strict=True)]


def _metadata(cell: NotebookNode, kind: str) -> dict[str, Any]:
    slide = {"slideshow": {"slide_type": kind}} if kind != SAME else {}
    tags = cell.metadata.get("tags", [])
    if wrong_kernel.TAG in tags:
        return {**wrong_kernel.METADATA, **slide}
    code = cell.source if cell.cell_type == "code" else ""
    return {**editions.shown_whole(code), **({"tags": tags} if tags else {}), **slide}
