"""What one request costs, as one small table, in which differences are marked."""

from benchbook.model.profiles.cost import Costing, Counted
from benchbook.profiling.cost.counting import NAMES
from benchbook.profiling.cost.of_calls import REMOVED
from benchbook.show.markup import Output, note, paragraph, table, total
from benchbook.show.why.cards import DIFFERS, elsewhere
from benchbook_kernels.base.words import one

MOST_CALLS = 4  # system calls that are named
SMALL = 10.0  # numbers below have decimals


def summary(costing: Costing) -> Output:
    """The card."""
    rows = [
        [DIFFERS if costing.differs(name) else "", name, *(told(name, x) for x in counted)]
        for name in NAMES
        if (counted := [costing.figures[p].get(name, Counted()) for p in costing.programs])
        and any(each.values or each.reason for each in counted)
    ]
    rows += named_calls(costing)
    headers = ["", f"of {one(costing.thing)}", *costing.programs]
    numbers = table(headers, rows, right=range(2, len(headers)))
    how = f"{costing.how}; {DIFFERS}: differs by more than two windows of a program do"
    parts = [*elsewhere(costing.recorded), numbers, paragraph(how)]
    return total([*parts, *map(note, reasons(costing))])


def named_calls(costing: Costing) -> list[list[str]]:
    """The most frequent system calls, a row each."""
    every = [call for calls in costing.calls.values() for call in calls]
    most = sorted(dict.fromkeys(every), key=lambda call: -frequency(costing, call))[:MOST_CALLS]
    return [
        [
            "",
            f"· {call}",
            *(number(costing.calls.get(p, {}).get(call, 0.0)) for p in costing.programs),
        ]
        for call in most
    ]


def frequency(costing: Costing, call: str) -> float:
    return sum(calls.get(call, 0.0) for calls in costing.calls.values())


def told(name: str, counted: Counted) -> str:
    """The mean of both windows; — where there is none."""
    if name == REMOVED and counted.values:
        return "yes" if counted.mean else "no"
    return number(counted.mean) if counted.values else "—"


def number(value: float) -> str:
    return f"{value:.2f}" if abs(value) < SMALL else f"{value:,.0f}"


def reasons(costing: Costing) -> list[str]:
    """Why something is not known, once for each."""
    found: dict[str, list[str]] = {}
    for figures in costing.figures.values():
        for name, counted in figures.items():
            if counted.reason and name not in found.setdefault(counted.reason, []):
                found[counted.reason].append(name)
    return [f"{', '.join(names)}: not known, {reason}" for reason, names in found.items()]
