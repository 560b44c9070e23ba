"""The checks of notebook 05's exercises (see src/benchbook/notebook/exercises.py)."""

import json
import re
from collections.abc import Iterator

from benchbook.notebook.exercises import View


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("template-hello")
    hello = re.search(r"(?m)\bhello\b.*$", code)
    if hello is None or "${" in hello[0] or ".hello" in hello[0]:
        yield "hello should return a text that does not depend on the value."
    taken = view.taken("template-hello")
    if taken.status == "raced":
        yield "The race has found nothing wrong: does the text really differ from JSON.stringify's?"
    elif "SyntaxError" in taken.reason or "ReferenceError" in taken.reason:
        yield f"template-hello does not run: {taken.short_reason}"


def exercise_2(view: View) -> Iterator[str]:
    code = view.edited("escaped-hello")
    if "charCodeAt" not in code:
        yield "escaped-hello does not look at charCodeAt yet."
    if ".test(" in code:
        yield "escaped-hello still tries its regular expression."
    view.raced("escaped-hello", "escaped-ten")


def exercise_3(view: View) -> Iterator[str]:
    view.edited("stringify-array")
    count = len(json.loads(view.answer("stringify-array", "/").body).get("items", []))
    if count in (0, 100):
        yield f"The server answers with {count} elements in items: give it another number."
    view.raced("stringify-array", "schema-array", "escaped-array")
