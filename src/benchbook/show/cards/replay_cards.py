"""What a replay tells: the article's table beside ours, the honest answer, and why they differ.

Everything is made from the run file's `replay` (model/replayed.py); nothing is measured here.
"""

from collections.abc import Sequence

from benchbook.analysis.judging import verdicts
from benchbook.model.replayed import Ratio, Replayed, Said, TableRow
from benchbook.model.runs import Run
from benchbook.race.evidence import OUTSIDE
from benchbook.race.kinds import registry
from benchbook.show.cards import race_cards
from benchbook.show.markup import Output, heading, more, note, paragraph, table, total
from benchbook.show.wording import bracketed, marked, percent
from benchbook_kernels.base.words import counted

TAKES = {
    "best": "the best of which is taken",
    "last": "the last of which is taken",
    "mean": "the mean of which is taken",
}


def summary(run: Run) -> Output:
    """All that a replay tells, in order."""
    beside = heading("The article's table, and the same here") + figures(run)
    parts = [headline(run), more(beside)]
    parts += [heading("What the article says, by its own method and by an honest race")]
    told = [paragraph(text) for text in comparisons(run)]
    told += [heading("Why the two may differ"), *(paragraph(f"• {why}") for why in reasons(run))]
    return total([*parts, answers(run), more(total(told))])


def replay_of(run: Run) -> Replayed:
    """What the run file of a replay holds under `replay`."""
    assert run.replay is not None, "the run is a race's"
    return run.replay


def headline(run: Run) -> Output:
    """The method in a sentence, and whether it was shortened or cut short."""
    replay = replay_of(run)
    text = f"{run.experiment.title}, as published: {method_text(run, replay)}"
    if remark := replay.method.note:
        text += f"\n{remark.strip()}"
    if replay.shortened > 1:
        text += (
            f"\nSHORTENED {replay.shortened} times: {replay.played.length} instead of "
            f"{replay.method.length}. This is no longer the article's method."
        )
    if not run.complete:
        text += f"\nINCOMPLETE: {run.reason}"
    return total([*race_cards.doubts(run), *honest_doubts(replay), paragraph(text)])


def honest_doubts(replay: Replayed) -> list[Output]:
    """What speaks against the race that a replay is compared with; older files don't say it."""
    found = replay.honest.doubt if replay.honest else ""
    return [note(f"! The honest race: {found}")] if found else []


def method_text(run: Run, replay: Replayed) -> str:
    method, text = replay.method, replay.line
    if run.plan.warmup_seconds:
        text += f", after a warm-up of {run.plan.warmup_seconds:g} s"
    if method.runs > 1:
        text += f", {counted(method.runs, 'run')}, {TAKES[method.take]}"
    if method.measurements > 1:
        text += f", {method.measurements} measurements"
    if not method.by_label:
        turns = "one after the other" if registry.replay(replay.kind).one_by_one else "in turns"
        text += f"; {turns}: {', '.join(each.name for each in replay.measured)}"
    return text


def figures(run: Run) -> Output:
    """The article's rows in the article's order; each column as in the article, and here."""
    replay = replay_of(run)
    columns = replay.columns
    rows = []
    for row in replay.rows:
        cells = []
        for unit in columns:
            cells += [number(row.published.get(unit)), number(row.replayed.get(unit))]
        note = row.note or each_run(row, replay)
        rows.append([row.label or "(no figure)", *cells, called(row.reads, run), note])
    heads = [f"{where}: {unit}" for unit in columns for where in ("article", "here")]
    right = range(1, 2 * len(columns) + 1)
    return table(["in the article", *heads, "measured here", ""], rows, right=right)


def number(value: float | None) -> str:
    if value is None:
        return "—"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def called(name: str, run: Run) -> str:
    edited = any(e.name == name and e.edited for e in run.entries)
    return (name or "—") + (" (edited)" if edited else "")


def each_run(row: TableRow, replay: Replayed) -> str:
    """The figures of all runs, where one was taken of several; and what went wrong in them."""
    found = replay.measured_as(row.reads)
    unit = replay.columns[0]
    parts = []
    if replay.method.runs > 1 and replay.method.measurements == 1:
        values = "; ".join(number(run.figures[unit]) for run in found.runs)
        parts.append(f"runs: {values}")
    if found.reason:
        parts.append(found.reason.splitlines()[0])
    return "; ".join(parts)


def answers(run: Run) -> Output:
    """One row per statement: the article, the replay, the race, and the race's verdict."""
    rows = []
    for said in replay_of(run).statements:
        rows.append(
            [
                said.says,
                percent(said.published) if said.published else "no size given",
                replayed_text(said),
                honest_text(said),
                marked(said.verdict) if said.verdict else "not raced yet",
            ]
        )
    columns = ["the article says", "its figures", "as published, here", "honest race (95 %)"]
    return table([*columns, "verdict"], rows)


