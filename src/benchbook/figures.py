"""Plotly figures of a run: ratios to the baseline, every sample in time, latency percentiles.

Colours are Okabe & Ito's (told apart by the colour-blind), and each variant has a marker of its
own, the same in all figures. Backgrounds are transparent, lines mid-grey: any theme fits.
"""

import html
import json
import math
import statistics
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchbook import cards, judge
from benchbook.claims import Claim, speed_ratio
from benchbook.embed import TRANSPARENT, Figure
from benchbook.errors import InputError
from benchbook.judge import Results
from benchbook.results import Entry, Run, Sample
from benchbook.stats import Interval

# blue, orange, green, vermillion, sky, purple, yellow; grey is left to the baseline and the floor
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442")
SYMBOLS = ("square", "triangle-up", "diamond", "cross", "triangle-down", "star", "pentagon", "x")
DRAWN = {"scatter", "bar"}  # what plotly.js-basic-dist-min has, and figures here need
GREY = "#777777"  # contrast over 4 on white and on #111
FAINT = "rgba(128,128,128,0.3)"
BAND = "rgba(128,128,128,0.18)"
PERCENTILES = ("p50", "p75", "p90", "p99", "p99_9", "max")
PERCENTILE_NAMES = ("p50", "p75", "p90", "p99", "p99.9", "max")
TITLE_WIDTH, SMALL_WIDTH, NAME_WIDTH = 58, 84, 20  # characters a line, for figures of 600 px
ROW_PX = 44


@dataclass(frozen=True)
class Style:
    """How one entry looks, in every figure."""

    colour: str
    symbol: str


def styles(run: Run) -> dict[str, Style]:
    """A look for each entry: by its place among the variants, raced or not."""
    looks: dict[str, Style] = {}
    for entry in run.entries:
        if entry.role == "variant":
            i = sum(style.colour != GREY for style in looks.values())
            looks[entry.name] = Style(COLOURS[i % len(COLOURS)], SYMBOLS[i % len(SYMBOLS)])
        else:
            open_ = "-open" if entry.role == "floor" else ""
            looks[entry.name] = Style(GREY, f"circle{open_}")
    return looks


def label(entry: Entry) -> str:
    kind = " (A/A copy)" if entry.role == "floor" else ""
    return entry.name + kind + (" (edited)" if entry.edited else "")


# ── Ratios ───────────────────────────────────────────────────────────────────────────────────────


def ratios(run: Run, results: Results, claim: Claim | None = None) -> Figure:
    """Each entry's difference to the baseline with its interval, the fastest on top.

    The floor is a band; published ratios to the baseline are hollow diamonds. They come from the
    statements that were judged, and from `claim`'s figures where it is given.
    """
    published = published_ratios(run, results, claim)
    rows = ratio_rows(run, results, published)
    ends = axis_range([i for e in run.entries if (i := results.ratios.get(e.name))], published)
    looks = styles(run)
    data = [published_trace(rows, published)] if published else []
    shapes = [line_at(0.0)]
    notes = []
    if results.floor:
        shapes.insert(0, band(results.floor.reach, ends))
        notes.append(floor_note(results.floor.reach))
    for place, (entry, *_) in enumerate(rows):
        interval = results.ratios.get(entry.name)
        if interval:
            data += interval_traces(entry, interval, place, looks[entry.name], ends)
        else:
            missing = note(missing_text(entry), x=0.01, xref="paper", y=place, yref="y")
            notes.append({**missing, "xanchor": "left", "align": "left"})
    title = ratios_title(run, results)
    small = f"● difference to {run.baseline} with its 95 % interval; grey band: the floor, "
    small += "by which two copies of the same program differ here"
    if published:
        small += "; ◇ published"
    layout = frame(
        title,
        small,
        plot_px=ROW_PX * len(rows) + 30,
        bottom_px=48,
        shapes=shapes,
        annotations=notes,
        showlegend=False,
        xaxis=axis(
            f"{run.unit} compared with {run.baseline}",
            range=ends,
            ticksuffix=" %",
            tickangle=0,
            nticks=8,
        ),
        yaxis=axis(
            "",
            range=[-0.6, len(rows) - 0.2],
            tickvals=list(range(len(rows))),
            ticktext=[row_label(row) for row in rows],
            showgrid=False,
        ),
    )
    return figure(title, data, layout, ratios_table(run, results, published))


