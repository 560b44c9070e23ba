"""The figure of a room: the ratios of all machines, and the means."""

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchbook.analysis.judging.verdicts import SMALLEST_EFFECT, share_text
from benchbook.analysis.pooled import room
from benchbook.analysis.pooled.machines import Machine
from benchbook.analysis.pooled.pooling import Pooled
from benchbook.analysis.pooled.room import Room, RoomAnswer
from benchbook.show import markup
from benchbook.show.cards import room_cards
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    COLOURS,
    NAME_WIDTH,
    axis,
    band,
    difference,
    figure,
    frame,
    line_at,
    named_point,
    percent_axis,
    wrapped,
)
from benchbook.show.markup import Output
from benchbook.show.wording import percent, ratio_text

BLOCK_PX = 240  # of one variant with many machines, where all blocks have room in
WHOLE_PX = 3600  # of a plot with many variants
GAP_PX = 48  # between the machines of two variants: the mean, and air
ROW_PX = 22  # of one machine, where there are few
NAME_LENGTH = 28  # characters of a machine's name
NAMED = 12  # so many machines have their names beside them
LISTED = 40  # so many are in the table
MACHINE, MEAN = COLOURS[0], COLOURS[3]


def room_figure(found: Room) -> Figure:
    """Everyone's ratios with their intervals, and the means.

    One block for each variant, the fastest first; in it one row for each machine, by its ratio.
    """
    ordered = sorted(found.lines, key=lambda line: -middle(line))
    ends = axis_ends(ordered)
    data, ticks, height = blocks(ordered, ends)
    title = room_title(found)
    layout = frame(
        title,
        f"● one machine's difference to {found.baseline} with its 95 % interval; ◆ the mean of "
        "all with its interval, thin line: where a further machine is expected; grey: differences "
        f"under {share_text(SMALLEST_EFFECT)}; what lies outside the plot is cut",
        plot_px=max(60, int(height)),
        shapes=[band(SMALLEST_EFFECT, ends), line_at(0.0)],
        showlegend=False,
        xaxis=percent_axis(f"{found.unit} compared with {found.baseline}", ends),
        yaxis=axis(
            "",
            range=[-height + 12, 22],
            tickvals=list(ticks),
            ticktext=list(ticks.values()),
            showgrid=False,
        ),
    )
    return figure(title, data, layout, room_numbers(found))


def middle(line: RoomAnswer) -> float:
    """The mean of a variant, or the ratio of the only machine."""
    if line.pooled:
        return line.pooled.ratio
    return line.machines[0].readings[line.name].ratio


def blocks(
    lines: Sequence[RoomAnswer], ends: Sequence[float]
) -> tuple[list[dict[str, Any]], dict[float, str], float]:
    """(traces, names by place on the y axis, height in px).

    The y axis is one of pixels, 0 at the top, so that blocks can differ in height.
    """
    block = max(60, min(BLOCK_PX, WHOLE_PX / max(1, len(lines)) - GAP_PX))
    pitch = min(ROW_PX, block / max([1, *(len(line.machines) for line in lines)]))
    data: list[dict[str, Any]] = []
    ticks: dict[float, str] = {}
    down = 0.0
    for line in lines:
        ticks[-down] = f"<b>{wrapped(line.name, NAME_WIDTH)}</b>"
        if line.pooled:
            data += mean_traces(line, line.pooled, -down, ends)
        ranked = sorted(line.machines, key=lambda m: -m.readings[line.name].ratio)
        places = [-(down + 14 + pitch * (i + 0.5)) for i in range(len(ranked))]
        data += machine_traces(line.name, ranked, places, pitch, ends)
        if len(ranked) <= NAMED:
            ticks.update(zip(places, (in_a_row(m.name) for m in ranked)))
        down += pitch * len(ranked) + GAP_PX
    return data, ticks, down


def in_a_row(name: str) -> str:
    """A machine's name in the one line that there is for it."""
    short = name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 1]}…"
    return html.escape(short, quote=False)


def axis_ends(lines: Sequence[RoomAnswer]) -> list[float]:
    """Room for all means and points, for what is too small to matter, and for the intervals.

    Of many intervals for nine of ten. What is wider by far than the points is cut, as is the
    interval of a mean of two machines, which goes on and on.
    """
    intervals = [m.readings[line.name] for line in lines for m in line.machines]
    points = [difference(i.ratio) for i in intervals] or [0.0]
    pooled = [line.pooled for line in lines if line.pooled]
    points += [difference(p.ratio) for p in pooled]
    spans = [(i.low, i.high) for i in intervals] + [(p.low, p.high) for p in pooled]
    lows = [difference(low) for low, _ in spans] or [0.0]
    highs = [difference(high) for _, high in spans] or [0.0]
    edges = [difference(1 / (1 + SMALLEST_EFFECT)), difference(1 + SMALLEST_EFFECT)]
    furthest = 2 * max([10.0, *(abs(point) for point in points)])
    wide = 0.1 if len(intervals) > 2 * NAMED else 0.0
    low = max(-furthest, min([edges[0], *points, float(np.quantile(lows, wide))]))
    high = min(furthest, max([edges[1], *points, float(np.quantile(highs, 1 - wide))]))
    margin = 0.06 * max(high - low, 1.0)
    return [max(low - margin, -104.0), high + margin]


def cut(ratio: float, ends: Sequence[float]) -> float:
    """A factor as a difference in percent, at the edge where it lies outside the plot."""
    return min(max(difference(ratio), ends[0]), ends[1])


def strokes(
    spans: Sequence[tuple[float, float]], places: Sequence[float], ends: Sequence[float]
) -> dict[str, Any]:
    """Horizontal lines from factor to factor, as the x and y of one trace."""
    x: list[float | None] = []
    y: list[float | None] = []
    for (low, high), place in zip(spans, places):
        x += [cut(low, ends), cut(high, ends), None]
        y += [place, place, None]
    return {"type": "scatter", "mode": "lines", "x": x, "y": y}


def machine_traces(
    name: str,
    machines: Sequence[Machine],
    places: Sequence[float],
    pitch: float,
    ends: Sequence[float],
) -> list[dict[str, Any]]:
    """Each machine's interval and ratio of one variant."""
    intervals = [machine.readings[name] for machine in machines]
    texts = [
        f"{html.escape(m.name)}: {ratio_text(i)}<br>control {ratio_text(m.control)}"
        for m, i in zip(machines, intervals)
    ]
    return [
        {
            **strokes([(i.low, i.high) for i in intervals], places, ends),
            "hoverinfo": "skip",
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
    line: RoomAnswer, pooled: Pooled, place: float, ends: Sequence[float]
) -> list[dict[str, Any]]:
    """The mean with its interval, and where the next machine is expected."""
    text = room_cards.mean_text(pooled)
    hover = f"{html.escape(line.name)}, mean of {len(line.machines)}: {text}<extra></extra>"
    spans: list[tuple[float, float, float]] = [(pooled.low, pooled.high, 5)]
    if pooled.next_low is not None and pooled.next_high is not None:
        spans.insert(0, (pooled.next_low, pooled.next_high, 1.5))
    traces = [
        {
            **strokes([(low, high)], [place], ends),
            "hovertemplate": hover,
            "line": {"color": MEAN, "width": width},
        }
        for low, high, width in spans
    ]
    marker = {"color": MEAN, "symbol": "diamond", "size": 13}
    x, name = cut(pooled.ratio, ends), f"{line.name}: mean"
    return [*traces, named_point(x, place, percent(pooled.ratio), marker, hover, name)]


def room_title(found: Room) -> str:
    """The finding: on how many variants the room agrees."""
    shared = [line for line in found.lines if line.pooled]
    if not shared:
        return "No variant was measured on two machines: nothing to compare"
    agreed = [line for line in shared if line.answer == room.AGREES]
    machines = room_cards.count(found.machines)
    if len(agreed) == len(shared):
        return f"{machines} agree on every variant"
    return f"{machines} agree on {len(agreed)} of {len(shared)} variants"


def room_numbers(found: Room) -> Output:
    """The numbers as tables: the means, and every machine where they are not too many."""
    shown = found.machines[:LISTED]
    names = [line.name for line in found.lines]
    rows = [
        [m.name, ratio_text(m.control), *(reading_text(m, name) for name in names)] for m in shown
    ]
    table = markup.table(["machine", "control", *names], rows, right=range(1, 2 + len(names)))
    rest = found.machines[LISTED:]
    more = [markup.paragraph(f"and {room_cards.count(rest)} more")] if rest else []
    return markup.total([room_cards.lines_table(found), table, *more])


def reading_text(machine: Machine, name: str) -> str:
    if name not in machine.readings:
        return machine.left_out.get(name, "—")
    return ratio_text(machine.readings[name])
