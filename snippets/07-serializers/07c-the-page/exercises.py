"""The checks of notebook 07c's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator
from statistics import mean, median

from benchbook.notebook.exercises import View

NEAR = 0.1  # how far a value that was read off may lie from the middle of the samples


def exercise_1(view: View) -> Iterator[str]:
    load, decoding, at_most = (view.value(name) for name in ("load", "decoding", "atMost"))
    samples = [sample for sample in view.raced("json").samples if sample.variant == "json"]
    for name, told, of_samples in (
        ("load", load, [1000 / sample.requests_per_second for sample in samples]),
        ("decoding", decoding, [sample.parts_ms["decode"] for sample in samples]),
    ):
        middles = sorted([mean(of_samples), median(of_samples)])
        if not (1 - NEAR) * middles[0] <= told <= (1 + NEAR) * middles[1]:
            yield f"{name} is not what the race measured of json: look at its row once more."
            return
    if not decoding < load:
        yield "decoding is a part of load."
    elif abs(at_most * (load - decoding) / load - 1) > 0.01:
        yield "atMost is not how many times as fast a load without decoding is: Amdahl's law."


def exercise_2(view: View) -> Iterator[str]:
    code = view.edited("json-javascript")
    if not re.search(r"JSON\.parse\(.+?,\s*(\(|function\b|[\w$]+\s*[)=])", code, re.DOTALL):
        yield "JSON.parse is given no reviver yet, a function as its second argument."
    if re.search(r"\bfor\b|\bforEach\b|\.map\(", code):
        yield "There is still a loop of your own."
    view.raced("json", "json-javascript")
