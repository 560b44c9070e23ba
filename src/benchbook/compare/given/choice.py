"""One thing that a program is given, of several, and what it is called."""

from collections.abc import Callable
from dataclasses import dataclass

from benchbook.model.variants import Variant

Change = Callable[[Variant], Variant]


@dataclass(frozen=True)
class Choice:
    """label: in names ("node-22"); told: in titles ("Node.js 22.23.3"); change: gives it to a
    program."""

    label: str
    told: str
    change: Change


@dataclass(frozen=True)
class Axis:
    """Choices, one of which each program is given. refused: why a program can't be given one, ''
    where it can; one choice is no difference, and in no name."""

    flag: str
    choices: tuple[Choice, ...]
    refused: Callable[[Variant], str] = lambda variant: ""
