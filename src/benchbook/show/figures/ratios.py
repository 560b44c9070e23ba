"""The figure of ratios: each entry's difference to the baseline, its interval, and the floor."""

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchbook.analysis import verdicts
from benchbook.analysis.judge import Results
from benchbook.analysis.stats import Interval
from benchbook.model.claims import Claim, speed_ratio
from benchbook.model.runs import Entry, Run
from benchbook.show import cards, markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    GREY,
    NAME_WIDTH,
    ROW_PX,
    Style,
    band,
    difference,
    figure,
    frame,
    label,
    line_at,
    marker,
    named_point,
    note,
    percent_axis,
    rows_axis,
    styles,
    whisker,
    wrapped,
)
from benchbook.show.markup import Output
from benchbook.show.wording import interval_text, percent, ratio_text

Row = Sequence[Entry]  # entries that share a row: the first stands for all


def ratios_figure(run: Run, results: Results, claim: Claim | None = None) -> Figure:
    """Each entry's difference to the baseline with its interval, the fastest on top.

    The floor is a band; published ratios to the baseline are hollow diamonds. They come from the
    statements that were judged, and from `claim`'s figures where it is given.
    """
    published = published_ratios(run, results, claim)
    rows = ratio_rows(run, results, published)
    ends = axis_range([i for e in run.entries if (i := results.ratios.get(e.name))], published)
    data, notes = row_traces(run, results, rows, ends)
    if published:
        data.insert(0, published_trace(rows, published))
    shapes = [line_at(0.0)]
    if results.floor:
        shapes.insert(0, band(results.floor.reach, ends))
        notes.insert(0, floor_note(results.floor.reach))
    title = ratios_title(run, results)
    layout = frame(
        title,
        f"● difference to {run.baseline} with its 95 % interval; grey band: the floor, by which "
        "two copies of the same program differ here" + ("; ◇ published" if published else ""),
        plot_px=ROW_PX * len(rows) + 30,
        shapes=shapes,
        annotations=notes,
        showlegend=False,
        xaxis=percent_axis(f"{run.unit} compared with {run.baseline}", ends),
        yaxis=rows_axis([row_label(row) for row in rows], range=[-0.6, len(rows) - 0.2]),
    )
    return figure(title, data, layout, ratios_table(run, results, published))


def published_ratios(run: Run, results: Results, claim: Claim | None) -> dict[str, float]:
    """The article's ratio to the baseline for the variants for which it gives one."""
    found: dict[str, float] = {}
    if claim and (base := claim.published(run.baseline)):
        for entry in run.entries:
            stated = claim.published(entry.name)
            if stated and stated.unit == base.unit and entry.role == "variant":
                found[entry.name] = speed_ratio(stated.value, base.value, base.unit)
    for judgement in results.judgements:
        statement, ratio = judgement.statement, judgement.published
        if ratio and statement.b == run.baseline:
            found[statement.a] = ratio
        elif ratio and statement.a == run.baseline:
            found[statement.b] = 1 / ratio
    names = {entry.name for entry in run.entries}
    return {name: ratio for name, ratio in found.items() if name in names}


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────


def ratio_rows(run: Run, results: Results, published: Mapping[str, float]) -> list[Row]:
    """The rows from the bottom up, an entry in each, the fastest on top.

    What has no ratio stays, at the bottom, and says why. Entries that lack it for the same reason
    share a row, unless there is a published ratio to be shown.
    """
    measured: list[Row] = []
    missing: dict[tuple[str, str], list[Entry]] = {}
    for entry in run.entries:
        if entry.name in results.ratios:
            measured.append([entry])
        elif entry.role != "baseline":
            alone = entry.name if entry.name in published else ""
            missing.setdefault((missing_text(entry), alone), []).append(entry)
    measured.sort(key=lambda row: results.ratios[row[0].name].ratio)
    return [*missing.values(), *measured]


def row_label(row: Row) -> str:
    """The names of a row, in the two lines for which there is room."""
    names = [label(entry) for entry in row]
    lines = ""
    for count in range(len(names), 0, -1):
        more = [f"{len(names) - count} more"] if count < len(names) else []
        lines = wrapped(", ".join(names[:count] + more), NAME_WIDTH)
        if lines.count("<br>") < 2:
            break
    return lines


def missing_text(entry: Entry) -> str:
    """Why a row is empty."""
    reason = entry.short_reason or "no samples"
    kind = "no samples" if entry.status == "raced" else entry.status
    return wrapped(f"{kind}: {reason}" if reason != kind else kind, 60)


# ── What is drawn ────────────────────────────────────────────────────────────────────────────────


