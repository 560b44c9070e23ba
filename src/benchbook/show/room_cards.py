"""What a room of machines says, as tables; its plot is in figures/room.py."""

import math
from collections.abc import Sequence

from benchbook.analysis.gathering import Skipped
from benchbook.analysis.pooling import Pooled
from benchbook.analysis.room import Line, Room
from benchbook.analysis.verdicts import VERDICTS
from benchbook.setup.words import counted
from benchbook.show import cards, markup
from benchbook.show.cards import remark_notes
from benchbook.show.markup import Output
from benchbook.show.wording import bracketed, interval_text, marked, percent

METHOD = (
    "The mean is a random-effects summary of the logarithms (τ² by Paule and Mandel, interval by "
    "Hartung and Knapp); next machine: where a further one is expected (Higgins, Thompson and "
    "Spiegelhalter); I²: how much of the scatter is more than chance (Higgins and Thompson); "
    "τ: how much the machines' own ratios scatter. Errors estimated from a few launches are "
    "steadied by those of all machines (Smyth). Sources: src/benchbook/analysis/pooling.py."
)


def summary(found: Room) -> Output:
    """All that a room says about one experiment."""
    parts = [markup.heading(f"{found.title}: {count(found.machines)}"), lines_table(found)]
    parts += remark_notes(found.remarks)
    if found.tallies:
        parts += [markup.heading("The statements"), tallies_table(found)]
    return markup.total([*parts, markup.paragraph(METHOD)])


def count(machines: Sequence[object]) -> str:
    """ "1 machine", "2 machines"."""
    return counted(len(machines), "machine")


def lines_table(found: Room) -> Output:
    """One row for each variant: the mean, the next machine, the scatter, does the room agree?"""
    rows = []
    for line in found.lines:
        pooled = line.pooled
        if pooled is None:
            only = line.machines[0].readings[line.name]
            means = [percent(only.ratio), interval_text(only), "", "", ""]
        else:
            means = [percent(pooled.ratio), range_text(pooled.low, pooled.high)]
            means.append(range_text(pooled.next_low, pooled.next_high))
            tau = f"{math.expm1(pooled.tau):.1%}".replace("%", " %")
            means += [f"{pooled.i_squared:.0%}", tau]
        rows.append([line.name, str(len(line.machines)), *means, f"{line.answer}: {line.why}"])
    columns = ["variant", "machines", f"to {found.baseline}", "95 % interval"]
    columns += ["next machine", "I²", "τ", "does the room agree?"]
    return control(found) + markup.table(columns, rows, right=range(1, 7))


def control(found: Room) -> Output:
    """How much the copies of the baseline differed from it, over all machines."""
    pooled = found.control
    if pooled is None:
        return markup.paragraph(cards.control_text(found.machines[0].control, "the baseline"))
    text = f"Control: two copies of the baseline differed by {mean_text(pooled)} over all machines"
    if pooled.low <= 1 <= pooled.high:
        return markup.paragraph(f"{text}: as they should, nothing.")
    return markup.paragraph(
        f"{text}, and should not: chance does that in one room of twenty, else something other "
        "than the programs moves the figures. Take differences of this size with care."
    )


def range_text(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "unknown"
    return f"{percent(low)} to {percent(high)}"


def mean_text(pooled: Pooled) -> str:
    """The mean over machines, with its interval."""
    return bracketed(pooled.ratio, pooled.low, pooled.high)


def tallies_table(found: Room) -> Output:
    """One row for each statement: how many machines gave which verdict, and its pooled ratio."""
    shown = [v for v in VERDICTS if any(tally.counts[v] for tally in found.tallies)]
    rows = [
        [tally.says, *(str(tally.counts[v]) for v in shown), *together(tally.line)]
        for tally in found.tallies
    ]
    columns = ["the article says", *map(marked, shown)]
    right = range(1, len(columns) + 2)
    columns += ["all machines", "next machine", "does the room agree?"]
    return markup.table(columns, rows, right=right)


def together(line: Line | None) -> list[str]:
    """What all machines say of the one ratio that a statement is about."""
    if line is None or line.pooled is None:
        return ["", "", ""]
    pooled = line.pooled
    answer = f"{line.name}: {line.answer}: {line.why}"
    return [mean_text(pooled), range_text(pooled.next_low, pooled.next_high), answer]


def skipped_table(skipped: Sequence[Skipped]) -> Output:
    """What was not used, and why."""
    if not skipped:
        return markup.paragraph("Every file was used.")
    title = f"Skipped: {len(skipped)} of the files' runs"
    rows = [[each.file, each.reason] for each in skipped]
    return markup.heading(title) + markup.table(["file", "why"], rows)
