"""What the environment says of races: BENCHBOOK_MODE, and limits in BENCHBOOK_RACE.

A run of many notebooks shortens its races so, and so do the tests; no cell needs to be edited.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from benchbook.race.options import OPTIONS, Option
from benchbook_kernels.base.errors import InputError

MODE, VARIABLE = "BENCHBOOK_MODE", "BENCHBOOK_RACE"
LENGTHS = ("launches", "blocks", "seconds", "warmup")
MODES = tuple(str(option.value) for option in OPTIONS if option.field == "mode")
PRESETS = ("connections", "seed", "tool", "variants")
SHARE = Option("--share", "Of the time that a race takes.", click.FloatRange(0, 1, min_open=True))
KNOWN = {
    option.name: option
    for option in (*OPTIONS, SHARE)
    if option.name in (*LENGTHS, *PRESETS, "shorten", "share")
}


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
    """What a cell asks for, or else the environment. Raises InputError for an unknown mode."""
    found = asked or os.environ.get(MODE) or "quick"
    if found not in MODES:
        raise InputError(MODE, "", f"there is no mode '{found}'", " or ".join(MODES))
    return found


def read() -> Limits:
    """The limits of now, from words as launches=2 or share=0.7.

    Raises InputError, with the words that are known, for any other one.
    """
    given: dict[str, Any] = {}
    for word in os.environ.get(VARIABLE, "").split():
        name, _, text = word.partition("=")
        if name not in KNOWN:
            known = " ".join(f"{each}=…" for each in KNOWN)
            raise InputError(VARIABLE, "", f"can't read '{word}'", f"it knows {known}")
        try:
            given[name] = KNOWN[name].read(text)
        except InputError as error:
            raise InputError(VARIABLE, name, error.problem, error.remedy) from None
    return Limits(
        {name: given[name] for name in LENGTHS if name in given},
        {name: given[name] for name in PRESETS if name in given},
        given.get("shorten", 1),
        given.get("share", 1.0),
    )