def row_traces(
    run: Run, results: Results, rows: Sequence[Row], ends: Sequence[float]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(traces, notes): the ratio of each row with its interval, or why it has none."""
    looks = styles(run)
    traces: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for place, (entry, *_) in enumerate(rows):
        if interval := results.ratios.get(entry.name):
            traces += interval_traces(entry, interval, place, looks[entry.name], ends)
        else:
            missing = note(missing_text(entry), x=0.01, xref="paper", y=place, yref="y")
            notes.append({**missing, "xanchor": "left", "align": "left"})
    return traces, notes


def interval_traces(
    entry: Entry, interval: Interval, place: int, look: Style, ends: Sequence[float]
) -> list[dict[str, Any]]:
    """The point, its interval as a line, and an arrowhead where the interval goes on."""
    low, high = difference(interval.low), difference(interval.high)
    hover = f"{html.escape(label(entry))}: {ratio_text(interval)}<extra></extra>"
    x, text = difference(interval.ratio), percent(interval.ratio)
    return [
        whisker((low, high), place, look, ends, hover, f"{entry.name} interval"),
        named_point(x, place, text, marker(look, 13), hover, entry.name),
    ]


def published_trace(rows: Sequence[Row], published: Mapping[str, float]) -> dict[str, Any]:
    """The article's ratios, as hollow diamonds."""
    places = {entry.name: place for place, (entry, *_) in enumerate(rows)}
    names = [name for name in published if name in places]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [difference(published[name]) for name in names],
        "y": [places[name] for name in names],
        "marker": {
            "symbol": "diamond-open",
            "size": 17,
            "color": GREY,
            "line": {"color": GREY, "width": 2.5},
        },
        "text": [f"{html.escape(name)}: {percent(published[name])}" for name in names],
        "hovertemplate": "published for %{text}<extra></extra>",
        "name": "published",
    }


def axis_range(intervals: Iterable[Interval], published: Mapping[str, float]) -> list[float]:
    """Room for all points and intervals; an interval that is wider by far is cut at the edge."""
    intervals = list(intervals)
    points = [difference(i.ratio) for i in intervals] + [difference(r) for r in published.values()]
    furthest = max([100.0, *(3 * abs(point) for point in points)])
    ends = [difference(end) for i in intervals for end in (i.low, i.high)]
    everything = [0.0, *points, *(max(-furthest, min(furthest, end)) for end in ends)]
    low, high = min(everything), max(everything)
    margin = 0.08 * max(high - low, 1.0)
    return [max(low - margin, -104.0), high + margin]  # nothing is slower by more than 100 %


# ── In words ─────────────────────────────────────────────────────────────────────────────────────


def floor_note(reach: float) -> dict[str, Any]:
    """The size of the floor, above its band."""
    if math.isinf(reach):
        text = "floor unknown"
    elif reach >= verdicts.WIDEST_PERCENT:
        text = f"floor: up to {1 + reach:.1f}×"
    else:
        text = f"floor ±{reach:.1%}".replace("%", " %")
    return note(text, x=0, xref="x", y=1, yref="paper", yanchor="bottom")


def ratios_title(run: Run, results: Results) -> str:
    """The finding: what lies outside the floor."""
    found = {name: i for name, i in results.ratios.items() if name != run.floor_copy}
    if not found or results.floor is None:
        return f"No ratio to {run.baseline} could be measured"
    reach = results.floor.reach
    outside = [n for n, i in found.items() if i.low > 1 + reach or i.high < 1 / (1 + reach)]
    if not outside:
        return f"No variant differs from {run.baseline} by more than the floor"
    best = max(outside, key=lambda name: abs(math.log(found[name].ratio)))
    size = percent(found[best].ratio)
    if len(found) == 1:
        return f"{best} differs from {run.baseline} by more than the floor: {size}"
    return (
        f"{len(outside)} of {len(found)} variants differ from {run.baseline} by more than the "
        f"floor, {best} the most: {size}"
    )


def ratios_table(run: Run, results: Results, published: Mapping[str, float]) -> Output:
    """The numbers of the figure, an entry in each row."""
    rows = []
    for entry in run.entries:
        interval = results.ratios.get(entry.name)
        ratio = [percent(interval.ratio), interval_text(interval)] if interval else ["", ""]
        stated = percent(published[entry.name]) if entry.name in published else ""
        rows.append([label(entry), *ratio, stated, role_or_status(entry)])
    columns = ["variant", f"to {run.baseline}", "95 % interval", "published", ""]
    return cards.floor(results) + markup.table(columns, rows, right=[1, 2, 3])


def role_or_status(entry: Entry) -> str:
    if entry.status != "raced":
        return f"{entry.status}: {entry.short_reason}"
    return {"baseline": "the baseline", "floor": "the floor: its A/A copy"}.get(entry.role, "")
