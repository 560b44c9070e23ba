"""How counts and times are said, and how shares are read. Standard library only."""

import re


def counted(number: int, what: str) -> str:
    """A count with its noun: "1 launch", "2 launches", "1,000 samples"."""
    return f"{number:,} {what if number == 1 else plural(what)}"


def one(what: str) -> str:
    """One of a thing: "a load", "an operation"."""
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"


def duration(seconds: float) -> str:
    """A time in words: "20 s", "1 min 20 s"."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def plural(what: str) -> str:
    """launch, entry, sample, `block of warm-up`: launches, entries, samples, blocks of warm-up."""
    noun, of, rest = what.partition(" of ")
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies{of}{rest}"
    return f"{noun}{'es' if noun.endswith(('s', 'x', 'ch', 'sh')) else 's'}{of}{rest}"


def share(text: str) -> float | None:
    """`3%`, `0.03` as a share; None for what is neither."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*(%?)\s*", text)
    return float(match[1]) / (100 if match[2] else 1) if match else None
