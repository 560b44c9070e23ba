"""The figure of a cell's benchmarks: the time of an operation of each, with its interval."""

import html
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook.analysis.statistics import stats
from benchbook.race.kinds.benchmarks.events import BenchmarkReport, BenchmarkResult
from benchbook.show import markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    GREY,
    Style,
    axis,
    figure,
    frame,
    marker,
    named_point,
    nth_style,
    rows_axis,
    rows_px,
    whisker,
    wrapped,
)
from benchbook.show.markup import Output
from benchbook.show.wording import duration

WIDE = 20  # times the fastest: from there on the axis is logarithmic
ONE_LAUNCH = "the iterations of one launch"


@dataclass(frozen=True)
class Time:
    """Nanoseconds an operation takes; launches: how many it is over.

    interval: the 95 % interval, None where there is one iteration only.
    """

    centre: float
    interval: tuple[float, float] | None
    launches: int

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval, or the time itself where there is none."""
        return self.interval or (self.centre, self.centre)

    def __str__(self) -> str:
        if self.interval is None:
            return duration(self.centre)
        return f"{duration(self.centre)} ({self.interval_text})"

    @property
    def interval_text(self) -> str:
        return " to ".join(map(duration, self.interval)) if self.interval else "—"


def time_of(result: BenchmarkResult) -> Time | None:
    """The mean over launches, its interval from the launches' means (Kalibera & Jones 2013), on
    logarithms, so that it stays above 0.

    With one launch: over its iterations, which says nothing about differences between launches.
    None without any, or where an empty method would take as long.
    """
    launches = result.times_ns
    means = [float(np.mean(launch)) for launch in launches]
    values = means if len(means) > 1 else list(itertools.chain.from_iterable(launches))
    if not values or np.mean(values) <= 0:
        return None
    centre = float(np.mean(values))
    if len(values) < 2 or min(values) <= 0:
        return Time(centre, None, len(means))
    found = stats.interval(np.log(values)[:, None] if len(means) > 1 else np.log([values]))
    return Time(centre, (found.low, found.high), len(means))


Row = tuple[BenchmarkResult, Time]


def benchmarks_figure(report: BenchmarkReport) -> Figure:
    """The time of an operation of each benchmark with its interval, the first on top."""
    shown = [(each, time) for each in report.found if (time := time_of(each))]
    cases = list(dict.fromkeys(each.entry.case for each in report.found))
    shown.sort(key=lambda row: cases.index(row[0].entry.case))  # copies go to their case
    rows = shown[::-1]
    times = [time for _, time in rows]
    wide = bool(times) and max(t.centre for t in times) > WIDE * min(t.centre for t in times)
    ends = axis_ends(times, wide)
    looks = styles([each for each, _ in shown])
    data: list[dict[str, Any]] = []
    for place, (each, time) in enumerate(rows):
        data += time_traces(each, time, place, looks[each.entry.benchmark], ends)
    title = benchmarks_title(shown)
    over = "launches" if max((t.launches for t in times), default=0) > 1 else ONE_LAUNCH
    names = [wrapped(each.entry.title, 24) for each, _ in rows]
    layout = frame(
        title,
        f"● mean time of an operation with its 95 % interval, over {over}"
        + ("; logarithmic axis" if wide else ""),
        plot_px=rows_px(names),
        showlegend=False,
        xaxis=time_axis(ends, wide),
        yaxis=rows_axis(names, range=[-0.6, len(rows) - 0.2]),
    )
    return figure(title, data, layout, benchmarks_table(report))


def styles(results: Sequence[BenchmarkResult]) -> dict[str, Style]:
    """A look for each method; the baseline is grey."""
    looks: dict[str, Style] = {}
    for each in results:
        if each.entry.benchmark not in looks:
            i = sum(style.colour != GREY for style in looks.values())
            look = Style(GREY, "circle") if each.entry.baseline else nth_style(i)
            looks[each.entry.benchmark] = look
    return looks


def axis_ends(times: Sequence[Time], wide: bool) -> tuple[float, float]:
    """Room for all points in ns; an interval that is wider by far is cut at the edge."""
    centres = [time.centre for time in times] or [1.0]
    lowest = min([*centres, *(time.ends[0] for time in times)])
    highest = max([*centres, *(time.ends[1] for time in times)])
    if wide:
        low = max(min(centres) / 10, lowest)
        return low / 1.5, min(10 * max(centres), highest) * 1.5
    return 0.0, min(2 * max(centres), highest) * 1.08


def time_axis(ends: tuple[float, float], wide: bool) -> dict[str, Any]:
    """An x axis in seconds with SI prefixes; logarithmic where times are far apart (wide)."""
    settings: dict[str, Any] = {"type": "log", "dtick": 1} if wide else {"nticks": 8}
    return axis(
        "time of an operation" + ("" if wide else " (from 0)"),
        **settings,
        range=[math.log10(end / 1e9) if wide else end / 1e9 for end in ends],
        ticksuffix="s",
        exponentformat="SI",
        tickangle=0,
    )


def time_traces(
    result: BenchmarkResult, time: Time, place: int, look: Style, ends: tuple[float, float]
) -> list[dict[str, Any]]:
    """The point, its interval as a line, and an arrowhead where the interval goes on."""
    title = result.entry.title
    hover = f"{html.escape(title)}: {time}<extra></extra>"
    symbol = look.symbol + ("-open" if result.entry.copy else "")
    point = marker(Style(look.colour, symbol), 13)
    traces = [named_point(time.centre / 1e9, place, duration(time.centre), point, hover, title)]
    if time.interval:
        seconds = (time.interval[0] / 1e9, time.interval[1] / 1e9)
        reach = [end / 1e9 for end in ends]
        traces.insert(0, whisker(seconds, place, look, reach, hover, f"{title} interval"))
    return traces


def benchmarks_title(rows: Sequence[Row]) -> str:
    """The finding: how the slowest compares with the fastest."""
    originals = [(each, time) for each, time in rows if not each.entry.copy]
    if not originals:
        return "No benchmark gave a time"
    fastest = min(originals, key=lambda row: row[1].centre)
    slowest = max(originals, key=lambda row: row[1].centre)
    title = f"{fastest[0].entry.title} takes {duration(fastest[1].centre)}"
    if len(originals) > 1:
        title += f", {slowest[0].entry.title} {duration(slowest[1].centre)}"
    return title


def benchmarks_table(report: BenchmarkReport) -> Output:
    """The numbers of the figure, a benchmark in each row."""
    rows = []
    for each in report.found:
        time = time_of(each)
        known = [duration(time.centre), time.interval_text] if time else ["—", "—"]
        allocated = "—" if each.allocated_bytes is None else f"{each.allocated_bytes:,} B"
        rows.append([each.entry.title, *known, allocated])
    columns = ["benchmark", "time", "95 % interval", "allocated"]
    return markup.table(columns, rows, right=range(1, 4))
