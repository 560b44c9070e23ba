"""Figures for notebook 00: what the samples of a race would have told a careless reader."""

import random
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchbook.analysis.judging.judge import Results
from benchbook.analysis.statistics import stats
from benchbook.model.runs import Run
from benchbook.race import limits, turn
from benchbook.race.checks.known_effects import (
    ORDERS,
    SLOWER,
    TWIN,
    RaceOutcome,
    load_known_effects,
)
from benchbook.show import markup, wording
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    COLOURS,
    GREY,
    LOW_ROW_PX,
    PLOT_PX,
    Style,
    axis,
    band,
    difference,
    figure,
    frame,
    line_at,
    marker,
    wrapped,
)
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

from . import stalling

RECORDED = "00-selfcheck.json"
PERCENTILES = {
    "p50": "p50",
    "p75": "p75",
    "p90": "p90",
    "p99": "p99",
    "p99_9": "p99.9",
    "max": "max",
}
DRAWS = 2000  # imagined readers who each take the best of three samples
BLUE, ORANGE = Style(COLOURS[0], "square"), Style(COLOURS[1], "triangle-up")


def points(name: str, x: Sequence[float], y: Sequence[float | str], look: Style) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": list(x),
        "y": list(y),
        "marker": marker(look, 11),
        "name": name,
        "hovertemplate": "%{x:.1f} %<extra>" + name + "</extra>",
    }


def bare(log_ratios: np.ndarray[Any, Any]) -> tuple[float, float, float]:
    """(ratio, low, high) of some blocks of one launch, as a reader of one launch would have it."""
    found = stats.interval(log_ratios[None, :])
    return found.ratio, found.low, found.high


def launches(run: Run, results: Results, variant: str) -> Figure:
    """Each launch of the last race by itself.

    Each has the interval that its blocks alone would give. They often exclude each other,
    although the same programs were measured: what differs from start to start is invisible
    within one launch. Raises InputError without such a variant.
    """
    ratio = results.ratios.get(variant)
    if ratio is None:
        raise InputError("%lesson launches", "", f"'{variant}' has no samples in this race")
    speeds = run.speeds()
    logs = stats.log_ratios(np.array(speeds[variant]), np.array(speeds[run.baseline]))
    each = [bare(row[~np.isnan(row)]) for row in logs if np.isfinite(row).sum() >= 2]
    names = [f"launch {i + 1}" for i in range(len(each))]
    everything = [(f"all {ratio.launches} launches", (ratio.ratio, ratio.low, ratio.high))]
    rows = [*zip(names, each), *everything]
    data = []
    for i, (name, (middle, low, high)) in enumerate(rows):
        look = BLUE if i < len(each) else ORANGE
        low, high = max(difference(low), -60.0), min(difference(high), 60.0)
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [low, high],
                "y": [name, name],
                "line": {"color": look.colour, "width": 3},
                "hoverinfo": "skip",
                "showlegend": False,
            }
        )
        data.append({**points(name, [difference(middle)], [name], look), "showlegend": False})
    apart = sum(not low <= ratio.ratio <= high for _, (_, low, high) in rows[:-1])
    title = f"{apart} of {len(each)} launches, taken alone, would exclude what all of them say"
    layout = frame(
        title,
        f"{variant} to {run.baseline}; the interval of a single launch knows only its own blocks",
        plot_px=LOW_ROW_PX * len(rows) + 24,
        bottom_px=48,
        shapes=[line_at(0)],
        xaxis=axis("difference to the baseline, %"),
        yaxis=axis("", type="category", autorange="reversed"),
    )
    lines = [
        [name, wording.percent(m), f"{wording.percent(low)} to {wording.percent(high)}"]
        for name, (m, low, high) in rows
    ]
    table = markup.table(["what is looked at", "difference", "95 % interval"], lines, right=[1, 2])
    return figure(title, data, layout, table)


