"""How long programs are loaded before anything is timed: until they cost what they go on costing.

What a request costs falls while a program's hot code is compiled, and programs differ in how fast
that goes. So the length does not follow the ratios of a race: all entries are loaded together until
each has answered as many requests as its runtime was measured to need, and until the mean of all no
longer falls (Barrett et al. 2017, Virtual Machine Warmup Blows Hot and Cold, doi:10.1145/3133876).
"""

import itertools
import math
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchbook.model.samples import Sample
from benchbook.race.evidence import Watch

WINDOW_SECONDS = 1.0  # of a warm-up: then one looks at the cost
WINDOW_COST = 0.13  # beside that
STEADY = 0.05  # falls by less than this share
TWICE = 2  # in succession
PATIENCE = 2  # windows more, at most, where a noisy machine does not look steady

# Measured on two machines, all programs loaded at once (docs/method.md). What compiles code counts
# calls, so programs need requests, on a slow machine as on a fast one; those with much work in each
# need fewer. .NET compiles between windows, while nothing is asked: first with probes, then with
# what they found.
REQUESTS = 7000  # of each program
CPU_SECONDS = 1.0  # or so much CPU time, of which it gets its share
WINDOWS, TIERED_WINDOWS = 2, 4  # at least
LOAD_CPUS = 1.7  # that servers get of two, the rest goes to the load generators
TIER_UP_SECONDS, COMPILING_SECONDS = 0.35, 0.5  # after a window; for each program, with its start
LONGER = 3  # times as many windows, at most: beside other work CPU time takes longer

# And after a warm-up, while nothing is asked, programs compile in the background:
MOST_TIER_UP_SECONDS = 10.0  # at most, after a warm-up
LOOK_SECONDS = 0.25  # longer than .NET waits before it compiles in the background
IDLE_SHARE = 0.1  # of a CPU, all programs together
MUCH = 0.03  # CPU seconds a program


@dataclass(frozen=True)
class WarmUp:
    """How long `entries` programs, some of which compile in the background (tiered), are warmed up.

    seconds: exactly so long, as a reader asked; None: as their runtimes need.
    """

    entries: int
    tiered: int = 0
    seconds: float | None = None

    @property
    def least(self) -> int:
        """How many windows there are at least."""
        return TIERED_WINDOWS if self.tiered else WINDOWS

    @property
    def windows(self) -> int:
        """How many windows programs need on two CPUs, where nothing else runs."""
        if self.seconds is not None:
            return math.ceil(self.seconds / WINDOW_SECONDS)
        needed = math.ceil(CPU_SECONDS * self.entries / LOAD_CPUS / WINDOW_SECONDS)
        return max(needed, self.least)

    @property
    def expected(self) -> float:
        """How long it takes, about, in seconds, with the window where programs are timed later."""
        count = self.windows
        if self.seconds is None:  # Node.js and Deno were seen to need none to all of the patience
            count += PATIENCE if self.tiered else PATIENCE // 2
        waiting = count * TIER_UP_SECONDS + self.tiered * COMPILING_SECONDS if self.tiered else 0.0
        return (count + 1) * (WINDOW_SECONDS + WINDOW_COST) + waiting


@dataclass
class Warming:
    """A warm-up under way. costs: the mean of what a request cost in each window; requests and
    cpu_seconds: those that each program had so far."""

    goal: WarmUp
    costs: list[float] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    cpu_seconds: dict[str, float] = field(default_factory=dict)
    enough_at: int | None = None

    def add(self, samples: Sequence[Sample]) -> None:
        """What each program did in a window; those that are no longer there don't count."""
        self.costs.append(mean_cost(sample.cpu_microseconds for sample in samples))
        there = {sample.variant for sample in samples}
        for gone in self.requests.keys() - there:
            del self.requests[gone], self.cpu_seconds[gone]
        for sample in samples:
            spent = sample.evidence["server_cpu_seconds"]
            self.requests[sample.variant] += sample.requests
            if spent is None or math.isnan(spent):
                spent = WINDOW_SECONDS
            self.cpu_seconds[sample.variant] = self.cpu_seconds.get(sample.variant, 0.0) + spent

    def over(self) -> bool:
        count, goal = len(self.costs), self.goal
        if goal.seconds is not None:
            return count >= goal.windows
        if count >= LONGER * (goal.windows + PATIENCE):
            return True
        if count < goal.least or not all(map(self.enough, self.requests)):
            return False
        self.enough_at = self.enough_at or count
        return steady(self.costs) or count >= self.enough_at + PATIENCE

    @property
    def had_least(self) -> bool:
        """Had each program what it needs at least, though its cost may still fall?"""
        return len(self.costs) >= self.goal.least

    def enough(self, name: str) -> bool:
        """Had this program what it needs?"""
        return self.requests[name] >= REQUESTS or self.cpu_seconds[name] >= CPU_SECONDS


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


def tier_up_wait(members: Sequence[int]) -> float:
    """Wait until processes have nothing to do, but not for long; the CPU time that they spent.

    .NET compiles what was called 30 times on a thread of its own, first with probes, and once more
    with what these have found when it was called as often again. Beside requests that takes many
    times as long, and disturbs whatever is measured meanwhile.
    https://github.com/dotnet/runtime/blob/main/docs/design/features/tiered-compilation.md
    """
    used, end = 0.0, time.monotonic() + MOST_TIER_UP_SECONDS
    while members and time.monotonic() < end:
        watch = Watch(members)
        time.sleep(LOOK_SECONDS)
        spent = watch.evidence(0.0).server_cpu_seconds
        used += spent
        if not spent >= IDLE_SHARE * LOOK_SECONDS:
            break
    return used


def compiled_more(members: Sequence[int], count: int, least: int = 1) -> bool:
    """After a warm-up: wait until processes that compile in the background have done so.

    Is another warm-up due? The first `least` (count 0 and on) are not enough: what is compiled with
    probes is compiled again.
    """
    used = tier_up_wait(members)
    return bool(members) and (count < least or used > MUCH * len(members))
