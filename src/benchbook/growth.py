"""A plot of growth: how speeds, or ratios, change with the size or the shape of the job.

A line is a series (one way to do the job), a place on the x axis is a case ("N=10", "100 paths").
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook import cards, figures, stats
from benchbook.embed import Figure
from benchbook.errors import InputError
from benchbook.figures import Style
from benchbook.results import Entry, Run
from benchbook.stats import Interval

PLOT_PX = 320
WIDE = 20  # times the smallest: from there on an axis is logarithmic
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Point:
    """A series in a case. value: requests/s, nanoseconds an operation, or the ratio of speeds."""

    case: str
    value: Interval


def growth(run: Run, to: str = "") -> Figure:
    """Each series by case, with 95 % intervals; `to`: the series that the others are compared with.

    Without `to`: requests/s, or the time an operation, over launches. With it: the ratio of speeds
    within each case, from pairs of one block. Raises InputError where the run has no cases, where
    `to` is no series of it, or where nothing was measured.
    """
    entries = [e for e in run.entries if e.role != "floor" and e.series and e.case]
    if not entries:
        problem = "has no cases to plot by"
        remedy = "give variants `series` and `case` in experiment.toml"
        raise InputError(f"the last race of {run.experiment['name']}", "", problem, remedy)
    series = list(dict.fromkeys(entry.series for entry in entries))
    if to:
        to = chosen(to, series)
    cases = in_order(list(dict.fromkeys(entry.case for entry in entries)))
    speeds = {name: np.array(rows, float) for name, rows in run.speeds().items()}
    lines = {
        name: points([e for e in entries if e.series == name], run, speeds, reference(entries, to))
        for name in series
        if name != to
    }
    if not any(lines.values()):
        raise InputError(
            "%plot", "", "there is nothing to plot: no entry was measured", "race first"
        )
    return draw(run, lines, cases, to)


def in_order(cases: list[str]) -> list[str]:
    """By size where each has one (a series may lack some of them), else as they are."""
    sizes = {case: size_of(case) for case in cases}
    return sorted(cases, key=sizes.__getitem__) if all(sizes.values()) else cases


def suits(run: Run) -> bool:
    """Is this the plot to begin with: times of jobs of several sizes, not of one job?

    As ratios to one of them, small jobs are thousands of times as fast, and the rest is a dot.
    """
    entries = [e for e in run.entries if e.role != "floor" and e.status == "raced"]
    return run.micro and len({e.case for e in entries if e.series and e.case}) > 1


def chosen(to: str, series: Sequence[str]) -> str:
    """The series meant by its name in any case. Raises InputError where there is none."""
    found = next((name for name in series if name.casefold() == to.casefold()), None)
    if found is None:
        known = ", ".join(series)
        raise InputError("%plot", "--to", f"no series '{to}' (there are: {known})")
    return found


def reference(entries: Sequence[Entry], to: str) -> dict[str, str]:
    """The entry of the series `to`, by case."""
    return {entry.case: entry.name for entry in entries if to and entry.series == to}


def points(
    entries: Sequence[Entry], run: Run, speeds: Mapping[str, np.ndarray], base: Mapping[str, str]
) -> list[Point]:
    """What a series was measured to be in each case that has data."""
    found = []
    for entry in entries:
        logs = level_logs(speeds[entry.name], run)
        if base:
            if entry.case not in base:
                continue
            logs = stats.log_ratios(speeds[entry.name], speeds[base[entry.case]])
        if np.isfinite(logs).any():
            found.append(Point(entry.case, stats.interval(logs, pilot=run.plan["pilot"])))
    return found


def level_logs(speeds: np.ndarray, run: Run) -> np.ndarray:
    """Logarithms of requests/s, or of nanoseconds an operation; NaN where nothing was measured."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = math.log(1e9) - np.log(speeds) if run.micro else np.log(speeds)
    return np.where(np.isfinite(logs), logs, np.nan)


# ── The figure ───────────────────────────────────────────────────────────────────────────────────


def draw(run: Run, lines: Mapping[str, list[Point]], cases: list[str], to: str) -> Figure:
    places, x_axis = x_places(cases)
    looks = styles(lines)
    values = [p.value.ratio for points_ in lines.values() for p in points_]
    scale = unit_scale(values) if run.micro and not to else (1.0, "")
    data = [
        trace(name, points_, places, looks[name], run, to, scale)
        for name, points_ in lines.items()
        if points_
    ]
    wide = max(values) / min(values) > WIDE
    title = headline(run, lines, cases, to)
    small = f"{measure(run, to, scale[1])}, with 95 % intervals over launches"
    layout = figures.frame(
        title,
        small,
        plot_px=PLOT_PX,
        bottom_px=56 + 20 * math.ceil(len(lines) / 3),
        shapes=[level_line(1.0)] if to else [],
        xaxis=x_axis,
        yaxis=y_axis(measure(run, to, scale[1]), values, scale[0], wide),
    )
    layout["legend"] |= {"orientation": "h", "y": -0.2, "yanchor": "top"}
    return figures.figure(title, data, layout, numbers(run, lines, cases, to))


