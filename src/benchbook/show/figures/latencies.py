"""The figure of latencies: percentiles of the time to answer, by entry."""

import html
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchbook.model.runs import Entry, Run
from benchbook.show import markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    FAINT,
    NAME_WIDTH,
    PLOT_PX,
    Style,
    axis,
    figure,
    frame,
    label,
    line_at,
    marker,
    styles,
    wrapped,
)
from benchbook.show.figures.samples import by_speed
from benchbook.show.markup import Output
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.words import counted

PERCENTILES = ("p50", "p75", "p90", "p99", "p99_9", "max")
PERCENTILE_NAMES = ("p50", "p75", "p90", "p99", "p99.9", "max")


@dataclass(frozen=True)
class Spread:
    """A latency percentile over an entry's samples, in milliseconds."""

    median: float
    low: float
    high: float


Spreads = Mapping[str, Spread]  # by percentile


def latencies_figure(run: Run) -> Figure:
    """Latency percentiles by entry: median over its samples, bars from lowest to highest.

    Raises InputError for benchmarks, whose operations are too short to be timed one by one.
    """
    if not run.kind.under_load:
        problem = "needs requests: operations of a benchmark are not timed one by one"
        raise InputError("%plot", "latencies", problem, "write %plot samples")
    spreads = {entry.name: latency_spreads(run, entry.name) for entry in by_speed(run)}
    title = latencies_title(spreads)
    layout = frame(
        title,
        "median over the samples, bars from the lowest to the highest sample; "
        f"{run.tool.name} keeps {counted(run.plan.connections, 'connection')} busy and waits "
        "for each answer (closed loop), so queues of real users are not seen",
        plot_px=PLOT_PX,
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
    data = latency_traces(run, spreads)
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


def latency_traces(run: Run, spreads: Mapping[str, Spreads]) -> list[dict[str, Any]]:
    """A trace for each entry, those with the longest p99 first, side by side."""
    entries = [entry for entry in by_speed(run) if spreads[entry.name]]
    entries.sort(key=lambda entry: -spreads[entry.name].get("p99", Spread(0, 0, 0)).median)
    looks = styles(run)
    smallest = resolution(spreads.values())
    step = 0.8 / max(len(entries), 1)
    shifts = [step * (i - (len(entries) - 1) / 2) for i in range(len(entries))]
    return [
        latency_trace(entry, spreads[entry.name], looks[entry.name], shift, smallest)
        for entry, shift in zip(entries, shifts)
    ]


def resolution(spreads: Iterable[Spreads]) -> float:
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
    entry: Entry, spreads: Spreads, look: Style, shift: float, smallest: float
) -> dict[str, Any]:
    """An entry's percentiles, with bars from the lowest to the highest sample."""
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


def latencies_title(spreads: Mapping[str, Spreads]) -> str:
    """What is seen: the time in which 99 of 100 requests were answered, best and worst."""
    tails = {name: s["p99"].median for name, s in spreads.items() if "p99" in s}
    if not tails:
        return "The load generator gave no latency percentiles"
    best, worst = min(tails, key=tails.__getitem__), max(tails, key=tails.__getitem__)
    if tails[best] == tails[worst]:
        return f"99 of 100 requests were answered in {tails[best]:.3g} ms by every variant"
    return (
        f"99 of 100 requests were answered in {tails[best]:.3g} ms ({best}) to "
        f"{tails[worst]:.3g} ms ({worst})"
    )


def latencies_table(run: Run, spreads: Mapping[str, Spreads]) -> Output:
    """The numbers of the figure, an entry in each row."""
    rows = [
        [label(entry), *(spread_text(s[key]) if key in s else "—" for key in PERCENTILES)]
        for entry in run.entries
        if (s := spreads.get(entry.name)) is not None
    ]
    columns = ["variant", *PERCENTILE_NAMES]
    text = "Latency in milliseconds: median over the samples (lowest to highest sample)."
    return markup.paragraph(text) + markup.table(columns, rows, right=range(1, len(columns)))
