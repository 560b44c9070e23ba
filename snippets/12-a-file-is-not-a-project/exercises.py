"""The checks of notebook 12's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator
from statistics import median

from benchbook.notebook.exercises import View

CALLS = 1000  # of the expression, in a call of call-file and of call-off


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("last-file")
    if re.search(r"(?m)^#:property\s+PublishAot\b", code):
        yield "PublishAot has a line of its own: leave it out, for the program is to be published."
    if not re.search(r"(?mi)^#:property\s+UseSizeOptimizedLinq\s*=\s*false\s*$", code):
        yield "No line turns UseSizeOptimizedLinq off, as that of last-off does PublishAot."
    view.raced("last-file", "last-off")


def exercise_2(view: View) -> Iterator[str]:
    calls = view.value("calls")
    names = ("compile-off", "compile-file", "call-file", "call-off")
    run = view.raced(*names)
    if not isinstance(calls, (int, float)):
        yield "calls should be a number."
        return
    counted = [sample for sample in run.samples if sample.block >= 0]  # no warm-up
    times = {
        name: [1e9 / each.requests_per_second for each in counted if each.variant == name]
        for name in names
    }
    making = between(times["compile-off"], times["compile-file"])
    calling = between(times["call-file"], times["call-off"])
    least, most = making[0] / calling[1] * CALLS, making[1] / calling[0] * CALLS
    if not least <= calls <= most:
        hint = ""
        if least <= calls * CALLS <= most:
            hint = f" (a call of call-file is {CALLS:,} of the expression)"
        elif least <= 1 / max(abs(calls), 1e-9) <= most:
            hint = " (yours is the other way round)"
        yield f"calls is not what making takes more, in calls of which each takes more{hint}."


def between(dear: list[float], cheap: list[float]) -> tuple[float, float]:
    """Half of what one takes more than the other, and twice as much."""
    difference = median(dear) - median(cheap)
    return max(0.5 * difference, 1e-9), max(2 * difference, 1e-9)
