"""What a room guesses: the guesses in files of `./bench share`, before and after its races.

Such a file is somebody else's: all of it is checked against its schema, and what can't be used is
named and skipped (gathering.py does the same with runs).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchbook.analysis.pooled.gathering import Skipped, files, reason
from benchbook.analysis.pooled.untrusted import SHARED
from benchbook.model import documents
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.untrusted import read_json

SMALLEST, LARGEST = 1e-6, 1e6  # ratios beyond them are slips of the pen


@dataclass(frozen=True)
class RoomGuess:
    """An attendee's guess of a ratio (1.05 is 5 % more), and what that machine measured.

    to: the variant that it is compared with, '' for the baseline; ratio: None before the race.
    """

    attendee: str
    guess: float
    ratio: float | None = None


@dataclass(frozen=True)
class GuessedPair:
    """All guesses of one variant, compared with another one."""

    variant: str
    to: str
    guesses: tuple[RoomGuess, ...]

    @property
    def name(self) -> str:
        return f"{self.variant} : {self.to}" if self.to else self.variant

    @property
    def middle(self) -> float:
        """The median of the guesses."""
        return median(each.guess for each in self.guesses)

    @property
    def measured(self) -> tuple[float, ...]:
        """The ratios of those who have raced, from the lowest to the highest."""
        return tuple(sorted(each.ratio for each in self.guesses if each.ratio is not None))


@dataclass(frozen=True)
class GuessedWords:
    """The choices of one question in words: how many guessed each letter; right: the letter that
    those had who have seen it, '' where nobody has."""

    question: str
    counts: dict[str, int]
    right: str


@dataclass(frozen=True)
class GuessingRoom:
    """A room's guesses about one experiment."""

    experiment: str
    pairs: tuple[GuessedPair, ...]
    words: tuple[GuessedWords, ...]

    @property
    def attendees(self) -> int:
        return len({each.attendee for pair in self.pairs for each in pair.guesses})


def gather(places: Iterable[Path]) -> tuple[list[GuessingRoom], list[Skipped]]:
    """The guesses in files and folders, by experiment, and what was skipped.

    An attendee of whom there are several files counts once: with the newest of them. Raises
    InputError where nothing that is named exists.
    """
    there, skipped = files(places)
    read: list[tuple[str, dict[str, Any]]] = []
    for path in there:
        where = paths.relative(path)
        try:
            document = shared(path)
        except BenchError as error:
            skipped.append(Skipped(where, reason(error, where)))
            continue
        read.append((where, document))
    newest: dict[str, dict[str, Any]] = {}
    for where, document in sorted(
        reversed(read), key=lambda it: it[1].get("told", ""), reverse=True
    ):
        name = document["attendee"]
        if name in newest:
            skipped.append(Skipped(where, f"is an older file of {name}"))
        else:
            newest[name] = document
    return rooms(dict(sorted(newest.items()))), skipped


def shared(path: Path) -> dict[str, Any]:
    """The document of a shared file that holds guesses. Raises BenchError where it is none."""
    where = paths.relative(path)
    document = read_json(path, where)
    kind = document.get("format") if isinstance(document, dict) else None
    if kind != SHARED:
        problem = f"expected {SHARED}, found {documents.formatted(kind)}"
        raise InputError(where, "format", problem)
    light = checked(document, where)
    if not light.get("guesses") and not light.get("words"):
        raise InputError(where, "guesses", "are none", "guess with %predict, then ./bench share")
    return light


def checked(document: dict[str, Any], where: str) -> dict[str, Any]:
    """A shared file's document without its runs. Raises InputError where it is malformed, or holds
    a guess that nobody can mean."""
    light: dict[str, Any] = {**document, "runs": []}
    documents.check(light, "share", where)
    for i, each in enumerate(light.get("guesses", ())):
        if not all(SMALLEST <= each[n] <= LARGEST for n in ("guess", "ratio") if n in each):
            raise InputError(where, f"guesses[{i}]", "is beyond all measure")
    return light


def rooms(shared_by: dict[str, dict[str, Any]]) -> list[GuessingRoom]:
    """A room for each experiment, in order. shared_by: the documents by attendee."""
    pairs: dict[str, dict[tuple[str, str], list[RoomGuess]]] = {}
    words: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for attendee, document in shared_by.items():
        seen: set[tuple[str, ...]] = set()  # the first one is the guess
        for each in document.get("guesses", ()):
            key = (each["experiment"], each["variant"], each["to"])
            if key in seen:
                continue
            seen.add(key)
            found = pairs.setdefault(key[0], {}).setdefault(key[1:], [])
            found.append(RoomGuess(attendee, each["guess"], each.get("ratio")))
        for each in document.get("words", ()):
            asked = (each["experiment"], each["question"])
            if asked not in seen:
                seen.add(asked)
                words.setdefault(asked[0], {}).setdefault(asked[1], []).append(each)
    return [
        GuessingRoom(
            name,
            tuple(GuessedPair(*pair, tuple(some)) for pair, some in pairs.get(name, {}).items()),
            tuple(of_question(q, some) for q, some in sorted(words.get(name, {}).items())),
        )
        for name in sorted({*pairs, *words})
    ]


def of_question(name: str, answers: Sequence[dict[str, Any]]) -> GuessedWords:
    """How often each letter was guessed."""
    letters = [each["choice"] for each in answers]
    counts = {letter: letters.count(letter) for letter in sorted(set(letters))}
    right = [each["choice"] for each in answers if each.get("right")]
    return GuessedWords(name, counts, right[0] if right else "")
