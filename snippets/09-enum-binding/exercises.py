"""The checks of notebook 09's exercises (see src/benchbook/notebook/exercises.py)."""

import re
from collections.abc import Iterator

from benchbook.notebook.exercises import View


def exercise_1(view: View) -> Iterator[str]:
    run = view.benchmark()
    enum = re.search(r"enum\s+Letter\s*\{([^}]*)\}", view.cell_code)
    names = [name.strip() for name in enum[1].split(",") if name.strip()] if enum else []
    if len(names) < 10:
        yield f"The enum Letter has {len(names)} names: give it ten or more."
        return
    cases = {entry.name.partition("[")[2] for entry in run.entries}
    for which, name in (("first", names[0]), ("last", names[-1])):
        if not any(re.search(rf"\b{re.escape(name)}\b", case) for case in cases):
            yield f"The benchmarks did not ask for the {which} name, {name}."


def exercise_2(view: View) -> Iterator[str]:
    taken = view.value("taken")
    for text in taken:
        if text not in ("Hearts", "Spades"):
            yield f"'{text}' is taken, but is not the name of a Suit."
    for text in ("Hearts", "Spades"):
        if text not in taken:
            yield f"'{text}' is the name of a Suit, but is not taken."
