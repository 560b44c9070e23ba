"""Checks the equations that a quiz's texts rest on: `1 / 1.25 = 0.8`, + - * / and brackets."""

import re

TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|[-+*/()])")


def wrong(equation: str) -> str:
    """What is wrong with an equation: '' where its left side is the right one, rounded to as many
    digits."""
    left, given, right = equation.partition("=")
    try:
        value, stated = valued(left), valued(right)
    except (ValueError, ZeroDivisionError):
        return f"'{equation}' is no equation of numbers: write 1 / 3 = 0.33"
    digits = len(right.strip().partition(".")[2])
    if not given or abs(value - stated) > 0.5 * 10**-digits * (1 + 1e-9):
        return f"{left.strip()} is {value:.{digits + 2}f}, not {right.strip()}"
    return ""


def valued(text: str) -> float:
    """The value of an expression. Raises ValueError where it is none."""
    tokens = TOKEN.findall(text)
    if "".join(tokens) != "".join(text.split()):
        raise ValueError(f"'{text}' has more than numbers, + - * / and brackets")
    value = added(tokens)
    if tokens:
        raise ValueError(f"'{text}' goes on with '{tokens[0]}'")
    return value


def added(tokens: list[str]) -> float:
    """A sum at the beginning of the tokens, which it takes away."""
    value = multiplied(tokens)
    while tokens and tokens[0] in "+-":
        sign = 1 if tokens.pop(0) == "+" else -1
        value += sign * multiplied(tokens)
    return value


def multiplied(tokens: list[str]) -> float:
    value = single(tokens)
    while tokens and tokens[0] in "*/":
        if tokens.pop(0) == "*":
            value *= single(tokens)
        else:
            value /= single(tokens)
    return value


def single(tokens: list[str]) -> float:
    """A number, a negative one, or a sum in brackets. Raises ValueError."""
    if not tokens:
        raise ValueError("a number is missing at the end")
    first = tokens.pop(0)
    if first == "-":
        return -single(tokens)
    if first != "(":
        return float(first)
    value = added(tokens)
    if not tokens or tokens.pop(0) != ")":
        raise ValueError("a bracket is not closed")
    return value
