"""The checks of notebook 08's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator

from benchbook.notebook.exercises import View

CONNECTIONS = 10


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("regexps-1000")
    if not re.search(r"\.set\(|\[\s*request\.url\s*\]\s*\??=", code):
        yield "regexps does not keep what it found for a path yet."
    view.raced("regexps-1000", "map-1000")
    if view.answer("regexps-1000", "/nothing").status != 404:
        yield "A path that does not exist should still be answered with 404."


def exercise_2(view: View) -> Iterator[str]:
    view.edited("map-1000")
    if view.answer("map-1000", "/items/0?page=2").status != 200:
        yield "/items/0?page=2 is not answered with 200 yet."
    if view.answer("map-1000", "/nothing?page=2").status != 404:
        yield "/nothing?page=2 should be answered with 404."
    view.raced("map-1000")


def exercise_3(view: View) -> Iterator[str]:
    rate, mean_ms = view.value("requestsPerSecond"), view.value("meanMs")
    run = view.raced("map-1000")
    speeds = [s.requests_per_second for s in run.samples if s.variant == "map-1000"]
    if not all(isinstance(each, (int, float)) for each in (rate, mean_ms)):
        yield "requestsPerSecond and meanMs should be numbers."
        return
    if not 0.99 * min(speeds) <= rate <= 1.01 * max(speeds):
        yield "requestsPerSecond is not what the last race measured for map-1000."
    if abs(mean_ms * rate / 1000 / CONNECTIONS - 1) > 0.02:
        yield "meanMs does not fit requestsPerSecond and 10 connections (mind the unit)."