def draws(run: Run, variant: str, draw: random.Random) -> list[float]:
    """DRAWS ratios, each of the best of three samples to the best of three of the baseline's."""
    ours = [run.speed(s) for s in run.samples if s.variant == variant]
    theirs = [run.speed(s) for s in run.samples if s.variant == run.baseline]
    count = min(3, len(ours), len(theirs))
    return [max(draw.sample(ours, count)) / max(draw.sample(theirs, count)) for _ in range(DRAWS)]


def best_of_three(run: Run, results: Results, variant: str, seed: int = 1) -> Figure:
    """What the best of three samples would have said.

    Draws three of the variant's and three of the baseline's samples at random, without regard to
    blocks, as a benchmark does that runs one program and then the other; many times.
    """
    ratio = results.ratios.get(variant)
    if ratio is None:
        raise InputError("%lesson best-of-3", "", f"'{variant}' has no samples in this race")
    found = draws(run, variant, random.Random(seed))
    off = sum(abs(r - 1) > 0.01 for r in found) / DRAWS
    quantiles = statistics.quantiles(found, n=40)
    low, high = quantiles[0], quantiles[-1]
    title = f"Best of three: {off:.0%} of {DRAWS:,} readers would report a difference over 1 %"
    reported = [difference(r) for r in found]
    left, right = window(reported)
    data = [readers_by_difference(reported, left, right)]
    # an interval of two launches may be so wide that the bars would be thinner than a pixel
    interval: dict[str, Any] = {
        **band(ratio.reach, (left, right)),
        "fillcolor": "rgba(0,114,178,0.25)",
    }
    interval["x0"] = min(max(difference(ratio.low), left), right)
    interval["x1"] = max(min(difference(ratio.high), right), left)
    layout = frame(
        title,
        f"{variant} to {run.baseline}, drawn from the samples of this race; "
        "blue: the honest 95 % interval",
        plot_px=PLOT_PX,
        bottom_px=48,
        shapes=[interval, line_at(0)],
        xaxis=axis("difference that is reported, %", range=[left, right]),
        yaxis=axis("readers", tickformat=","),
    )
    rows = [
        ["best of three", wording.percent(statistics.median(found)), span(low, high)],
        ["the race", wording.percent(ratio.ratio), wording.interval_text(ratio)],
    ]
    table = markup.table(["method", "middle", "95 % of the answers"], rows, right=[1, 2])
    return figure(title, data, layout, table)


def readers_by_difference(reported: Sequence[float], left: float, right: float) -> dict[str, Any]:
    """How many readers report which difference, as bars between two ends of the axis."""
    # counted here: the plotly.js of pages draws no histograms, only bars
    readers, edges = np.histogram(reported, bins=60, range=(left, right))
    return {
        "type": "bar",
        "x": [float(middle) for middle in (edges[:-1] + edges[1:]) / 2],
        "y": [int(count) for count in readers],
        "width": (right - left) / 60,
        "marker": {"color": COLOURS[1], "line": {"color": GREY, "width": 0.5}},
        "name": "best of three",
        "showlegend": False,
        "hovertemplate": "%{y} readers at %{x:.2f} %<extra></extra>",
    }


def window(values: Sequence[float]) -> tuple[float, float]:
    """From where to where an axis shows all of the values, no difference, and some room."""
    low, high = min(0.0, *values), max(0.0, *values)
    room = max(0.5, 0.25 * (high - low))
    return low - room, high + room


def span(low: float, high: float) -> str:
    return f"{wording.percent(low)} to {wording.percent(high)}"


def recorded_interleaving() -> Figure:
    """Recorded races, in blocks and one after the other.

    They are the reference races in data/runs, made by `./bench selfcheck --full`.
    """
    return interleaving(load_known_effects(paths.root() / "data" / "runs" / RECORDED))


