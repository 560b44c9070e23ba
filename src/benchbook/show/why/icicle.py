"""The figure of stacks: callers above what they call, each as wide as what it costs a request.

Of two programs it is differential (Gregg 2014, https://www.brendangregg.com/FlameGraphs): a box is
as wide as the dearer of both, and its colour says which one that is. It is made of bars, because
plotly.js-basic-dist-min, which pages have, knows no icicles, and our pictures don't either.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchbook.profiling.trees import Branch
from benchbook.show import markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import COLOURS, GREY, axis, figure, frame, note
from benchbook.show.markup import Output
from benchbook.show.why.amounts import Unit, shown_name

ROW = 24  # px
SOME, MUCH = (
    0.004,
    0.02,
)  # of the whole: a difference that is coloured, and one that is coloured more
# From "B spends much less" to "B spends much more"; black and white letters are legible on each.
SHADES = ("#0072b2", "#5b8fb9", "#868686", "#c9764a", "#cc4400")
CHARACTER = 0.0105  # of the figure's width, about, that a character takes
FEWEST_CHARACTERS = 4
MOST_ROWS = 40  # of the text twin
WORTH = 0.01  # of the whole: branches that the text twin names


@dataclass(frozen=True)
class Box:
    """A branch with its place: from the left, in µs, and how many calls down."""

    branch: Branch
    left: float
    depth: int


def boxes(branch: Branch, left: float = 0.0, depth: int = 0) -> Iterator[Box]:
    """A branch, and all below it from its left side on."""
    yield Box(branch, left, depth)
    for each in branch.called.values():
        yield from boxes(each, left, depth + 1)
        left += each.width


def icicle(root: Branch, a: str, b: str, thing: str) -> Figure:
    """The stacks of A and B over each other; of A alone where B is ''."""
    every = list(boxes(root))[1:]
    whole, unit = root.width, Unit.of(max(root.a, root.b), thing)
    deepest = max((box.depth for box in every), default=1)
    if b:
        title = f"What {b} spends more than {a}, and what less"
        small = "wide: dear; orange: dearer in B, blue: in A; callers above what they call"
        groups = by_shade(every, whole, a, b)
    else:
        title = f"Where {a} spends its CPU time"
        small = "wide: dear; the colour is the layer; callers above what they call"
        groups = by_layer(every)
    data = [bars(name, colour, found, unit, b) for name, colour, found in groups]
    layout = frame(
        title,
        small,
        plot_px=ROW * deepest + 8,
        showlegend=True,
        barmode="overlay",
        bargap=0,
        xaxis=axis(f"{unit.name} of CPU time {unit.each}", range=[0, unit.scaled(whole)]),
        yaxis=axis("", range=[-deepest - 0.5, -0.5], showticklabels=False, showgrid=False),
        annotations=labels(every, whole, unit),
    )
    layout["yaxis"] |= {"tickvals": [], "ticktext": []}
    layout["legend"] |= {"orientation": "h", "y": -0.2}
    return figure(title, data, layout, twin(root, a, b, unit))


def by_shade(
    every: Sequence[Box], whole: float, a: str, b: str
) -> list[tuple[str, str, list[Box]]]:
    """Boxes by which program spends more, as (name, colour, boxes)."""
    names = (f"{b} much less", f"{b} less", "alike", f"{b} more", f"{b} much more")
    found: list[list[Box]] = [[] for _ in SHADES]
    for box in every:
        found[shade(box.branch.more / whole)].append(box)
    return [each for each in zip(names, SHADES, found, strict=True) if each[2]]


def shade(part: float) -> int:
    """The place in SHADES of a difference, as a part of the whole."""
    size = (abs(part) >= SOME) + (abs(part) >= MUCH)
    return 2 + (size if part > 0 else -size)


def by_layer(every: Sequence[Box]) -> list[tuple[str, str, list[Box]]]:
    """Boxes by their layer, as (name, colour, boxes); the dearest layers first."""
    layers: dict[str, list[Box]] = {}
    for box in every:
        layers.setdefault(box.branch.key.layer or "small ones", []).append(box)
    ordered = sorted(layers, key=lambda name: -sum(x.branch.own_a for x in layers[name]))
    colours = (*COLOURS, GREY)
    return [(name, colours[min(i, len(COLOURS))], layers[name]) for i, name in enumerate(ordered)]


def bars(name: str, colour: str, found: Sequence[Box], unit: Unit, b: str) -> dict[str, Any]:
    """Boxes of one colour."""
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": [unit.scaled(box.branch.width) for box in found],
        "base": [unit.scaled(box.left) for box in found],
        "y": [-box.depth for box in found],
        "width": 0.94,
        "marker": {"color": colour, "line": {"color": "rgba(128,128,128,0.6)", "width": 0.5}},
        "text": [hover(box.branch, unit, b) for box in found],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }


def hover(branch: Branch, unit: Unit, b: str) -> str:
    """A box in words."""
    told = f"{branch.key.function} · {branch.key.layer}<br>{unit.text(branch.a)}"
    return f"{told} → {unit.text(branch.b)} ({unit.signed(branch.more)})" if b else told


def labels(every: Sequence[Box], whole: float, unit: Unit) -> list[dict[str, Any]]:
    """The names of boxes that are wide enough for some of it."""
    found = []
    for box in every:
        room = int(box.branch.width / whole / CHARACTER)
        name = shown_name(box.branch.key.function)
        if room < FEWEST_CHARACTERS:
            continue
        text = name if len(name) <= room else f"{name[: room - 1]}…"
        middle = unit.scaled(box.left + box.branch.width / 2)
        found.append({**note(text, x=middle, y=-box.depth), "font": {"color": "#111", "size": 11}})
    return found


def twin(root: Branch, a: str, b: str, unit: Unit) -> Output:
    """The same as a table, indented by calls: the branches that cost or differ most."""
    worth = [
        (depth, branch)
        for depth, branch in root.walk()
        if depth and branch.width >= WORTH * root.width
    ]
    kept = sorted(worth, key=lambda each: -max(abs(each[1].more), each[1].width / 10))[:MOST_ROWS]
    chosen = {id(branch) for _, branch in kept}
    rows = [
        [
            "· " * (depth - 1) + shown_name(branch.key.function),
            unit.text(branch.a),
            *([unit.text(branch.b), unit.signed(branch.more)] if b else []),
        ]
        for depth, branch in worth
        if id(branch) in chosen
    ]
    headers = ["function, with what it calls", a, *([b, f"{b} more"] if b else [])]
    return markup.table(headers, rows, right=range(1, len(headers)))
