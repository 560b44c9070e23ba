"""What one call of a function costs beside time: bytes, and is there anything left of its work?

Its harness says so, which times it in slices: before each it makes some calls and looks at the
heap, and it compares the function with an empty one (race/kinds/functions).
"""

from collections.abc import Generator
from dataclasses import dataclass

from benchbook.model.profiles.cost import Costing, Counted
from benchbook.model.runs import Run
from benchbook.race.kinds.copies import Copies
from benchbook.race.record import Event, RaceProgress

ALLOCATED, REMOVED = "bytes allocated", "work removed by the optimiser"
WINDOWS, SECONDS = 2, 0.5  # of each copy
NOTHING_LEFT = "there is nothing left that could allocate"
UNSEEN = "a collection came between in each slice"


@dataclass
class CallCounting:
    """Functions that are ready to be counted: iterate over events(). run: as of Counting."""

    costing: Costing
    copies: Copies
    run: Run

    def events(self) -> Generator[Event, None, None]:
        """Raises BenchError where a program fails, KeyboardInterrupt as it comes; nothing runs
        then."""
        names = self.costing.programs
        try:
            yield self.progress(0, "starting")
            self.copies.launch(names)
            yield self.progress(1, "warming up")
            self.copies.seen(names, SECONDS)
            for number in range(WINDOWS):
                yield self.progress(2 + number, "counting")
                self.count()
        finally:
            self.copies.close()

    def progress(self, done: int, doing: str) -> RaceProgress:
        steps = 2 + WINDOWS
        seconds = (steps - done) * SECONDS * len(self.costing.programs)
        return RaceProgress(done, steps, seconds, doing)

    def count(self) -> None:
        """Keep what a window says."""
        for name, seen in self.copies.seen(self.costing.programs, SECONDS).items():
            figures = self.costing.figures.setdefault(name, {})
            before = figures.get(REMOVED, Counted()).values
            figures[REMOVED] = Counted((*before, float(seen.removed)))
            if seen.allocated is None:
                reason = NOTHING_LEFT if seen.removed else UNSEEN
                figures[ALLOCATED] = Counted(reason=reason)
            else:
                before = figures.get(ALLOCATED, Counted()).values
                figures[ALLOCATED] = Counted((*before, seen.allocated))
