"""A gate in CI: is anything surely slower than the baseline by more than a limit?

Three answers, and a fourth for what is broken. A limit of 5 % is one of the speed, as every
difference is shown here: 95 % of the baseline's is just within it. What a longer race may decide is
undecided; what no race decides (a program that fails, or answers otherwise) is broken.
"""

import math
from dataclasses import dataclass

from benchbook.analysis.judging.judge import Judgement, Results
from benchbook.analysis.judging.stopping import Asked
from benchbook.analysis.statistics.exclusion import too_many_failed
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.runs import Run

FINE, BROKEN, SLOWER, UNDECIDED = 0, 1, 3, 4  # exit codes
WORST_FIRST = (SLOWER, BROKEN, UNDECIDED, FINE)


@dataclass(frozen=True)
class Passage:
    """What a gate says of one entry.

    other: what it was compared with, the baseline in the same case; code: of this entry alone;
    interval: its ratio to the other, on which the code stands, None where there is none; why: the
    reason, where that is not the interval; seconds_more: how much longer a race would have to be to
    decide, about, None where it is decided or unknown, infinite where no longer one would.
    """

    name: str
    other: str
    code: int
    interval: Interval | None = None
    why: str = ""
    seconds_more: float | None = None


@dataclass(frozen=True)
class Gated:
    """What a gate says of a comparison. limit: as a share; undecided_ok: is that let through?"""

    limit: float
    undecided_ok: bool
    passages: tuple[Passage, ...]

    @property
    def code(self) -> int:
        """The exit code: of the worst, 3 before 1 before 4 before 0."""
        found = {passage.code for passage in self.passages}
        worst = next((code for code in WORST_FIRST if code in found), FINE)
        return FINE if worst == UNDECIDED and self.undecided_ok else worst


def gate(run: Run, results: Results, limit: float, undecided_ok: bool = False) -> Gated:
    """Is an entry slower than the baseline by more than `limit`, a share of its speed?

    Surely slower: the whole interval lies below 1 - limit, at a level that is corrected for the
    number of entries (Bonferroni), so that all together are wrong in at most 5 % of races. Surely
    not: the interval lies above; that all of them do needs no correction (an intersection-
    union test, Berger 1982, doi:10.1080/00401706.1982.10487790).
    """
    judged = results.judgements
    return Gated(limit, undecided_ok, tuple(passage(run, results, j, limit) for j in judged))


def undecided(limit: float) -> Asked:
    """Whom a race must go on with, so that the gate can tell."""

    def asked(run: Run, results: Results) -> set[str]:
        found = gate(run, results, limit).passages
        return {n for each in found if each.code == UNDECIDED for n in (each.name, each.other)}

    return asked


def passage(run: Run, results: Results, judgement: Judgement, limit: float) -> Passage:
    """What the gate says of the entry that a judgement is about, compared with the baseline."""
    name, other, entries = *judgement.statement.names, len(results.judgements)
    if not judgement.tests:
        broken = is_broken(run, judgement) or name in results.unlike
        return Passage(name, other, BROKEN if broken else UNDECIDED, why=judgement.why)
    interval, edge = judgement.tests[0].interval, 1 - limit
    corrected = interval.at(1 - (1 - interval.level) / entries)
    if corrected.high < edge:
        return Passage(name, other, SLOWER, corrected)
    if interval.low >= edge:
        return Passage(name, other, FINE, interval)
    seconds = run.timing.get("total_seconds", 0.0)
    more = longer(interval, edge, entries, seconds)
    return Passage(name, other, UNDECIDED, interval, seconds_more=more)


def is_broken(run: Run, judgement: Judgement) -> bool:
    """Is there no ratio because of the programs, rather than of how they were measured?"""
    pair = judgement.statement.names
    return any(run.entry(name).status != "raced" or too_many_failed(run, name) for name in pair)


def longer(interval: Interval, edge: float, entries: int, seconds: float) -> float | None:
    """How many seconds more would decide on which side of the edge the ratio lies, about."""
    level = 1 - (1 - interval.level) / (entries if interval.ratio < edge else 1)
    goal = abs(math.log(interval.ratio / edge)) / interval.reach_at(level)
    factor = interval.longer(goal) if goal else math.inf
    return seconds * (factor - 1) if seconds else None
