"""The checks of notebook 05's exercises (see src/benchbook/notebook/exercises.py)."""

import json
import random
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
    if "JSON.stringify(" in code:
        yield "escaped-hello still has JSON.stringify do the work: write the escapes yourself."
    yield from wrong_strings(view)
    view.raced("escaped-hello", "escaped-ten")


def wrong_strings(view: View) -> Iterator[str]:
    """What is wrong with the first string that escaped-hello gets wrong, if one of 1,000 is."""
    objects = [{"hello": text} for text in strings()]
    right = [each["value"] for each in view.called("stringify-hello", "hello", objects)]
    found = view.called("escaped-hello", "hello", objects)
    wrong = [i for i, each in enumerate(found) if each.get("value") != right[i]]
    if not wrong:
        return
    first = wrong[0]
    asked = f"For the string {json.dumps(objects[first]['hello'])} hello"
    count = f"{len(found) - len(wrong):,} of {len(found):,} strings are right so far."
    yield f"{asked} {what_is_wrong(found[first], objects[first], right[first])} {count}"


def what_is_wrong(found: dict[str, str], value: dict[str, str], right: str) -> str:
    """A sentence about an answer that is not that of JSON.stringify."""
    if "error" in found:
        return f"throws {found['error']}."
    told = found.get("value")
    if not isinstance(told, str):
        return "returns no text."
    try:
        same = json.loads(told) == value
    except ValueError:
        return f"returns {seen(told)}, which is not JSON: what must be escaped here?"
    if same:
        return (
            f"returns {seen(told)}: JSON of the right value, but JSON.stringify writes"
            f" {seen(right)}, and a race compares equal texts."
        )
    return f"returns {seen(told)}, which is JSON of another string."


def seen(text: str) -> str:
    """A text with its control characters, and what is not ASCII, by their numbers."""
    return re.sub(r"[^ -~]", lambda found: f"<U+{ord(found[0]):04X}>", text)


def strings() -> list[str]:
    """1,000 strings, the simple ones first; the same for everybody."""
    simple = ["world", 'say "hi"', "C:\\temp", "two\nlines", "\0", "\x7f", "a/b", "\u2028"]
    simple += ["Gr\u00fc\u00dfe", "\U0001f600", "\ud83c", "\ude00", "\ud83c\ud83c\ude00", ""]
    letters = [*map(chr, range(32)), *'ab/"\\\x7f\u00e9\u2028', "\U0001f600", "\ud83c", "\ude00"]
    drawn = random.Random(5)
    while len(simple) < 1000:
        simple.append("".join(drawn.choices(letters, k=drawn.randint(1, 12))))
    return simple


def exercise_3(view: View) -> Iterator[str]:
    view.edited("stringify-array")
    count = len(json.loads(view.answer("stringify-array", "/").body).get("items", []))
    if count in (0, 100):
        yield f"The server answers with {count} elements in items: give it another number."
    view.raced("stringify-array", "schema-array", "escaped-array")