def measure(run: Run, to: str, unit: str) -> str:
    if to:
        return f"speed compared with {to}"
    return f"time an operation, {unit}" if run.micro else "requests/s"


def unit_scale(nanoseconds: Sequence[float]) -> tuple[float, str]:
    """Nanoseconds in a unit that suits the middle of these times: (how many a unit, its name)."""
    middle = float(np.median(nanoseconds))
    for size, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if middle >= size:
            return size, name
    return 1.0, "ns"


def x_places(cases: Sequence[str]) -> tuple[dict[str, float], dict[str, Any]]:
    """Where each case is on the x axis: by its number where all have one, else side by side."""
    sizes = [size_of(case) for case in cases]
    numeric = all(sizes) and len(set(sizes)) == len(sizes) > 1
    values = [math.log10(size) for size in sizes] if numeric else list(range(len(cases)))
    if numeric and max(sizes) / min(sizes) <= WIDE:
        values = sizes
    margin = 0.06 * (max(values) - min(values)) or 0.5
    ticks = figures.axis(
        "",
        tickvals=values,
        ticktext=[figures.wrapped(case, 14) for case in cases],
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
    scaled = [value / scale for value in values]
    if wide:
        low, high = math.log10(min(scaled)), math.log10(max(scaled))
        margin = 0.08 * (high - low)
        return figures.axis(title, type="log", range=[low - margin, high + margin], dtick=1)
    return figures.axis(title, range=[0, 1.12 * max(scaled)], nticks=7)


def level_line(y: float) -> dict[str, Any]:
    line = {"color": figures.GREY, "width": 1.5, "dash": "dot"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}


def styles(names: Mapping[str, Any]) -> dict[str, Style]:
    return {
        name: Style(
            figures.COLOURS[i % len(figures.COLOURS)], figures.SYMBOLS[i % len(figures.SYMBOLS)]
        )
        for i, name in enumerate(names)
    }


def trace(
    name: str,
    points_: Sequence[Point],
    places: Mapping[str, float],
    look: Style,
    run: Run,
    to: str,
    scale: tuple[float, str],
) -> dict[str, Any]:
    """A line with a marker and an interval at each case; an infinite interval is not drawn."""
    size = scale[0]

    def reach(end: float, value: float) -> float:
        return abs(end - value) / size if math.isfinite(end) and end < 1e3 * value else 0.0

    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [places[point.case] for point in points_],
        "y": [point.value.ratio / size for point in points_],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [reach(p.value.high, p.value.ratio) for p in points_],
            "arrayminus": [reach(p.value.low, p.value.ratio) for p in points_],
            "color": look.colour,
            "thickness": 1.5,
            "width": 4,
        },
        "line": {"color": look.colour, "width": 1.5},
        "marker": figures.marker(look, 9),
        "text": [f"{name}, {point.case}: {said(point.value, run, to)}" for point in points_],
        "hovertemplate": "%{text}<extra></extra>",
    }


def said(value: Interval, run: Run, to: str) -> str:
    """A value with its interval, in words."""
    if to:
        return f"{value.ratio:.3g}× ({value.low:.3g} to {value.high:.3g})"
    if run.micro:
        ends = (cards.duration(end) for end in (value.ratio, value.low, value.high))
        return "{} ({} to {})".format(*ends)
    return f"{value.ratio:,.0f} requests/s ({value.low:,.0f} to {value.high:,.0f})"


def headline(run: Run, lines: Mapping[str, list[Point]], cases: Sequence[str], to: str) -> str:
    """What the plot shows, in a sentence: the best in the first and in the last case."""
    ends = []
    for case in dict.fromkeys((cases[0], cases[-1])):
        here = {n: p.value.ratio for n, ps in lines.items() for p in ps if p.case == case}
        if to:
            here[to] = 1.0
        if here:
            pick = min if run.micro and not to else max
            ends.append(f"{pick(here, key=here.get)} at {case}")
    return f"Fastest: {', '.join(ends)}"


def numbers(
    run: Run, lines: Mapping[str, list[Point]], cases: Sequence[str], to: str
) -> cards.Output:
    rows = [
        [name, point.case, said(point.value, run, to)]
        for case in cases
        for name, points_ in lines.items()
        for point in points_
        if point.case == case
    ]
    return cards.table(["series", "case", measure(run, to, "")], rows)
