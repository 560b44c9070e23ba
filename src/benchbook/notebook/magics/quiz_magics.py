"""%quiz: the questions at the end of a notebook. Their answers lie in quiz.toml."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from IPython.display import display

from benchbook.notebook.magics.experiment_offers import experiment_of
from benchbook.notebook.quiz import cards, pictures, questions
from benchbook.show.markup import Output
from benchbook_kernels.notebook.offers import Asked, offers
from benchbook_kernels.notebook.typed import Magics, line_magic, magics_class


@magics_class
class QuizMagics(Magics):
    """They ask about the chosen experiment; where none is chosen, about the reader's own."""

    def file(self) -> Path:
        """Where the questions are."""
        chosen: Any = self.shell.magics_manager.registry["ExperimentMagics"].chosen
        return questions.file_of(chosen.experiment) if chosen else questions.OF_OWN_QUESTIONS

    @line_magic
    @offers(lambda asked: quiz_words(asked))
    def quiz(self, line: str) -> Output:
        """Ask a question of the notebook's quiz, or answer it: wrong answers say why they are.

        Usage: %quiz 1 ?          (the question and its choices)
               %quiz 1 b          (your answer: the letter, or words of a choice)
               %quiz 1 --answers  (every choice, and why it is right or wrong)
               %quiz              (the list of all questions)
        """
        found = questions.load(self.file())
        name, _, answer = line.strip().partition(" ")
        if not name:
            return cards.all_of(list(found.questions.values()))
        question = found.question(name)
        answer = answer.strip()
        if question.picture:
            display(pictures.shown(question.picture))
        if answer == questions.ANSWERS:
            return cards.solved(question)
        if answer in ("", questions.BLANK):
            return cards.asked(question, f"%quiz {name}")
        return cards.answered(question, question.choice(answer, "%quiz"))


def quiz_words(asked: Asked) -> Iterable[str]:
    """What may stand after %quiz: a question, then its letters."""
    experiment = experiment_of(asked)
    path = questions.file_of(experiment) if experiment else questions.OF_OWN_QUESTIONS
    if not path.is_file():
        return []
    known = questions.load(path).questions
    if not asked.words:
        return known
    name, *more = asked.words
    return [*known[name].choices, questions.ANSWERS] if name in known and not more else []
