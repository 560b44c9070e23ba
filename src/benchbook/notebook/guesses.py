"""Reads what a reader guesses: a variant by some words of its name, and an amount."""

import re
import shlex

from benchbook.system.errors import InputError


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


def parse_guess(line: str) -> tuple[str, str]:
    """`writeHead object +5 %` as (variant words, amount). Raises InputError."""
    match = re.fullmatch(r"(.+?)\s+([+\-−]?\s*\d+(?:\.\d+)?\s*[%x×]?)", line.strip())
    if not match:
        raise InputError("%predict", "", f"can't read '{line}'", "write %predict VARIANT +5%")
    return " ".join(shlex.split(match.group(1))), match.group(2)
