"""What a room of machines says, as tables; its plot is in figures/room.py."""

import math
from collections.abc import Sequence

from benchbook.analysis.judging.verdicts import VERDICTS
from benchbook.analysis.pooled.gathering import Skipped
from benchbook.analysis.pooled.pooling import Pooled
from benchbook.analysis.pooled.room import Room, RoomAnswer
from benchbook.show import markup
from benchbook.show.cards import race_cards
from benchbook.show.cards.race_cards import remark_notes
from benchbook.show.markup import Output
from benchbook.show.wording import bracketed, interval_text, marked, percent, range_text
from benchbook_kernels.base.words import counted

METHOD = (
    "The mean is a random-effects summary of the logarithms (τ² by Paule and Mandel, interval by "
    "Hartung and Knapp); next machine: where a further one is expected (Higgins, Thompson and "
    "Spiegelhalter); I²: how much of the scatter is more than chance (Higgins and Thompson); "
    "τ: how much the machines' own ratios scatter. Errors estimated from a few launches are "
    "steadied by those of all machines (Smyth). Sources: src/benchbook/analysis/pooled/pooling.py."
)


def summary(found: Room) -> Output:
    """All that a room says about one experiment; how is told once, by METHOD."""
    answers = [(line.name, line) for line in found.lines]
    answers += [(line.name, line) for tally in found.tallies if (line := tally.line)]
    parts = [markup.heading(f"{found.title}: {count(found.machines)}"), lines_table(found)]
    if found.tallies:
        parts += [markup.heading("The statements"), tallies_table(found)]
    parts += [agreement(answers), *remark_notes(found.remarks)]
    return markup.total(parts)


def alone(rooms: Sequence[Room]) -> Output:
    """The experiments that a single machine raced: there is nothing to compare it with."""
    titles = [found.title for found in rooms]
    text = f"Raced on one machine only, which is no room: {', '.join(titles)}."
    return markup.paragraph(f"{text} Pool more run files (./bench share makes them).")


def agreement(answers: Sequence[tuple[str, RoomAnswer]]) -> Output:
    """Why the room agrees or not, each reason once, with the names that it is true of."""
    names: dict[str, list[str]] = {}
    for name, line in answers:
        if line.pooled:
            names.setdefault(f"{line.answer}: {line.why}", []).append(name)
    return markup.bullets([f"{', '.join(some)}: {reason}" for reason, some in names.items()])


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
            means = [percent(pooled.ratio), range_text(pooled.ratio, pooled.low, pooled.high)]
            means.append(next_text(pooled))
            tau = f"{math.expm1(pooled.tau):.1%}".replace("%", " %")
            means += [f"{pooled.i_squared:.0%}", tau]
        rows.append([line.name, str(len(line.machines)), *means, line.answer])
    columns = ["variant", "machines", f"to {found.baseline}", "95 % interval"]
    columns += ["next machine", "I²", "τ", "does the room agree?"]
    return control(found) + markup.table(columns, rows, right=range(1, 7))


def control(found: Room) -> Output:
    """How much the copies of the baseline differed from it, over all machines."""
    pooled = found.control
    if pooled is None:
        return markup.paragraph(race_cards.control_text(found.machines[0].control, "the baseline"))
    text = f"Control: two copies of the baseline differed by {mean_text(pooled)} over all machines"
    if pooled.low <= 1 <= pooled.high:
        return markup.paragraph(f"{text}: as they should, nothing.")
    return markup.paragraph(
        f"{text}, and should not: chance does that in one room of twenty, else something other "
        "than the programs moves the figures. Take differences of this size with care."
    )


def next_text(pooled: Pooled) -> str:
    """Where a further machine is expected."""
    if pooled.next_low is None or pooled.next_high is None:
        return "unknown"
    return range_text(pooled.ratio, pooled.next_low, pooled.next_high)


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


def together(line: RoomAnswer | None) -> list[str]:
    """What all machines say of the one ratio that a statement is about."""
    if line is None or line.pooled is None:
        return ["", "", ""]
    pooled = line.pooled
    return [f"{mean_text(pooled)}\n{line.name}", next_text(pooled), line.answer]


def skipped_table(skipped: Sequence[Skipped]) -> Output:
    """What was not used, and why."""
    if not skipped:
        return markup.paragraph("Every file was used.")
    title = f"Skipped: {len(skipped)} of the files' runs"
    rows = [[each.file, each.reason] for each in skipped]
    return markup.heading(title) + markup.table(["file", "why"], rows)
