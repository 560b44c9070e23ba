"""What all figures share: colours and markers, axes, the frame with its title, lines and notes.

Colours are Okabe & Ito's (told apart by the colour-blind), and each variant has a marker of its
own, the same in all figures. Figures have no paper, and are seen on white and on black: texts take
the page's colour (show/themed.py), all else has one that both leave legible.
"""

import html
import json
import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchbook.model.runs import CONTROL, Entry, Run
from benchbook.show.embed import CONFIG, Figure
from benchbook.show.markup import Output

# blue, orange, green, vermillion, sky, purple, olive: Okabe and Ito's, each so bright that it has a
# contrast of 3 at least to white and to the grounds of dark themes; grey is left to the baseline
COLOURS = ("#0072b2", "#d08400", "#009e73", "#cc4400", "#3a9bd6", "#cc79a7", "#a89200")
SYMBOLS = ("square", "triangle-up", "diamond", "cross", "triangle-down", "star", "pentagon", "x")
TRANSPARENT = "rgba(0,0,0,0)"
DRAWN = {"scatter", "bar"}  # what plotly.js-basic-dist-min has, and figures here need
TEXT = "#767676"  # where a picture can't take the page's colour
GREY = "#777777"  # of lines and marks: seen on white and on black
FAINT = "rgba(128,128,128,0.3)"
BAND = "rgba(128,128,128,0.18)"
TITLE_WIDTH, SMALL_WIDTH, NAME_WIDTH = 58, 84, 20  # characters in a line, for figures of 600 px
ROW_PX, LOW_ROW_PX = 36, 30  # of a row with a name of two lines, and of one
LEGEND_LINE_PX = 24  # of a line in a legend, as plotly.js sets names of two lines
PLOT_PX = 270  # of plots without rows: a screen of 800 px should hold their title, too
BOTTOM_PX = 48  # below the plot: the axis and its title
TITLE_PX = 18  # above the title: its line is higher than its letters


# ── Looks ────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Style:
    """How one entry looks, in every figure."""

    colour: str
    symbol: str


def nth_style(i: int) -> Style:
    """The look of the i-th of several things, from 0."""
    return Style(COLOURS[i % len(COLOURS)], SYMBOLS[i % len(SYMBOLS)])


def styles(run: Run) -> dict[str, Style]:
    """A look for each entry: by its place among the variants, raced or not."""
    looks: dict[str, Style] = {}
    for entry in run.entries:
        if entry.role == "variant":
            looks[entry.name] = nth_style(sum(style.colour != GREY for style in looks.values()))
        else:
            looks[entry.name] = Style(GREY, "circle-open" if entry.role == CONTROL else "circle")
    return looks


def label(entry: Entry) -> str:
    """An entry's name, with what is special about it."""
    kind = " (control)" if entry.role == CONTROL else ""
    return entry.name + kind + (" (edited)" if entry.edited else "")


def marker(look: Style, size: int) -> dict[str, Any]:
    """A marker with a grey edge, which parts those that overlap."""
    edge = look.colour if look.symbol.endswith("-open") else GREY
    width = 2 if look.symbol.endswith("-open") else 0.75
    return {
        "symbol": look.symbol,
        "size": size,
        "color": look.colour,
        "line": {"color": edge, "width": width},
    }


# ── Things to draw ───────────────────────────────────────────────────────────────────────────────


def named_point(
    x: float, y: float, text: str, marker: dict[str, Any], hover: str, name: str
) -> dict[str, Any]:
    """A point with its value above it."""
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [x],
        "y": [y],
        "text": [text],
        "textposition": "top center",
        "textfont": {"color": TEXT, "size": 13},
        "marker": marker,
        "cliponaxis": False,
        "hovertemplate": hover,
        "name": name,
    }


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


