"""The checks of notebook 07b's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator

from benchbook.notebook.exercises import View


def exercise_1(view: View) -> Iterator[str]:
    view.in_part("07-serializers/http")
    for name in ("json", "memorypack-by-hand"):
        if not re.search(r'"LINK"\s*,\s*"[\d.]+ Mbit/s, [\d.]+ ms"', view.edited(name)):
            yield f'{name} has no LINK yet, such as "100 Mbit/s, 50 ms".'
    view.raced("json", "memorypack-by-hand")


def exercise_2(view: View) -> Iterator[str]:
    run = view.benchmark()
    if not re.search(r"SerializeToUtf8Bytes\(\s*Texts\s*,\s*Relaxed\s*\)", view.cell_code):
        yield "No benchmark uses Relaxed yet."
    methods = {entry.name.partition("#")[0] for entry in run.entries}
    if len(methods) < 2:
        yield "There is one benchmark only: nothing to compare."
