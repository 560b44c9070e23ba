"""What all figures share: colours and markers, axes, the frame with its title, lines and notes.

Colours are Okabe & Ito's (told apart by the colour-blind), and each variant has a marker of its
own, the same in all figures. Backgrounds are transparent, lines mid-grey: any theme fits.
"""

import html
import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchbook.model.runs import CONTROL, Entry, Run
from benchbook.show.embed import TRANSPARENT, Figure
from benchbook.show.markup import Output

# blue, orange, green, vermillion, sky, purple, yellow; grey is left to the baseline and its copy
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442")
SYMBOLS = ("square", "triangle-up", "diamond", "cross", "triangle-down", "star", "pentagon", "x")
DRAWN = {"scatter", "bar"}  # what plotly.js-basic-dist-min has, and figures here need
GREY = "#777777"  # contrast over 4 on white and on #111
FAINT = "rgba(128,128,128,0.3)"
BAND = "rgba(128,128,128,0.18)"
TITLE_WIDTH, SMALL_WIDTH, NAME_WIDTH = 58, 84, 20  # characters in a line, for figures of 600 px
ROW_PX = 44
BOTTOM_PX = 48  # below the plot: the axis and its title


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
    """A marker with a grey edge, which also shows yellow on white and blue on black."""
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
        "textfont": {"color": GREY, "size": 13},
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
    up_and_down = {"yref": "paper", "y0": 0, "y1": 1}
    if row is not None:
        up_and_down = {"yref": "y", "y0": row - 0.5, "y1": row + 0.5}
    return {
        "type": "rect",
        "layer": "below",
        "xref": "x",
        "x0": max(low, ends[0]),
        "x1": min(high, ends[1]),
        **up_and_down,
        "fillcolor": BAND,
        "line": {"width": 0},
    }


def note(text: str, **where: Any) -> dict[str, Any]:
    """Small grey text in the plot."""
    return {"text": text, "showarrow": False, "font": {"color": GREY, "size": 12}, **where}


# ── Axes and frame ───────────────────────────────────────────────────────────────────────────────


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


def percent_axis(title: str, ends: Sequence[float]) -> dict[str, Any]:
    """An x axis of differences in percent."""
    return axis(title, range=ends, ticksuffix=" %", tickangle=0, nticks=8)


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
    title: str, data: list[dict[str, Any]], layout: dict[str, Any], numbers: Output
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
