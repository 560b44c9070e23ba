"""What a race says while it goes on: when one may look at it, and what of it is decided.

To look costs CPU time, so it is done between launches and, where that is long against its cost,
between blocks, never while something is measured. Verdicts are those of whole launches: one that
was made of half a launch would come and go.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from benchbook.analysis.judging.judge import Judgement, Results, is_decided
from benchbook.analysis.judging.verdicts import NOT_VALID, NOT_YET
from benchbook.model.runs import Run

EVERY_SECONDS = 1.0  # between two looks, at least
SHARE = 0.03  # of a race's time that looks between blocks may take


@dataclass
class SoFar:
    """judged: what a run says, which may still grow; clock: in seconds.

    said: the verdicts after the last launch, by statement; cost: seconds that the last look took,
    with what was made of it, None before the first; looked: when, and when between launches;
    block_over: when the last block was, or the launch before it.
    """

    judged: Callable[[Run], Results]
    clock: Callable[[], float] = time.monotonic
    said: dict[str, Judgement] = field(default_factory=dict)
    cost: float | None = None
    looked: float = -math.inf
    looked_at_launches: float = -math.inf
    block_over: float = 0.0

    def look(
        self, run: Run, show: Callable[[Results], None], landed: int = 0, between: bool = False
    ) -> None:
        """Have shown what the race says so far, if this is a moment to look.

        landed: so many launches are over, and the next has not begun; between: a block is over.
        """
        first = not run.samples and self.cost is None  # nothing runs yet
        if not (landed or between or first):
            return
        begun = self.clock()
        if between:
            cost = math.inf if self.cost is None else self.cost
            wanted = begun - self.block_over >= cost
            wanted = wanted and begun - self.looked >= max(EVERY_SECONDS, cost / SHARE)
        else:
            wanted = begun - self.looked_at_launches >= EVERY_SECONDS
        if wanted:
            show(self.known(self.judged(run), bool(landed)))
            self.looked = self.clock()
            self.cost = self.looked - begun
            if not between:
                self.looked_at_launches = self.looked
        self.block_over = self.clock()

    def known(self, found: Results, launch_over: bool) -> Results:
        """The same with the verdicts that whole launches gave, and with NOT_YET for the others."""
        for each in found.judgements:
            if is_decided(each, found.compared.run):
                if launch_over or each.verdict == NOT_VALID:
                    self.said[each.statement.id] = each
            elif launch_over:
                self.said.pop(each.statement.id, None)
        return replace(found, judgements=tuple(as_said(j, self.said) for j in found.judgements))


def as_said(judgement: Judgement, said: Mapping[str, Judgement]) -> Judgement:
    """A judgement with its newest ratios, but with the verdict that was said of its statement."""
    if before := said.get(judgement.statement.id):
        return replace(before, tests=judgement.tests or before.tests)
    return replace(judgement, verdict=NOT_YET, size="", why="", seconds_more=None)