def ratio_rows(
    run: Run, results: Results, published: Mapping[str, float]
) -> list[tuple[Entry, ...]]:
    """The rows from the bottom up: an entry each, the fastest on top.

    Availability is data: what has no ratio stays, at the bottom, and says why. Entries that lack
    it for the same reason share a row, unless there is a published ratio to be shown.
    """
    measured, missing = [], {}
    for entry in run.entries:
        if entry.name in results.ratios:
            measured.append((entry,))
        elif entry.role != "baseline":
            alone = entry.name if entry.name in published else ""
            missing.setdefault((missing_text(entry), alone), []).append(entry)
    measured.sort(key=lambda row: results.ratios[row[0].name].ratio)
    return [*map(tuple, missing.values()), *measured]


def row_label(row: Sequence[Entry]) -> str:
    """The names of a row, in the two lines for which there is room."""
    names = [label(entry) for entry in row]
    for count in range(len(names), 0, -1):
        more = [f"{len(names) - count} more"] if count < len(names) else []
        lines = wrapped(", ".join(names[:count] + more), NAME_WIDTH)
        if lines.count("<br>") < 2:
            return lines
    return lines


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


def difference(ratio: float) -> float:
    """A factor as a difference in percent."""
    return 100 * (ratio - 1)


def axis_range(intervals: Iterable[Interval], published: dict[str, float]) -> list[float]:
    """Room for all points and intervals; an interval that is wider by far is cut at the edge."""
    intervals = list(intervals)
    points = [difference(i.ratio) for i in intervals] + [difference(r) for r in published.values()]
    furthest = max([100.0, *(3 * abs(point) for point in points)])
    ends = [difference(end) for i in intervals for end in (i.low, i.high)]
    everything = [0.0, *points, *(max(-furthest, min(furthest, end)) for end in ends)]
    low, high = min(everything), max(everything)
    margin = 0.08 * max(high - low, 1.0)
    return [max(low - margin, -104.0), high + margin]  # nothing is slower by more than 100 %


def whisker(
    interval: tuple[float, float],
    place: int,
    look: Style,
    ends: Sequence[float],
    hover: str,
    name: str,
) -> dict[str, Any]:
    """An interval in a row, in units of the axis; an arrowhead where it goes on beyond the ends."""
    low, high = interval
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [max(low, ends[0]), min(high, ends[1])],
        "y": [place, place],
        "line": {"color": look.colour, "width": 3},
        "marker": {
            "color": look.colour,
            "symbol": [
                "triangle-left" if low < ends[0] else "line-ns-open",
                "triangle-right" if high > ends[1] else "line-ns-open",
            ],
            "size": 11,
            "line": {"color": look.colour, "width": 2},
        },
        "cliponaxis": False,
        "hovertemplate": hover,
        "name": name,
    }


def interval_traces(
    entry: Entry, interval: Interval, place: int, look: Style, ends: Sequence[float]
) -> list[dict[str, Any]]:
    """The point, its interval as a line, and an arrowhead where the interval goes on."""
    low, high = difference(interval.low), difference(interval.high)
    said = f"{cards.percent(interval.ratio)} ({cards.interval_text(interval)})"
    hover = f"{html.escape(label(entry))}: {said}<extra></extra>"
    return [
        whisker((low, high), place, look, ends, hover, f"{entry.name} interval"),
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": [difference(interval.ratio)],
            "y": [place],
            "text": [cards.percent(interval.ratio)],
            "textposition": "top center",
            "textfont": {"color": GREY, "size": 13},
            "marker": marker(look, 13),
            "cliponaxis": False,
            "hovertemplate": hover,
            "name": entry.name,
        },
    ]


def published_trace(rows: Sequence[Sequence[Entry]], published: dict[str, float]) -> dict[str, Any]:
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
        "text": [f"{html.escape(name)}: {cards.percent(published[name])}" for name in names],
        "hovertemplate": "published for %{text}<extra></extra>",
        "name": "published",
    }


def band(reach: float, ends: Sequence[float]) -> dict[str, Any]:
    """The floor around no difference, as far as the axis goes."""
    low, high = difference(1 / (1 + reach)), difference(1 + reach)
    return {
        "type": "rect",
        "layer": "below",
        "xref": "x",
        "yref": "paper",
        "x0": max(low, ends[0]),
        "x1": min(high, ends[1]),
        "y0": 0,
        "y1": 1,
        "fillcolor": BAND,
        "line": {"width": 0},
    }


