"""What a room of machines says, as tables and as one plot."""

import html
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchbook import cards, figures, judge, room
from benchbook.cards import Output
from benchbook.embed import Figure
from benchbook.figures import BAND, COLOURS, GREY
from benchbook.pooling import Pooled
from benchbook.room import Line, Machine, Room, Skipped

BLOCK_PX = 240  # of one variant with many machines, where all blocks have room in
WHOLE_PX = 3600  # of a plot with many variants
GAP_PX = 48  # between the machines of two variants: the mean, and air
ROW_PX = 22  # of one machine, where there are few
NAMED = 12  # so many machines have their names beside them
LISTED = 40  # so many are in the table
MACHINE, MEAN = COLOURS[0], COLOURS[3]
METHOD = (
    "The mean is a random-effects summary of the logarithms (τ² by Paule and Mandel, interval by "
    "Hartung and Knapp); next machine: where a further one is expected (Higgins, Thompson and "
    "Spiegelhalter); I²: the share of the scatter that is more than chance (Higgins and Thompson); "
    "τ: by how much the machines' own ratios scatter. Errors that come from a few launches are "
    "steadied by those of all machines (Smyth). Sources: src/benchbook/pooling.py."
)


def summary(found: Room) -> Output:
    """All that a room says of one experiment."""
    parts = [cards.heading(f"{found.title}: {count(found.machines)}"), lines(found)]
    parts += [cards.paragraph(f"Look: {remark}.") for remark in found.remarks]
    if found.tallies:
        parts += [cards.heading("The statements"), tallies(found)]
    return cards.total([*parts, cards.paragraph(METHOD)])


def count(machines: Sequence[object]) -> str:
    return f"{len(machines)} machine" + ("" if len(machines) == 1 else "s")


def lines(found: Room) -> Output:
    """One row a variant: the mean, the next machine, heterogeneity, and whether the room agrees."""
    rows = []
    for line in found.lines:
        pooled = line.pooled
        if pooled is None:
            only = line.machines[0].readings[line.name].interval
            means = [cards.percent(only.ratio), cards.interval_text(only), "", "", ""]
        else:
            means = [cards.percent(pooled.ratio), between(pooled.low, pooled.high)]
            means.append(between(pooled.next_low, pooled.next_high))
            means += [f"{pooled.i_squared:.0%}", share(math.expm1(pooled.tau))]
        rows.append([line.name, str(len(line.machines)), *means, f"{line.answer}: {line.why}"])
    columns = ["variant", "machines", f"to {found.baseline}", "95 % interval"]
    columns += ["next machine", "I²", "τ", "does the room agree?"]
    floor = f"Floor: {judge.band_text(found.floor)} on a machine in the middle (median)"
    if found.copies:
        floor += f", {judge.band_text(room.reach(found.copies))} for the mean of all machines"
    floor += "."
    return cards.paragraph(floor) + cards.table(columns, rows, right=range(1, 7))


