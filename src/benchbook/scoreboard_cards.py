"""The scoreboard as a table that filters and sorts, and as a plot of published and measured."""

import html
import math
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from benchbook import cards, embed, figures, judge, scoreboard
from benchbook.cards import Output
from benchbook.embed import Figure
from benchbook.experiments import Experiment
from benchbook.figures import COLOURS, GREY
from benchbook.scoreboard import NOT_RUN, Board, Row, Side

VERDICTS = (*judge.VERDICTS, NOT_RUN)
COLUMNS = ("experiment", "the article says", "published", "measured here", "verdict", "why")
REFERENCE = "reference run"
ROW_PX = 40
FACTORS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
NEAR = (0.5, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2)  # where nothing is far from 1

Link = Callable[[Experiment], str]  # where an experiment's notebook is, '' for nowhere


def summary(board: Board) -> str:
    """How many statements came out how, in a sentence."""
    counts = board.counts
    parts = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict]]
    return f"{len(board.rows)} statements: {', '.join(parts)}."


def table(board: Board, link: Link = lambda _: "") -> Output:
    """Every statement, a row each; text for terminals, HTML that filters and sorts."""
    rows = [[row.experiment.number, *map(plain, cells(row)[1:])] for row in board.rows]
    text = cards.table([*COLUMNS, REFERENCE], rows).text
    return Output(f"{summary(board)}\n\n{text}", markup(board, link))


def plain(cell: tuple[str, str]) -> str:
    return cell[0]


def marked(verdict: str) -> str:
    return "· not run" if verdict == NOT_RUN else cards.marked(verdict)


def cells(row: Row) -> list[tuple[str, str]]:
    """A row's cells as (text, key to sort by; '' where it is not known)."""
    experiment, statement = row.experiment, row.statement
    published = cards.percent(row.published) if row.published else "no size given"
    return [
        (f"{experiment.number} · {experiment.title}", experiment.name),
        (statement.says, statement.says),
        (published, number(row.published)),
        (measured(row.own), number(ratio(row.own))),
        (marked(row.verdict), str(VERDICTS.index(row.verdict))),
        (why(row), why(row)),
        (reference(row.reference), number(ratio(row.reference))),
    ]


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def ratio(side: Side | None) -> float | None:
    """The one ratio that a statement is about; None for an order, or where it is not known."""
    if side is None or len(side.judgement.tests) != 1:
        return None
    return side.judgement.tests[0].interval.ratio


def measured(side: Side | None) -> str:
    return cards.measured_text(side.judgement) if side else NOT_RUN


def why(row: Row) -> str:
    if row.own is None:
        return f"./bench race {row.experiment.number}"
    older = "; raced with other code than now" if row.own.older else ""
    return row.own.judgement.why + cards.size_text(row.own.judgement) + older


def reference(side: Side | None) -> str:
    if side is None:
        return "none"
    return f"{measured(side)}, {marked(side.judgement.verdict)}"


# ── HTML ─────────────────────────────────────────────────────────────────────────────────────────


def markup(board: Board, link: Link) -> str:
    identity = secrets.token_hex(8)
    heads = "".join(f'<th scope="col">{cards.esc(c)}</th>' for c in (*COLUMNS, REFERENCE))
    rows = "".join(row_markup(row, link) for row in board.rows)
    return f"""<div class="benchbook-board" data-benchbook-board="{identity}">
<style>{embed.asset("scoreboard.css")}</style>
<p>{cards.esc(summary(board))}</p>
{filters(board)}
<div class="table" tabindex="0"><table><thead><tr>{heads}</tr></thead>
<tbody>{rows}</tbody></table></div>
<script>(function () {{
{embed.asset("scoreboard.js")}
useBoard('{identity}');
}})();</script>
</div>"""


def filters(board: Board) -> str:
    every = [(e.name, f"{e.number} · {e.title}") for e in scoreboard.ordered(board.rows)]
    seen = [(verdict, verdict) for verdict in VERDICTS if board.counts[verdict]]
    return f"""<div class="filters" role="search" hidden>
<label>Words <input type="search" name="words"></label>
{choice("Experiment", "experiment", every)}
{choice("Verdict", "verdict", seen)}
<output aria-live="polite"></output>
</div>"""


def choice(title: str, name: str, options: Sequence[tuple[str, str]]) -> str:
    given = "".join(
        f'<option value="{html.escape(value)}">{html.escape(text)}</option>'
        for value, text in options
    )
    given = f'<option value="">all</option>{given}'
    return f'<label>{title} <select name="{name}">{given}</select></label>'


def row_markup(row: Row, link: Link) -> str:
    shown = cells(row)
    parts = [html.escape(text) for text, _ in shown]
    if target := link(row.experiment):
        parts[0] = f'<a href="{html.escape(target)}">{parts[0]}</a>'
    parts[1] += f"<small>{html.escape(row.statement.place)}</small>"
    colour = cards.COLOURS.get(row.verdict, "inherit")
    parts[4] = f'<span class="verdict" style="color:{colour}">{parts[4]}</span>'
    tds = "".join(
        f'<td data-key="{html.escape(key)}">{part}</td>' for part, (_, key) in zip(parts, shown)
    )
    return (
        f'<tr data-experiment="{html.escape(row.experiment.name)}" '
        f'data-verdict="{row.verdict}">{tds}</tr>'
    )