def line_at(x: float, colour: str = GREY, dash: str = "solid") -> dict[str, Any]:
    line = {"color": colour, "width": 1.5, "dash": dash}
    return {
        "type": "line",
        "layer": "below",
        "xref": "x",
        "yref": "paper",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "line": line,
    }


def floor_note(reach: float) -> dict[str, Any]:
    if math.isinf(reach):
        said = "floor unknown"
    elif reach >= judge.WIDEST_TOLD:
        said = f"floor: up to {1 + reach:.1f}×"
    else:
        said = f"floor ±{reach:.1%}".replace("%", " %")
    return note(said, x=0, xref="x", y=1, yref="paper", yanchor="bottom")


def missing_text(entry: Entry) -> str:
    """Why a row is empty."""
    reason = entry.short_reason or "no samples"
    kind = "no samples" if entry.status == "raced" else entry.status
    return wrapped(f"{kind}: {reason}" if reason != kind else kind, 60)


def note(text: str, **where: Any) -> dict[str, Any]:
    return {"text": text, "showarrow": False, "font": {"color": GREY, "size": 12}, **where}


def ratios_title(run: Run, results: Results) -> str:
    """The finding: what lies outside of the floor."""
    found = {name: i for name, i in results.ratios.items() if name != run.floor_copy}
    if not found or results.floor is None:
        return f"No ratio to {run.baseline} could be measured"
    reach = results.floor.reach
    outside = [n for n, i in found.items() if i.low > 1 + reach or i.high < 1 / (1 + reach)]
    if not outside:
        return f"No variant differs from {run.baseline} by more than the floor"
    best = max(outside, key=lambda name: abs(math.log(found[name].ratio)))
    size = cards.percent(found[best].ratio)
    if len(found) == 1:
        return f"{best} differs from {run.baseline} by more than the floor: {size}"
    return (
        f"{len(outside)} of {len(found)} variants differ from {run.baseline} by more than the "
        f"floor, {best} the most: {size}"
    )


def ratios_table(run: Run, results: Results, published: dict[str, float]) -> cards.Output:
    rows = []
    for entry in run.entries:
        interval = results.ratios.get(entry.name)
        if interval:
            figures = [cards.percent(interval.ratio), cards.interval_text(interval)]
        else:
            figures = ["", ""]
        stated = cards.percent(published[entry.name]) if entry.name in published else ""
        rows.append([label(entry), *figures, stated, remark(entry)])
    columns = ["variant", f"to {run.baseline}", "95 % interval", "published", ""]
    return cards.floor(results) + cards.table(columns, rows, right=[1, 2, 3])


def remark(entry: Entry) -> str:
    if entry.status != "raced":
        return f"{entry.status}: {entry.short_reason}"
    return {"baseline": "the baseline", "floor": "the floor: its A/A copy"}.get(entry.role, "")


# ── Samples ──────────────────────────────────────────────────────────────────────────────────────


def samples(run: Run) -> Figure:
    """Every sample in time order, so that drift is seen; flagged ones are crossed, not left out."""
    looks = styles(run)
    data = [sample_trace(entry, run, looks[entry.name]) for entry in by_speed(run)]
    flagged = [sample for sample in run.samples if sample.flags]
    if flagged:
        data.append(flagged_trace(flagged, run.unit))
    starts = launch_starts(run)
    notes = [
        note(
            f"launch {launch + 1}" if len(starts) <= 6 else str(launch + 1),
            x=start,
            xref="x",
            y=1,
            yref="paper",
            xanchor="left",
            yanchor="bottom",
        )
        for launch, start in starts.items()
    ]
    title = samples_title(run)
    layout = frame(
        title,
        f"every sample of {run.plan['sample_seconds']:g} s; a vertical line: all programs started "
        "anew; samples of one launch are joined" + ("; ✕ flagged" if flagged else ""),
        plot_px=380,
        bottom_px=48,
        shapes=[line_at(start, GREY, "dot") for start in starts.values()],
        annotations=notes,
        showlegend=True,
        xaxis=axis("seconds since the race began"),
        yaxis=axis(f"{run.unit} (not from 0)", tickformat=",", rangemode="normal"),
    )
    return figure(title, data, layout, samples_table(run))