def replayed_text(said: Said) -> str:
    if said.order:
        return " > ".join(said.order)
    return "—" if said.replayed is None else percent(said.replayed)


def honest_text(said: Said) -> str:
    found = said.honest
    return bracketed(found.ratio, found.low, found.high) if found else "—"


def comparisons(run: Run) -> list[str]:
    """A sentence for each statement: as published, honest, and how they differ."""
    name = run.experiment.name
    if not replay_of(run).honest:
        return [
            "There is no complete race of this experiment on this machine to compare with: run "
            f"./bench race {name.partition('-')[0]} first, then this again."
        ]
    return [f"{said.says}: {comparison(said)}" for said in replay_of(run).statements]


def comparison(said: Said) -> str:
    if said.missing:
        return f"not replayed ({said.missing})."
    as_published = f"as published {replayed_text(said)}"
    if said.unlike:
        return f"{as_published}, which compares unlike things: {said.unlike}."
    if said.verdict == verdicts.NOT_VALID:
        return f"{as_published}; the honest race gives no answer: {said.why}."
    if said.honest is None or said.replayed is None:
        return f"{as_published}; honest: {said.verdict} ({said.why})."
    differs = difference(said.replayed, said.honest, said.verdict)
    return f"{as_published}; honest {honest_text(said)}: {differs}."


def difference(ratio: float, found: Ratio, verdict: str | None) -> str:
    """How the replayed ratio lies to the honest interval, in words."""
    low, high = found.low, found.high
    unclear = verdict in (verdicts.NO_DIFFERENCE, verdicts.TOO_CLOSE)
    if low <= ratio <= high:
        text = "they agree, the replay lies in the honest interval"
        return f"{text}; but honestly it is {verdict}" if unclear else text
    if (ratio < 1 < low) or (high < 1 < ratio):
        return "the article's method says the opposite here"
    side = "above" if ratio > high else "below"
    text = f"the article's method gives a figure {side} the honest interval"
    return f"{text}, and honestly it is {verdict}" if unclear else text


def reasons(run: Run) -> list[str]:
    """What the replayed method does differently from a race, from the facts of both."""
    replay = replay_of(run)
    own = registry.replay(replay.kind).reasons(replay)
    found = [sampling(replay), *spread(replay), *busy(replay), *own, *failures(replay)]
    if replay.shortened > 1:
        found.append(f"This replay was shortened {replay.shortened} times.")
    race = replay.honest
    if race and race.control is not None:
        found.append(
            f"In the honest race ({race.file}) two copies of one program differ by at most "
            f"{verdicts.band_text(race.control)[1:]}; the article's method has no such control."
        )
    if race and race.changed:
        names = ", ".join(race.changed)
        found.append(f"The code has changed since the honest race: {names}. Race again.")
    return found


def sampling(replay: Replayed) -> str:
    """How many figures there are behind each side, and in which order they were taken."""
    method, race = replay.method, replay.honest
    kind, count = registry.replay(replay.kind), method.figures
    runs = "one run" if count == 1 else f"{count} runs"
    text = f"As published: {runs} of {kind.each}, started once"
    if kind.one_by_one:
        text += ", one program after the other, so that a change in the machine's speed counts "
        text += "as a difference between programs"
    if method.take == "best":
        text += "; the best run is the luckiest one, too"
    text += "; one figure, no interval."
    if race:
        text += (
            f" The race: {counted(race.launches, 'start')} of each program and "
            f"{counted(race.blocks, 'sample')} of "
            f"{race.sample_seconds:g} s in each, in random order, with an interval."
        )
    return text


def spread(replay: Replayed) -> list[str]:
    """How far runs of the same thing lay apart: what a single figure hides."""
    unit, widest, whose = replay.columns[0], 0.0, ""
    for found in replay.measured:
        values = [value for run in found.runs if (value := run.figures[unit])]
        if len(values) > 1 and max(values) / min(values) - 1 > widest:
            widest, whose = max(values) / min(values) - 1, found.name
    if not whose:
        return []
    return [f"Runs of the same program lay up to {widest:.1%} apart here ({whose})."]


def busy(replay: Replayed) -> list[str]:
    """Programs that were loaded while the machine did something else as well."""
    shares = {
        found.name: max((run.outside_share or 0 for run in found.runs), default=0)
        for found in replay.measured
    }
    named = [f"{name} ({s:.0%})" for name, s in shares.items() if s > OUTSIDE]
    if not named:
        return []
    return [
        f"Other programs used the CPUs while these were timed: {', '.join(named)}. One after the "
        "other, that hits some programs and not the rest."
    ]


def failures(replay: Replayed) -> Sequence[str]:
    """Requests that failed, or were not counted: their figures count what is left."""
    found = []
    for thing in replay.measured:
        if failed := sum(run.failed or 0 for run in thing.runs):
            requests = sum(run.requests or 0 for run in thing.runs)
            found.append(f"{failed:,} of {requests:,} requests to {thing.name} failed.")
    return found
