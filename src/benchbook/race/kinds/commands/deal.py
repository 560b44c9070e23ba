"""How many runs of typed commands each block of a race has, decided before the block begins.

A block that went on until its time is over would have another round only where the last one was
fast, so slow runs would count for more; and each would end late by half a round.
"""

from dataclasses import dataclass

from benchbook.model.plan import Plan
from benchbook.race.kinds.commands.timing import MOST
from benchbook.race.launch import FEWEST_BLOCKS

FAR = 2.0  # times its planned length, after which a block begins no further round


@dataclass
class Deal:
    """How many runs of each entry there are at least and at most, over so many blocks.

    run_seconds: what a run takes with what is run around it, on average over entries: as the pilot
    has it, who may have filled caches first, later as earlier launches have it.
    """

    least: int
    most: int | None
    blocks: int
    run_seconds: float
    spent_seconds: float = 0.0
    runs: int = 0

    def of(self, block: int, seconds: float) -> tuple[int, int]:
        """(at least, at most) in this block, from 0; more blocks than planned go on as it began.
        seconds: planned for each entry in a block. All are to be run as often as they may at most,
        unless a block takes far longer than planned."""
        number = block % self.blocks
        least = max(1, part(self.least, self.blocks, number))
        rounds = min(int(self.blocks * seconds / self.run_seconds), self.most or MOST)
        return least, max(least, part(rounds, self.blocks, number))

    def may_be_cut(self, plan: Plan) -> bool:
        """Has each entry enough runs even where launches end early, because time is over?"""
        rounds = min(self.blocks * plan.sample_seconds / self.run_seconds, self.most or MOST)
        return rounds * min(1, FEWEST_BLOCKS / plan.blocks) >= FAR * self.least

    def took(self, seconds: float, runs: int) -> None:
        """What a block took for so many runs, of all entries together."""
        self.spent_seconds += seconds
        self.runs += runs

    def learn(self) -> None:
        """A launch begins: know better what a run takes."""
        if self.runs:
            self.run_seconds = self.spent_seconds / self.runs


def part(total: int, parts: int, number: int) -> int:
    """What one of so many parts has of a whole number, as even as can be."""
    return total * (number + 1) // parts - total * number // parts
