"""The score of `%predict`: each guess with what the first race after it measured, kept locally.

They are in .benchbook/predictions.json; `./bench share` takes the numbers, and no reason, from
there. A guess counts once: who knows the result does not predict. Guesses that no race has answered
yet are kept as well, for a room that looks at its guesses before it races, and so are guesses in
words. `./bench run` executes notebooks for nobody and keeps none (VARIABLE).
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from benchbook.analysis.judging.verdicts import SMALLEST_EFFECT
from benchbook.model import documents
from benchbook.show import markup, wording
from benchbook.show.markup import Output
from benchbook.show.sharing import SharedGuesses
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
    reason: str = ""

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


@dataclass(frozen=True)
class OpenGuess:
    """A guess that no race has answered yet; the members as those of a Prediction."""

    experiment: str
    variant: str
    guess: float
    when: str
    to: str = ""
    reason: str = ""


@dataclass(frozen=True)
class GuessInWords:
    """A guess of what will be seen: the letter of a choice of a question in quiz.toml.

    right: whether it was, once that was seen; None before.
    """

    experiment: str
    question: str
    guess: str
    when: str
    reason: str = ""
    right: bool | None = None


@dataclass
class KeptGuesses:
    """All that is kept: guesses with their results, the oldest first, and those without one."""

    predictions: list[Prediction] = field(default_factory=list)
    open: list[OpenGuess] = field(default_factory=list)
    words: list[GuessInWords] = field(default_factory=list)


def file() -> Path:
    return paths.state() / "predictions.json"


def is_off() -> bool:
    """Does nobody guess here, so that nothing is kept?"""
    return os.environ.get(VARIABLE) == "off"


def load() -> list[Prediction]:
    """The guesses with their results, the oldest first. Raises as everything() does."""
    return everything().predictions


def everything() -> KeptGuesses:
    """All that was kept.

    Raises InputError for a damaged file, which stays as it is.
    """
    if not file().exists():
        return KeptGuesses()
    try:
        document = documents.read_json(file(), "predictions")
    except InputError as error:
        where = paths.relative(file())
        remedy = f"mend it, or rename it to begin anew; {where} was not changed"
        raise BenchError(error.message, remedy) from None
    return KeptGuesses(
        [from_json(each) for each in document["predictions"]],
        [OpenGuess(**each) for each in document.get("open", ())],
        [GuessInWords(**each) for each in document.get("words", ())],
    )


def are_of(experiment: str) -> bool:
    """Was an experiment's result ever guessed here? Nothing of a damaged file counts."""
    try:
        kept = everything()
    except BenchError:
        return False
    named = [
        *(each.experiment for each in kept.predictions),
        *(each.experiment for each in kept.open),
        *(each.experiment for each in kept.words),
    ]
    return experiment in named


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


def change(what: Callable[[KeptGuesses], None]) -> None:
    """Change what is kept. Raises BenchError where the file is damaged or can't be written; it
    stays then."""
    with locked():
        kept = everything()
        what(kept)
        lists = {name: [asdict(each) for each in some] for name, some in vars(kept).items()}
        needed = {name: some for name, some in lists.items() if some or name == "predictions"}
        document: dict[str, Any] = {"format": FORMAT, **needed}
        text = json.dumps(document, indent=1, ensure_ascii=False)
        try:
            write_atomically(file(), text + "\n")
        except OSError as error:
            where = paths.relative(file())
            raise BenchError(f"{where} can't be written: {error}", "./bench doctor") from None


def add(new: Sequence[Prediction]) -> None:
    """Keep guesses with their results; they are open no more. Raises as change() does."""

    def answer(kept: KeptGuesses) -> None:
        kept.predictions += new
        answered = {(each.experiment, each.variant, each.to) for each in new}
        kept.open = [e for e in kept.open if (e.experiment, e.variant, e.to) not in answered]

    change(answer)


def keep_open(guess: OpenGuess) -> None:
    """Keep a guess before its race, instead of an earlier one of the same variant.

    Raises BenchError as change() does.
    """

    change(lambda kept: replace_open(kept, guess.experiment, guess.variant, [guess]))


def take_back(experiment: str, variant: str) -> None:
    """Keep an open guess no longer. Raises BenchError as change() does."""
    change(lambda kept: replace_open(kept, experiment, variant, []))


def replace_open(kept: KeptGuesses, experiment: str, variant: str, by: Sequence[OpenGuess]) -> None:
    others = [e for e in kept.open if (e.experiment, e.variant) != (experiment, variant)]
    kept.open = [*others, *by]


def problem_with(keep: Callable[[], None]) -> str:
    """Keep something, unless nobody guesses here; returns what went wrong, '' where nothing did."""
    if is_off():
        return ""
    try:
        keep()
    except BenchError as error:
        return str(error)
    return ""


def keep_words(guess: GuessInWords) -> None:
    """Keep a guess in words; one that was answered already stays as it is.

    Raises BenchError as change() does.
    """

    def replaced(kept: KeptGuesses) -> None:
        same = [e for e in kept.words if (e.experiment, e.question) == key(guess)]
        if not any(each.right is not None for each in same):
            kept.words = [e for e in kept.words if e not in same] + [guess]

    change(replaced)


def settle_words(guess: GuessInWords, right: bool) -> None:
    """What became of a guess in words was seen. Raises BenchError as change() does."""

    def settled(kept: KeptGuesses) -> None:
        kept.words = [
            replace(e, right=right) if key(e) == key(guess) and e.right is None else e
            for e in kept.words
        ]

    change(settled)


def key(guess: GuessInWords) -> tuple[str, str]:
    return guess.experiment, guess.question


def shared() -> SharedGuesses:
    """What a room may see of the guesses: names, numbers and letters, no reasons and no edits.

    Raises BenchError for a damaged file.
    """
    kept = everything()
    known = [p for p in kept.predictions if not p.edited]
    guesses: list[dict[str, Any]] = [
        {**of_pair(p), "guess": p.guess, "ratio": p.ratio} for p in known
    ]
    guesses += [{**of_pair(o), "guess": o.guess} for o in kept.open]
    words = [
        {"experiment": w.experiment, "question": w.question, "choice": w.guess, "right": w.right}
        for w in kept.words
    ]
    return SharedGuesses(guesses, words)


def of_pair(guess: Prediction | OpenGuess) -> dict[str, str]:
    return {"experiment": guess.experiment, "variant": guess.variant, "to": guess.to}


# ── Shown ────────────────────────────────────────────────────────────────────────────────────────


def score(which: str = "") -> Output:
    """How good the guesses were: all experiments in a table, or those of one, guess by guess."""
    every = [each for each in load() if which in ("", each.experiment)]
    if not every:
        return markup.paragraph(
            "No guess has a result yet: %predict VARIANT +5% because …, then %race."
        )
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