# ── The plot ─────────────────────────────────────────────────────────────────────────────────────


def plot(board: Board) -> Figure:
    """Of each statement that is about one ratio: published, measured here, and the reference run.

    The axis is logarithmic: twice and half are equally far from the same.
    """
    shown = [r for r in board.rows if r.published or ratio(r.own) or ratio(r.reference)]
    shown = [row for row in shown if row.statement.type != "order"]
    places = {id(row): float(len(shown) - 1 - i) for i, row in enumerate(shown)}
    ends = axis_ends(shown)
    data = []
    sides = [("reference", GREY, "circle-open", -0.2), ("own", COLOURS[0], "circle", 0.2)]
    for kind, colour, symbol, shift in sides:
        having = [(r, s) for r in shown if ratio(s := getattr(r, kind)) is not None and s]
        if having:
            at = [places[id(row)] + shift for row, _ in having]
            data += side_traces([s for _, s in having], at, colour, symbol, ends)
    if any(row.published for row in shown):
        data.append(published_trace([r for r in shown if r.published], places, ends))
    title = f"{board.counts[judge.REPRODUCED]} of {len(board.rows)} statements are reproduced here"
    steps = NEAR if ends[1] - ends[0] < math.log(4) else FACTORS
    factors = [f for f in steps if ends[0] <= math.log(f) <= ends[1]]
    layout = figures.frame(
        title,
        "◇ published, ● measured here with its 95 % interval, ○ the reference run; logarithmic; "
        "what lies outside of the plot is cut; orders of many variants have no single ratio",
        plot_px=max(60, ROW_PX * len(shown)),
        bottom_px=48,
        shapes=[figures.line_at(0.0)],
        showlegend=False,
        xaxis=figures.axis(
            "speed of the first compared with the second",
            range=ends,
            tickvals=[math.log(factor) for factor in factors],
            ticktext=[f"{factor:g}×" for factor in factors],
            tickangle=0,
        ),
        yaxis=figures.axis(
            "",
            range=[-0.7, len(shown) - 0.3],
            tickvals=[places[id(row)] for row in shown],
            ticktext=[label(row) for row in shown],
            showgrid=False,
        ),
    )
    return figures.figure(title, data, layout, plot_numbers(shown))


def label(row: Row) -> str:
    """A statement's place on the axis, in two short lines at most."""
    statement = row.statement
    names = [statement.a, statement.b]
    short = [name if len(name) <= 22 else f"{name[:21]}…" for name in names]
    return f"{row.experiment.number.partition('/')[0]} {short[0]}<br>vs {short[1]}"


def axis_ends(rows: Sequence[Row]) -> list[float]:
    """Logarithms: room for all points, and for intervals that are not wider by far."""
    sides = [side for row in rows for side in (row.own, row.reference) if side]
    points = [row.published for row in rows] + [ratio(side) for side in sides]
    logs = [math.log(point) for point in points if point] or [0.0]
    low, high = min([*logs, -0.1]), max([*logs, 0.1])
    margin = 0.12 * (high - low)
    return [low - margin, high + margin]


def cut(factor: float, ends: Sequence[float]) -> float:
    if factor <= 0:
        return ends[0]
    return min(max(math.log(factor), ends[0]), ends[1])


def side_traces(
    sides: Sequence[Side], at: Sequence[float], colour: str, symbol: str, ends: Sequence[float]
) -> list[dict[str, Any]]:
    intervals = [side.judgement.tests[0].interval for side in sides]
    x: list[float | None] = []
    y: list[float | None] = []
    for interval, place in zip(intervals, at):
        x += [cut(interval.low, ends), cut(interval.high, ends), None]
        y += [place, place, None]
    drawn = {"type": "scatter", "hovertemplate": "%{text}<extra></extra>"}
    texts = [
        f"{html.escape(side.judgement.statement.says)}<br>{html.escape(measured(side))}: "
        f"{marked(side.judgement.verdict)}"
        for side in sides
    ]
    line = {"color": colour, "width": 2}
    span = {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip"}
    marker = {"color": colour, "symbol": symbol, "size": 10, "line": {"color": colour, "width": 2}}
    points = {"x": [cut(i.ratio, ends) for i in intervals], "y": list(at), "text": texts}
    return [span, {**drawn, **points, "mode": "markers", "marker": marker}]


def published_trace(
    rows: Sequence[Row], places: dict[int, float], ends: Sequence[float]
) -> dict[str, Any]:
    line = {"color": COLOURS[3], "width": 2}
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [cut(row.published or 1.0, ends) for row in rows],
        "y": [places[id(row)] for row in rows],
        "marker": {"color": COLOURS[3], "symbol": "diamond-open", "size": 14, "line": line},
        "text": [f"published: {cards.percent(row.published or 1.0)}" for row in rows],
        "hovertemplate": "%{text}<extra></extra>",
        "name": "published",
    }


def plot_numbers(rows: Sequence[Row]) -> Output:
    columns = ["", "the article says", "published", "measured here", REFERENCE]
    shown = [[r.experiment.number, *(cells(r)[i][0] for i in (1, 2, 3, 6))] for r in rows]
    return cards.table(columns, shown)
