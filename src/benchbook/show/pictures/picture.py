"""A figure as a static picture (SVG), for viewers that run no script: GitHub, nbconvert, print.

It reads the plotly JSON that figures/ makes, and knows what occurs there: lines, markers, bars,
intervals, straight axes, shapes, notes and legends. It takes milliseconds and no browser, so it can
be drawn anew after each launch of a race. Nothing in it has an id, because several pictures may
stand in one page, and only elements and attributes that sanitisers of notebooks let through.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from benchbook.show.pictures.marks import outline, path, px
from benchbook.show.pictures.rich_text import Font, RichLine, lines
from benchbook.show.pictures.scales import scale

WIDTH = 760
GAP = 7  # between a plot and what stands beside it, in px
KEY = 34  # width of the line and marker before a name in the legend
DASHES = {"dot": "2 3", "dash": "7 5"}
ANCHORS = {"left": "start", "center": "middle", "right": "end"}

Json = Mapping[str, Any]


def svg(label: str, plotly: Json) -> str:
    """The picture of a plotly figure; label: what is seen, for those who don't see it."""
    return Picture(plotly["data"], plotly["layout"]).draw(label)


def listed(value: Any, count: int) -> list[Any]:
    """What is given once for all points, or for each."""
    return list(value) if isinstance(value, list | tuple) else [value] * count


def split(points: Sequence[tuple[Any, Any]]) -> Iterator[list[tuple[Any, Any]]]:
    """The parts of a line, which is broken where a coordinate is None."""
    part: list[tuple[Any, Any]] = []
    for point in [*points, (None, None)]:
        if None in point:
            if part:
                yield part
            part = []
        else:
            part.append(point)


# ── The picture ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Bar:
    """From corner to corner, in units of the axes."""

    x: tuple[float, float]
    y: tuple[float, float]


