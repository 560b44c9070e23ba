"""The marks of a picture, as commands of SVG paths: plotly's symbols, and lines."""

import functools
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise


def ring(count: int, radii: Sequence[float], turn: float = 0.0) -> list[tuple[float, float]]:
    """Points around the centre, the first on top, radii in turns."""
    angles = [math.radians(360 * i / count + turn - 90) for i in range(count)]
    return [
        (radii[i % len(radii)] * math.cos(angle), radii[i % len(radii)] * math.sin(angle))
        for i, angle in enumerate(angles)
    ]


def plus(turn: float) -> list[tuple[float, float]]:
    """A thick plus: the four ends of its bars, two corners each, and the corners between them."""
    end, inner = math.hypot(1.2, 0.4), math.hypot(0.4, 0.4)
    wide = math.degrees(math.atan2(0.4, 1.2))
    found = []
    for i in range(4):
        for radius, angle in ((end, -wide), (end, wide), (inner, 45)):
            found += ring(1, [radius], 90 * i + angle + turn)
    return found


# the outlines of plotly's symbols, in units of half their size
SYMBOLS = {
    "square": ring(4, [math.sqrt(2)], 45),
    "diamond": ring(4, [1.3]),
    "triangle-up": ring(3, [1.25]),
    "triangle-right": ring(3, [1.25], 90),
    "triangle-down": ring(3, [1.25], 180),
    "triangle-left": ring(3, [1.25], 270),
    "pentagon": ring(5, [1.1]),
    "star": ring(10, [1.4, 0.55]),
    "cross": plus(0),
    "x": plus(45),
}
# symbols that are lines, from point to point
STROKES = {
    "line-ns": [((0.0, -1.4), (0.0, 1.4))],
    "x-thin": [((-1.0, -1.0), (1.0, 1.0)), ((-1.0, 1.0), (1.0, -1.0))],
}


@functools.cache
def outline(symbol: str, size: float) -> tuple[float, float, str]:
    """A symbol: where it begins from its centre, and the commands of a path from there on."""
    r, name = size / 2, symbol.removesuffix("-open")
    if name in STROKES:
        (first, last), *others = [[(r * x, r * y) for x, y in line] for line in STROKES[name]]
        commands = "l" + steps([first, last])
        for begin, end in others:
            commands += f"m{steps([last, begin])}l{steps([begin, end])}"
        return *first, commands
    if name in SYMBOLS:
        corners = [(r * x, r * y) for x, y in SYMBOLS[name]]
        return *corners[0], f"l{steps(corners)}z"
    arcs = (f"a{px(r)} {px(r)} 0 1 0 {px(across)} 0" for across in (size, -size))
    return -r, 0.0, "".join(arcs)


def steps(points: Sequence[tuple[float, float]]) -> str:
    """From each point to the next."""
    return numbers((x2 - x1, y2 - y1) for (x1, y1), (x2, y2) in pairwise(points))


def path(points: Sequence[tuple[float, float]]) -> str:
    """A line through these points, as the commands of a path."""
    return "M" + numbers(points)


def numbers(points: Iterable[tuple[float, float]]) -> str:
    """Pixels in as few characters as will do: a picture may have hundreds of marks."""
    text = " ".join(f"{px(x)} {px(y)}" for x, y in points)
    return text.replace(" -", "-").replace(" 0.", " .").replace("-0.", "-.")


def px(value: float) -> str:
    return f"{round(value, 1) + 0.0:g}"
