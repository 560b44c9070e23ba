"""What an attack says: under which conditions the verdict holds, and under which it does not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from benchbook.analysis.judging import verdicts
from benchbook.analysis.judging.verdicts import NO_DIFFERENCE, OPPOSITE, REPRODUCED, TOO_CLOSE
from benchbook.analysis.statistics import stats
from benchbook.model.profiles.attack import Attack, Attempt
from benchbook.model.profiles.by_version import VersionAnswer

Told = TypeVar("Told", Attempt, VersionAnswer)

HOLDS, TURNS, ENDS, BEGINS, OPEN = (
    "holds",
    "turned round",
    "no difference any more",
    "a difference",
    "not told",
)
DIRECTIONS = (REPRODUCED, OPPOSITE)


@dataclass(frozen=True)
class ConditionAnswer:
    """An attempt, its verdict corrected for the number of attempts, and what follows: one of
    HOLDS, TURNS, ENDS, BEGINS, OPEN; '' for the usual race itself."""

    attempt: Attempt
    follows: str


def answers(attack: Attack) -> list[ConditionAnswer]:
    """What each condition says, in the order of asking. Directions are corrected by Holm's method:
    of many conditions one would seem to turn a verdict by chance."""
    tried = corrected(attack.attempts)
    if not tried:
        return []
    usual, *others = tried
    return [
        ConditionAnswer(usual, ""),
        *(ConditionAnswer(each, follows(usual, each)) for each in others),
    ]


def corrected(attempts: Sequence[Told]) -> list[Told]:
    """The attempts; a direction that many conditions, or versions, make likely by chance is too
    close to call."""
    adjusted = stats.holm([each.p for each in attempts])
    return [
        replace(each, verdict=TOO_CLOSE, why="a difference that one of so many shows by chance")
        if each.verdict in DIRECTIONS and p >= verdicts.ALPHA
        else each
        for each, p in zip(attempts, adjusted, strict=True)
    ]


def follows(usual: Attempt, other: Attempt) -> str:
    """What a condition says of the usual verdict."""
    known = (*DIRECTIONS, NO_DIFFERENCE)
    if usual.verdict not in known or other.verdict not in known:
        return OPEN
    if usual.verdict == other.verdict:
        return HOLDS
    if other.verdict == NO_DIFFERENCE:
        return ENDS
    return BEGINS if usual.verdict == NO_DIFFERENCE else TURNS