@dataclass
class Picture:
    """One picture: what is to be drawn, where its axes are, and what has been drawn so far."""

    data: Sequence[Json]
    layout: Json
    parts: list[str] = field(default_factory=list)

    def draw(self, label: str) -> str:
        """All of it, from the back to the front."""
        self.bars = bars(self.data, self.layout)
        self.x = scale(self.layout.get("xaxis", {}), *self.reached("x"))
        self.y = scale(self.layout.get("yaxis", {}), *self.reached("y"))
        self.place()
        self.shapes()
        self.axes()
        for i, trace in enumerate(self.data):
            self.trace(trace, self.bars.get(i, []))
        self.notes()
        self.legend()
        title = self.layout["title"]
        self.text(title["text"], font(title["font"]), 0.01 * WIDTH, 12, "left", "top")
        width, height = f'width="{WIDTH}"', f'height="{px(self.height)}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {width} {height} '
            f'viewBox="0 0 {WIDTH} {px(self.height)}" role="img" aria-label="{escape(label)}" '
            f'font-family="{escape(self.layout["font"]["family"])}">'
            f"{''.join(self.parts)}</svg>"
        )

    # ── Where things are ────────────────────────────────────────────────────────────────────────

    def reached(self, letter: str) -> tuple[list[Any], bool]:
        """(All values along an axis, do bars begin on it?)."""
        found: list[Any] = []
        for trace in self.data:
            if trace["type"] == "bar":
                continue
            values = [value for value in trace[letter] if value is not None]
            error = trace.get(f"error_{letter}", {})
            found += values
            found += [v + e for v, e in zip(trace[letter], error.get("array", ()))]
            found += [v - e for v, e in zip(trace[letter], error.get("arrayminus", ()))]
        edges = [
            edge for each in self.bars.values() for bar in each for edge in getattr(bar, letter)
        ]
        return found + edges, 0.0 in edges

    def place(self) -> None:
        """The plot's own box, with room for the axes' texts and the legend around it."""
        margin = self.layout["margin"]
        y_axis, x_axis = self.layout.get("yaxis", {}), self.layout.get("xaxis", {})
        self.top = float(margin["t"])
        self.bottom = float(self.layout["height"] - margin["b"])
        self.y.put(self.bottom, self.top)
        labels = [line.width for _, label in self.y.ticks() for line in self.tick(label, y_axis)]
        beside = GAP + max(labels, default=0.0) + GAP
        self.left = max(
            float(margin["l"]), beside + sum(line.height for line in self.title_of(y_axis))
        )
        self.entries = self.legend_entries()
        self.below = self.layout["legend"].get("orientation") == "h"
        widest = max((KEY + width(text) for _, text in self.entries), default=0.0)
        right = 0.0 if self.below or not self.entries else widest + 2 * GAP
        self.right = WIDTH - max(float(margin["r"]), right)
        self.x.put(self.left, self.right)
        under = [sum(line.height for line in self.tick(t, x_axis)) for _, t in self.x.ticks()]
        self.axis_end = self.bottom + GAP + max(under, default=0.0)
        self.foot = self.axis_end + GAP + sum(line.height for line in self.title_of(x_axis))
        self.height = max(self.layout["height"], self.foot)

    def tick(self, label: str, axis: Json) -> list[RichLine]:
        return lines(label, font(axis["tickfont"]))

    def title_of(self, axis: Json) -> list[RichLine]:
        """An axis' title; no lines where it has none."""
        title = axis["title"]
        return lines(title["text"], font(title["font"])) if title.get("text") else []

    def inside(self, x: float, y: float) -> tuple[float, float]:
        """A point, or the nearest one in the plot."""
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)

    def at(self, name: str, value: Any, letter: str) -> float:
        """Where a shape or a note is: on the axis, or by its part of the plot ("paper")."""
        if name != "paper":
            return (self.x if letter == "x" else self.y).at(value)
        if letter == "x":
            return self.left + float(value) * (self.right - self.left)
        return self.bottom - float(value) * (self.bottom - self.top)

    # ── What is drawn ───────────────────────────────────────────────────────────────────────────

    def line(self, commands: str, look: Json, **more: Any) -> None:
        """A line along a path. look: its colour, width and dash."""
        if commands:
            given = {"stroke-dasharray": DASHES.get(look.get("dash", ""), ""), **more}
            extra = "".join(f' {name}="{value}"' for name, value in given.items() if value)
            self.parts.append(
                f'<path d="{commands}" fill="none" stroke="{look["color"]}" '
                f'stroke-width="{look.get("width", 2)}"{extra}/>'
            )

    def text(
        self, markup: str, look: Font, x: float, y: float, across: str, down: str, turn: int = 0
    ) -> None:
        """Lines of text at a point, which is at their left, center or right and top, middle or
        bottom; turn: degrees around that point."""
        found = lines(markup, look)
        height = sum(line.height for line in found)
        y -= {"top": 0.0, "middle": height / 2, "bottom": height}[down]
        turned = f' transform="rotate({turn} {px(x)} {px(y)})"' if turn else ""
        for line in found:
            y += line.height
            words = "".join(
                f'<tspan fill="{word.font.colour}" font-size="{px(word.font.size)}"'
                + (' font-weight="bold"' if word.font.bold else "")
                + f">{escape(word.text)}</tspan>"
                for word in line.words
            )
            self.parts.append(
                f'<text x="{px(x)}" y="{px(y - 0.3 * line.height)}" '
                f'text-anchor="{ANCHORS[across]}"{turned}>{words}</text>'
            )

    def shapes(self) -> None:
        """Lines and bands behind the marks."""
        for shape in self.layout.get("shapes", ()):
            x_name, y_name = shape.get("xref", "x"), shape.get("yref", "y")
            ends = [
                self.inside(self.at(x_name, shape[x], "x"), self.at(y_name, shape[y], "y"))
                for x, y in (("x0", "y0"), ("x1", "y1"))
            ]
            if shape["type"] == "line":
                self.line(path(ends), shape["line"])
            else:
                self.box(ends, shape["fillcolor"])

    def box(self, corners: Sequence[tuple[float, float]], fill: str, **more: Any) -> None:
        """A rectangle between two corners."""
        one, other = corners
        x, y = min(one[0], other[0]), min(one[1], other[1])
        wide, high = abs(one[0] - other[0]), abs(one[1] - other[1])
        extra = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
        self.parts.append(
            f'<rect x="{px(x)}" y="{px(y)}" width="{px(wide)}" height="{px(high)}" '
            f'fill="{fill}"{extra}/>'
        )

    def axes(self) -> None:
        """Grid lines, labels and titles of both axes."""
        x_axis, y_axis = self.layout.get("xaxis", {}), self.layout.get("yaxis", {})
        grid = {"x": "", "y": ""}
        for place, label in self.x.ticks():
            grid["x"] += path([(place, self.top), (place, self.bottom)])
            self.text(label, font(x_axis["tickfont"]), place, self.bottom + GAP, "center", "top")
        for place, label in self.y.ticks():
            grid["y"] += path([(self.left, place), (self.right, place)])
            self.text(label, font(y_axis["tickfont"]), self.left - GAP, place, "right", "middle")
        for axis, commands in ((x_axis, grid["x"]), (y_axis, grid["y"])):
            if axis.get("showgrid", True):
                self.line(commands, {"color": axis["gridcolor"], "width": 1})
        if self.title_of(x_axis):
            title, middle = x_axis["title"], (self.left + self.right) / 2
            self.text(title["text"], font(title["font"]), middle, self.axis_end, "center", "top")
        if self.title_of(y_axis):
            title, middle = y_axis["title"], (self.top + self.bottom) / 2
            self.text(title["text"], font(title["font"]), GAP, middle, "center", "top", -90)

    def trace(self, trace: Json, rectangles: Sequence[Bar]) -> None:
        """One series: bars, or lines, intervals, markers and texts."""
        more = {"opacity": trace["opacity"]} if trace.get("opacity", 1) != 1 else {}
        edge = trace.get("marker", {}).get("line", {})
        for bar in rectangles:
            ends = [self.inside(self.x.at(x), self.y.at(y)) for x, y in zip(bar.x, bar.y)]
            look = {"stroke": edge["color"], "stroke_width": edge.get("width", 1)} if edge else {}
            self.box(ends, trace["marker"]["color"], **look, **more)
        if trace["type"] == "bar":
            return
        pairs = list(zip(trace["x"], trace["y"]))
        if "lines" in trace["mode"]:
            parts = ([self.inside(self.x.at(x), self.y.at(y)) for x, y in p] for p in split(pairs))
            self.line("".join(map(path, parts)), trace["line"], **more)
        if error := trace.get("error_y"):
            self.errors(pairs, error)
        known = [(self.x.at(x), self.y.at(y)) for x, y in pairs if None not in (x, y)]
        if "markers" in trace["mode"]:
            self.markers(known, trace["marker"], **more)
        if "text" in trace["mode"]:
            size = max(listed(trace["marker"]["size"], 1))
            for (x, y), text in zip(known, listed(trace["text"], len(known))):
                self.text(text, font(trace["textfont"]), x, y - size / 2, "center", "bottom")

    def errors(self, pairs: Sequence[tuple[Any, Any]], error: Json) -> None:
        """Vertical intervals around points, with a short line at each end."""
        commands, half = "", error["width"]
        for (x, y), above, under in zip(pairs, error["array"], error["arrayminus"]):
            ends = [self.inside(self.x.at(x), self.y.at(v)) for v in (y - under, y + above)]
            commands += path(ends)
            commands += "".join(path([(x - half, y), (x + half, y)]) for x, y in ends)
        self.line(commands, {"color": error["color"], "width": error["thickness"]})

    def markers(self, points: Sequence[tuple[float, float]], look: Json, **more: Any) -> None:
        """Points of one look, those of a symbol as a single path."""
        paths: dict[str, str] = {}
        size = max(listed(look["size"], 1))
        for (x, y), symbol in zip(points, listed(look.get("symbol", "circle"), len(points))):
            across, down, commands = outline(symbol, size)
            begin = path([(x + across, y + down)])
            paths[symbol] = f"{paths.get(symbol, '')}{begin}{commands}"
        edge = look.get("line", {})
        for symbol, commands in paths.items():
            fill = "none" if symbol.endswith("-open") else look["color"]
            stroke = look["color"] if fill == "none" else edge.get("color", look["color"])
            given = {"stroke": stroke, "stroke-width": edge.get("width", 0), **more}
            extra = "".join(f' {name}="{value}"' for name, value in given.items())
            self.parts.append(f'<path d="{commands}" fill="{fill}"{extra}/>')

    def notes(self) -> None:
        """Texts in and beside the plot."""
        for note in self.layout.get("annotations", ()):
            x = self.at(note.get("xref", "x"), note["x"], "x") + note.get("xshift", 0)
            y = self.at(note.get("yref", "y"), note["y"], "y")
            across, down = note.get("xanchor", "center"), note.get("yanchor", "middle")
            self.text(note["text"], font(note["font"]), x, y, across, down)

    # ── The legend ──────────────────────────────────────────────────────────────────────────────

    def legend_entries(self) -> list[tuple[Json, list[RichLine]]]:
        """The series that the legend names."""
        named = [t for t in self.data if t.get("name") and t.get("showlegend", True)]
        named.sort(key=lambda trace: int(trace.get("legendrank", 1000)))
        if not self.layout.get("showlegend", len(self.data) > 1):
            return []
        return [
            (trace, lines(trace["name"], font(self.layout["legend"]["font"]))) for trace in named
        ]

    def legend(self) -> None:
        """The names, right of the plot or below it; the picture grows where they need more room."""
        x = self.left if self.below else self.right + GAP
        y = self.foot + GAP if self.below else self.top
        for trace, text in self.entries:
            wide, high = KEY + width(text) + 2 * GAP, sum(line.height for line in text) + 3
            if self.below and x > self.left and x + wide > WIDTH:
                x, y = self.left, y + high
            self.key(trace, x, y + high / 2)
            look = font(self.layout["legend"]["font"])
            self.text(trace["name"], look, x + KEY, y + high / 2, "left", "middle")
            self.height = max(self.height, y + high + GAP)
            if self.below:
                x += wide
            else:
                y += high

    def key(self, trace: Json, x: float, y: float) -> None:
        """How a series looks, before its name."""
        middle = x + KEY / 2 - 2
        if trace["type"] == "bar":
            corners = [(middle - 6, y - 6), (middle + 6, y + 6)]
            self.box(corners, trace["marker"]["color"])
            return
        if "lines" in trace["mode"]:
            self.line(path([(x + 2, y), (x + KEY - 6, y)]), trace["line"])
        if "markers" in trace["mode"]:
            self.markers([(middle, y)], trace["marker"])


def width(text: Sequence[RichLine]) -> float:
    return max((line.width for line in text), default=0.0)


def font(given: Json) -> Font:
    return Font(given["size"], given["color"])


def bars(data: Sequence[Json], layout: Json) -> dict[int, list[Bar]]:
    """The bars of each series by its place; stacked ones begin where those before them end, others
    at their `base`, where they have one."""
    ends: dict[Any, float] = {}
    found: dict[int, list[Bar]] = {}
    for i, trace in enumerate(data):
        if trace["type"] != "bar":
            continue
        across = trace.get("orientation") == "h"
        places, lengths = (trace["y"], trace["x"]) if across else (trace["x"], trace["y"])
        half = trace.get("width", 0.8) / 2
        bases = listed(trace.get("base", 0.0), len(places))
        for place, length, base in zip(places, lengths, bases):
            start = ends.get(place, 0.0) if layout.get("barmode") == "stack" else base
            ends[place] = start + length
            along, aside = (start, start + length), (place - half, place + half)
            found.setdefault(i, []).append(Bar(along, aside) if across else Bar(aside, along))
    return found
