"""The first ten minutes: short, and the learner's own. tests/browser/test_executed_notebooks.py
executes them solved."""

import re

import pytest

from benchbook.notebook import editions
from benchbook.notebook.headless import choosing, execute
from benchbook.notebook.quiz import cards, questions
from benchbook.system import paths

LANGUAGES = ("csharp", "node")
WORDS_A_MINUTE, LETTERS_A_WORD = 40, 5  # typed
READ_A_MINUTE = 180  # words, slowly
every = pytest.mark.parametrize("language", LANGUAGES)


def path_of(language: str):
    return paths.notebooks() / f"start-{language}.ipynb"


def code_of(cells) -> list[str]:
    return [cell.source for cell in cells if cell.cell_type == "code"]


@every
def test_it_has_at_most_ten_cells_a_guess_a_race_and_a_question(language):
    notebook = execute.read(path_of(language))
    assert len(notebook.cells) - 1 <= 10, "beside the cell that asks for the right kernel"
    text = "\n".join(code_of(notebook.cells))
    assert re.findall(r"(?m)^%(predict|race|check|quiz)\b", text) == [
        *("predict", "race", "check", "quiz")
    ]
    assert int(re.search(r"%race --for (\d+)s", text)[1]) <= 30
    starts = editions.exercises(notebook, "start")[1].starts
    assert [cell.source.split()[1] for cell in starts[:2]] == ["a", "b"], "the learner's programs"
    assert all("--server" in cell.source.split("\n")[0] for cell in starts[:2]), "host folded"


@every
def test_it_takes_ten_minutes_by_a_persons_clock(language):
    notebook = execute.read(path_of(language))
    exercise = editions.exercises(notebook, "start")[1]
    typed = sum(len(code.partition("\n")[2] or code) for code in exercise.code)
    texts = editions.student(notebook, "start").cells
    words = sum(len(cell.source.split()) for cell in texts)
    question = questions.load(questions.OF_OWN_QUESTIONS).questions["start"]
    words += len(cards.asked(question, "").text.split())
    seconds = 30 + 60  # the race, and a first build
    minutes = typed / LETTERS_A_WORD / WORDS_A_MINUTE + words / READ_A_MINUTE + seconds / 60
    assert minutes <= 10


def test_the_list_of_notebooks_and_the_readme_lead_there_first():
    assert [path.stem for path in choosing.known()[:2]] == ["start-csharp", "start-node"]
    readme = (paths.root() / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\(notebooks/([\w-]+)\.ipynb\)", readme)
    assert set(links[:2]) == {"start-csharp", "start-node"}
