"""What a reader guessed, as tables: the guesses so far, and each beside its result."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchbook.analysis.judging.judge import Results
from benchbook.show.markup import Output, paragraph, table, total
from benchbook.show.wording import percent


@dataclass(frozen=True)
class Guess:
    """ratio: 1.05 is 5 % more; to: the variant that it is compared with, '' for the baseline;
    reason: why, in the reader's words, '' where none was given."""

    ratio: float
    to: str = ""
    reason: str = ""


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


def guesses(noted: Mapping[str, Guess], baseline: str, asked: Mapping[str, str] = {}) -> Output:
    """The reader's guesses so far, and what is asked and not guessed yet.

    asked: by variant the one that it is to be compared with.
    """
    if not noted and not asked:
        return paragraph("No guess yet. Write, for example: %predict VARIANT +5% because …")
    rows = [[n, g.to or baseline, percent(g.ratio), g.reason or "—"] for n, g in noted.items()]
    rows += [[name, to or baseline, "?", ""] for name, to in asked.items()]
    shown = table(["variant", "compared with", "your guess", "because"], rows, right=[2])
    hints = list(filter(None, [hint_of_blanks(asked, baseline), hint_of_reasons(noted)]))
    return total([shown, *map(paragraph, hints)])


def hint_of_blanks(asked: Mapping[str, str], baseline: str) -> str:
    """How to fill in what is asked."""
    if not asked:
        return ""
    name, to = next(iter(asked.items()))
    return (
        f"Put your guess in the place of each ? and run the cell again: is {name} faster than "
        f"{to or baseline}, or slower, and by how much? +5%, -5%, +0% and 2x are guesses; a ? is "
        "none, and does not count."
    )


def hint_of_reasons(noted: Mapping[str, Guess]) -> str:
    """What is missing where no reason was given."""
    without = [name for name, guess in noted.items() if not guess.reason]
    if not without:
        return ""
    return (
        f"Why? Write it behind the guess ({', '.join(without)}): because … A guess without a "
        "reason teaches little when it is wrong."
    )


def unguessed(asked: Mapping[str, str]) -> str:
    """What a race says that begins before all was guessed; '' where all was."""
    if not asked:
        return ""
    return f"Not guessed: {', '.join(asked)}. A guess counts only before its race."
