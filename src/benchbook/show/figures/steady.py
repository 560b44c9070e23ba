"""A plot that is drawn again and again while a race goes on: what must not jump from one to the
next."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchbook.model.runs import Entry

CLOSER = 0.5  # the axis is drawn anew where what there is to be seen fills less of it


@dataclass
class Steady:
    """Keeps the rows of a plot in their places, and its axis as long as it suits, so that one sees
    the intervals shrink.

    title: before the finding, where in the race it was found; order: of the rows, by their first
    entry; ends: of the axis.
    """

    title: str = ""
    order: list[str] = field(default_factory=list)
    ends: Sequence[float] = ()

    def sort_anew(self) -> None:
        """From the next plot on the fastest is on top again."""
        self.order = []

    def rows(self, rows: Sequence[Sequence[Entry]]) -> list[Sequence[Entry]]:
        """The rows in the order of the plot before; as they come where others are among them."""
        names = [first.name for first, *_ in rows]
        if set(names) != set(self.order):
            self.order = names
        return sorted(rows, key=lambda row: self.order.index(row[0].name))

    def axis(self, ends: Sequence[float]) -> Sequence[float]:
        """From where to where the axis goes, of which a plot needs this."""
        if self.ends:
            (low, high), (first, last) = ends, self.ends
            if first <= low and high <= last and high - low >= CLOSER * (last - first):
                return self.ends
        self.ends = ends
        return ends
