"""Does a notebook ask what quiz.toml holds, once each, and does no cell give an answer away?"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from nbformat import NotebookNode

from benchbook.model.experiments import Experiment
from benchbook.notebook.checking.findings import Problem
from benchbook.notebook.checking.story import problem
from benchbook.notebook.quiz import pictures, questions
from benchbook.notebook.quiz.questions import Quiz
from benchbook.system import paths


def there(path: Path, of: Sequence[Experiment]) -> bool:
    """Is there a quiz at all, in a file or in the notebook? An experiment needs none."""
    return questions.file_of(of[0]).is_file() or b"%quiz" in path.read_bytes()


def wrong(notebook: NotebookNode, path: Path, of: Sequence[Experiment]) -> Iterator[Problem]:
    """Everything that is wrong with a notebook's quiz; `of`: the parts that it is about.

    Raises InputError where the file of the questions is wrong, or a picture can't be drawn.
    """
    file = questions.file_of(of[0])
    asked = list(lines(notebook))
    if not file.is_file():
        if asked:
            what = f"asks %quiz, and there is no {paths.relative(file)}"
            yield problem(path, asked[0][0], what, "write the questions and answers there")
        return
    yield from of_file(questions.load(file), asked, notebook, path)


def lines(notebook: NotebookNode) -> Iterator[tuple[int, str, str]]:
    """(number of the cell, name of the question, what stands in the place of an answer)."""
    for number, cell in enumerate(notebook.cells, 1):
        for found in questions.ASKED.finditer(cell.source) if cell.cell_type == "code" else ():
            yield number, found[1], found[2]


def of_file(
    quiz: Quiz, asked: Sequence[tuple[int, str, str]], notebook: NotebookNode, path: Path
) -> Iterator[Problem]:
    """What the questions and the cells say otherwise."""
    for number, name, answer in asked:
        if name not in quiz.questions:
            yield problem(path, number, f"asks %quiz {name}, which quiz.toml lacks")
        if answer != questions.BLANK:
            yield problem(path, number, "answers for the reader", f"write %quiz {name} ?")
    names = [name for _, name, _ in asked]
    for name, question in quiz.questions.items():
        if names.count(name) != 1:
            yield problem(path, 0, f"asks %quiz {name} {names.count(name)} times", "ask it once")
        if question.picture:
            pictures.chosen(question.picture)
    text = "\n".join(cell.source for cell in notebook.cells)
    for question in [*quiz.questions.values(), *quiz.guesses.values()]:
        if question.why[question.right] in text:
            yield problem(path, 0, f"tells why {question.name} has its answer", "leave that out")
    for name in quiz.guesses:
        if f"%predict {name} ?" not in text or f"%predict {name} --seen" not in text:
            what = f"does not ask and show the guess {name}"
            yield problem(path, 0, what, f"write %predict {name} ?, and --seen after it was shown")