def with_interval(
    ratios: tuple[float, float, float],
    place: int,
    look: Style,
    ends: Sequence[float],
    hover: str,
    name: str,
    size: int = 13,
) -> list[dict[str, Any]]:
    """A ratio in a row, as a difference in percent: its interval, and above that the point.

    ratios: the ratio, low and high, as factors.
    """
    ratio, low, high = map(difference, ratios)
    point = {
        "type": "scatter",
        "mode": "markers",
        "x": [ratio],
        "y": [place],
        "marker": marker(look, size),
        "cliponaxis": False,
        "hovertemplate": hover,
        "name": name,
    }
    return [whisker((low, high), place, look, ends, hover, f"{name} interval"), point]


def line_at(x: float, colour: str = GREY, dash: str = "solid") -> dict[str, Any]:
    """A vertical line through the whole plot."""
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


def difference(ratio: float) -> float:
    """A factor as a difference in percent: 1.02 is 2."""
    return 100 * (ratio - 1)


def band(reach: float, ends: Sequence[float], row: int | None = None) -> dict[str, Any]:
    """A band around no difference, as far as the axis (in percent) goes; row: in that one only."""
    low, high = difference(1 / (1 + reach)), difference(1 + reach)
    in_row = {} if row is None else {"yref": "y", "y0": row - 0.5, "y1": row + 0.5}
    return {**across([max(low, ends[0]), min(high, ends[1])]), **in_row}


def across(ends: Sequence[float]) -> dict[str, Any]:
    """A band from top to bottom between two places on the x axis."""
    return {
        "type": "rect",
        "layer": "below",
        "xref": "x",
        "x0": ends[0],
        "x1": ends[1],
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "fillcolor": BAND,
        "line": {"width": 0},
    }


def note(text: str, **where: Any) -> dict[str, Any]:
    """Small grey text in the plot."""
    return {"text": text, "showarrow": False, "font": {"color": TEXT, "size": 12}, **where}


# ── Axes and frame ───────────────────────────────────────────────────────────────────────────────


def axis(title: str, **settings: Any) -> dict[str, Any]:
    return {
        "title": {"text": title, "standoff": 8, "font": {"color": TEXT, "size": 13}},
        "automargin": True,
        "color": TEXT,
        "gridcolor": FAINT,
        "linecolor": GREY,
        "tickfont": {"color": TEXT, "size": 13},
        "zeroline": False,
        **settings,
    }


def percent_ends(
    ratios: Sequence[float], reach: Sequence[float], furthest: float
) -> Sequence[float]:
    """Where an axis of differences in percent begins and ends, so that it has room for no
    difference, for all points, and for the ends of their intervals (reach; all as factors): these
    as far as `furthest` per cent, or three times as far as a point."""
    points = [difference(each) for each in ratios]
    furthest = max([furthest, *(3 * abs(point) for point in points)])
    ends = (max(-furthest, min(furthest, difference(end))) for end in reach)
    every = [0.0, *points, *ends]
    low, high = min(every), max(every)
    margin = 0.08 * max(high - low, 1.0)
    return [max(low - margin, -104.0), high + margin]  # nothing is slower by more than 100 %


def percent_axis(title: str, ends: Sequence[float]) -> dict[str, Any]:
    """An x axis of differences in percent."""
    return axis(title, range=ends, ticksuffix=" %", tickangle=0)


def rows_px(labels: Sequence[str]) -> int:
    """The height of a plot with a row for each label: a screen of 800 px should hold its title."""
    return 24 + len(labels) * (ROW_PX if any("<br>" in each for each in labels) else LOW_ROW_PX)


def rows_axis(labels: Sequence[str], **settings: Any) -> dict[str, Any]:
    """A y axis with a named row for each label, from the bottom up."""
    return axis("", tickvals=list(range(len(labels))), ticktext=labels, showgrid=False, **settings)


