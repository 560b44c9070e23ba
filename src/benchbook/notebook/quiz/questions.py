"""Reads quiz.toml, which lies beside an experiment: its questions, their choices, and why each is
right or wrong (model/schemas/quiz.schema.json)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.model import documents
from benchbook.model.experiments import Experiment
from benchbook.notebook.quiz import arithmetic
from benchbook.system import paths
from benchbook_kernels.base import nearest
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.nearest import squeezed

FILE = "quiz.toml"
ANSWERS, BLANK = "--answers", "?"  # what stands in the place of an answer
ASKED = re.compile(r"(?m)^%quiz[ \t]+(\S+)[ \t]*(.*?)[ \t]*$")
OF_OWN_QUESTIONS = Path(__file__).parents[1] / "own" / FILE
PICTURE, CALCULATION = "picture", "calculation"


@dataclass(frozen=True)
class QuizPicture:
    """A plot of a recorded run. entries: the ones that are drawn, () for all."""

    run: str
    plot: str = "ratios"
    entries: tuple[str, ...] = ()


@dataclass(frozen=True)
class QuizQuestion:
    """A question with choices by letter. why: for each, why it is right or wrong.

    kind: PICTURE, CALCULATION or "not-shown"; '' for a guess in words. arithmetic: equations that
    the texts rest on.
    """

    name: str
    asks: str
    choices: Mapping[str, str]
    right: str
    why: Mapping[str, str]
    kind: str = ""
    picture: QuizPicture | None = None
    arithmetic: tuple[str, ...] = ()

    def choice(self, answer: str, magic: str) -> str:
        """The letter of an answer: a letter, or words of a choice. Raises InputError."""
        letter = answer.strip().strip("()").lower()
        if letter in self.choices:
            return letter
        wanted = squeezed(answer)
        found = [at for at, text in self.choices.items() if wanted and wanted in squeezed(text)]
        if len(found) == 1:
            return found[0]
        problem = "may be several of its choices" if found else "is none of its choices"
        letters = ", ".join(self.choices)
        raise InputError(
            magic, self.name, f"'{answer.strip()}' {problem}", f"write one of {letters}"
        )


@dataclass(frozen=True)
class Quiz:
    """All questions of an experiment, by name."""

    questions: Mapping[str, QuizQuestion]
    guesses: Mapping[str, QuizQuestion]

    def question(self, name: str) -> QuizQuestion:
        """Raises InputError for a name that none has."""
        if name not in self.questions:
            problem = nearest.unknown("question", name, list(self.questions))
            raise InputError("%quiz", "", problem)
        return self.questions[name]


def file_of(experiment: Experiment) -> Path:
    """Where the questions are; those of every reader's own question are the same."""
    return OF_OWN_QUESTIONS if experiment.in_place else experiment.asked_in(FILE)


def load(path: Path) -> Quiz:
    """The questions in a file. Raises InputError where it is missing, or wrong."""
    where = paths.relative(path)
    if not path.is_file():
        raise InputError(where, "", "does not exist", "this experiment asks no questions")
    document = documents.read_toml(path, "quiz")
    quiz = [of_quiz(table) for table in document.get("question", ())]
    guesses = [in_words(table) for table in document.get("guess", ())]
    for kind, some in (("question", quiz), ("guess", guesses)):
        names: set[str] = set()
        for i, each in enumerate(some):
            field = f"{kind}[{i}] ('{each.name}')"
            if each.name in names:
                raise InputError(where, f"{field}.name", "is the name of another one, too")
            names.add(each.name)
            check(each, where, field)
    return Quiz({each.name: each for each in quiz}, {each.name: each for each in guesses})


def in_words_of(experiment: Experiment) -> dict[str, QuizQuestion]:
    """The questions of an experiment that are guessed in words. Raises InputError where their file
    is wrong."""
    path = file_of(experiment)
    return dict(load(path).guesses) if path.is_file() else {}


def of_quiz(table: dict[str, Any]) -> QuizQuestion:
    drawn = table.get("picture")
    entries = tuple(drawn.get("entries", ())) if drawn else ()
    picture = QuizPicture(drawn["run"], drawn.get("plot", "ratios"), entries) if drawn else None
    given: dict[str, Any] = {
        **table,
        "picture": picture,
        "arithmetic": tuple(table.get("arithmetic", ())),
    }
    return QuizQuestion(**given)


def in_words(table: dict[str, Any]) -> QuizQuestion:
    """A guess: one text says what is seen, and why, whatever was guessed."""
    because = table.pop("because")
    return QuizQuestion(**table, why=dict.fromkeys(table["choices"], because))


def check(question: QuizQuestion, where: str, field: str) -> None:
    """Raises InputError where the members of a question do not fit one another."""
    if question.right not in question.choices:
        letters = ", ".join(question.choices)
        problem = f"'{question.right}' is none of its choices ({letters})"
        raise InputError(where, f"{field}.right", problem)
    for letter in question.choices:
        if letter not in question.why:
            raise InputError(where, f"{field}.why", f"says nothing of '{letter}'", "say why")
    if more := set(question.why) - set(question.choices):
        raise InputError(where, f"{field}.why", f"is of '{min(more)}', which is no choice")
    if (question.kind == PICTURE) != (question.picture is not None):
        problem = "is what a question of kind picture has, and no other"
        raise InputError(where, f"{field}.picture", problem)
    if question.kind == CALCULATION and not question.arithmetic:
        raise InputError(
            where, field, "has no arithmetic", 'write it: arithmetic = ["1 / 2 = 0.5"]'
        )
    for equation in question.arithmetic:
        if problem := arithmetic.wrong(equation):
            raise InputError(where, f"{field}.arithmetic", problem)


def solved(source: str) -> str:
    """A cell's code with all answers of the questions that it asks."""
    return ASKED.sub(
        lambda found: f"%quiz {found[1]} {ANSWERS}" if found[2] == BLANK else found[0], source
    )
