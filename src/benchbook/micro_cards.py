"""What BenchmarkDotNet reports, as tables and as a plot."""

import html
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook import cards, figures, paths, stats
from benchbook.cards import Output
from benchbook.embed import Figure
from benchbook.figures import COLOURS, GREY, SYMBOLS, Style
from benchbook.micro import Found, Report, Wish
from benchbook.micro_cell import CellRace

STEADY = 0.9  # a last iteration under this share of the first, in every launch: still warming up
WIDE = 20  # times the fastest: from there on the axis is logarithmic


@dataclass(frozen=True)
class Time:
    """Nanoseconds an operation with a 95 % interval; launches: how many it is over.

    None where there is one iteration only.
    """

    centre: float
    low: float | None
    high: float | None
    launches: int


def time_of(found: Found) -> Time | None:
    """The mean over launches, its interval from the launches' means (Kalibera & Jones 2013), on
    logarithms, so that it stays above 0.

    With one launch: over its iterations, which knows nothing of differences between launches.
    None without any, or where an empty method would take as long.
    """
    launches = found.times_ns
    means = [float(np.mean(launch)) for launch in launches]
    values = means if len(means) > 1 else list(itertools.chain.from_iterable(launches))
    if not values or np.mean(values) <= 0:
        return None
    centre = float(np.mean(values))
    if len(values) < 2 or min(values) <= 0:
        return Time(centre, None, None, len(means))
    logs = np.log(values)
    reach = (
        stats.t_quantile(stats.LEVEL, logs.size) * float(logs.std(ddof=1)) / math.sqrt(logs.size)
    )
    low, high = math.exp(logs.mean() - reach), math.exp(logs.mean() + reach)
    return Time(centre, low, high, len(means))


def report(race: CellRace) -> Output:
    """BenchmarkDotNet's table, and what limits it."""
    found = race.report
    rows = []
    for row, starts_group in itertools.zip_longest(found.rows, found.groups):
        if starts_group and rows:
            rows.append([""] * len(row))
        rows.append([value.replace(" ", "\u00a0") for value in row])  # 4.5 ns stays on a line
    right = [i for i, name in enumerate(found.columns) if name not in ("Type", "Method", "Job")]
    parts = [cards.table(found.columns, rows, right=right)]
    if not found.own_jobs and not race.wish.full:
        parts.append(cards.paragraph(quick(race.wish, found)))
    elif found.own_jobs:
        parts.append(cards.paragraph("The class has jobs of its own: they ran as they are."))
    parts += [cards.paragraph(text) for text in [*unsteady(found), *warnings(found)]]
    parts += [failure(race, each) for each in found.found if not each.success]
    return cards.total([*parts, details(race)])


def failure(race: CellRace, each: Found) -> Output:
    """Why a benchmark has no result."""
    log = paths.relative(race.folder / "artifacts")
    words = race.failures.get(each.entry.title) or f"BenchmarkDotNet's log is in {log}"
    return cards.note(f"{each.entry.title} failed:\n{words}")


def quick(wish: Wish, found: Report) -> str:
    """What a short job can't tell."""
    said = (
        f"Quick: launches {wish.launches}, iterations in each {wish.iterations}, of "
        f"{wish.iteration_seconds:g} s; the benchmarks take turns. "
    )
    if floors := floor(found):
        title, widest = max(floors, key=lambda each: each[1].reach)
        reach = f"±{widest.reach:.1%}" if widest.reach < 2 else "unknown"
        said += (
            f"Floor {reach}: two copies of {title} differed by {cards.percent(widest.ratio)} "
            f"({cards.interval_text(widest)}), so smaller differences mean nothing. "
        )
    return said + (
        "It can't show what happens rarely, nor code that the JIT compiler improves later; "
        "--full is BenchmarkDotNet's default job."
    )


