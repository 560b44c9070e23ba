"""The checks of notebook 07a's exercises (see src/benchbook/notebook/exercises.py)."""

from collections.abc import Iterator

from benchbook.notebook.exercises import View


def exercise_1(view: View) -> Iterator[str]:
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


def exercise_2(view: View) -> Iterator[str]:
    if view.value("size") == 0:
        yield "Lines serializes to nothing yet."
    elif view.value("same") is not True:
        yield "What Lines reads differs from what it was given."