def between(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "unknown"
    return f"{cards.percent(low)} to {cards.percent(high)}"


def share(value: float) -> str:
    return f"{value:.1%}".replace("%", " %")


def tallies(found: Room) -> Output:
    """A row a statement: how many machines came to which verdict, and its ratio on all of them."""
    shown = [v for v in judge.VERDICTS if any(tally.counts[v] for tally in found.tallies)]
    rows = [
        [tally.says, *(str(tally.counts[v]) for v in shown), *together(tally.line)]
        for tally in found.tallies
    ]
    columns = ["the article says", *map(cards.marked, shown)]
    right = range(1, len(columns) + 2)
    columns += ["all machines", "next machine", "does the room agree?"]
    return cards.table(columns, rows, right=right)


def together(line: Line | None) -> list[str]:
    """What all machines say of the one ratio that a statement is about."""
    if line is None or line.pooled is None:
        return ["", "", ""]
    pooled = line.pooled
    mean = f"{cards.percent(pooled.ratio)} ({between(pooled.low, pooled.high)})"
    answer = f"{line.name}: {line.answer}: {line.why}"
    return [mean, between(pooled.next_low, pooled.next_high), answer]


def skipped(files: Sequence[Skipped]) -> Output:
    """What was not used, by name."""
    if not files:
        return cards.paragraph("Every file was used.")
    title = f"Skipped: {len(files)} of the files' runs"
    return cards.heading(title) + cards.table(["file", "why"], [[s.file, s.reason] for s in files])


# ── The plot ─────────────────────────────────────────────────────────────────────────────────────


def plot(found: Room) -> Figure:
    """Everyone's ratios with their intervals, each on its machine's floor, and the means.

    One block a variant, the fastest first; in it one row a machine, by its ratio.
    """
    ordered = sorted(found.lines, key=lambda line: -middle(line))
    block = max(60, min(BLOCK_PX, WHOLE_PX / max(1, len(ordered)) - GAP_PX))
    pitch = min(ROW_PX, block / max([1, *(len(line.machines) for line in ordered)]))
    ends = axis_ends(ordered, found.floor)
    data: list[dict[str, Any]] = []
    ticks: dict[float, str] = {}
    down = 0.0  # from the top, in px: the y axis is one of pixels, so that blocks differ in height
    for line in ordered:
        ticks[-down] = f"<b>{figures.wrapped(line.name, figures.NAME_WIDTH)}</b>"
        if line.pooled:
            data += mean_traces(line, line.pooled, -down, ends)
        ranked = sorted(line.machines, key=lambda m: -m.readings[line.name].interval.ratio)
        places = [-(down + 14 + pitch * (i + 0.5)) for i in range(len(ranked))]
        data += machine_traces(line.name, ranked, places, pitch, ends)
        if len(ranked) <= NAMED:
            names = (figures.wrapped(m.name, figures.NAME_WIDTH) for m in ranked)
            ticks.update(zip(places, names))
        down += pitch * len(ranked) + GAP_PX
    title = plot_title(found)
    layout = figures.frame(
        title,
        f"● one machine's difference to {found.baseline} with its 95 % interval, grey: its floor; "
        "◆ the mean of all with its interval, thin line: where a further machine is expected; "
        "what lies outside of the plot is cut",
        plot_px=max(60, int(down)),
        bottom_px=48,
        shapes=[figures.line_at(0.0)],
        showlegend=False,
        xaxis=figures.axis(
            f"{found.unit} compared with {found.baseline}",
            range=ends,
            ticksuffix=" %",
            tickangle=0,
            nticks=8,
        ),
        yaxis=figures.axis(
            "",
            range=[-down + 12, 22],
            tickvals=list(ticks),
            ticktext=list(ticks.values()),
            showgrid=False,
        ),
    )
    return figures.figure(title, data, layout, numbers(found))


def middle(line: Line) -> float:
    if line.pooled:
        return line.pooled.ratio
    return line.machines[0].readings[line.name].interval.ratio


def axis_ends(lines_: Sequence[Line], floor: float) -> list[float]:
    """Room for all means and points, half of the floors, and the intervals; of many for nine of
    ten. What is wider by far than the points is cut."""
    intervals = [m.readings[line.name].interval for line in lines_ for m in line.machines]
    points = [figures.difference(i.ratio) for i in intervals] or [0.0]
    pooled = [line.pooled for line in lines_ if line.pooled]
    points += [figures.difference(end) for p in pooled for end in (p.ratio, p.low, p.high)]
    lows = [figures.difference(i.low) for i in intervals] or [0.0]
    highs = [figures.difference(i.high) for i in intervals] or [0.0]
    edges = [figures.difference(1 / (1 + floor)), figures.difference(1 + floor)]
    furthest = 2 * max(10.0, *map(abs, points))
    wide = 0.1 if len(intervals) > 2 * NAMED else 0.0
    low = max(-furthest, min([edges[0], *points, float(np.quantile(lows, wide))]))
    high = min(furthest, max([edges[1], *points, float(np.quantile(highs, 1 - wide))]))
    margin = 0.06 * max(high - low, 1.0)
    return [max(low - margin, -104.0), high + margin]


def cut(ratio: float, ends: Sequence[float]) -> float:
    """A factor as a difference in percent, at the edge where it lies outside of the plot."""
    return min(max(figures.difference(ratio), ends[0]), ends[1])


def strokes(
    spans: Sequence[tuple[float, float]], places: Sequence[float], ends: Sequence[float]
) -> dict[str, list[float | None]]:
    """Horizontal lines from factor to factor, as one trace."""
    x: list[float | None] = []
    y: list[float | None] = []
    for (low, high), place in zip(spans, places):
        x += [cut(low, ends), cut(high, ends), None]
        y += [place, place, None]
    return {"x": x, "y": y}


def machine_traces(
    name: str,
    machines: Sequence[Machine],
    places: Sequence[float],
    pitch: float,
    ends: Sequence[float],
) -> list[dict[str, Any]]:
    """Each machine's floor, interval and ratio of one variant."""
    intervals = [machine.readings[name].interval for machine in machines]
    floors = [(1 / (1 + machine.floor), 1 + machine.floor) for machine in machines]
    lines_ = {"type": "scatter", "mode": "lines", "hoverinfo": "skip"}
    texts = [
        f"{html.escape(m.name)}: {cards.percent(i.ratio)} ({cards.interval_text(i)})<br>"
        f"floor {judge.band_text(m.floor)}"
        for m, i in zip(machines, intervals)
    ]
    return [
        {
            **lines_,
            **strokes(floors, places, ends),
            "line": {"color": BAND, "width": max(1.0, 0.8 * pitch)},
            "name": f"{name}: floors",
        },
        {
            **lines_,
            **strokes([(i.low, i.high) for i in intervals], places, ends),
            "line": {"color": MACHINE, "width": min(2.0, max(0.5, 0.3 * pitch))},
            "opacity": 1.0 if pitch > 4 else 0.4,
            "name": f"{name}: intervals",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": [cut(i.ratio, ends) for i in intervals],
            "y": list(places),
            "marker": {"color": MACHINE, "size": min(9.0, max(3.0, 0.5 * pitch))},
            "text": texts,
            "hovertemplate": "%{text}<extra></extra>",
            "name": f"{name}: machines",
        },
    ]


def mean_traces(
    line: Line, pooled: Pooled, place: float, ends: Sequence[float]
) -> list[dict[str, Any]]:
    """The mean with its interval, and where the next machine is expected."""
    said = f"{cards.percent(pooled.ratio)} ({between(pooled.low, pooled.high)})"
    hover = f"{html.escape(line.name)}, mean of {len(line.machines)}: {said}<extra></extra>"
    drawn = {"type": "scatter", "mode": "lines", "hovertemplate": hover}
    spans = [((pooled.low, pooled.high), 5)]
    if pooled.next_low is not None and pooled.next_high is not None:
        spans.insert(0, ((pooled.next_low, pooled.next_high), 1.5))
    traces = [
        {**drawn, **strokes([span], [place], ends), "line": {"color": MEAN, "width": width}}
        for span, width in spans
    ]
    point = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [cut(pooled.ratio, ends)],
        "y": [place],
        "text": [cards.percent(pooled.ratio)],
        "textposition": "top center",
        "textfont": {"color": GREY, "size": 13},
        "marker": {"color": MEAN, "symbol": "diamond", "size": 13},
        "cliponaxis": False,
        "hovertemplate": hover,
        "name": f"{line.name}: mean",
    }
    return [*traces, point]


