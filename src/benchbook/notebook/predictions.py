"""The score of `%predict`: each guess with what the first race after it measured, kept locally.

They are in .benchbook/predictions.json and go nowhere from there. A guess counts once: who knows
the result does not predict. `./bench run` executes notebooks for nobody and keeps none (VARIABLE).
"""

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchbook.analysis.judging.verdicts import SMALLEST_EFFECT
from benchbook.model import documents
from benchbook.show import markup, wording
from benchbook.show.markup import Output
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.files import lock, write_atomically

FORMAT = "benchbook-predictions/1"
VARIABLE = "BENCHBOOK_SCORE"  # "off": nothing is kept
LOCK_SECONDS = 10.0
SHOWN = 12  # guesses in a list


@dataclass(frozen=True)
class Prediction:
    """A guess and its result, all as ratios to the same variant (1.05 is 5 % more).

    to: that variant, '' for the baseline; low, high: the measured 95 % interval; delta: the
    smallest difference that matters, as a share; run: the run file's name; when: UTC, ISO 8601.
    """

    experiment: str
    variant: str
    edited: bool
    guess: float
    ratio: float
    low: float
    high: float
    delta: float
    run: str
    when: str
    to: str = ""

    @property
    def inside(self) -> bool:
        """Did the guess lie within the measured interval?"""
        return self.low <= self.guess <= self.high

    @property
    def right_direction(self) -> bool:
        """More, less, or no difference: was it guessed as it was measured?

        Where no difference was found, a guess was right that is too small to matter.
        """
        small = 1 / (1 + self.delta) <= self.low and self.high <= 1 + self.delta
        if small or self.low <= 1 <= self.high:
            return 1 / (1 + self.delta) <= self.guess <= 1 + self.delta
        return self.guess > 1 if self.low > 1 else self.guess < 1


def file() -> Path:
    return paths.state() / "predictions.json"


def load() -> list[Prediction]:
    """All that were kept, the oldest first.

    Raises InputError for a damaged file, which stays as it is.
    """
    if not file().exists():
        return []
    try:
        document = documents.read_json(file(), "predictions")
    except InputError as error:
        where = paths.relative(file())
        remedy = f"mend it, or rename it to begin anew; {where} was not changed"
        raise BenchError(error.message, remedy) from None
    return [from_json(each) for each in document["predictions"]]


def from_json(document: dict[str, Any]) -> Prediction:
    """A guess from a document that fits the schema; older ones have a floor, and no delta."""
    members: dict[str, Any] = {"delta": SMALLEST_EFFECT, **document}
    members.pop("floor", None)
    return Prediction(**members)


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """One notebook at a time. Raises BenchError where another one does not let go."""
    path = file().with_suffix(".lock")
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(lock(path, LOCK_SECONDS))
        except TimeoutError:
            remedy = "another notebook is writing; call %score in a moment"
            raise BenchError(f"{paths.relative(path)} is locked", remedy) from None
        yield


def add(new: Sequence[Prediction]) -> None:
    """Keep more. Raises BenchError where the file is damaged or can't be written; it stays then."""
    with locked():
        every = [asdict(each) for each in [*load(), *new]]
        text = json.dumps({"format": FORMAT, "predictions": every}, indent=1, ensure_ascii=False)
        try:
            write_atomically(file(), text + "\n")
        except OSError as error:
            where = paths.relative(file())
            raise BenchError(f"{where} can't be written: {error}", "./bench doctor") from None


# ── Shown ────────────────────────────────────────────────────────────────────────────────────────


def score(which: str = "") -> Output:
    """How good the guesses were: all experiments in a table, or those of one, guess by guess."""
    every = [each for each in load() if which in ("", each.experiment)]
    if not every:
        return markup.paragraph("No guess has a result yet: %predict VARIANT +5%, then %race.")
    if which:
        return markup.total([summary(every), listed(every)])
    names = sorted({each.experiment for each in every})
    rows = [tally(name, [e for e in every if e.experiment == name]) for name in names]
    columns = ["experiment", "guesses", "in the interval", "right direction"]
    return markup.total([summary(every), markup.table(columns, rows, right=range(1, 4))])


def tally(name: str, some: Sequence[Prediction]) -> list[str]:
    inside, right = sum(e.inside for e in some), sum(e.right_direction for e in some)
    return [name, str(len(some)), str(inside), str(right)]


def summary(some: Sequence[Prediction]) -> Output:
    _, count, inside, right = tally("", some)
    return markup.paragraph(
        f"Of {count} {'guess' if count == '1' else 'guesses'} {inside} lay in the measured "
        f"interval, and {right} had the right direction (more, less, or no difference)."
    )


def listed(some: Sequence[Prediction]) -> Output:
    """The newest guesses, one in a row."""
    rows = [
        [
            each.variant + (" (edited)" if each.edited else ""),
            each.to or "the baseline",
            wording.percent(each.guess),
            wording.percent(each.ratio),
            f"{wording.percent(each.low)} to {wording.percent(each.high)}",
            "yes" if each.inside else "no",
            "yes" if each.right_direction else "no",
        ]
        for each in reversed(some[-SHOWN:])
    ]
    columns = ["variant", "compared with", "your guess", "measured", "95 % interval", "in it"]
    return markup.table([*columns, "right direction"], rows, right=range(2, 5))
