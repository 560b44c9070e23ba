"""The checks of notebook 02's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator

from benchbook.notebook.exercises import View


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("nginx-keepalive")
    number = re.search(r"\bkeepalive\s+(\d+)\s*;", code)
    if number is None or not 0 < int(number[1]) < 64:
        yield "nginx-keepalive should keep fewer than 64 idle connections, but at least one."
    view.raced("nginx-keepalive", "nginx-close")


def exercise_2(view: View) -> Iterator[str]:
    code = view.edited("nginx-keepalive")
    if not re.search(r"\bworker_processes\s+1\s*;", code):
        yield "nginx-keepalive still has more than one worker."
    if not re.search(r"\bkeepalive\s+64\s*;", code):
        yield "Change one thing at a time: 64 connections again."
    view.raced("nginx-keepalive")