def interleaving(told: Sequence[RaceOutcome]) -> Figure:
    """Recorded races of two equal programs and one with 10 % more work, in each order.

    One row a race: where did it put the twin (the truth: 0 %), where the slower program?
    """
    orders = [order for order in ORDERS if any(t.order == order for t in told)]
    data, lines = [], []
    for place, order in enumerate(orders):
        some = [t for t in told if t.order == order]
        for name, look in ((TWIN, BLUE), (SLOWER, ORANGE)):
            found = [difference(t.ratios[name][0]) for t in some]
            spread = statistics.stdev(found) if len(found) > 1 else 0.0
            rows = [place + 0.8 * i / max(1, len(some) - 1) for i in range(len(some))]
            trace = points(f"{name}, {order}", found, rows, look)
            data.append({**trace, "showlegend": place == 0, "name": name})
            middle = wording.percent(1 + statistics.median(found) / 100)
            lines.append([order, name, str(len(some)), middle, f"{spread:.1f} %"])
    title = f"The same races {', '.join(orders)}: how far do their answers scatter?"
    layout = frame(
        title,
        "one mark a race, recorded on a shared machine with two cores; the twin should be at 0 %",
        plot_px=100 * len(orders),
        bottom_px=48,
        shapes=[line_at(0)],
        showlegend=True,
        xaxis=axis("difference to the baseline, %"),
        yaxis=axis(
            "",
            tickvals=[place + 0.4 for place in range(len(orders))],
            ticktext=[wrapped(order, 12) for order in orders],
            range=[len(orders) - 0.1, -0.1],
            showgrid=False,
        ),
    )
    columns = ["order", "program", "races", "middle", "standard deviation"]
    return figure(title, data, layout, markup.table(columns, lines, right=[2, 3, 4]))


def stall() -> Figure:
    """A server that stalls, closed loop and open loop.

    It stands still for 1 s in 10 s, and its latencies are shown.
    Runs both for ten seconds; where the environment shortens published methods, this is shortened,
    too, by ten at most.
    Raises LoadError or VariantError where a tool or the server fails.
    """
    server = Path(__file__).parents[1] / "stalling.mjs"
    usual, shorten = stalling.Stall(), min(limits.read().shorten, 10)
    scaled = stalling.Stall(usual.stall_ms / shorten, usual.every_ms / shorten)
    with turn.taken("a lesson", turn.calmly(print)):
        found = stalling.compare_loops(server, scaled.every_ms / 1000, stall=scaled)
    rows = {name: row for name, row in found.rows().items() if "when sent" not in name}
    looks = dict(zip(rows, (ORANGE, BLUE, Style(GREY, "diamond-open"))))
    data = []
    for name, row in rows.items():
        known = {p: row[p] for p in PERCENTILES if row[p] is not None}
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": [PERCENTILES[p] for p in known],
                "y": list(known.values()),
                "line": {"color": looks[name].colour, "width": 2},
                "marker": marker(looks[name], 12),
                "name": name,
                "hovertemplate": "%{x}: %{y:,.1f} ms<extra>" + name + "</extra>",
            }
        )
    closed, due = rows[next(iter(rows))]["p99"], found.open.latency_ms["p99"]
    title = f"p99 is {closed:,.0f} ms in the closed loop and {due:,.0f} ms from when it was due"
    layout = frame(
        title,
        f"a server that stands still for {found.stall.stall_ms:,.0f} ms once in "
        f"{found.stall.every_ms / 1000:g} s; open loop at {found.open.rate_asked:,.0f} requests/s",
        plot_px=PLOT_PX,
        bottom_px=48,
        showlegend=True,
        xaxis=axis("percentile of the requests", type="category"),
        yaxis=axis("latency, ms", tickformat=",", rangemode="tozero"),
    )
    lines = [
        [name, *("—" if row[p] is None else f"{row[p]:,.1f}" for p in PERCENTILES)]
        for name, row in rows.items()
    ]
    columns = ["latency, ms", *PERCENTILES.values()]
    table = markup.table(columns, lines, right=range(1, len(columns)))
    return figure(title, data, layout, table)
