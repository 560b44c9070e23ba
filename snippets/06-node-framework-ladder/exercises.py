"""The checks of notebook 06's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator

from benchbook.notebook.exercises import View


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("express")
    if re.search(r"response\s*\.json\(", code):
        yield "express still answers with response.json."
    if "setHeader(" not in code or ".end(" not in code:
        yield "express should answer as bare does: setHeader, then end."
    view.raced("express", "bare-prototypes")


def exercise_2(view: View) -> Iterator[str]:
    for name in ("bare", "express"):
        handler = view.edited(name)
        if not re.search(r"\b(while|for)\b", handler):
            yield f"The handler of {name} does not work for 0.2 ms yet."
    view.raced("bare", "express")


def exercise_3(view: View) -> Iterator[str]:
    code = view.edited("hono")
    if "Content-Type" in code or "content-type" not in code:
        yield "hono should write the name of its header in lower case."
    view.raced("hono")