def frame(
    title: str, small: str, plot_px: int, bottom_px: int = BOTTOM_PX, **settings: Any
) -> dict[str, Any]:
    """A layout: title and a smaller line below it, as many lines as 600 px need; fixed height."""
    first = textwrap.wrap(title, TITLE_WIDTH, break_on_hyphens=False)
    second = textwrap.wrap(small, SMALL_WIDTH, break_on_hyphens=False)
    text = f"<b>{'<br>'.join(map(html.escape, first))}</b>"
    text += f"<br><span style='font-size:12px'>{'<br>'.join(map(html.escape, second))}</span>"
    top = TITLE_PX + 20 * len(first) + 17 * len(second) + 22
    height = top + plot_px + bottom_px
    return {
        "title": {
            "text": text,
            "font": {"color": TEXT, "size": 15},
            "x": 0.01,
            "xanchor": "left",
            "y": title_y(height),
            "yanchor": "top",
        },
        "height": height,
        "autosize": True,
        "margin": {"t": top, "b": bottom_px, "l": 60, "r": 24},
        "paper_bgcolor": TRANSPARENT,
        "plot_bgcolor": TRANSPARENT,
        "font": {"color": TEXT, "family": "system-ui, 'DejaVu Sans', sans-serif"},
        "legend": {
            "bgcolor": TRANSPARENT,
            "font": {"color": TEXT, "size": 12},
            "itemwidth": 30,
            "tracegroupgap": 0,  # else every line has 10 px more
        },
        "hovermode": "closest",
        "modebar": {"bgcolor": TRANSPARENT, "color": GREY, "activecolor": COLOURS[0]},
        **settings,
    }


def title_y(height: float) -> float:
    """Where the title begins, as plotly counts: from the bottom, in parts of the height."""
    return 1 - TITLE_PX / height


def with_whole_legend(data: list[dict[str, Any]], layout: dict[str, Any]) -> dict[str, Any]:
    """The layout, high enough for a legend beside the plot: plotly.js cuts what is longer off."""
    names = [t["name"] for t in data if t.get("name") and t.get("showlegend", True)]
    if not layout.get("showlegend"):
        return layout
    needed = LEGEND_LINE_PX * sum(1 + name.count("<br>") for name in names)
    margin = layout["margin"]
    height = max(layout["height"], margin["t"] + needed + margin["b"])
    return {**layout, "height": height, "title": {**layout["title"], "y": title_y(height)}}


def wrapped(text: str, width: int) -> str:
    """Plotly text in lines of at most `width` characters, so that nothing is clipped."""
    lines = textwrap.wrap(text, width, break_on_hyphens=True, break_long_words=True)
    return "<br>".join(html.escape(line, quote=False) for line in lines)


def rounded(number: str) -> float:
    """Seven digits: what nobody sees would make notebooks twice as large."""
    return float(f"{float(number):.7g}")


def in_vs_code() -> bool:
    """Is this a kernel of VS Code, where plots don't follow the window by themselves?

    They do in JupyterLab and in our pages; in JupyterLab those drawn as "responsive" besides lose
    their height.
    """
    return "VSCODE_CWD" in os.environ  # of its own processes, not of those in its terminals


def be_quick() -> None:
    """So that the first figure takes no longer than the others: plotly is loaded, in half a
    second."""
    from plotly import graph_objects as go

    go.Figure(layout={"template": go.layout.Template()})


def figure(
    title: str, data: list[dict[str, Any]], layout: dict[str, Any], numbers: Output
) -> Figure:
    """The figure, checked by plotly; templates are left out: they differ between its versions.

    Raises ValueError for a trace that pages without plotly's whole library could not draw.
    """
    from plotly import graph_objects as go  # takes half a second: not before there is a figure

    if other := {trace.get("type", "scatter") for trace in data} - DRAWN:
        raise ValueError(f"plotly.js in pages draws {sorted(DRAWN)}, not {sorted(other)}")
    layout = with_whole_legend(data, layout)
    built = go.Figure(data=data, layout={**layout, "template": go.layout.Template()})
    plotly = json.loads(built.to_json(), parse_float=rounded)
    plotly["layout"].pop("template", None)
    plotly["config"] = {"responsive": in_vs_code(), **CONFIG}
    return Figure(title, plotly, numbers)
