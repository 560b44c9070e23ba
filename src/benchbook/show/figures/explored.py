"""Figures to be moved: a plotly slider, whose steps are drawn beforehand.

No widget and no kernel is needed for that: the steps are in the figure's own JSON, so the slider
moves wherever plotly draws, in JupyterLab, VS Code, Notebook 6 and pages without a network. The
still picture shows the first state, and the table below it (the text) has what each step says.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from statistics import NormalDist
from typing import Any

from benchbook.analysis.judging import judge
from benchbook.analysis.judging.judge import Results
from benchbook.analysis.judging.verdicts import SMALLEST_EFFECT, share_text
from benchbook.analysis.pooled import pooling
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.claims import Claim, Statement
from benchbook.model.runs import Run
from benchbook.show import finding, markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    COLOURS,
    FAINT,
    GREY,
    PLOT_PX,
    TEXT,
    Style,
    axis,
    figure,
    frame,
    line_at,
    percent_axis,
    rows_axis,
    title_y,
    with_interval,
)
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.markup import Output
from benchbook.show.wording import decided, percent

SLIDER_PX = 84  # below a plot
DELTAS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5)
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
USUAL = re.compile(r"95(?: |<br>)%(?: |<br>)interval")
NOTHING = Output("", "")


@dataclass(frozen=True)
class Step:
    """One place of a slider. label: what stands there; shown: what is drawn then; says: the row of
    the table."""

    label: str
    shown: Figure
    says: Sequence[str]


def movable(steps: Sequence[Step], first: int, asks: str, columns: Sequence[str]) -> Figure:
    """The figure of several states, which all have the same series. asks: what the slider sets;
    first: the state that is shown before anybody moves it; columns: of the table."""
    chosen = steps[first].shown
    layout = chosen.plotly["layout"]
    top = max(each.shown.plotly["layout"]["margin"]["t"] for each in steps)
    margin = {**layout["margin"], "t": top}
    bottom = margin["b"] + SLIDER_PX
    height = layout["height"] - sum(layout["margin"][n] for n in "tb") + margin["t"] + bottom
    slider = {
        "active": first,
        "currentvalue": {"prefix": f"{asks}: ", "font": {"color": TEXT, "size": 13}},
        "font": {"color": TEXT, "size": 11},
        "pad": {"t": margin["b"] + 8, "b": 4},
        "bgcolor": FAINT,
        "activebgcolor": COLOURS[0],
        "bordercolor": GREY,
        "tickcolor": GREY,
        "steps": [
            {"label": each.label, "method": "update", "args": changes(each.shown)} for each in steps
        ],
    }
    whole = {
        **layout,
        "height": height,
        "margin": {**margin, "b": bottom},
        "title": {**layout["title"], "y": title_y(height)},
        "sliders": [slider],
    }
    numbers = markup.table(columns, [[each.label, *each.says] for each in steps])
    return Figure(
        f"{asks}, to be moved: {chosen.label}", {**chosen.plotly, "layout": whole}, numbers
    )


def changes(shown: Figure) -> list[dict[str, Any]]:
    """What a step sets: where the series lie, and the title, the notes and the bands."""
    data, layout = shown.plotly["data"], shown.plotly["layout"]
    moved = {name: [trace[name] for trace in data] for name in ("x", "y")}
    title = {"title.text": layout["title"]["text"]}
    return [moved, {**title, **{n: layout.get(n, []) for n in ("annotations", "shapes")}}]


# ── A race ───────────────────────────────────────────────────────────────────────────────────────


def delta_figure(run: Run, claim: Claim) -> Figure:
    """The ratios of a race with the smallest difference that matters to be moved: the band, and the
    verdicts, as they are judged with it."""
    steps = []
    for delta in DELTAS:
        found = with_everywhere(judge.judge(run, with_delta(claim, delta)), delta)
        shown = ratios_figure(run, found, claim)
        verdicts = Counter(decided(each, False) for each in found.judgements if not each.absent)
        told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
        steps.append(Step(f"±{share_text(delta)}", shown, [told or finding.sentence(run, found)]))
    return movable(steps, DELTAS.index(0.05), "too small to matter", ["δ", "verdicts"])


def with_delta(claim: Claim, delta: float) -> Claim:
    """A claim whose statements all have this smallest effect."""
    return replace(claim, statements=tuple(changed(each, delta) for each in claim.statements))


def changed(statement: Statement, delta: float) -> Statement:
    if statement.type == "same":
        return replace(statement, within=delta)
    return replace(statement, smallest_effect=delta)


@dataclass(frozen=True)
class ExploredResults(Results):
    """Results in which the smallest difference that matters is the same for all pairs, also for
    those that no statement speaks of."""

    everywhere: float = SMALLEST_EFFECT

    def delta(self, a: str, b: str) -> float:
        return self.everywhere


def with_everywhere(found: Results, delta: float) -> ExploredResults:
    known = {each.name: getattr(found, each.name) for each in fields(found)}
    return ExploredResults(**known, everywhere=delta)


def level_figure(run: Run, results: Results) -> Figure:
    """The ratios of a race at several levels of confidence: what is sure at one is not at another.

    The intervals are those of each pair alone: nothing is corrected for several statements.
    """
    steps = []
    for level in LEVELS:
        ratios = {name: each.at(level) for name, each in results.ratios.items()}
        found = replace(results, ratios=ratios, judgements=())
        steps.append(Step(f"{100 * level:g} %", ratios_figure(run, found), [apart(ratios.items())]))
    steps = [replace(each, shown=told(each)) for each in steps]
    return movable(steps, LEVELS.index(0.95), "confidence", ["confidence", "surely not the same"])


def apart(ratios: Iterable[tuple[str, Interval]]) -> str:
    """Which entries' intervals leave out "no difference"."""
    return ", ".join(name for name, i in ratios if not i.low <= 1 <= i.high) or "none"


