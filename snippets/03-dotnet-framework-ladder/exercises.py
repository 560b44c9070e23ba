"""The checks of notebook 03's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator

from benchbook.notebook.exercises import View


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("dispatcher")
    if ".Compile()" in code:
        yield "dispatcher still compiles an expression."
    if not re.search(r"\.Invoke\(", code):
        yield "dispatcher does not call a method by MethodInfo.Invoke yet."
    view.raced("dispatcher")


def exercise_2(view: View) -> Iterator[str]:
    code = view.edited("minimal")
    if "CreateSlimBuilder(" not in code:
        yield "minimal does not use CreateSlimBuilder yet."
    view.raced("minimal")