def by_speed(run: Run) -> list[Entry]:
    """The entries that have samples, the fastest first: the legend stands as the lines do."""
    medians = {
        entry.name: statistics.median(speeds)
        for entry in run.entries
        if (speeds := [s.requests_per_second for s in run.samples if s.variant == entry.name])
    }
    having = [entry for entry in run.entries if entry.name in medians]
    return sorted(having, key=lambda entry: -medians[entry.name])


def in_time(samples_: Iterable[Sample]) -> list[Sample]:
    return sorted(samples_, key=lambda sample: sample.started_seconds)


def sample_trace(entry: Entry, run: Run, look: Style) -> dict[str, Any]:
    """An entry's samples, joined within each launch."""
    x: list[float | None] = []
    y: list[float | None] = []
    texts: list[str] = []
    previous = None
    for sample in in_time(s for s in run.samples if s.variant == entry.name):
        if previous is not None and sample.launch != previous:
            x.append(None)
            y.append(None)
            texts.append("")
        previous = sample.launch
        x.append(sample.started_seconds)
        y.append(sample.requests_per_second)
        texts.append(sample_text(sample, run.unit))
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": x,
        "y": y,
        "text": texts,
        "line": {"color": look.colour, "width": 1},
        "marker": marker(look, 9),
        "hovertemplate": "%{text}<extra></extra>",
        "name": wrapped(label(entry), NAME_WIDTH),
        "legendgroup": entry.name,
    }


def sample_text(sample: Sample, unit: str) -> str:
    flags = f"<br>flagged: {', '.join(sample.flags)}" if sample.flags else ""
    return (
        f"{html.escape(sample.variant)}: {sample.requests_per_second:,.0f} {unit}<br>"
        f"launch {sample.launch + 1}, block {sample.block + 1}{flags}"
    )


def flagged_trace(flagged: list[Sample], unit: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [sample.started_seconds for sample in flagged],
        "y": [sample.requests_per_second for sample in flagged],
        "text": [sample_text(sample, unit) for sample in flagged],
        "marker": {
            "symbol": "x-thin-open",
            "size": 13,
            "color": GREY,
            "line": {"color": GREY, "width": 1.5},
        },
        "hovertemplate": "%{text}<extra></extra>",
        "name": f"flagged ({len(flagged)})",
    }


def launch_starts(run: Run) -> dict[int, float]:
    """When the first sample of each launch began, with a little room before it."""
    starts: dict[int, float] = {}
    for sample in in_time(run.samples):
        starts.setdefault(sample.launch, sample.started_seconds - 0.5)
    return starts


def samples_title(run: Run) -> str:
    """What is seen: how far the machine drifted while the same program ran, and what is flagged."""
    speeds = [s.requests_per_second for s in run.samples if s.variant == run.baseline]
    if not speeds:
        return "No samples of the baseline"
    drift = f"by {max(speeds) / min(speeds) - 1:.0%}" if min(speeds) > 0 else "down to 0"
    count = sum(bool(sample.flags) for sample in run.samples)
    flagged = f"; {count} of {len(run.samples)} samples are flagged" if count else ""
    return f"{run.baseline} alone varied {drift} during the race{flagged}".replace("%", " %")


def samples_table(run: Run) -> cards.Output:
    """A row a block, a column an entry; flagged samples have a letter, explained below."""
    names = [entry.name for entry in run.entries if entry.status != "unavailable"]
    kinds = sorted({flag for sample in run.samples for flag in sample.flags})
    letters = {kind: chr(ord("a") + i) for i, kind in enumerate(kinds)}
    cells: dict[tuple[int, int], dict[str, str]] = {}
    for sample in in_time(run.samples):
        marks = "".join(letters[flag] for flag in sorted(sample.flags))
        text = f"{sample.requests_per_second:,.0f}" + (f" {marks}" if marks else "")
        cells.setdefault((sample.launch, sample.block), {})[sample.variant] = text
    rows = [
        [str(launch + 1), str(block + 1), *(row.get(name, "—") for name in names)]
        for (launch, block), row in cells.items()
    ]
    columns = ["launch", "block", *names]
    table = cards.table(columns, rows, right=range(len(columns)))
    legend = "; ".join(f"{letter}: {kind}" for kind, letter in letters.items())
    said = f"{run.unit.capitalize()}." + (f" Flagged: {legend}." if legend else "")
    return cards.paragraph(said) + table


