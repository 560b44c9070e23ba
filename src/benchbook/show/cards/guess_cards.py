"""What a reader guessed, as tables: the guesses so far, and each beside its result."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchbook.analysis.judging.judge import Results
from benchbook.show.markup import Output, paragraph, table
from benchbook.show.wording import percent


@dataclass(frozen=True)
class Guess:
    """ratio: 1.05 is 5 % more; to: the variant that it is compared with, '' for the baseline."""

    ratio: float
    to: str = ""


def guess_text(name: str, guesses: Mapping[str, Guess], results: Results) -> str:
    """The guess beside the result: does it lie in the interval?"""
    guess = guesses.get(name)
    interval = results.against(name, guess.to) if guess else None
    if guess is None or interval is None:
        return ""
    inside = ", in the interval" if interval.low <= guess.ratio <= interval.high else ""
    if not guess.to:
        return percent(guess.ratio) + inside
    return f"{percent(guess.ratio)} to {guess.to}{inside}, measured {percent(interval.ratio)}"


def guesses(noted: Mapping[str, Guess], baseline: str) -> Output:
    """The reader's guesses so far."""
    if not noted:
        return paragraph("No guess yet. Write, for example: %predict VARIANT +5%")
    if not any(guess.to for guess in noted.values()):
        rows = [[name, percent(guess.ratio)] for name, guess in noted.items()]
        return table(["variant", f"your guess, compared with {baseline}"], rows, right=[1])
    rows = [[name, percent(g.ratio), g.to or baseline] for name, g in noted.items()]
    return table(["variant", "your guess", "compared with"], rows, right=[1])
