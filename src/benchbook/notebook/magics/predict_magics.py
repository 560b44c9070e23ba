"""%predict: what a reader guesses, before it is raced or seen."""

import re
from collections.abc import Iterable
from functools import partial
from typing import Any

from IPython.display import display

from benchbook.model.results import now
from benchbook.notebook import guesses, predictions
from benchbook.notebook.magics.experiment_offers import experiment_of, variants
from benchbook.notebook.predictions import GuessInWords
from benchbook.notebook.quiz import cards, questions
from benchbook.notebook.quiz.questions import QuizQuestion
from benchbook.notebook.workbench import Workbench
from benchbook.show import markup
from benchbook.show.cards import guess_cards
from benchbook.show.markup import Output
from benchbook_kernels.notebook.offers import Asked, offers
from benchbook_kernels.notebook.typed import Magics, line_magic, magics_class


@magics_class
class PredictMagics(Magics):
    """They look at what the magics of experiments hold."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.guesses_in = ""  # the id of the request to run a cell

    @property
    def chosen(self) -> Any:
        """The magics of experiments, as IPython has registered them."""
        return self.shell.magics_manager.registry["ExperimentMagics"]

    @line_magic
    @offers(lambda asked: guess_words(asked))
    def predict(self, line: str) -> None:
        """Note your guess before you race; %race and %verdict show it beside the result.

        Usage: %predict no-header ? because …             (put your guess in the place of the ?)
               %predict no-header +5% because it sends less     (5 % faster than the baseline)
               %predict no-header 1.2x --to no-json        (than another variant)
               %predict no-header-beats-set-header +5%     (a statement: the two that it names)
               %predict who-learns b because …             (a question in words, by its name)
               %predict who-learns --seen                  (what was seen, beside that guess)
               %predict                                    (your guesses so far)

        A ? is no guess: it asks, and nothing of it counts.
        """
        bench: Workbench = self.chosen.bench
        name, _, rest = line.strip().partition(" ")
        if question := questions.in_words_of(bench.experiment).get(name):
            display(self.answered(bench, question, rest.strip()))
            return
        if line.strip():
            problem = self.noted(bench, line)
            if problem:
                display(markup.note(problem))
        shown = guess_cards.guesses(bench.guesses, bench.experiment.baseline, bench.unguessed)
        self.show_guesses(shown)

    def noted(self, bench: Workbench, line: str) -> str:
        """Take a guess, or what is asked; returns what went wrong with keeping it."""
        words, amount, to, reason = guesses.parse_guess(line)
        if amount == guesses.BLANK:
            return bench.ask(words, to)
        name, _ = bench.guess(words, amount, to, reason)
        self.chosen.unfold()
        return bench.keep_open(name)

    def answered(self, bench: Workbench, question: QuizQuestion, rest: str) -> Output:
        """A question in words: asked, guessed, or seen."""
        if rest == guesses.SEEN:
            return self.seen(bench, question)
        answer, reason = guesses.split_reason(rest)
        if answer in ("", guesses.BLANK):
            known = bench.in_words.get(question.name)
            return cards.guessed(question, known.guess, known.reason) if known else cards.asked(
                question, f"%predict {question.name}"
            )  # fmt: skip
        letter = question.choice(answer, "%predict")
        guess = GuessInWords(bench.experiment.name, question.name, letter, now(), reason)
        bench.in_words[question.name] = guess
        self.chosen.unfold()
        problem = predictions.problem_with(lambda: predictions.keep_words(guess))
        return with_problem(cards.guessed(question, letter, reason), problem)

    def seen(self, bench: Workbench, question: QuizQuestion) -> Output:
        """What was to be seen, beside the guess."""
        guess = bench.in_words.get(question.name)
        shown = cards.seen(question, guess.guess if guess else "")
        if guess is None:
            return shown
        right = guess.guess == question.right
        settle = partial(predictions.settle_words, guess, right)
        return with_problem(shown, predictions.problem_with(settle))

    def show_guesses(self, card: Output) -> None:
        """Once in a cell, however many guesses it holds."""
        cell = self.shell.kernel.get_parent()["header"]["msg_id"]
        display(card, display_id=f"guesses-{cell}", update=self.guesses_in == cell)
        self.guesses_in = cell


def with_problem(shown: Output, problem: str) -> Output:
    return markup.total([shown, markup.note(problem)]) if problem else shown


def guess_words(asked: Asked) -> Iterable[str]:
    """What may stand after %predict: a variant that is compared with another one, or a question in
    words; behind an amount, with which variant it is compared."""
    experiment = experiment_of(asked)
    if asked.words[-1:] == ("--to",):
        return [name for name in variants(asked) if name != asked.words[0]]
    named = questions.in_words_of(experiment) if experiment else {}
    if not asked.words:
        baseline = experiment.baseline if experiment else ""
        return [*(name for name in variants(asked) if name != baseline), *named]
    if asked.words[0] in named:
        return [guesses.SEEN] if len(asked.words) == 1 else []
    said = re.search(r"\bbecause\b", " ".join(asked.words))
    return [] if "--to" in asked.words or said or len(asked.words) == 1 else ["--to"]
