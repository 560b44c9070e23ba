"""What one program spends, by function and by layer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.profiling.costs import Cost, Key, by_layer, costs, frequent, pace, slowdown
from benchbook.profiling.differences import FEWEST, FEWEST_OF_ROW, Range, spread

K = TypeVar("K")


@dataclass(frozen=True)
class Spending:
    """A function, lines of own code, or a layer, with what it costs a request, in µs."""

    key: Key
    us: Range
    text: str = ""
    link: str = ""


@dataclass(frozen=True)
class Alone:
    """One program: rows and layers, the dearest first; cost: of a request, in µs, of all threads;
    overhead: of the profiler, as a share; problem: why there are no rows, ''."""

    name: str
    thing: str
    cost: Range
    rows: Sequence[Spending]
    layers: Sequence[Spending]
    overhead: float
    busy: int
    problem: str = ""


def alone(comparison: ProfileComparison) -> Alone:
    """What came of one program."""
    [name] = comparison.programs
    found, evened = costs(comparison, name, frequent(comparison, FEWEST_OF_ROW)), pace(comparison)
    every = evened * [launch.plain[name].all_us for launch in comparison.launches]
    problem = ""
    if found.busy < FEWEST:
        problem = f"{found.busy} samples found it at work, and a ranking needs {FEWEST}"
    rows = [
        Spending(
            key,
            spread(cost.us),
            found.texts.get(key, ""),
            found.frames[key].link if key in found.frames else "",
        )
        for key, cost in dearest(found.rows)
    ]
    layers = [
        Spending(Key(layer, layer), spread(cost.us))
        for layer, cost in dearest(by_layer(found.rows))
    ]
    return Alone(
        name,
        comparison.thing,
        spread(every),
        [] if problem else rows,
        layers,
        float(slowdown(comparison.launches, name).mean()) - 1,
        found.busy,
        problem,
    )


def dearest(rows: Mapping[K, Cost]) -> list[tuple[K, Cost]]:
    """Rows with their costs, the dearest first."""
    return sorted(rows.items(), key=lambda each: -float(each[1].us.mean()))