def plot_title(found: Room) -> str:
    """The finding: on how many variants the room agrees."""
    told = [line for line in found.lines if line.pooled]
    if not told:
        return f"One machine of {found.title}: nothing to compare it with"
    agreed = [line for line in told if line.answer == room.AGREES]
    machines = count(found.machines)
    if len(agreed) == len(told):
        return f"{machines} agree on every variant"
    return f"{machines} agree on {len(agreed)} of {len(told)} variants"


def numbers(found: Room) -> Output:
    """The plot as tables: the means, and every machine where they are not too many."""
    shown = found.machines[:LISTED]
    names = [line.name for line in found.lines]
    rows = [
        [m.name, judge.band_text(m.floor), *(reading_text(m, name) for name in names)]
        for m in shown
    ]
    table = cards.table(["machine", "floor", *names], rows, right=range(1, 2 + len(names)))
    rest = len(found.machines) - len(shown)
    more = [cards.paragraph(f"and {count(found.machines[LISTED:])} more")] if rest else []
    return cards.total([lines(found), table, *more])


def reading_text(machine: Machine, name: str) -> str:
    if name not in machine.readings:
        return machine.left_out.get(name, "—")
    interval = machine.readings[name].interval
    return f"{cards.percent(interval.ratio)} ({cards.interval_text(interval)})"
