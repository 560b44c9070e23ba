"""What is shown of profiles, and written beside them: for the commands and the magics alike."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.profiling import alone, differences, trees
from benchbook.profiling.alone import Alone
from benchbook.profiling.differences import Why
from benchbook.show.embed import Figure
from benchbook.show.markup import Output, total
from benchbook.show.why import cards, files
from benchbook.show.why.cards import elsewhere
from benchbook.show.why.icicle import icicle


@dataclass
class ShownProfile:
    """One program, or two, of a comparison: what it says is found out once."""

    comparison: ProfileComparison

    @cached_property
    def found(self) -> Why | Alone:
        if len(self.comparison.programs) == 1:
            return alone.alone(self.comparison)
        return differences.why(self.comparison)

    @property
    def answer(self) -> Output:
        """The sentence and the functions; first, whose they are."""
        found = self.found
        told = cards.spending(found) if isinstance(found, Alone) else cards.answer(found)
        return total([*elsewhere(self.comparison.recorded), told])

    @property
    def details(self) -> Output:
        """The layers, how it was measured, and what speaks for it."""
        found = self.found
        if isinstance(found, Alone):
            return cards.spending_details(found, self.comparison)
        return cards.details(found, self.comparison)

    @property
    def figure(self) -> Figure:
        """The icicle of the program, or of both over each other."""
        a, *others = self.comparison.programs
        root = trees.tree(self.comparison)
        return icicle(root, a, others[0] if others else "", self.comparison.thing)

    def write(self) -> list[Path]:
        """Write the profiles for other tools, beside the file that keeps them; none of a recorded
        one. Raises OSError."""
        path = self.comparison.path
        return files.write(self.comparison, path.with_suffix("")) if path else []
