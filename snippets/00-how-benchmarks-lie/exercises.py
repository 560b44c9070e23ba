"""The checks of notebook 00's exercises (see src/benchbook/notebook/exercises.py)."""

import math
import re
from collections.abc import Iterator

from benchbook.analysis.statistics import resampled
from benchbook.notebook.exercises import Missing, View


def exercise_1(view: View) -> Iterator[str]:
    ratios = view.value("ofTwin")
    if not isinstance(ratios, list) or len(ratios) < 2 or not all(map(is_ratio, ratios)):
        raise Missing("ofTwin is no list of ratios: run the cell with race(work, twin) again.")
    low, high = resampled.interval({i: math.log(ratio) for i, ratio in enumerate(ratios)})
    ours = math.exp(low), math.exp(high)
    yield from resampled.wrong(view.value("interval"), ours, "blocks")


def is_ratio(value: object) -> bool:
    return resampled.is_number(value) and value > 0


def exercise_2(view: View) -> Iterator[str]:
    code = view.edited("plus-ten")
    steps = [int(number.replace("_", "")) for number in re.findall(r"<\s*([\d_]+)", code)]
    if sorted(steps) != [500, 10_000]:
        yield "plus-ten should do 10,000 steps, and 5 % of that again in its second loop."
    view.raced("twin", "plus-ten")


def exercise_3(view: View) -> Iterator[str]:
    # |d| of two uniform numbers of width 100 exceeds 20 with probability 0.8²; of means of ten,
    # nearly normal with deviation 12.9, with 0.12. 20,000 draws are within 0.02 of that.
    one, ten = view.value("afterOne"), view.value("afterTen")
    for name, value, expected in (("afterOne", one, 0.64), ("afterTen", ten, 0.12)):
        if not isinstance(value, (int, float)) or not 0 <= value <= 1:
            yield f"{name} should be a share, between 0 and 1."
        elif abs(value - expected) > 0.03:
            yield f"{name} is {value:g}, but that is not how often they differ by more than 20."