def told(step: Step) -> Figure:
    """A step's figure, whose title says at which level its intervals are."""
    layout = step.shown.plotly["layout"]
    text = USUAL.sub(f"{step.label} interval", layout["title"]["text"])
    title = {**layout["title"], "text": text}
    return replace(step.shown, plotly={**step.shown.plotly, "layout": {**layout, "title": title}})


# ── Laws ─────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Law:
    """A curve y(x) for each value of what is moved; at: the x for which the title tells y."""

    asks: str
    values: Sequence[float]
    first: int
    label: Callable[[float], str]
    xs: Sequence[float]
    curve: Callable[[float, float], float]
    at: float
    says: Callable[[float, float], str]
    small: str
    axes: tuple[str, str]
    log: bool = False


def law_figure(law: Law) -> Figure:
    """A law with its parameter to be moved."""
    every = [law.curve(value, x) for value in law.values for x in law.xs]
    ends = [math.log10(min(every)) - 0.1, math.log10(max(every)) + 0.1] if law.log else []
    steps = []
    for value in law.values:
        ys = [law.curve(value, x) for x in law.xs]
        says = law.says(value, law.curve(value, law.at))
        curve = {"type": "scatter", "mode": "lines", "x": list(law.xs), "y": ys,
                 "line": {"color": COLOURS[0], "width": 3}, "name": "law"}  # fmt: skip
        mark = {"type": "scatter", "mode": "markers", "x": [law.at],
                "y": [law.curve(value, law.at)], "name": "here",
                "marker": {"color": COLOURS[3], "size": 12}}  # fmt: skip
        kind = {"type": "log", "range": ends} if law.log else {"range": [0, 1.05 * max(every)]}
        layout = frame(
            says, law.small, PLOT_PX, showlegend=False,
            xaxis=axis(law.axes[0]), yaxis=axis(law.axes[1], **kind),
        )  # fmt: skip
        steps.append(Step(law.label(value), figure(says, [curve, mark], layout, NOTHING), [says]))
    return movable(steps, law.first, law.asks, [law.asks, "what follows"])


