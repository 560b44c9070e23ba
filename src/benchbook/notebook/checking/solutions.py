"""Do the exercises of a notebook have all their parts, and are they done once they are solved?"""

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from nbformat import NotebookNode

from benchbook.model.experiments import Experiment
from benchbook.notebook import editions, exercises
from benchbook.notebook.checking.findings import Problem
from benchbook.notebook.checking.story import CHOOSES, chosen, problem
from benchbook.notebook.editions import Exercise
from benchbook.notebook.workbench import Workbench
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError

NOT_RACED = "Nothing was raced yet"
VARIANT = "%%variant"


def wrong(notebook: NotebookNode, path: Path, of: list[Experiment]) -> Iterator[Problem]:
    """Everything that is wrong with the exercises of a notebook; `of`: the parts that it is about.

    Raises InputError for an exercise that is not whole.
    """
    found = editions.exercises(notebook, path.name)
    for number, cell in enumerate(notebook.cells, 1):
        if cell.source.startswith("%check") and not editions.role(cell):
            yield problem(
                path, number, "is a check without its tag", "tag it check-1, or its number"
            )
        if "<details>" in cell.source and not editions.role(cell):
            yield problem(path, number, "is a solution without its tag", "tag it solution-1")
    checked = {number: each for number, each in found.items() if each.checks}
    if not checked or not of:
        return
    checks = exercises.load(of[0])
    if list(checks) != list(checked):
        what = f"has the exercises {numbers(checked)}, exercises.py checks {numbers(checks)}"
        yield problem(path, 0, what, "give each a function, exercise_1 and so on")
        return
    for number, exercise in checked.items():
        for what in [*unsolved(number, exercise, of), *unpassed(number, exercise, notebook, path)]:
            yield problem(path, 0, f"exercise {number}: {what}")


def numbers(found: Iterable[int]) -> str:
    return ", ".join(map(str, found)) or "none"


def no_variable(name: str) -> str:
    """What a session says of a variable where no cell has run."""
    raise BenchError(f"{name} does not exist")


def unsolved(number: int, exercise: Exercise, of: list[Experiment]) -> Iterator[str]:
    """A check that passes where nothing was done; an edit that is none."""
    for experiment in of:
        view = exercises.view(Workbench(experiment), no_variable)
        if not exercises.missing(number, view):
            yield f"its check passes in {experiment.number} where nothing was done"
    if any(code.partition("\n")[0].strip() == VARIANT for code in exercise.code):
        yield f"its solution has a cell that begins with {VARIANT} and names none"
    variants = [variant for experiment in of for variant in experiment.variants]
    for name, code in edits(exercise).items():
        originals = [variant.code for variant in variants if variant.name == name]
        if not originals:
            yield f"its solution edits '{name}', which is no variant"
        for original in originals:
            if exercises.bare(code).split() == exercises.bare(original).split():
                yield f"its solution leaves '{name}' as it is"


def unpassed(number: int, exercise: Exercise, notebook: NotebookNode, path: Path) -> Iterator[str]:
    """What the check still misses with the solution's edits, beside the race."""
    wanted = edits(exercise)
    if not wanted:
        return
    paths.scratch().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="check-", dir=paths.scratch()) as scratch:
        bench = Workbench(chosen_above(exercise, notebook, path), scratch=Path(scratch))
        for name, code in wanted.items():
            bench.edit(name, code)
        missing = exercises.missing(number, exercises.view(bench, no_variable))
    if not missing or not missing[-1].startswith(NOT_RACED):
        yield "its check passes, or fails, before the solution was raced"
    for each in missing:
        if not each.startswith(NOT_RACED):
            yield f"with its solution there is still missing: {each}"


def chosen_above(exercise: Exercise, notebook: NotebookNode, path: Path) -> Experiment:
    """The experiment that is chosen where an exercise begins, perhaps by the cell it starts in."""
    above = [*notebook.cells[: notebook.cells.index(exercise.texts[0])], *exercise.starts]
    words = [match[1] for cell in above for match in CHOOSES.finditer(cell.source)]
    if not words:
        raise InputError(path.name, f"exercise {exercise.number}", "no %experiment is above it")
    return chosen(words[-1], path)


def edits(exercise: Exercise) -> dict[str, str]:
    """The code that a solution gives each variant."""
    found = (code.partition("\n") for code in exercise.code)
    named = ((line.split(), body) for line, _, body in found)
    return {words[1]: body for words, body in named if words[0:1] == [VARIANT] and words[1:]}
