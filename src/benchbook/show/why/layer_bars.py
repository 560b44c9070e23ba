"""The figure of layers: what a request costs each program, as one bar of its layers.

All programs stand on one runtime, so its layers come first, in one order; a framework's packages
follow, all in one colour, the dearest first. So what the bar of a framework has more than that of
the first program is seen as what is there already and has become dearer, or as the packages.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchbook.model.profiles.layers import LayeredProgram, Layers
from benchbook.show import markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    COLOURS,
    GREY,
    NAME_WIDTH,
    TEXT,
    axis,
    figure,
    frame,
    note,
    rows_axis,
    rows_px,
    wrapped,
)
from benchbook.show.markup import Output
from benchbook.show.why.amounts import Unit

PACKAGES, REST = "the program's packages", "the rest"
PACKAGE_COLOUR = COLOURS[3]
LAYER_COLOURS = tuple(colour for colour in COLOURS if colour != PACKAGE_COLOUR)
WORTH = 0.012  # of the longest bar: what is smaller in every program has no colour of its own
CHARACTER = 0.0125  # of the plot's width, about, that a character takes
ROOM = 0.14  # of it, right of the longest bar, for its number
LEGEND_PX = 84  # below the axis


@dataclass(frozen=True)
class BarPart:
    """One part of every bar. names: what it is called in each program, costs: its µs there."""

    legend: str
    colour: str
    names: Sequence[str]
    costs: Sequence[float]


def layer_bars(found: Layers) -> Figure:
    """A bar for each program, the first one on top, then the cheapest; with a table as its twin."""
    programs, longest = found.programs[::-1], max(each.mean for each in found.programs)
    unit = Unit.of(longest, found.thing)
    every = list(parts(found, programs, WORTH * longest))
    names = [wrapped(each.name, NAME_WIDTH) for each in programs]
    title = f"What {unit.each} costs, by layer"
    small = f"CPU time; layers as in {found.base.name} first, then the program's packages"
    layout = frame(
        title,
        small,
        plot_px=rows_px(names),
        bottom_px=48 + LEGEND_PX,
        showlegend=True,
        barmode="stack",
        bargap=0.25,
        xaxis=axis(
            f"{unit.name} of CPU time {unit.each}",
            range=[0, unit.scaled(longest) * (1 + ROOM)],
        ),
        yaxis=rows_axis(names),
        annotations=[*labels(every, longest, unit), *sums(programs, unit)],
    )
    layout["legend"] |= {"orientation": "h", "y": -0.2, "yanchor": "top", "traceorder": "normal"}
    return figure(title, [bar(each, programs, unit) for each in every], layout, twin(found, unit))


def parts(found: Layers, programs: Sequence[LayeredProgram], least: float) -> Iterator[BarPart]:
    """The parts in the order of stacking. least: µs that a layer takes somewhere, or it is none of
    its own."""
    packaged = {each.name for program in programs for each in program.layers if each.packaged}
    costs = {p.name: {each.name: each.mean for each in p.layers} for p in programs}
    first = [each.name for each in found.base.layers]
    others = (each.name for program in found.programs for each in program.layers)
    order = [name for name in dict.fromkeys((*first, *others)) if name not in packaged]
    large = [name for name in order if max(c.get(name, 0.0) for c in costs.values()) >= least]
    large = large[: len(LAYER_COLOURS)]
    for name, colour in zip(large, LAYER_COLOURS, strict=False):
        told = [costs[p.name].get(name, 0.0) for p in programs]
        yield BarPart(name, colour, [name] * len(programs), told)
    small = [name for name in order if name not in large]
    if small:
        rest = [sum(costs[p.name].get(name, 0.0) for name in small) for p in programs]
        yield BarPart(REST, GREY, [", ".join(small)] * len(programs), rest)
    own = [[each for each in p.layers if each.packaged] for p in programs]
    for i in range(max(map(len, own))):  # the dearest of each, the next of each …
        there = [each[i] if i < len(each) else None for each in own]
        yield BarPart(
            PACKAGES if not i else "",
            PACKAGE_COLOUR,
            [each.name if each else "" for each in there],
            [each.mean if each else 0.0 for each in there],
        )


def bar(part: BarPart, programs: Sequence[LayeredProgram], unit: Unit) -> dict[str, Any]:
    """A part of all bars."""
    told = zip(programs, part.names, part.costs, strict=True)
    return {
        "type": "bar",
        "orientation": "h",
        "name": part.legend,
        "showlegend": bool(part.legend),
        "x": [unit.scaled(each) for each in part.costs],
        "y": list(range(len(programs))),
        "width": 0.75,
        "marker": {
            "color": part.colour,
            "line": {"color": "rgba(255,255,255,0.6)", "width": 0.75},
        },
        "text": [f"{each.name}: {name} {unit.text(cost)}" for each, name, cost in told],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }


def labels(every: Sequence[BarPart], longest: float, unit: Unit) -> Iterator[dict[str, Any]]:
    """The names of packages, where there is room for them; of other layers the legend has them."""
    ends = [0.0] * len(every[0].costs)
    for part in every:
        for row, (name, cost) in enumerate(zip(part.names, part.costs, strict=True)):
            middle, ends[row] = ends[row] + cost / 2, ends[row] + cost
            room = cost / longest / (1 + ROOM) / CHARACTER
            if part.colour == PACKAGE_COLOUR and len(name) + 1 <= room:
                inside = note(name, x=unit.scaled(middle), y=row)
                yield {**inside, "font": {"color": "#fff", "size": 12}}


def sums(programs: Sequence[LayeredProgram], unit: Unit) -> Iterator[dict[str, Any]]:
    """What all of a bar is, behind its end."""
    digits = unit.digits and 1
    for row, each in enumerate(programs):
        text = f"<b>{unit.scaled(each.mean):.{digits}f}</b>"
        where = {"x": unit.scaled(each.mean), "y": row, "xanchor": "left", "xshift": 6}
        yield {**note(text, **where), "font": {"color": TEXT, "size": 13}}


def twin(found: Layers, unit: Unit) -> Output:
    """The same as a table: a row for each layer of the runtime, and for each package."""
    programs = found.programs
    costs = [{each.name: each.mean for each in program.layers} for program in programs]
    packaged = {each.name for program in programs for each in program.layers if each.packaged}
    order = dict.fromkeys(each.name for program in programs for each in program.layers)
    names = sorted(order, key=lambda name: (name in packaged, -max(c.get(name, 0) for c in costs)))
    rows = [["all", *(unit.number(program.mean) for program in programs)]]
    rows += [[name, *(number(each.get(name), unit) for each in costs)] for name in names]
    headers = [f"{unit.name} {unit.each}", *(each.name for each in programs)]
    return markup.table(headers, rows, right=range(1, len(headers)))


def number(cost: float | None, unit: Unit) -> str:
    """Blank where the program has no such layer."""
    return "" if cost is None else unit.number(cost)
