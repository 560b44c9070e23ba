"""The checks of notebook 10's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator

from benchbook.notebook.exercises import View


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("middleware-20")
    if re.search(r"\basync\b|\bawait\b", code):
        yield "The layers are still async."
    if "next(" not in code:
        yield "The layers should still call next."
    view.raced("middleware-20")


def exercise_2(view: View) -> Iterator[str]:
    code = view.edited("middleware-20")
    if not re.search(r"await\s+Task\.Yield\(\)", code):
        yield "The layers do not await Task.Yield() yet."
    if not re.search(r"await\s+next\(", code):
        yield "The layers should await next(context) after it."
    view.raced("middleware-20")
