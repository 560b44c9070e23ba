"""`./bench room guesses`: reads attendees' files, prints what they guessed, writes one page."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from benchbook.analysis.pooled import guessing
from benchbook.analysis.pooled.gathering import Skipped
from benchbook.analysis.pooled.guessing import GuessedWords, GuessingRoom
from benchbook.model import experiments
from benchbook.model.naming import name_of
from benchbook.notebook.quiz import questions
from benchbook.notebook.quiz.questions import QuizQuestion
from benchbook.show import markup, page
from benchbook.show.cards import room_cards
from benchbook.show.figures.guesses import guesses_figure, numbers
from benchbook.show.markup import Output
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.files import write_atomically

NOT_YET = "The answers are not shown before somebody has seen them."


def write(places: Sequence[Path], out: Path) -> int:
    """Draw guesses; returns the exit code: 0, or 1 where no file has any.

    Raises InputError where nothing that is named exists.
    """
    found, skipped = guessing.gather(places)
    if folder := paths.only():
        known = {name_of(each.resolve()) for each in experiments.folders()}
        why = f"is of no experiment in {paths.relative(folder)}"
        skipped += [Skipped(each.experiment, why) for each in found if each.experiment not in known]
        found = [each for each in found if each.experiment in known]
    for each in skipped:
        click.echo(f"bench: skipped: {each.file}: {each.reason}", err=True)
    if not found:
        where = ", ".join(map(str, places))
        click.echo(f"bench: there is no guess in {where}", err=True)
        click.echo("  → %predict in a notebook, then ./bench share", err=True)
        return 1
    told = [(one, [in_words(each, one.experiment) for each in one.words]) for one in found]
    for one, questions_told in told:
        parts = [markup.heading(one.experiment), *([numbers(one)] if one.pairs else [])]
        click.echo("\n\n".join(part.text for part in [*parts, *questions_told]) + "\n")
    write_atomically(out, render(told, skipped))
    click.echo(f"page: {paths.relative(out)}")
    return 0


def in_words(guessed: GuessedWords, experiment: str) -> Output:
    """How often each choice was guessed; the right one, once somebody has seen it."""
    question = question_of(guessed.question, experiment)
    letters = list(question.choices) if question else list(guessed.counts)
    rows = [
        [
            f"{letter}) {question.choices[letter]}" if question else letter,
            str(guessed.counts.get(letter, 0)),
            "✔" if letter == guessed.right else "",
        ]
        for letter in letters
    ]
    asks = question.asks if question else guessed.question
    table = markup.table(["guess", "how many", "seen"], rows, right=[1])
    note = [] if guessed.right else [markup.paragraph(NOT_YET)]
    return markup.total([markup.paragraph(asks), table, *note])


def question_of(name: str, experiment: str) -> QuizQuestion | None:
    """A question in words of an experiment of this checkout, None where it has none."""
    try:
        path = questions.file_of(experiments.find(experiment))
        return questions.load(path).guesses.get(name)
    except BenchError:
        return None


def render(
    rooms: Sequence[tuple[GuessingRoom, Sequence[Output]]], skipped: Sequence[Skipped]
) -> str:
    """The page of these guesses, as HTML; with each room its questions in words, as they are
    told."""
    sections = []
    for found, told in rooms:
        parts = [guesses_figure(found).html()] if found.pairs else []
        sections.append((found.experiment, [*parts, *(each.html for each in told)]))
    files = ("Files", [room_cards.skipped_table(skipped).html])
    date = f"{datetime.now(UTC).astimezone():%d %B %Y, %H:%M %Z}"
    return page.render_room("Benchbook: the room's guesses", date, [*sections, files])
