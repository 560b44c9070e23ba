"""Reads what a reader guesses: a variant by some words of its name, and an amount."""

import re
import shlex

from benchbook.system.errors import InputError

AMOUNT = r"[+\-−]?\s*\d+(?:\.\d+)?\s*[%x×]?"


def squeeze(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def parse_amount(text: str) -> float:
    """A guess as a ratio: +5%, -3 %, 1.05, 2x. Raises InputError for anything else."""
    cleaned = text.replace("−", "-").replace(" ", "")
    if match := re.fullmatch(r"([+-]?\d+(?:\.\d+)?)%", cleaned):
        ratio = 1 + float(match.group(1)) / 100
    elif match := re.fullmatch(r"(\d+(?:\.\d+)?)[x×]?", cleaned):
        ratio = float(match.group(1))
    else:
        raise InputError("%predict", "", f"can't read '{text}'", "write +5%, -3% or 2x")
    if ratio <= 0:
        raise InputError("%predict", "", f"'{text}' would leave nothing", "write +5%, -3% or 2x")
    return ratio


def parse_guess(line: str) -> tuple[str, str, str]:
    """`writeHead object +5 % --to "no header"` as (variant words, amount, words of the other one).

    Raises InputError.
    """
    guessed, given, to = (part.strip() for part in line.partition("--to"))
    if given and (late := re.fullmatch(rf"(.+?)\s+({AMOUNT})", to)):  # the amount may come last
        guessed, to = f"{guessed} {late.group(2)}", late.group(1)
    match = re.fullmatch(rf"(.+?)\s+({AMOUNT})", guessed)
    if not match or (given and not to):
        remedy = "write %predict VARIANT +5%, or %predict VARIANT +5% --to OTHER"
        raise InputError("%predict", "", f"can't read '{line.strip()}'", remedy)
    return words(match.group(1)), match.group(2), words(to)


def words(text: str) -> str:
    """Without the quotation marks around them."""
    try:
        return " ".join(shlex.split(text))
    except ValueError as error:
        raise InputError(
            "%predict", "", f"can't read '{text}': {error}", "close the quote"
        ) from None
