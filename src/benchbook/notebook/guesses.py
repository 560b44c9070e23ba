"""Reads what a reader guesses: a variant by some words of its name, an amount, and a reason.

`?` instead of an amount is a question that is still open: nothing is guessed then.
"""

import re
import shlex

from benchbook_kernels.base.errors import InputError

FORMS = "write +5%, -3% or 2x"
BLANK = "?"
SEEN = "--seen"  # in the place of a guess in words
NUMBER = r"(?:\d+(?:[.,]\d*)?|[.,]\d+)"
AMOUNT = rf"(?:[+\-−]?\s*{NUMBER}\s*[%x×]?|\?)"
REASON = re.compile(r"\s+because\b(.*)$", re.DOTALL)


def parse_amount(text: str) -> float:
    """A guess as a ratio: 5%, +5 %, -0,5%, 2x, 1.05x.

    Raises InputError for anything else, also for a number alone: who writes 5 may mean 5 % or five
    times, and who writes 1.05 either.
    """
    cleaned = text.replace("−", "-").replace(" ", "").replace(",", ".")
    match = re.fullmatch(rf"([+-]?)({NUMBER})([%x×]?)", cleaned)
    if not match:
        raise InputError("%predict", "", f"can't read '{text}'", FORMS)
    sign, digits, unit = match.groups()
    if not unit:
        problem = f"'{text.strip()}' may be a percentage or a ratio"
        raise InputError("%predict", "", problem, written_out(sign, digits))
    number = float(digits)
    if unit == "%":
        ratio = 1 + (-number if sign == "-" else number) / 100
    else:
        ratio = -number if sign == "-" else number
    if ratio <= 0:
        raise InputError("%predict", "", f"'{text}' would leave nothing", FORMS)
    return ratio


def written_out(sign: str, digits: str) -> str:
    """What to write instead of a number alone: with a sign only a percentage can be meant."""
    if sign:
        return f"write {sign}{digits}%"
    return f"write {digits}% or +{digits}% for more, -{digits}% for less, {digits}x for a ratio"


def parse_guess(line: str) -> tuple[str, str, str, str]:
    """`writeHead object +5 % --to "no header" because …` as (variant words, amount, words of the
    other one, reason). The amount of an open question is BLANK.

    Raises InputError.
    """
    said, reason = split_reason(line)
    guessed, given, to = (part.strip() for part in said.partition("--to"))
    if given and (late := re.fullmatch(rf"(.+?)\s+({AMOUNT})", to)):  # the amount may come last
        guessed, to = f"{guessed} {late.group(2)}", late.group(1)
    match = re.fullmatch(rf"(.+?)\s+({AMOUNT})", guessed)
    if not match or (given and not to):
        remedy = "write %predict VARIANT +5%, or %predict VARIANT +5% --to OTHER"
        raise InputError("%predict", "", f"can't read '{line.strip()}'", remedy)
    return words(match.group(1)), match.group(2), words(to), reason


def split_reason(line: str) -> tuple[str, str]:
    """A guess without its reason, and the reason; '' where there is none, or only dots."""
    match = REASON.search(line)
    if match is None:
        return line.strip(), ""
    reason = " ".join(match[1].split())
    return line[: match.start()].strip(), "" if reason.strip(".… ") == "" else reason


def words(text: str) -> str:
    """Without the quotation marks around them."""
    try:
        return " ".join(shlex.split(text))
    except ValueError as error:
        raise InputError(
            "%predict", "", f"can't read '{text}': {error}", "close the quote"
        ) from None
