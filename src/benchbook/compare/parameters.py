"""Sweeps: one command for each value of a parameter, by the rules that hyperfine's users know.

`{NAME}` in a command stands for the value. A scan goes from a smallest to a largest number in
steps; lists are given as words, of several all combinations are made.
https://github.com/sharkdp/hyperfine/blob/master/src/command.rs
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from benchbook_kernels.base.errors import InputError

SCAN, STEP, LIST = "--parameter-scan", "--parameter-step-size", "--parameter-list"
MOST = 200  # values, and commands that are made

Values = Mapping[str, str]  # by parameter


def replaced(text: str, values: Values) -> str:
    """A text with each {NAME} replaced, once: what a value holds is not replaced again."""
    if not values:
        return text
    names = "|".join(re.escape("{%s}" % name) for name in sorted(values, key=len, reverse=True))
    return re.sub(names, lambda found: values[found[0][1:-1]], text)


def stands_in(name: str, text: str) -> bool:
    return "{%s}" % name in text


def product(lists: Sequence[tuple[str, str]]) -> Iterator[dict[str, str]]:
    """All combinations of lists as ("cc", "gcc,clang"), the first of which changes fastest.

    Raises InputError where a parameter is given twice.
    """
    names = [name for name, _ in lists]
    for name in names:
        check_name(name, LIST)
        if names.count(name) > 1:
            raise InputError(LIST, name, "is given twice", "give all its values in one list")
    words = [tokens(values) for _, values in lists]
    for combination in itertools.product(*reversed(words)):
        yield dict(zip(names, reversed(combination), strict=True))


def tokens(values: str) -> list[str]:
    r"""`a,b` as ["a", "b"]; `\,` is a comma in a value, `\\` a backslash."""
    found = [""]
    for piece in re.findall(r"\\[,\\]|.", values, re.DOTALL):
        if piece == ",":
            found.append("")
        else:
            found[-1] += piece[-1] if piece in (r"\,", r"\\") else piece
    return found


def scan(name: str, low: str, high: str, step: str | None) -> Iterator[dict[str, str]]:
    """The values from `low` to `high`. Raises InputError where there are none, or endlessly many,
    or where a step is missing between numbers that are not whole."""
    check_name(name, SCAN)
    smallest, largest = number(low, SCAN, name), number(high, SCAN, name)
    if step is None and not (is_whole(low) and is_whole(high)):
        problem = f"a step is needed from {low} to {high}, which are not whole numbers"
        raise InputError(SCAN, name, problem, f"give it with {STEP} (-D)")
    each = number(step or "1", STEP, name)
    if largest < smallest:
        raise InputError(SCAN, name, f"{high} is less than {low}", "give the smaller one first")
    if each == 0:
        raise InputError(STEP, name, "is 0, so it would never end", "give a step above 0")
    if each < 0:
        raise InputError(STEP, name, f"is {step}", "give a step above 0")
    if (largest - smallest) / each >= MOST:
        problem = f"makes more than {MOST} values"
        raise InputError(SCAN, name, problem, f"take a larger step ({STEP}, -D)")
    value = smallest
    while value <= largest:
        yield {name: f"{value:f}"}
        value += each


def check_name(name: str, where: str) -> None:
    """Raises InputError for a name that can't stand in braces."""
    if not name or set("{}") & set(name):
        problem = f"'{name}' is no name of a parameter"
        raise InputError(where, "", problem, "give a word without braces, as in {size}")


def number(text: str, where: str, name: str) -> Decimal:
    """Raises InputError for anything but a number."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite():
        raise InputError(where, name, f"'{text}' is not a number", "as in: -P size 1 8")
    return found


def is_whole(text: str) -> bool:
    return re.fullmatch(r"[+-]?\d+", text) is not None