def floor(found: Report) -> list[tuple[str, stats.Interval]]:
    """How much each copy differs from its original: (title, ratio of their speeds)."""
    originals = {(f.entry.benchmark, f.entry.case): f for f in found.found if not f.entry.copy}
    floors = []
    for copy in found.found:
        original = originals.get((copy.entry.benchmark, copy.entry.case))
        if not copy.entry.copy or original is None:
            continue
        times = [each.times_ns for each in (original, copy)]
        shape = [[len(launch) for launch in each] for each in times]
        if shape[0] and shape[0] == shape[1] and len(set(shape[0])) == 1:
            logs = stats.log_ratios(np.array(times[0]), np.array(times[1]))
            if np.isfinite(logs).any():
                floors.append((original.entry.title, stats.interval(logs)))
    return floors


def unsteady(found: Report) -> list[str]:
    """Benchmarks that became faster in every launch, to its very end."""
    said = []
    zero = {w.title for w in found.warnings if w.analyser == "ZeroMeasurement"}
    for each in (f for f in found.found if f.entry.title not in zero):
        launches = [launch for launch in each.times_ns if len(launch) > 2 and launch[0] > 0]
        if launches and all(launch[-1] < STEADY * launch[0] for launch in launches):
            said.append(
                f"{each.entry.title} became faster in every launch: it is not warm yet; try --full."
            )
    return said


def warnings(found: Report) -> list[str]:
    """What BenchmarkDotNet's analysers say, alike ones together."""
    together: dict[tuple[str, str], list[str]] = {}
    for warning in found.warnings:
        if warning.analyser == "Outliers":
            message = "outliers; they stay in the samples"
        elif warning.analyser == "MinIterationTime":
            message = "iterations shorter than 0.1 s; do more work in each, or use --full"
        else:
            message = warning.message
        together.setdefault((warning.kind, message), []).append(warning.title)
    return [
        f"BenchmarkDotNet, {kind.lower()}: {message} ({', '.join(filter(None, titles))})"
        for (kind, message), titles in together.items()
    ]


def details(race: CellRace) -> Output:
    """Machine and runtime, as BenchmarkDotNet names them."""
    said = race.report.header
    body = cards.note(said)
    summary = f"<details><summary>{html.escape(said.splitlines()[0])}</summary>"
    return Output(said, f"{summary}{body.html}</details>")


def headline(race: CellRace) -> Output:
    """What is left of a run that was interrupted."""
    run = race.run
    count = f"{len(run.samples)} samples kept in the run file"
    return cards.paragraph(f"INCOMPLETE: {run.reason}; {count}")


# ── The plot ─────────────────────────────────────────────────────────────────────────────────────


def plot(found: Report) -> Figure:
    """The time of an operation of each benchmark with its interval, the first on top."""
    shown = [(each, time) for each in found.found if (time := time_of(each))]
    cases = list(dict.fromkeys(each.entry.case for each in found.found))
    shown.sort(key=lambda pair: cases.index(pair[0].entry.case))  # copies go to their case
    looks = styles([each for each, _ in shown])
    rows = list(reversed(shown))
    centres = [time.centre for _, time in rows]
    wide = bool(centres) and max(centres) > WIDE * min(centres)
    data: list[dict[str, Any]] = []
    ends = axis_ends([time for _, time in rows], wide)
    for place, (each, time) in enumerate(rows):
        data += traces(each, time, place, looks[each.entry.benchmark], ends)
    title = plot_title(shown)
    launches = max((time.launches for _, time in rows), default=0)
    over = "launches" if launches > 1 else "the iterations of one launch"
    layout = figures.frame(
        title,
        f"● mean time of an operation with its 95 % interval, over {over}"
        + ("; logarithmic axis" if wide else ""),
        plot_px=figures.ROW_PX * len(rows) + 30,
        bottom_px=48,
        showlegend=False,
        xaxis=figures.axis(
            "time of an operation" + ("" if wide else " (from 0)"),
            **({"type": "log", "dtick": 1} if wide else {"nticks": 8}),
            range=[math.log10(end / 1e9) if wide else end / 1e9 for end in ends],
            ticksuffix="s",
            exponentformat="SI",
            tickangle=0,
        ),
        yaxis=figures.axis(
            "",
            range=[-0.6, len(rows) - 0.2],
            tickvals=list(range(len(rows))),
            ticktext=[figures.wrapped(each.entry.title, 24) for each, _ in rows],
            showgrid=False,
        ),
    )
    return figures.figure(title, data, layout, plot_table(found))


