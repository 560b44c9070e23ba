"""Says what each notebook asks of its learners, cell by cell: `python tools/notebook_shape.py`.

Of each notebook: code cells, the share of magics among them (cells that call magics and nothing
else), the cells that learners write or change, pictures, plots of their own, questions of the quiz,
whether there is a take-away, and code cells without a sentence before them. A cell into which
learners write a guess (`%predict … ?`) or an answer (`%quiz 1 ?`) is theirs, and no magic. What a
notebook should have is GOAL, which a test demands of all but those that are named there.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / path) for path in ("src", "packages/benchbook-kernels/src")]

from benchbook.notebook import editions, wrong_kernel  # noqa: E402
from benchbook.notebook.checking import story  # noqa: E402
from benchbook.notebook.headless import execute  # noqa: E402
from benchbook.system import paths  # noqa: E402

MAGIC = re.compile(r"%(?!%|variant\b)")  # a line of one; %% and %variant hold, or show, a program
PICTURE = re.compile(r"(?m)^%picture\b|```mermaid|!\[[^\]]*\]\([^)]+\)")
PLOT = re.compile(r"\bplotly\(|\bgo\.Figure\(|\.plot\(|Plotly\.NET")
QUIZ = re.compile(r"(?m)^%quiz\b")
BLANK = re.compile(r"(?m)^%(predict|quiz) .*\?")  # a guess or an answer that learners write
EDIT = re.compile(r"\b[Ee]dit (?:its|the|both)? ?cells?\b|\bin the cells? of\b", re.IGNORECASE)
GOAL = {
    "learner": 3,
    "magics_percent": 40,
    "pictures": 1,
    "own_plots": 1,
    "questions": 3,
    "take_away": 1,
    "code_cells": 25,
    "unannounced": 0,
}
AT_MOST = ("magics_percent", "code_cells", "unannounced")  # of the others at least so many


@dataclass(frozen=True)
class Shape:
    """What a notebook has.

    learner: cells that a learner writes, changes or fills in: those that an exercise starts from,
    programs that one asks to edit, and blanks of %predict; those of the quiz are questions.
    own_plots: cells that draw without a magic of ours. unannounced: code cells of which nothing
    before them says what they are for.
    """

    code_cells: int
    magics_percent: int
    learner: int
    pictures: int
    own_plots: int
    questions: int
    take_away: int
    unannounced: int


def shape(notebook: nbformat.NotebookNode) -> Shape:
    """The shape of a notebook; the cell that asks for the right kernel is left out."""
    cells = [c for c in notebook.cells if wrong_kernel.TAG not in c.metadata.get("tags", [])]
    code = [c for c in cells if c.cell_type == "code"]
    magics = sum(is_magic(cell) for cell in code)
    texts = "\n".join(cell.source for cell in cells)
    return Shape(
        code_cells=len(code),
        magics_percent=round(100 * magics / max(1, len(code))),
        learner=len(set(of_learners(cells))),
        pictures=len(PICTURE.findall(texts)),
        own_plots=sum(bool(PLOT.search(c.source)) for c in code if not is_magic(c)),
        questions=len(QUIZ.findall(texts)),
        take_away=int("\n## Take it home" in f"\n{texts}"),
        unannounced=sum(unannounced(cells)),
    )


def is_magic(cell: nbformat.NotebookNode) -> bool:
    """Is every line a magic, none that shows a program, and none that learners fill in?"""
    lines = [line for line in cell.source.splitlines() if line.strip()]
    return bool(lines) and all(MAGIC.match(line) and not BLANK.match(line) for line in lines)


def of_learners(cells: Sequence[nbformat.NotebookNode]) -> Iterator[int]:
    """The indices of the cells that learners write, change or fill in."""
    places = {name: i for i, cell in enumerate(cells) for name in named(cell)}
    for i, cell in enumerate(cells):
        role = (editions.role(cell) or ("",))[0]
        if cell.cell_type == "code" and role == "exercise":
            yield i
        elif cell.cell_type == "code" and "predict" in BLANK.findall(cell.source):
            yield i
        if role == "exercise" and EDIT.search(cell.source):
            for name in re.findall(r"`([\w-]+)`", cell.source):
                if name in places:
                    yield places[name]


def named(cell: nbformat.NotebookNode) -> list[str]:
    """The variant whose program a cell holds, [] for another cell."""
    code = cell.source if cell.cell_type == "code" else ""
    return story.names_of(code) if code.startswith("%%") else []


def unannounced(cells: Sequence[nbformat.NotebookNode]) -> Iterator[bool]:
    """Of each code cell: does nothing say what it is for? What says so is the text before it, more
    than a heading, or a comment in its first line; of checks, the head of all exercises does."""
    announced = False
    for cell in cells:
        if cell.cell_type == "markdown":
            announced = len(re.sub(r"(?m)^#+ .*", "", cell.source).split()) >= 3
            continue
        if (editions.role(cell) or ("",))[0] == "check":
            yield False
            continue
        body = cell.source.split("\n", 1)[-1] if cell.source.startswith("%%") else cell.source
        yield not announced and not body.lstrip().startswith(("//", "# "))
        announced = False


def goal_of(name: str) -> dict[str, int]:
    """What the notebook of this name should have."""
    if name.startswith("start-"):
        own = {"learner": 3, "questions": 1, "code_cells": 9}
        return {**own, **{name: GOAL[name] for name in ("magics_percent", "unannounced")}}
    if name.startswith(("00-", "99-")):
        return {**GOAL, "code_cells": 30}
    return GOAL


def short_of(found: Shape, goal: dict[str, int]) -> list[str]:
    """The members that miss the goal."""
    values = asdict(found)
    return [name for name, wanted in goal.items() if missed(name, values[name], wanted)]


def missed(name: str, value: int, goal: int) -> bool:
    return value > goal if name in AT_MOST else value < goal


def shapes() -> dict[str, Shape]:
    """The shape of each notebook of the checkout, by name."""
    found: list[Path] = sorted(paths.notebooks().glob("*.ipynb"))
    return {path.stem: shape(execute.read(path)) for path in found}


def main() -> None:
    """Print the table, and what misses the goal."""
    found = shapes()
    columns = list(asdict(next(iter(found.values()))))
    print("  ".join(["notebook".ljust(28), *columns]))
    for name, each in found.items():
        values = [str(v).rjust(len(c)) for c, v in asdict(each).items()]
        missing = short_of(each, goal_of(name))
        print(
            "  ".join([name.ljust(28), *values]), f"  misses {', '.join(missing)}" * bool(missing)
        )
    print("goal: " + ", ".join(f"{n} {'≤' if n in AT_MOST else '≥'} {g}" for n, g in GOAL.items()))


if __name__ == "__main__":
    main()