# ── Latencies ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Spread:
    """A latency percentile over an entry's samples, in milliseconds."""

    median: float
    low: float
    high: float


def latencies(run: Run) -> Figure:
    """Latency percentiles by entry: median over its samples, bars from lowest to highest.

    Raises InputError for benchmarks, whose operations are too short to be timed one by one.
    """
    if run.micro:
        problem = "needs requests: operations of a benchmark are not timed one by one"
        raise InputError("%plot", "latencies", problem, "write %plot samples")
    spreads = {entry.name: latency_spreads(run, entry.name) for entry in by_speed(run)}
    entries = [entry for entry in by_speed(run) if spreads[entry.name]]
    entries.sort(key=lambda entry: -spreads[entry.name].get("p99", Spread(0, 0, 0)).median)
    looks = styles(run)
    smallest = resolution(spreads.values())
    step = 0.8 / max(len(entries), 1)
    data = [
        latency_trace(
            entry,
            spreads[entry.name],
            looks[entry.name],
            step * (i - (len(entries) - 1) / 2),
            smallest,
        )
        for i, entry in enumerate(entries)
    ]
    title = latencies_title(spreads)
    small = (
        f"median over the samples, bars from the lowest to the highest sample; {run.tool['name']} "
        f"keeps {run.plan['connections']} connections busy and waits for each answer "
        "(closed loop), so queues of real users are not seen"
    )
    layout = frame(
        title,
        small,
        plot_px=380,
        bottom_px=48,
        showlegend=True,
        shapes=[line_at(i + 0.5, FAINT) for i in range(len(PERCENTILES) - 1)],
        xaxis=axis(
            "latency percentile",
            tickvals=list(range(len(PERCENTILES))),
            ticktext=list(PERCENTILE_NAMES),
            range=[-0.55, len(PERCENTILES) - 0.45],
            showgrid=False,
        ),
        yaxis=axis("latency (ms, logarithmic)", type="log", dtick="D2", tickformat=",.3~g"),
    )
    return figure(title, data, layout, latencies_table(run, spreads))


def latency_spreads(run: Run, name: str) -> dict[str, Spread]:
    """The percentiles that the load generator gave for an entry."""
    found = {}
    for key in PERCENTILES:
        values = [
            value
            for sample in run.samples
            if sample.variant == name and (value := sample.latency_ms.get(key)) is not None
        ]
        if values:
            found[key] = Spread(statistics.median(values), min(values), max(values))
    return found


def resolution(spreads: Iterable[dict[str, Spread]]) -> float:
    """Where a latency of 0 (tools that count whole milliseconds) stands on the logarithmic axis."""
    values = [
        value
        for entry in spreads
        for spread in entry.values()
        for value in (spread.low, spread.median, spread.high)
        if value > 0
    ]
    return min(values, default=1.0) / 2


def latency_trace(
    entry: Entry, spreads: dict[str, Spread], look: Style, shift: float, smallest: float
) -> dict[str, Any]:
    keys = [key for key in PERCENTILES if key in spreads]
    middle = [max(spreads[key].median, smallest) for key in keys]
    low = [max(spreads[key].low, smallest) for key in keys]
    high = [max(spreads[key].high, smallest) for key in keys]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [PERCENTILES.index(key) + shift for key in keys],
        "y": middle,
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [h - m for h, m in zip(high, middle)],
            "arrayminus": [m - b for b, m in zip(low, middle)],
            "color": look.colour,
            "thickness": 1.5,
            "width": 2,
        },
        "marker": marker(look, 8),
        "text": [
            f"{html.escape(entry.name)} {name}: {spread_text(spreads[key])} ms"
            for key, name in zip(PERCENTILES, PERCENTILE_NAMES)
            if key in spreads
        ],
        "hovertemplate": "%{text}<extra></extra>",
        "name": wrapped(label(entry), NAME_WIDTH),
    }


def spread_text(spread: Spread) -> str:
    return f"{spread.median:.3g} ({spread.low:.3g} to {spread.high:.3g})"


def latencies_title(spreads: dict[str, dict[str, Spread]]) -> str:
    tails = {name: s["p99"].median for name, s in spreads.items() if "p99" in s}
    if not tails:
        return "The load generator gave no latency percentiles"
    best, worst = min(tails, key=tails.__getitem__), max(tails, key=tails.__getitem__)
    if tails[best] == tails[worst]:
        return f"99 of 100 requests were answered in {tails[best]:.3g} ms, whoever answered"
    return (
        f"99 of 100 requests were answered in {tails[best]:.3g} ms ({best}) to "
        f"{tails[worst]:.3g} ms ({worst})"
    )


