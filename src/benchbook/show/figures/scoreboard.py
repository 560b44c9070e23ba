"""The figure of the scoreboard: of every statement the published ratio and the measured ones."""

import html
import math
from collections.abc import Sequence
from typing import Any

from benchbook.analysis.scoreboard import Board, Row, Side
from benchbook.show import markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import COLOURS, GREY, axis, figure, frame, line_at, rows_axis
from benchbook.show.markup import Output
from benchbook.show.scoreboard_cards import REFERENCE, lead, marked, measured_text, side_ratio
from benchbook.show.wording import percent

ROW_PX = 40
FACTORS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
NEAR = (0.5, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2)  # where nothing is far from 1


def scoreboard_figure(board: Board) -> Figure:
    """Of each statement that is about one ratio: published, measured here, and the reference run.

    The axis is logarithmic: twice and half are equally far from the same.
    """
    rows = [r for r in board.rows if r.published or side_ratio(r.own) or side_ratio(r.reference)]
    rows = [row for row in rows if row.statement.type != "order"]
    rows.reverse()  # the first on top
    ends = axis_ends(rows)
    title = lead(board)
    layout = frame(
        title,
        "◇ published, ● measured here with its 95 % interval, ○ the recorded run; logarithmic; "
        "what lies outside the plot is cut; orders of many variants have no single ratio",
        plot_px=max(60, ROW_PX * len(rows)),
        shapes=[line_at(0.0)],
        showlegend=False,
        xaxis=factor_axis("speed of the first compared with the second", ends),
        yaxis=rows_axis([row_label(row) for row in rows], range=[-0.7, len(rows) - 0.3]),
    )
    return figure(title, board_traces(rows, ends), layout, scoreboard_numbers(rows[::-1]))


def board_traces(rows: Sequence[Row], ends: Sequence[float]) -> list[dict[str, Any]]:
    """The recorded runs, the own runs and what was published, in this order."""
    references = [(i - 0.2, row.reference) for i, row in enumerate(rows)]
    own = [(i + 0.2, row.own) for i, row in enumerate(rows)]
    published = [(i, row.published) for i, row in enumerate(rows) if row.published]
    data = side_traces(references, GREY, "circle-open", ends)
    data += side_traces(own, COLOURS[0], "circle", ends)
    return data + ([published_trace(published[::-1], ends)] if published else [])


def row_label(row: Row) -> str:
    """A statement's place on the axis, in two short lines at most."""
    statement = row.statement
    names = [statement.a, statement.b]
    short = [name if len(name) <= 22 else f"{name[:21]}…" for name in names]
    return f"{row.experiment.number.partition('/')[0]} {short[0]}<br>vs {short[1]}"


def factor_axis(title: str, ends: Sequence[float]) -> dict[str, Any]:
    """An x axis of logarithms, labelled with the factors."""
    steps = NEAR if ends[1] - ends[0] < math.log(4) else FACTORS
    factors = [f for f in steps if ends[0] <= math.log(f) <= ends[1]]
    return axis(
        title,
        range=ends,
        tickvals=[math.log(factor) for factor in factors],
        ticktext=[f"{factor:g}×" for factor in factors],
        tickangle=0,
    )


def axis_ends(rows: Sequence[Row]) -> list[float]:
    """Logarithms: room for all points, and for intervals that are not wider by far."""
    points = [row.published for row in rows]
    points += [side_ratio(side) for row in rows for side in (row.own, row.reference)]
    logs = [math.log(point) for point in points if point] or [0.0]
    low, high = min([*logs, -0.1]), max([*logs, 0.1])
    margin = 0.12 * (high - low)
    return [low - margin, high + margin]


def cut(factor: float, ends: Sequence[float]) -> float:
    """The logarithm of a factor, or the end of the axis that it lies beyond."""
    if factor <= 0:
        return ends[0]
    return min(max(math.log(factor), ends[0]), ends[1])


def side_traces(
    placed: Sequence[tuple[float, Side | None]], colour: str, symbol: str, ends: Sequence[float]
) -> list[dict[str, Any]]:
    """The ratios that runs measured, with their intervals; placed: (place, what a run says)."""
    known = [(y, side) for y, side in reversed(placed) if side and side_ratio(side) is not None]
    if not known:
        return []
    places, sides = [y for y, _ in known], [side for _, side in known]
    intervals = [side.judgement.tests[0].interval for side in sides]
    x: list[float | None] = []
    y: list[float | None] = []
    for interval, place in zip(intervals, places):
        x += [cut(interval.low, ends), cut(interval.high, ends), None]
        y += [place, place, None]
    texts = [
        f"{html.escape(side.judgement.statement.says)}<br>{html.escape(measured_text(side))}: "
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


def scoreboard_numbers(rows: Sequence[Row]) -> Output:
    """The numbers of the figure, a statement in each row."""
    columns = ["", "the article says", "published", "measured here", REFERENCE]
    shown = [
        [
            row.experiment.number,
            row.statement.says,
            percent(row.published) if row.published else "",
            *map(measured_text, (row.own, row.reference)),
        ]
        for row in rows
    ]
    return markup.table(columns, shown)
