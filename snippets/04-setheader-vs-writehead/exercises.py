"""The checks of notebook 04's exercises (see src/benchbook/exercises.py)."""

import re
from collections.abc import Iterator

from benchbook.exercises import View


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("write-head-length")
    calls = code.count("JSON.stringify(")
    if calls < 2 and not re.search(r"\b(for|while)\b", code):
        yield "write-head-length still calls JSON.stringify once for each request."
    view.raced("write-head-length")


def exercise_2(view: View) -> Iterator[str]:
    code = view.edited("write-head-length")
    if not re.search(r"\.setHeaders\(", code):
        yield "write-head-length does not call response.setHeaders yet."
    if "writeHead(" in code:
        yield "writeHead should no longer be needed."
    view.raced("write-head-length")
