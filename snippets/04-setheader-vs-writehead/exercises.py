"""The checks of notebook 04's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator

from benchbook.analysis.statistics import resampled
from benchbook.notebook.exercises import Missing, View

NEAR = 0.2  # of the width of our interval: what two honest resamplings may differ by


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("write-head-length")
    calls = code.count("JSON.stringify(")
    if calls < 2 and not any("JSON.stringify(" in body for body in repeated(code)):
        yield "write-head-length still calls JSON.stringify once for each request."
    view.raced("write-head-length")


def repeated(code: str) -> Iterator[str]:
    """What loops and callbacks repeat: from `for (…)`, `.map(` and so on to the statement's end."""
    for start in re.finditer(r"\b(?:for|while)\s*\(|\bdo\b|(?:\.forEach|\.map|\.from)\(", code):
        depth, inside, place = 0, start[0].endswith("("), start.end()
        for place in range(start.end(), len(code)):
            depth += (code[place] in "({[") - (code[place] in ")}]")
            if inside and depth < 0:  # the end of the head, or of the callback
                inside, depth = False, 0
            elif not inside and (depth < 0 or depth == 0 and code[place] in ";}"):
                break
        yield code[start.end() : place + 1]


def exercise_2(view: View) -> Iterator[str]:
    code = view.edited("write-head-length")
    if not re.search(r"\.setHeaders\(", code):
        yield "write-head-length does not call response.setHeaders yet."
    if "writeHead(" in code:
        yield "writeHead should no longer be needed."
    view.raced("write-head-length")


def exercise_3(view: View) -> Iterator[str]:
    run = view.run
    if run is None:
        raise Missing("Nothing was raced yet: run a cell with %race.")
    ratios = resampled.by_launch(run, "write-head-length", run.baseline)
    if len(ratios) < 2:
        raise Missing("The last race has fewer than two launches of write-head-length.")
    mine = view.value("interval")
    if not isinstance(mine, list) or len(mine) != 2 or not all(map(is_number, mine)):
        raise Missing("interval is not [low, high] yet: two numbers.")
    ours = resampled.interval(ratios)
    width = max(ours[1] - ours[0], 1e-4 * ours[1])
    if mine[0] > mine[1]:
        yield "Its low end is above its high end: sort the means first."
    elif max(mine) > 10 * ours[1] or min(mine) * 10 < ours[0]:
        yield "These are no ratios: a mean divides the sum by as many as were drawn."
    elif abs((mine[1] - mine[0]) / width - 1) > NEAR:
        than = "wider" if mine[1] - mine[0] > width else "narrower"
        yield (
            f"It is {than} than the middle 95 % of the means: draw as many ratios as there are"
            " launches, with replacement, 2,000 times, and leave out 50 means at each end."
        )
    elif any(abs(a - b) > NEAR * width for a, b in zip(mine, ours, strict=True)):
        yield "Its width is right, its place is not: are these the ratios of the last race?"


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