def styles(shown: Sequence[Found]) -> dict[str, Style]:
    """A look for each method; the baseline is grey."""
    looks: dict[str, Style] = {}
    for each in shown:
        if each.entry.benchmark not in looks:
            i = sum(style.colour != GREY for style in looks.values())
            chosen = Style(COLOURS[i % len(COLOURS)], SYMBOLS[i % len(SYMBOLS)])
            looks[each.entry.benchmark] = Style(GREY, "circle") if each.entry.baseline else chosen
    return looks


def axis_ends(times: Sequence[Time], wide: bool) -> tuple[float, float]:
    """Room for all points in ns; an interval that is wider by far is cut at the edge."""
    centres = [time.centre for time in times] or [1.0]
    lows = [centre if time.low is None else time.low for centre, time in zip(centres, times)]
    highs = [centre if time.high is None else time.high for centre, time in zip(centres, times)]
    low = max([min(centres) / 10, min([*lows, min(centres)])])
    if wide:
        return low / 1.5, min(10 * max(centres), max([*highs, max(centres)])) * 1.5
    return 0.0, min(2 * max(centres), max([*highs, max(centres)])) * 1.08


def traces(
    each: Found, time: Time, place: int, look: Style, ends: tuple[float, float]
) -> list[dict[str, Any]]:
    """The point, its interval as a line, and an arrowhead where the interval goes on."""
    said = f"{html.escape(each.entry.title)}: {time_text(time)}<extra></extra>"
    symbol = look.symbol + ("-open" if each.entry.copy else "")
    interval = []
    if time.low is not None:
        seconds, reach = (time.low / 1e9, time.high / 1e9), [end / 1e9 for end in ends]
        name = f"{each.entry.title} interval"
        interval = [figures.whisker(seconds, place, look, reach, said, name)]
    return [
        *interval,
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": [time.centre / 1e9],
            "y": [place],
            "text": [cards.duration(time.centre)],
            "textposition": "top center",
            "textfont": {"color": GREY, "size": 13},
            "marker": figures.marker(Style(look.colour, symbol), 13),
            "cliponaxis": False,
            "hovertemplate": said,
            "name": each.entry.title,
        },
    ]


def time_text(time: Time) -> str:
    if time.low is None:
        return cards.duration(time.centre)
    low, high = cards.duration(time.low), cards.duration(time.high)
    return f"{cards.duration(time.centre)} ({low} to {high})"


def plot_title(shown: Sequence[tuple[Found, Time]]) -> str:
    """The finding: how the slowest compares with the fastest, by case where there is one."""
    originals = [(each, time) for each, time in shown if not each.entry.copy]
    if not originals:
        return "No benchmark gave a time"
    fastest = min(originals, key=lambda pair: pair[1].centre)
    slowest = max(originals, key=lambda pair: pair[1].centre)
    if len(originals) == 1:
        return f"{fastest[0].entry.title} takes {cards.duration(fastest[1].centre)}"
    return (
        f"{fastest[0].entry.title} takes {cards.duration(fastest[1].centre)}, "
        f"{slowest[0].entry.title} {cards.duration(slowest[1].centre)}"
    )


def plot_table(found: Report) -> Output:
    rows = []
    for each in found.found:
        time = time_of(each)
        centre = cards.duration(time.centre) if time else "—"
        known = time and time.low is not None
        ends = f"{cards.duration(time.low)} to {cards.duration(time.high)}" if known else "—"
        allocated = "—" if each.allocated_bytes is None else f"{each.allocated_bytes:,} B"
        rows.append([each.entry.title, centre, ends, allocated])
    return cards.table(["benchmark", "time", "95 % interval", "allocated"], rows, right=range(1, 4))
