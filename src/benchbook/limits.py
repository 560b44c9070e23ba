"""What the environment says of races: BENCHBOOK_MODE, and limits in BENCHBOOK_RACE.

A run of many notebooks shortens its races so, and so do the tests; no cell needs to be edited.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from benchbook.errors import InputError

MODE, VARIABLE = "BENCHBOOK_MODE", "BENCHBOOK_RACE"
KINDS = {
    "launches": int,
    "blocks": int,
    "seconds": float,
    "warmup": float,
    "shorten": int,
    "share": float,
    "connections": int,
    "seed": int,
    "tool": str,
    "variants": str,
}
LENGTHS = ("launches", "blocks", "seconds", "warmup")
PRESETS = ("connections", "seed", "tool", "variants")


@dataclass(frozen=True)
class Limits:
    """lengths: the most that a race may have, by option; presets: what holds where a cell says
    nothing; shorten: the least divisor of a published method's lengths; share: of the blocks, or of
    the time, that a race would otherwise take."""

    lengths: Mapping[str, float]
    presets: Mapping[str, object]
    shorten: int = 1
    share: float = 1.0

    def most(self, name: str, asked: float) -> float:
        """What is asked for, but at most what is allowed."""
        return min(asked, self.lengths.get(name, asked))


def mode(asked: str | None) -> str:
    return asked or os.environ.get(MODE) or "quick"


def read() -> Limits:
    """The limits of now, from words as launches=2 or share=0.7.

    Raises InputError, with the words that are known, for any other one.
    """
    given = {}
    for word in os.environ.get(VARIABLE, "").split():
        match = re.fullmatch(r"(\w+)=(\S+)", word)
        try:
            name, text = match.groups()
            given[name] = KINDS[name](text)
        except (AttributeError, KeyError, ValueError):
            known = " ".join(f"{name}=…" for name in KINDS)
            raise InputError(VARIABLE, "", f"can't read '{word}'", f"it knows {known}") from None
    for name, value in given.items():
        least = 0 if name in ("seed", "warmup") else 1e-9
        if not isinstance(value, str) and not least <= value <= (1 if name == "share" else 1e9):
            span = "between 0 and 1" if name == "share" else "more than 0"
            raise InputError(VARIABLE, name, f"is {value:g}", span)
    if "variants" in given:
        given["variants"] = tuple(given["variants"].split(","))
    return Limits(
        {name: given[name] for name in LENGTHS if name in given},
        {name: given[name] for name in PRESETS if name in given},
        max(1, given.get("shorten", 1)),
        given.get("share", 1.0),
    )
