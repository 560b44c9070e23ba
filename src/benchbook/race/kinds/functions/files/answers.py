"""What a function answers, leaf by leaf, and where two answers differ."""

from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 60  # characters of a leaf that a reader is shown
Leaf = tuple[str, str]  # where in the answer, what is there


@dataclass(frozen=True)
class FunctionAnswer:
    """What a function answered when it was called twice with the same.

    leaves: of the first answer, rest: a hash of those that are not in the list; steady: were both
    alike? comparable: '' or why the answer can't be compared with others.
    """

    leaves: tuple[Leaf, ...]
    rest: str = ""
    steady: bool = True
    comparable: str = ""


@dataclass(frozen=True)
class Difference:
    """Where two answers differ: the place ('' for the whole), and what each has there."""

    place: str
    one: str
    other: str


def difference(one: FunctionAnswer, other: FunctionAnswer) -> Difference | None:
    """The first difference of two answers, None where they are alike."""
    mine, theirs = dict(one.leaves), dict(other.leaves)
    for place in dict.fromkeys([*mine, *theirs]):
        pair = mine.get(place, "nothing"), theirs.get(place, "nothing")
        if pair[0] != pair[1]:
            return Difference(place, *around(*pair))
    if one.rest != other.rest:
        return Difference(f"after {len(mine)} values", "something", "something else")
    return None


def around(one: str, other: str) -> tuple[str, str]:
    """Two texts that differ, cut to where they do."""
    same = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), 0)
    begin = max(0, same - LONGEST // 2) if max(len(one), len(other)) > LONGEST else 0
    return cut(one, begin), cut(other, begin)


def cut(text: str, begin: int) -> str:
    part = text[begin : begin + LONGEST]
    return ("…" if begin else "") + part + ("…" if begin + LONGEST < len(text) else "")


def alike(first: Sequence[Leaf], second: Sequence[Leaf]) -> bool:
    return list(first) == list(second)
