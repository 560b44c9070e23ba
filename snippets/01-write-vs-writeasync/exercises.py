"""The checks of notebook 01's exercises (see src/benchbook/notebook/exercises.py)."""

from collections.abc import Iterator

from benchbook.notebook.exercises import View


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("kestrel-sync-64k")
    if "context.Response.Body.Write(body, 0, body.Length);" not in code:
        yield "The line that writes should stay as it is."
    view.raced("kestrel-sync-64k", "kestrel-async-64k")


def exercise_2(view: View) -> Iterator[str]:
    code = view.edited("kestrel-async")
    first, flush, rest = code.partition("FlushAsync")
    if not flush:
        yield "kestrel-async does not call FlushAsync yet."
    elif "WriteAsync" not in first or "WriteAsync" not in rest:
        yield "Write one half before the flush, and the other half after it."
    view.raced("kestrel-async")
