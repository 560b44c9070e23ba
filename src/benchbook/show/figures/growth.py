"""The figure of growth: how speeds, or ratios, change with the size or the shape of the job.

A line is a series (one way to do the job), a place on the x axis is a case ("N=10", "100 paths").
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook.analysis.statistics import moderated, stats
from benchbook.analysis.statistics.compared import Compared
from benchbook.analysis.statistics.stats import Floats, Interval
from benchbook.model.runs import CONTROL, Entry, Run
from benchbook.show import markup
from benchbook.show.cards import race_cards
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    GREY,
    PLOT_PX,
    Style,
    axis,
    figure,
    frame,
    marker,
    nth_style,
    wrapped,
)
from benchbook.show.markup import Output
from benchbook.show.wording import duration
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.nearest import unknown
from benchbook_kernels.base.words import one

WIDE = 20  # times the smallest: from there on an axis is logarithmic
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Point:
    """A series in a case. value: a speed, nanoseconds an operation, or the ratio of speeds."""

    case: str
    value: Interval


def growth_figure(run: Run, to: str = "") -> Figure:
    """Each series by case, with 95 % intervals; `to`: the series that the others are compared with.

    Without `to`: the speed, or the time of an operation, over launches. With it: the ratio of
    speeds within each case. Raises InputError where the run has no cases,
    where `to` is not one of its series, or where nothing was measured.
    """
    entries = [e for e in run.entries if e.role != CONTROL and e.series and e.case]
    if not entries:
        problem = "has no cases to plot by"
        remedy = "give variants `series` and `case` in experiment.toml"
        raise InputError(f"the last race of {run.experiment.name}", "", problem, remedy)
    series = list(dict.fromkeys(entry.series for entry in entries))
    if to:
        to = series_named(to, series)
    cases = in_order(list(dict.fromkeys(entry.case for entry in entries)))
    compared = Compared.of(run)
    base = {entry.case: entry.name for entry in entries if to and entry.series == to}
    lines = {
        name: points([e for e in entries if e.series == name], compared, base)
        for name in series
        if name != to
    }
    if not any(lines.values()):
        problem = "there is nothing to plot: no entry was measured"
        raise InputError("%plot", "", problem, "race first")
    return draw(run, lines, cases, to)


def in_order(cases: list[str]) -> list[str]:
    """By size where each case has one, else as they are (a series may lack some of them)."""
    sizes = {case: size_of(case) for case in cases}
    known = {case: size for case, size in sizes.items() if size}
    return sorted(cases, key=known.__getitem__) if len(known) == len(cases) else cases


def suits(run: Run) -> bool:
    """Is this the plot to begin with: are there times for jobs of several sizes?

    Drawn as ratios, small jobs would be thousands of times as fast, and all others a dot.
    """
    entries = [e for e in run.entries if e.role != CONTROL and e.status == "raced"]
    return run.kind.as_times and len({e.case for e in entries if e.series and e.case}) > 1


def series_named(to: str, series: Sequence[str]) -> str:
    """The series that is meant, whatever the case of its letters. Raises InputError for none."""
    found = next((name for name in series if name.casefold() == to.casefold()), None)
    if found is None:
        raise InputError("%plot", "--to", unknown("series", to, series))
    return found


def points(entries: Sequence[Entry], compared: Compared, base: Mapping[str, str]) -> list[Point]:
    """What was measured of a series in each case; base: the entry to compare with, by case."""
    found = []
    for entry in entries:
        if base:
            value = compared.interval(entry.name, base.get(entry.case, ""))
        else:
            logs = level_logs(compared, entry.name)
            value = stats.interval(logs) if stats.has_data(logs) else None
        if value:
            found.append(Point(entry.case, value))
    return found


def level_logs(compared: Compared, name: str) -> Floats:
    """Logarithms of an entry's speeds, or of nanoseconds an operation, of shape (launches, blocks);
    NaN where nothing was measured, or where it was still warm-up."""
    logs = moderated.logs_of([compared.speeds[name]])[..., 0]
    for launch, cold in zip(logs, compared.fit.left_out, strict=False):
        launch[:cold] = np.nan
    return math.log(1e9) - logs if compared.run.kind.as_times else logs


# ── The figure ───────────────────────────────────────────────────────────────────────────────────


def draw(run: Run, lines: Mapping[str, list[Point]], cases: list[str], to: str) -> Figure:
    """The figure of these lines, by series."""
    places, x_axis = x_places(cases)
    values = [p.value.ratio for each in lines.values() for p in each]
    as_times = run.kind.as_times and not to
    scale, unit = unit_scale(values) if as_times else (1.0, "")
    data = [
        trace(name, each, places, nth_style(i), scale, [value_text(p.value, run, to) for p in each])
        for i, (name, each) in enumerate(lines.items())
        if each
    ]
    wide = max(values) / min(values) > WIDE
    title = growth_title(run, lines, cases, to)
    layout = frame(
        title,
        f"{measure(run, to, unit)}, with 95 % intervals over launches"
        + race_cards.software_text(run),
        plot_px=PLOT_PX,
        bottom_px=56 + 20 * math.ceil(len(lines) / 3),
        shapes=[level_line(1.0)] if to else [],
        xaxis=x_axis,
        yaxis=y_axis(measure(run, to, unit), values, scale, wide),
    )
    layout["legend"] |= {"orientation": "h", "y": -0.2, "yanchor": "top"}
    return figure(title, data, layout, growth_table(run, lines, cases, to))


def measure(run: Run, to: str, unit: str) -> str:
    """What the y axis shows."""
    if to:
        return f"speed compared with {to}"
    if not run.kind.as_times:
        return run.unit
    return f"time of {one(run.kind.thing)}, {unit}"


def unit_scale(nanoseconds: Sequence[float]) -> tuple[float, str]:
    """Nanoseconds in a unit that suits the middle of these times: (how many a unit, its name)."""
    middle = float(np.median(nanoseconds))
    for size, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if middle >= size:
            return size, name
    return 1.0, "ns"


def x_places(cases: Sequence[str]) -> tuple[dict[str, float], dict[str, Any]]:
    """Where each case is on the x axis: by its number where all have one, else side by side."""
    sizes = [size for case in cases if (size := size_of(case))]
    values: list[float] = [*range(len(cases))]
    if len(sizes) == len(cases) and len(set(sizes)) == len(sizes) > 1:
        wide = max(sizes) / min(sizes) > WIDE
        values = [math.log10(size) for size in sizes] if wide else sizes
    margin = 0.06 * (max(values) - min(values)) or 0.5
    ticks = axis(
        "",
        tickvals=values,
        ticktext=[wrapped(case, 14) for case in cases],
        range=[min(values) - margin, max(values) + margin],
        tickangle=0,
    )
    return dict(zip(cases, values)), ticks


def size_of(case: str) -> float | None:
    """The one number above 0 in "N=1,000" or "100 paths"; None where there is none, or several."""
    found = NUMBER.findall(case)
    size = float(found[0].replace(",", "")) if len(found) == 1 else 0.0
    return size if size > 0 else None


def y_axis(title: str, values: Sequence[float], scale: float, wide: bool) -> dict[str, Any]:
    """From 0, or logarithmic where values are far apart (wide)."""
    scaled = [value / scale for value in values]
    if wide:
        low, high = math.log10(min(scaled)), math.log10(max(scaled))
        margin = 0.08 * (high - low)
        return axis(title, type="log", range=[low - margin, high + margin], dtick=1)
    return axis(title, range=[0, 1.12 * max(scaled)], nticks=7)


def level_line(y: float) -> dict[str, Any]:
    """A dotted line from left to right."""
    line = {"color": GREY, "width": 1.5, "dash": "dot"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}


def trace(
    name: str,
    points: Sequence[Point],
    places: Mapping[str, float],
    look: Style,
    scale: float,
    texts: Sequence[str],
) -> dict[str, Any]:
    """A line with a marker and an interval at each case; an infinite interval is not drawn."""

    def reach(end: float, value: float) -> float:
        return abs(end - value) / scale if math.isfinite(end) and end < 1e3 * value else 0.0

    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [places[point.case] for point in points],
        "y": [point.value.ratio / scale for point in points],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [reach(p.value.high, p.value.ratio) for p in points],
            "arrayminus": [reach(p.value.low, p.value.ratio) for p in points],
            "color": look.colour,
            "thickness": 1.5,
            "width": 4,
        },
        "line": {"color": look.colour, "width": 1.5},
        "marker": marker(look, 9),
        "text": [f"{name}, {point.case}: {text}" for point, text in zip(points, texts)],
        "hovertemplate": "%{text}<extra></extra>",
    }


def value_text(value: Interval, run: Run, to: str) -> str:
    """A value with its interval, in its unit."""
    if to:
        return f"{value.ratio:.3g}× ({value.low:.3g} to {value.high:.3g})"
    if run.kind.as_times:
        return f"{duration(value.ratio)} ({duration(value.low)} to {duration(value.high)})"
    return f"{value.ratio:,.0f} {run.unit} ({value.low:,.0f} to {value.high:,.0f})"


def growth_title(run: Run, lines: Mapping[str, list[Point]], cases: Sequence[str], to: str) -> str:
    """What the plot shows, in a sentence: the best in the first and in the last case."""
    ends = []
    for case in dict.fromkeys((cases[0], cases[-1])):
        here = {n: p.value.ratio for n, ps in lines.items() for p in ps if p.case == case}
        if to:
            here[to] = 1.0
        if here:
            pick = min if run.kind.as_times and not to else max
            ends.append(f"{pick(here, key=here.__getitem__)} at {case}")
    return f"Fastest: {', '.join(ends)}"


def growth_table(
    run: Run, lines: Mapping[str, list[Point]], cases: Sequence[str], to: str
) -> Output:
    """The numbers of the figure, by case."""
    rows = [
        [name, point.case, value_text(point.value, run, to)]
        for case in cases
        for name, points in lines.items()
        for point in points
        if point.case == case
    ]
    return markup.table(["series", "case", measure(run, to, "")], rows)