def amdahl() -> Figure:
    """Amdahl 1967, doi:10.1145/1465482.1465560: a part p of the time, made s times as fast, makes
    the whole 1 / (1 − p + p/s) times as fast."""

    def whole(share: float, times: float) -> float:
        return 1 / (1 - share + share / times)

    return law_figure(
        Law(
            "the part's share of the time", (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0), 2,
            share_text, [1 + i / 4 for i in range(61)], whole, 4.0,
            lambda share, y: f"A part with {share_text(share)} of the time, made 4 times as fast, "
            f"makes the whole {y:.3g} times as fast",
            "Amdahl's law: 1 / (1 − p + p/s)",
            ("how many times as fast the part becomes", "how many times as fast the whole is"),
        )
    )  # fmt: skip


def little() -> Figure:
    """Little 1961, doi:10.1287/opre.9.3.383: requests on the way = requests/s × mean latency."""

    def latency_ms(per_second: float, on_the_way: float) -> float:
        return 1000 * on_the_way / per_second

    return law_figure(
        Law(
            "requests a second", (1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5), 3,
            lambda value: f"{value:,.0f}", [10 * i for i in range(1, 101)], latency_ms, 100.0,
            lambda value, y: f"With {value:,.0f} requests a second, 100 of them on the way take "
            f"{y:,.3g} ms each on average",
            "Little's law: mean latency = requests on the way / requests a second",
            ("requests on the way", "mean latency, ms"), log=True,
        )
    )  # fmt: skip


def scanner() -> Figure:
    """Two programs of 100 µs and more behind something that takes a while for each request."""

    def seems(scans_us: float, more: float) -> float:
        return 100 - 100 * (100 + scans_us) / (100 + more + scans_us)

    return law_figure(
        Law(
            "a scanner takes, µs a request", (0, 20, 50, 100, 200, 500, 1000), 0,
            lambda value: f"{value:,g}", list(range(0, 101, 2)), seems, 10.0,
            lambda value, y: f"10 % more work seems {y:.1f} % slower, where a scanner takes "
            f"{value:,g} µs a request",
            "a program of 100 µs a request against one with more work, both behind the scanner",
            ("more work than the other program, %", "seems slower by, %"),
        )
    )  # fmt: skip


def size_of_room() -> Figure:
    """The mean of a room of machines and the next one, by how many there are (pooling.pool)."""
    steps = []
    for count in (3, 5, 10, 20, 50, 100, 200):
        found = pooling.pool(machines(count), [1e-8] * count)
        low, high = found.next_low or math.nan, found.next_high or math.nan
        mean = (found.ratio, found.low, found.high)
        drawn = ((mean, 1), ((found.ratio, low, high), 0))
        ends = (-25.0, 35.0)
        data = [
            trace
            for (ratios, row), name in zip(drawn, ("mean", "next"), strict=True)
            for trace in with_interval(
                ratios, row, Style(COLOURS[row], "square"), ends, "%{x:.1f} %<extra></extra>", name
            )
        ]
        says = f"{count} machines: the mean is {span(found.low, found.high)}"
        layout = frame(
            f"{says}, the next machine {span(low, high)}",
            "machines whose own ratios scatter by 4 % around +5 %, each measured without error",
            90, showlegend=False, shapes=[line_at(0.0)],
            xaxis=percent_axis("difference to the baseline", ends),
            yaxis=rows_axis(["the next machine", "the mean"], range=[-0.6, 1.6]),
        )  # fmt: skip
        row = [span(found.low, found.high), span(low, high)]
        steps.append(Step(str(count), figure(says, data, layout, NOTHING), row))
    return movable(steps, 3, "machines in the room", ["machines", "the mean", "the next machine"])


def machines(count: int) -> list[float]:
    """Log ratios of machines that scatter by 4 % around +5 %: the middles of equal parts of a
    normal distribution, spread so that their standard deviation is 4 %."""
    places = [NormalDist().inv_cdf((i + 0.5) / count) for i in range(count)]
    deviation = math.sqrt(sum(z * z for z in places) / (count - 1))
    return [math.log(1.05) + math.log(1.04) * z / deviation for z in places]


def span(low: float, high: float) -> str:
    return f"{percent(low)} to {percent(high)}"


LAWS = {"amdahl": amdahl, "little": little, "room": size_of_room, "scanner": scanner}
