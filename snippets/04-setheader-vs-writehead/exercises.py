"""The checks of notebook 04's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator

from benchbook.analysis.statistics import resampled
from benchbook.notebook.exercises import Missing, View


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
    mine, ours = view.value("interval"), resampled.interval(ratios)
    yield from resampled.wrong(mine, ours, "launches")
