"""What studies/waits.py has measured: kept as JSON, and told as a page."""

import contextlib
import json
import math
import os
import platform
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import psutil

from benchbook_kernels.base.files import write_atomically

THEN, NOW = "then", "now"  # the versions


class Measured(NamedTuple):
    """One figure of a row, in its unit (s or MB), and what else is to be told of it."""

    value: float
    unit: str = "s"
    note: str = ""


Figures = dict[str, Measured]  # of a turn, by what is measured, as the table says it


@dataclass
class Results:
    """commits: of both versions; taken: the figures of each turn, by row and version, as in
    "tests: now"; problems: why the last turn of these gave none."""

    commits: dict[str, str]
    taken: dict[str, list[Figures]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    @classmethod
    def kept(cls, path: Path, commits: dict[str, str]) -> "Results":
        """What there is of these commits; nothing where it is of others."""
        with contextlib.suppress(OSError, ValueError, TypeError):
            found = cls(**json.loads(path.read_text(encoding="utf-8")))
            if found.commits == commits:
                return found
        return cls(commits)

    def save(self, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, json.dumps(vars(self), indent=1, ensure_ascii=False))

    def turns(self, row: str, version: str) -> list[Figures]:
        return self.taken.setdefault(f"{row}: {version}", [])

    def page(self, names: Sequence[str], turns: int) -> str:
        """The table as a page; below it what is missing."""
        then, now = self.commits[THEN], self.commits[NOW]
        size = f"{os.cpu_count()} CPUs, {psutil.virtual_memory().total / 1e9:.0f} GB"
        body, missing = list[str](), list[str]()
        for name in names:
            sides = [self.turns(name, each) for each in (THEN, NOW)]
            body += table_rows(*sides)
            if (least := min(map(len, sides))) < turns:
                why = [self.problems.get(f"{name}: {each}") for each in (THEN, NOW)]
                missing.append(
                    f"- {'; '.join(filter(None, [f'{name}: {least} of {turns}', *why]))}"
                )
        return "\n".join(
            [
                "# What a person waits for",
                "",
                f"Commit {now} beside {then}, in turns on one machine ({platform.system()}, {size})"
                " by [studies/waits.py](../studies/waits.py): medians, and their ratio.",
                "",
                f"| | {then} | {now} | ratio | turns |",
                "| --- | ---: | ---: | ---: | ---: |",
                *body,
                *(["", "Missing turns:", "", *missing] if missing else []),
                "",
            ]
        )


def table_rows(then: Sequence[Figures], now: Sequence[Figures]) -> Iterator[str]:
    """A line for each figure that both versions have."""
    if not then or not now:
        return
    for what in then[0]:
        sides = [[Measured(*each[what]) for each in side if what in each] for side in (then, now)]
        if not all(sides):
            continue
        first, second = (statistics.median(each.value for each in side) for side in sides)
        cells = f"{told(sides[0], first)} | {told(sides[1], second)}"
        turns = min(map(len, sides))
        yield f"| {what} | {cells} | {second / first if first else math.nan:.2f} | {turns} |"


def told(side: Sequence[Measured], middle: float) -> str:
    """A median with its unit, and what else its turns tell."""
    notes = dict.fromkeys(each.note for each in side if each.note)
    figure = f"{middle:.0f}" if middle >= 100 else f"{middle:.3g}"
    return "<br>".join([f"{figure} {side[0].unit}", *notes])
