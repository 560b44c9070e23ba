"""How long notebooks take, cell by cell, and by how much their races must be shortened to fit.

Races take the time that they are given, on any machine, so recorded times hold well; programs that
are built for the first time, and packages that are installed or missing, make the difference.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

USUAL_MINUTES = 30.0  # for all notebooks in quick mode: most of it can not be shortened
RACE_SECONDS = 5.0  # a cell that takes longer spends its time on samples, for the most part
KEPT = 0.5  # the share of a race's time that is launches and warm-ups: they are not shortened
LEAST = 0.25  # of a race's samples; with fewer it says nothing
START_SECONDS = 3.0  # a kernel's start and end


def recorded_path() -> Path:
    return paths.root() / "data" / "notebook-seconds.json"


def recorded() -> dict[str, dict[str, float]]:
    """Seconds in quick mode of every code cell, by notebook and the cell's id
    (tools/record_seconds.py makes the file); {} where there is none, as beside notebooks of one's
    own."""
    if not recorded_path().is_file():
        return {}
    try:
        document = json.loads(recorded_path().read_text(encoding="utf-8"))
        seconds: dict[str, dict[str, float]] = document["quick"]
        return seconds
    except (OSError, ValueError, KeyError) as error:
        place = paths.relative(recorded_path())
        raise InputError(place, "", f"can't be read: {error!r}", "get it from git") from None


@dataclass(frozen=True)
class Pace:
    """The cells that will run. cells: seconds of each, by notebook in order, unshortened; None
    where a notebook is not known. share: of a race's samples that is raced."""

    cells: tuple[tuple[float, ...] | None, ...]
    share: float = 1.0

    def seconds(self) -> float:
        """How long all known cells take, about."""
        return self.left(0, 0)

    def left(self, notebook: int, cell: int) -> float:
        """Seconds that are left, about, when the cell at this index begins."""
        now, later = self.cells[notebook], self.cells[notebook + 1 :]
        rest = sum(self.expected(seconds) for seconds in (now or ())[cell:])
        for cells in later:
            rest += START_SECONDS + sum(self.expected(seconds) for seconds in cells or ())
        return rest

    def expected(self, seconds: float) -> float:
        """How long a cell takes that takes `seconds` unshortened."""
        return seconds * (KEPT + (1 - KEPT) * self.share) if seconds > RACE_SECONDS else seconds

    def unshortened(self, seconds: float) -> float:
        """How long a cell would have taken that took `seconds` at this pace."""
        whole = seconds / (KEPT + (1 - KEPT) * self.share)
        return whole if whole > RACE_SECONDS else seconds

    @property
    def known(self) -> bool:
        return all(cells is not None for cells in self.cells)


def make(notebooks: Sequence[tuple[str, Sequence[str]]], minutes: float | None) -> Pace:
    """A pace at which notebooks take at most `minutes` in quick mode; None: as they are.

    notebooks: the name of each, and the ids of the cells that will run, in order. A cell that was
    added since the others were recorded is expected to take no time.
    """
    times = recorded()
    cells = tuple(
        tuple(times[name].get(cell, 0.0) for cell in ids) if name in times else None
        for name, ids in notebooks
    )
    whole = Pace(cells)
    if minutes is None or whole.seconds() <= 60 * minutes:
        return whole
    races = sum(s for known in cells for s in known or () if s > RACE_SECONDS)
    allowed = 1 - (whole.seconds() - 60 * minutes) / races  # of the races' time
    return Pace(cells, round(min(1.0, max(LEAST, (allowed - KEPT) / (1 - KEPT))), 2))


def in_words(seconds: float) -> str:
    """About how long: 'about 12 min', or 'about 40 s' below two minutes."""
    return f"about {seconds / 60:.0f} min" if seconds >= 100 else f"about {seconds:.0f} s"
