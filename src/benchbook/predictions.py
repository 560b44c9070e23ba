"""The score of `%predict`: each guess with what the first race after it measured, kept locally.

They are in .benchbook/predictions.json and go nowhere from there. A guess counts once: who knows
the result does not predict. `./bench run` executes notebooks for nobody and keeps none (VARIABLE).
"""

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from benchbook import cards, documents, paths, results
from benchbook.bootstrap import try_lock
from benchbook.cards import Output
from benchbook.errors import BenchError, InputError
from benchbook.judge import Results
from benchbook.workbench import Workbench

FORMAT = "benchbook-predictions/1"
VARIABLE = "BENCHBOOK_SCORE"  # "off": nothing is kept
LOCK_SECONDS = 10.0
SHOWN = 12  # guesses in a list


@dataclass(frozen=True)
class Prediction:
    """A guess and its result, all as ratios to the baseline (1.05 is 5 % more).

    low, high: the measured 95 % interval; floor: the race's floor as a share, None where unknown;
    run: the run file's name; when: UTC, ISO 8601.
    """

    experiment: str
    variant: str
    edited: bool
    guess: float
    ratio: float
    low: float
    high: float
    floor: float | None
    run: str
    when: str

    @property
    def inside(self) -> bool:
        """Did the guess lie within the measured interval?"""
        return self.low <= self.guess <= self.high

    @property
    def right_direction(self) -> bool:
        """More, less, or no difference: was it guessed as it was measured?

        A difference below the floor is none, guessed or measured.
        """
        floor = self.floor or 0.0
        guessed = 0 if abs(self.guess - 1) <= floor else (1 if self.guess > 1 else -1)
        measured = 1 if self.low > 1 + floor else -1 if self.high < 1 - floor else 0
        return guessed == measured


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
    return [Prediction(**each) for each in document["predictions"]]


@contextmanager
def locked() -> Iterator[None]:
    """One notebook at a time. Raises BenchError where another one does not let go."""
    path = file().with_suffix(".lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    deadline = time.monotonic() + LOCK_SECONDS
    try:
        while not try_lock(descriptor):
            if time.monotonic() > deadline:
                remedy = "another notebook is writing; call %score in a moment"
                raise BenchError(f"{paths.relative(path)} is locked", remedy)
            time.sleep(0.05)
        yield
    finally:
        os.close(descriptor)


def add(new: Sequence[Prediction]) -> None:
    """Keep more. Raises BenchError where the file is damaged or can't be written; it stays then."""
    with locked():
        every = [asdict(each) for each in [*load(), *new]]
        text = json.dumps({"format": FORMAT, "predictions": every}, indent=1, ensure_ascii=False)
        try:
            results.write_atomically(file(), text + "\n")
        except OSError as error:
            where = paths.relative(file())
            raise BenchError(f"{where} can't be written: {error}", "./bench doctor") from None


def settle(bench: Workbench, found: Results) -> str:
    """Keep the open guesses of which the workbench's last race has a result.

    Returns what went wrong, '' where nothing did; the guesses wait in the workbench then.
    """
    run = bench.run
    if run is None or not run.complete or os.environ.get(VARIABLE) == "off":
        return ""
    for name in sorted(bench.open_guesses & set(found.ratios)):
        interval = found.ratios[name]
        prediction = Prediction(
            experiment=bench.experiment.name,
            variant=name,
            edited=run.entry(name).edited,
            guess=bench.guesses[name],
            ratio=interval.ratio,
            low=interval.low,
            high=interval.high,
            floor=found.floor.reach if found.floor else None,
            run=run.path.name if run.path else "",
            when=run.finished or results.now(),
        )
        bench.open_guesses.discard(name)
        bench.unkept.append(prediction)
    return keep(bench)


def keep(bench: Workbench) -> str:
    """Write what waits in the workbench; returns what went wrong, '' where nothing did."""
    if not bench.unkept:
        return ""
    try:
        add(bench.unkept)
    except BenchError as error:
        count = "1 guess waits" if len(bench.unkept) == 1 else f"{len(bench.unkept)} guesses wait"
        return f"{error}\n{count} in this notebook; %score writes them, once that is done."
    bench.unkept.clear()
    return ""


# ── Shown ────────────────────────────────────────────────────────────────────────────────────────


def score(which: str = "") -> Output:
    """How good the guesses were: all experiments in a table, or those of one, guess by guess."""
    every = [each for each in load() if which in ("", each.experiment)]
    if not every:
        return cards.paragraph("No guess has a result yet: %predict VARIANT +5%, then %race.")
    if which:
        return cards.total([headline(every), listed(every)])
    names = sorted({each.experiment for each in every})
    rows = [tally(name, [e for e in every if e.experiment == name]) for name in names]
    columns = ["experiment", "guesses", "in the interval", "right direction"]
    return cards.total([headline(every), cards.table(columns, rows, right=range(1, 4))])


def tally(name: str, some: Sequence[Prediction]) -> list[str]:
    inside, right = sum(e.inside for e in some), sum(e.right_direction for e in some)
    return [name, str(len(some)), str(inside), str(right)]


def headline(some: Sequence[Prediction]) -> Output:
    _, count, inside, right = tally("", some)
    return cards.paragraph(
        f"Of {count} {'guess' if count == '1' else 'guesses'} {inside} lay in the measured "
        f"interval, and {right} had the right direction (more, less, or no difference)."
    )


def listed(some: Sequence[Prediction]) -> Output:
    """The newest guesses, one in a row."""
    rows = [
        [
            each.variant + (" (edited)" if each.edited else ""),
            cards.percent(each.guess),
            cards.percent(each.ratio),
            f"{cards.percent(each.low)} to {cards.percent(each.high)}",
            "yes" if each.inside else "no",
            "yes" if each.right_direction else "no",
        ]
        for each in reversed(some[-SHOWN:])
    ]
    columns = ["variant", "your guess", "measured", "95 % interval", "in it", "right direction"]
    return cards.table(columns, rows, right=range(1, 4))
