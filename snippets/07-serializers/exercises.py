"""The checks of notebook 07's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator

from benchbook.notebook.exercises import View


def exercise_1(view: View) -> Iterator[str]:
    if view.value("size") == 0:
        yield "Lines serializes to nothing yet."
    elif view.value("same") is not True:
        yield "What Lines reads differs from what it was given."


def exercise_2(view: View) -> Iterator[str]:
    run = view.benchmark()
    if not re.search(r"SerializeToUtf8Bytes\(\s*Texts\s*,\s*Relaxed\s*\)", view.cell_code):
        yield "No benchmark uses Relaxed yet."
    methods = {entry.name.partition("#")[0] for entry in run.entries}
    if len(methods) < 2:
        yield "There is one benchmark only: nothing to compare."


def exercise_3(view: View) -> Iterator[str]:
    view.in_part("07-serializers/http")
    for name in ("json", "memorypack-by-hand"):
        if not re.search(r'"LINK"\s*,\s*"[\d.]+ Mbit/s, [\d.]+ ms"', view.edited(name)):
            yield f'{name} has no LINK yet, such as "100 Mbit/s, 50 ms".'
    view.raced("json", "memorypack-by-hand")


def exercise_4(view: View) -> Iterator[str]:
    sent, read = view.value("ten"), view.value("fromJavaScript")
    if None not in sent:
        yield "There is no null among the ten yet: take the // away from ten[3] = null."
    if len(read) != len(sent):
        yield f"{len(read)} forecasts came back, {len(sent)} were sent: run the cells in between."
        return
    for i, (there, here) in enumerate(zip(read, sent, strict=True)):
        if (there is None) != (here is None):
            what = "null" if here is None else "no null"
            yield f"Forecast {i} is {what}: look at its first byte."
            return
        if here is None:
            continue
        if (there["temperatureC"], there["summary"]) != (here["TemperatureC"], here["Summary"]):
            yield f"Forecast {i} has other values: the reader has lost its place before it."
            return
        if (there["date"] or "")[:23] != here["Date"][:23]:
            yield f"The date of forecast {i} is {there['date']}, not {here['Date']}."
            return
