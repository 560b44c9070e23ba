"""How long programs are loaded before anything is timed: until they cost what they go on costing.

What a request costs falls while a program's hot code is compiled, and programs differ in how fast
that goes. So the length does not follow the ratios of a race: all entries are loaded together until
each had the CPU time that its runtime was measured to need, and until the mean of all no longer
falls (Barrett et al. 2017, Virtual Machine Warmup Blows Hot and Cold, doi:10.1145/3133876).
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

WINDOW_SECONDS = 1.0  # of a warm-up: then one looks at the cost
WINDOW_COST = 0.13  # beside that
STEADY = 0.05  # falls by less than this share
TWICE = 2  # in succession
PATIENCE = 2  # windows more, at most, where a noisy machine does not look steady

# Measured on two CPUs, all programs loaded at once (docs/method.md). Each program needs CPU time,
# of which it gets its share; .NET counts few calls, and compiles between windows, while nothing is
# asked: first with probes, then with what they found.
CPU_SECONDS = 0.75  # of each program under load
WINDOWS, TIERED_WINDOWS = 2, 4  # at least
LOAD_CPUS = 1.5  # that servers get of two, the rest goes to the load generators
REST_SECONDS, COMPILING_SECONDS = 0.35, 0.5  # after a window; for each program, with its start
LONGER = 3  # times as long as expected, at most: beside other work CPU time takes longer


@dataclass(frozen=True)
class WarmUp:
    """How long `entries` programs, some of which compile in the background (tiered), are warmed up.

    seconds: exactly so long, as a reader asked; None: as their runtimes need.
    """

    entries: int
    tiered: int = 0
    seconds: float | None = None

    @property
    def windows(self) -> int:
        """How many windows are expected, on two CPUs."""
        if self.seconds is not None:
            return math.ceil(self.seconds / WINDOW_SECONDS)
        needed = math.ceil(CPU_SECONDS * self.entries / LOAD_CPUS / WINDOW_SECONDS)
        return max(needed, TIERED_WINDOWS if self.tiered else WINDOWS) + PATIENCE

    @property
    def expected(self) -> float:
        """How long it takes, about, in seconds, with the window where programs are timed later."""
        resting = self.windows * REST_SECONDS + self.tiered * COMPILING_SECONDS
        windows = (self.windows + 1) * (WINDOW_SECONDS + WINDOW_COST)
        return windows + (resting if self.tiered else 0.0)


@dataclass
class Warming:
    """A warm-up under way. costs: the mean of what a request cost in each window; cpu_seconds: that
    each program had, in the mean."""

    goal: WarmUp
    costs: list[float] = field(default_factory=list)
    cpu_seconds: float = 0.0
    enough_at: int | None = None

    def add(self, costs: Iterable[float], cpu_seconds: Sequence[float]) -> None:
        """What a request cost each entry in a window, and how much CPU time each had."""
        self.costs.append(mean_cost(costs))
        known = [each for each in cpu_seconds if not math.isnan(each)]
        self.cpu_seconds += sum(known) / len(known) if known else WINDOW_SECONDS

    def over(self) -> bool:
        count, goal = len(self.costs), self.goal
        if goal.seconds is not None:
            return count >= goal.windows
        if count >= LONGER * goal.windows:
            return True
        least = TIERED_WINDOWS if goal.tiered else WINDOWS
        if count < least or self.cpu_seconds < CPU_SECONDS:
            return False
        self.enough_at = self.enough_at or count
        return steady(self.costs) or count >= self.enough_at + PATIENCE


def steady(costs: Sequence[float]) -> bool:
    """Did the cost fall by less than 5 % twice in succession, or is it not known?"""
    last = costs[-TWICE - 1 :]
    if len(last) <= TWICE:
        return False
    return all(not later < (1 - STEADY) * earlier for earlier, later in itertools.pairwise(last))


def mean_cost(costs: Iterable[float]) -> float:
    """The geometric mean of what a request cost each entry; NaN where none is known."""
    logs = [math.log(cost) for cost in costs if cost > 0]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan
