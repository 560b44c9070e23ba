"""The figure of the scoreboard: of every statement the published ratio and the measured ones."""

import html
import math
import textwrap
from collections.abc import Sequence
from typing import Any

from benchbook.analysis.judging.verdicts import SMALLEST_EFFECT, share_text
from benchbook.analysis.scoreboard import Board, BoardRow, Side
from benchbook.show import markup, pairs
from benchbook.show.cards.scoreboard_cards import (
    REFERENCE,
    lead,
    marked,
    measured_text,
    pair_of,
    row_published,
    side_ratio,
)
from benchbook.show.embed import Figure
from benchbook.show.figures import base
from benchbook.show.figures.base import COLOURS, GREY, axis, figure, frame, line_at, note, rows_axis
from benchbook.show.markup import Output, lines
from benchbook.show.wording import percent

ROW_PX = 40
LABEL_WIDTH = 46  # characters in a line beside a row
BEND = 0.05  # up to about this difference the axis is linear, beyond it is logarithmic
# What the axis is labelled with, as factors; where there is no room for all, for the first ones.
LABELLED = (1, 1.2, 0.8, 1.05, 0.95, 2, 0.5, 10, 0.1, 100, 1.5, 5, 20, 50, 1.1, 0.9)
LABEL_SHARE = 0.14  # of the axis, which one label takes


def scoreboard_figure(board: Board) -> Figure:
    """Of each statement that is about one ratio: published, measured here, and the reference run.

    Differences of a few percent have as much room as factors: the axis is bent (see bent).
    """
    rows = [r for r in board.rows if r.published or side_ratio(r.own) or side_ratio(r.reference)]
    rows = [row for row in rows if row.statement.type != "order"]
    rows.reverse()  # the first on top
    ends = axis_ends(rows)
    title = lead(board)
    band = [bent(1 / (1 + SMALLEST_EFFECT)), bent(1 + SMALLEST_EFFECT)]
    below = factor_axis("speed of the first compared with the second", ends)
    layout = frame(
        title,
        "◇ published, ● measured here with its 95 % interval, ○ the recorded run; grey: less than "
        f"{share_text(SMALLEST_EFFECT)}; the axis is linear there, logarithmic beyond; what lies "
        "outside the plot is cut; orders of many variants have no single ratio",
        plot_px=max(60, ROW_PX * len(rows)),
        shapes=[base.across(band), line_at(0.0)],
        annotations=[
            note(text, x=x, y=1, yref="paper", yanchor="bottom")
            for x, text in zip(below["tickvals"], below["ticktext"])
        ],
        showlegend=False,
        xaxis=below,
        yaxis=rows_axis([row_label(row) for row in rows], range=[-0.7, len(rows) - 0.3]),
    )
    return figure(title, board_traces(rows, ends), layout, scoreboard_numbers(rows[::-1]))


def board_traces(rows: Sequence[BoardRow], ends: Sequence[float]) -> list[dict[str, Any]]:
    """The recorded runs, the own runs and what was published, in this order."""
    references = [(i - 0.2, row.reference) for i, row in enumerate(rows)]
    own = [(i + 0.2, row.own) for i, row in enumerate(rows)]
    published = [(i, ratio) for i, row in enumerate(rows) if (ratio := row_published(row))]
    data = side_traces(references, GREY, "circle-open", ends)
    data += side_traces(own, COLOURS[0], "circle", ends)
    return data + ([published_trace(published[::-1], ends)] if published else [])


def row_label(row: BoardRow) -> str:
    """The pair that a row is about, and its statement, in two lines."""
    statement = row.statement
    a, b = pairs.ordered(statement.a, statement.b, row.experiment.baseline)
    said = textwrap.shorten(statement.says, LABEL_WIDTH, placeholder=" …")
    pair = textwrap.shorten(f"{row.experiment.number} {a} to {b}", LABEL_WIDTH, placeholder=" …")
    return f"<b>{html.escape(pair)}</b><br>{html.escape(said, quote=False)}"


def bent(factor: float) -> float:
    """Where a factor is on the axis: near 1 in proportion to the difference, far from it to the
    logarithm, as the inverse of sinh goes. Twice and half are equally far from the same."""
    return math.asinh(math.log(factor) / BEND)


def factor_axis(title: str, ends: Sequence[float]) -> dict[str, Any]:
    """The bent x axis, labelled with differences and factors, so that no label meets another."""
    room, shown = LABEL_SHARE * (ends[1] - ends[0]), list[float]()
    for factor in LABELLED:
        x = bent(factor)
        if ends[0] <= x <= ends[1] and all(abs(x - bent(other)) >= room for other in shown):
            shown.append(factor)
    return axis(
        title,
        range=ends,
        tickvals=[bent(factor) for factor in sorted(shown)],
        ticktext=[tick_text(factor) for factor in sorted(shown)],
        tickangle=0,
    )


def tick_text(factor: float) -> str:
    """A factor near 1 as a difference: "+5 %", "−20 %"; "2×"."""
    if factor >= 1.5:
        return f"{factor:g}×"
    sign = "+" if factor > 1 else "−" if factor < 1 else ""
    return f"{sign}{abs(100 * (factor - 1)):.0f} %"


def axis_ends(rows: Sequence[BoardRow]) -> list[float]:
    """Room for all points, and for intervals that are not wider by far."""
    points = [row_published(row) for row in rows]
    points += [side_ratio(side) for row in rows for side in (row.own, row.reference)]
    places = [bent(point) for point in points if point] or [0.0]
    low, high = min([*places, bent(0.9)]), max([*places, bent(1.1)])
    margin = 0.08 * (high - low)
    return [low - margin, high + margin]


def cut(factor: float, ends: Sequence[float]) -> float:
    """Where a factor is, or the end of the axis that it lies beyond."""
    if factor <= 0:
        return ends[0]
    return min(max(bent(factor), ends[0]), ends[1])


def side_traces(
    placed: Sequence[tuple[float, Side | None]], colour: str, symbol: str, ends: Sequence[float]
) -> list[dict[str, Any]]:
    """The ratios that runs measured, with their intervals; placed: (place, what a run says)."""
    known = [(y, side) for y, side in reversed(placed) if side and side_ratio(side) is not None]
    if not known:
        return []
    places, sides = [y for y, _ in known], [side for _, side in known]
    intervals = [each.interval for each in map(pair_of, sides) if each]
    x: list[float | None] = []
    y: list[float | None] = []
    for interval, place in zip(intervals, places):
        x += [cut(interval.low, ends), cut(interval.high, ends), None]
        y += [place, place, None]
    texts = [
        f"{html.escape(side.judgement.statement.says)}<br>{lines(measured_text(side))}: "
        f"{marked(side.judgement.verdict)}"
        for side in sides
    ]
    line = {"color": colour, "width": 2}
    points = {
        "type": "scatter",
        "mode": "markers",
        "x": [cut(interval.ratio, ends) for interval in intervals],
        "y": places,
        "text": texts,
        "marker": {"color": colour, "symbol": symbol, "size": 10, "line": line},
        "hovertemplate": "%{text}<extra></extra>",
    }
    span = {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip"}
    return [span, points]


def published_trace(placed: Sequence[tuple[float, float]], ends: Sequence[float]) -> dict[str, Any]:
    """The articles' ratios as hollow diamonds; placed: (place, ratio)."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [cut(ratio, ends) for _, ratio in placed],
        "y": [float(place) for place, _ in placed],
        "marker": {
            "color": COLOURS[3],
            "symbol": "diamond-open",
            "size": 14,
            "line": {"color": COLOURS[3], "width": 2},
        },
        "text": [f"published: {percent(ratio)}" for _, ratio in placed],
        "hovertemplate": "%{text}<extra></extra>",
        "name": "published",
    }


def scoreboard_numbers(rows: Sequence[BoardRow]) -> Output:
    """The numbers of the figure, a statement in each row."""
    columns = ["experiment", "the article says", "published", "measured here", REFERENCE]
    shown = [
        [
            row.experiment.number,
            row.statement.says,
            percent(ratio) if (ratio := row_published(row)) else "",
            *map(measured_text, (row.own, row.reference)),
        ]
        for row in rows
    ]
    return markup.table(columns, shown)
