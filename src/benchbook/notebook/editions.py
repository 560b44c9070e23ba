"""Student and leader editions of a notebook, cut from the one source by the tags of its cells.

An exercise N is a markdown cell tagged `exercise-N`; perhaps a code cell with the same tag, where a
reader starts; a code cell with the line `%check N` tagged `check-N`; and a markdown cell tagged
`solution-N` whose fenced blocks, at the start of a line, are the cells that solve it. A question
that words answer has only text and solution. Cells without a tag are in all editions.
(The idea is scikit-learn-mooc's: exercises that are cut from solutions can't drift.)
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from benchbook.notebook.quiz import questions
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

untyped: Any = nbformat  # which has no types
v4: Any = nbformat.v4

TAG = re.compile(r"(exercise|check|solution)-(\d+)")
NO_SLIDE: dict[str, Any] = {"slideshow": {"slide_type": "skip"}}
FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass
class Exercise:
    """The cells of one exercise, by what they are."""

    number: int
    texts: list[NotebookNode] = field(default_factory=list)
    starts: list[NotebookNode] = field(default_factory=list)
    checks: list[NotebookNode] = field(default_factory=list)
    solutions: list[NotebookNode] = field(default_factory=list)

    @property
    def code(self) -> list[str]:
        """The cells that solve it."""
        return [block.rstrip("\n") for s in self.solutions for block in FENCE.findall(s.source)]


def role(cell: NotebookNode) -> tuple[str, int] | None:
    """("solution", 2) of a tagged cell, None of one without a tag of ours."""
    for tag in cell.metadata.get("tags", []):
        if match := TAG.fullmatch(tag):
            return match[1], int(match[2])
    return None


def exercises(notebook: NotebookNode, where: str) -> dict[int, Exercise]:
    """The exercises of a notebook by number.

    Raises InputError for one without a text, a check, a solution, or code that solves it.
    """
    found: dict[int, Exercise] = {}
    for cell in notebook.cells:
        if (own := role(cell)) is None:
            continue
        kind, number = own
        exercise = found.setdefault(number, Exercise(number))
        is_start = kind == "exercise" and cell.cell_type == "code"
        {
            "exercise": exercise.starts if is_start else exercise.texts,
            "check": exercise.checks,
            "solution": exercise.solutions,
        }[kind].append(cell)
    for number, exercise in found.items():
        if exercise.texts and exercise.solutions and not exercise.code and not exercise.checks:
            continue  # a question, answered in words
        parts = {"exercise": exercise.texts, "check": exercise.checks}
        for kind, some in {**parts, "solution": exercise.solutions}.items():
            if not some:
                raise InputError(where, f"exercise {number}", f"has no cell tagged {kind}-{number}")
        told = [set(map(str.strip, cell.source.splitlines())) for cell in exercise.checks]
        if len(told) != 1 or f"%check {number}" not in told[0]:
            problem = f"is not one cell with the line %check {number}"
            raise InputError(where, f"the cell tagged check-{number}", problem)
        if not exercise.code:
            remedy = "put the cells that solve it into fenced blocks, ``` at the start of a line"
            raise InputError(where, f"solution {number}", "holds no code", remedy)
    return dict(sorted(found.items()))


def student(notebook: NotebookNode, where: str) -> NotebookNode:
    """The notebook without solutions. Raises InputError as exercises() does."""
    exercises(notebook, where)
    return copy(notebook, [c for c in notebook.cells if (role(c) or [""])[0] != "solution"])


def leader(notebook: NotebookNode, where: str, notes: str) -> NotebookNode:
    """The notebook solved: solutions instead of starting cells, and the leader's notes on top.

    Raises InputError as exercises() does.
    """
    known = exercises(notebook, where)
    told = v4.new_markdown_cell(notes, id="leader-notes", metadata=NO_SLIDE)
    cells = [told] if notes else []
    for cell in notebook.cells:
        own = role(cell)
        exercise = known[own[1]] if own else None
        if exercise is None or cell not in exercise.starts:
            cells.append(with_answers(cell))
        else:
            cells += [v4.new_code_cell(line, metadata=NO_SLIDE) for line in chooses(cell)]
        last = exercise and [*exercise.texts, *exercise.starts][-1]
        if exercise and cell is last:
            cells += solved(exercise)
    return copy(notebook, cells)


def chooses(start: NotebookNode) -> list[str]:
    """The lines of a starting cell that choose an experiment, which its solution is about, too."""
    return [line for line in start.source.splitlines() if line.startswith("%experiment ")]


def with_answers(cell: NotebookNode) -> NotebookNode:
    """A cell that asks a question of the quiz, with all of its answers; any other as it is."""
    answered = questions.solved(cell.source) if cell.cell_type == "code" else cell.source
    if answered == cell.source:
        return cell
    changed: NotebookNode = untyped.from_dict({**cell, "source": answered})
    return changed


def solved(exercise: Exercise) -> list[NotebookNode]:
    """The cells that solve an exercise."""
    number = exercise.number
    return [
        v4.new_code_cell(
            code,
            id=f"solved-{number}-{i}",
            metadata={"tags": [f"solution-{number}"], **NO_SLIDE, **whole_cell(code)},
        )
        for i, code in enumerate(exercise.code, 1)
    ]


def whole_cell(code: str) -> dict[str, Any]:
    """The metadata of a code cell: what a magic shows must not scroll in a box of its own.

    Notebook 6 does that with all that is higher than 100 lines, JupyterLab where it is told to.
    """
    return {"scrolled": False} if code.startswith("%") and not code.startswith("%%") else {}


def copy(notebook: NotebookNode, cells: list[NotebookNode]) -> NotebookNode:
    """A notebook of its own with these cells."""
    made = v4.new_notebook(metadata=notebook.metadata, cells=cells)
    made.nbformat_minor = notebook.nbformat_minor
    whole: NotebookNode = untyped.reads(untyped.writes(made), as_version=4)
    return whole


def moved(notebook: NotebookNode, folder: Path, old: Path) -> NotebookNode:
    """The same notebook for another folder than the old one: `../snippets/…` leads to this checkout
    from there, `%experiment .` to the folder where it lay."""
    above, beside = seen_from(folder, paths.root()), seen_from(folder, old)
    for cell in notebook.cells:
        cell.source = re.sub(
            r"(?m)^%experiment[ \t]+\.(?=/|$)", f"%experiment {beside.as_posix()}", cell.source
        )
        cell.source = re.sub(
            r"\.\./(?=(?:snippets|src|docs|data)/)", f"{above.as_posix()}/", cell.source
        )
    return notebook


def seen_from(folder: Path, place: Path) -> Path:
    """The path of a place from a folder."""
    try:
        return Path(os.path.relpath(place, folder.resolve()))
    except ValueError:  # another drive
        return place