def latencies_table(run: Run, spreads: dict[str, dict[str, Spread]]) -> cards.Output:
    rows = [
        [
            label(entry),
            *(spread_text(s[key]) if key in s else "—" for key in PERCENTILES),
        ]
        for entry in run.entries
        if (s := spreads.get(entry.name)) is not None
    ]
    columns = ["variant", *PERCENTILE_NAMES]
    said = "Latency in milliseconds: median over the samples (lowest to highest sample)."
    table = cards.table(columns, rows, right=range(1, len(columns)))
    return cards.paragraph(said) + table


# ── What all figures share ───────────────────────────────────────────────────────────────────────


def marker(look: Style, size: int) -> dict[str, Any]:
    """A marker with a grey edge, which also shows yellow on white and blue on black."""
    edge = look.colour if look.symbol.endswith("-open") else GREY
    width = 2 if look.symbol.endswith("-open") else 0.75
    return {
        "symbol": look.symbol,
        "size": size,
        "color": look.colour,
        "line": {"color": edge, "width": width},
    }


def axis(title: str, **settings: Any) -> dict[str, Any]:
    return {
        "title": {"text": title, "standoff": 8, "font": {"color": GREY, "size": 13}},
        "automargin": True,
        "color": GREY,
        "gridcolor": FAINT,
        "linecolor": GREY,
        "tickfont": {"color": GREY, "size": 13},
        "zeroline": False,
        **settings,
    }


def frame(title: str, small: str, plot_px: int, bottom_px: int, **settings: Any) -> dict[str, Any]:
    """A layout: title and a smaller line below it, as many lines as 600 px need; fixed height."""
    first = textwrap.wrap(title, TITLE_WIDTH, break_on_hyphens=False)
    second = textwrap.wrap(small, SMALL_WIDTH, break_on_hyphens=False)
    text = f"<b>{'<br>'.join(map(html.escape, first))}</b>"
    text += f"<br><span style='font-size:12px'>{'<br>'.join(map(html.escape, second))}</span>"
    top = 20 * len(first) + 17 * len(second) + 44
    height = top + plot_px + bottom_px
    return {
        "title": {
            "text": text,
            "font": {"color": GREY, "size": 15},
            "x": 0.01,
            "xanchor": "left",
            "y": 1 - 24 / height,
            "yanchor": "top",
        },
        "height": height,
        "autosize": True,
        "margin": {"t": top, "b": bottom_px, "l": 60, "r": 24},
        "paper_bgcolor": TRANSPARENT,
        "plot_bgcolor": TRANSPARENT,
        "font": {"color": GREY, "family": "system-ui, 'DejaVu Sans', sans-serif"},
        "legend": {"bgcolor": TRANSPARENT, "font": {"color": GREY, "size": 12}, "itemwidth": 30},
        "hovermode": "closest",
        "modebar": {"bgcolor": TRANSPARENT, "color": GREY, "activecolor": COLOURS[0]},
        **settings,
    }


def wrapped(text: str, width: int) -> str:
    """Plotly text in lines of at most `width` characters, so that nothing is clipped."""
    lines = textwrap.wrap(text, width, break_on_hyphens=True, break_long_words=True)
    return "<br>".join(html.escape(line, quote=False) for line in lines)


def figure(
    title: str, data: list[dict[str, Any]], layout: dict[str, Any], numbers: cards.Output
) -> Figure:
    """The figure, checked by plotly; templates are left out: they differ between its versions.

    Raises ValueError for a trace that pages without plotly's whole library could not draw.
    """
    from plotly import graph_objects as go  # takes half a second: not before there is a figure

    if other := {trace.get("type", "scatter") for trace in data} - DRAWN:
        raise ValueError(f"plotly.js in pages draws {sorted(DRAWN)}, not {sorted(other)}")
    built = go.Figure(data=data, layout={**layout, "template": go.layout.Template()})
    plotly = json.loads(built.to_json())
    plotly["layout"].pop("template", None)
    # Not "responsive": JupyterLab resizes plots by itself, and both together lose their height.
    plotly["config"] = {"displaylogo": False}
    return Figure(title, plotly, numbers)
