"""The checks of notebook 14's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator
from statistics import median

from benchbook.notebook.exercises import View

REQUEST_NS = 50_000
AWAITS = 30


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("value-task-5")
    if re.search(r"\basync\s+ValueTask<int>\s+Down\b", code):
        yield "Down is still async: it should return a ValueTask<int> without being that."
    if not re.search(r"\basync\b", code):
        yield "Nothing is async: who waits for what is not complete?"
    if not re.search(r"\.IsCompleted(Successfully)?\b", code):
        yield "Down asks nobody whether the result is there: IsCompletedSuccessfully says it."
    view.raced("value-task-5", "value-task-waiting-5")


def exercise_2(view: View) -> Iterator[str]:
    level, share = view.value("level"), view.value("share")
    if not all(isinstance(each, (int, float)) for each in (level, share)):
        yield "level and share should be numbers."
        return
    run = view.raced("task-5", "task-20")
    took: dict[str, list[float]] = {"task-5": [], "task-20": []}
    for sample in run.samples:
        if sample.variant in took and sample.block >= 0:
            took[sample.variant].append(1e9 / sample.requests_per_second)
    expected = (median(took["task-20"]) - median(took["task-5"])) / 15
    if not 0.75 * expected <= level <= 1.25 * expected:
        yield (
            "level is not what a level of the Task chain takes: task-20 less task-5, in ns, "
            "divided by the 15 levels between them (1e9 / Speed is the time of a chain)."
        )
    if abs(share - AWAITS * level / REQUEST_NS) > 0.02 * abs(share):
        yield "share is not 30 times level as a share of the request (50 µs are 50,000 ns)."
