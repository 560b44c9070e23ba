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
from benchbook_kernels.base import processes

WINDOW_SECONDS = 1.0  # of a warm-up: then one looks at the cost
WINDOW_COST = 0.13  # beside that
# and where load generators go on from one window to the next:
LOOK_SECONDS, TIERED_LOOK_SECONDS = 0.5, 0.25
BEGIN_SECONDS = 0.2  # that load generators take to begin and to end, once

STEADY = 0.05  # falls by less than this share
TWICE = 2  # in succession
PATIENCE_SECONDS = 2.0  # of load more, at most, where a noisy machine does not look steady

# Measured on three machines, all programs loaded at once (docs/method.md). What compiles code
# counts calls, so programs need requests, on a slow machine as on a fast one; those with much work
# in each need fewer. .NET compiles what was called 30 times, first with probes, then with what they
# found: it needs few requests, and rests in which nothing is asked.
REQUESTS, FEW_REQUESTS = 7000, 3000  # of each program
CPU_SECONDS, FEW_CPU_SECONDS = 1.0, 0.5  # or so much CPU time, of which it gets its share
WINDOWS, TIERED_WINDOWS = 2, 6  # at least
QUICK_CPU_SECONDS = 0.35  # that programs need where requests are many, as most do
LOAD_CPUS = 1.7  # that servers get of two, the rest goes to the load generators
COMPILING_SECONDS, REST_SECONDS = 0.2, 0.1  # for each program; and of each rest
LONGER = 3  # times as many windows, at most: beside other work CPU time takes longer

# While nothing is asked, programs compile in the background:
MOST_TIER_UP_SECONDS = 10.0  # at most, in one rest
QUIET_SECONDS = 0.06  # without work: longer than .NET waits before it counts calls (tiers_late)
GLANCE_SECONDS = 0.02
IDLE_SHARE = 0.1  # of a CPU, all programs together
MUCH = 0.03  # CPU seconds a program
COMPILED = 0.01  # CPU seconds a program in a rest: less is not compiling


@dataclass(frozen=True)
class WarmUp:
    """How long `entries` programs, some of which compile in the background (tiered), are warmed up.

    seconds: exactly so long, as a reader asked; None: as their runtimes need. continuous: load
    generators go on from one window to the next. few: all compile what was called a few times.
    shortest: what the load generator can do, in seconds.
    """

    entries: int
    tiered: int = 0
    seconds: float | None = None
    continuous: bool = False
    few: bool = False
    shortest: float = 0.1

    @property
    def window(self) -> float:
        """The length of a window, in seconds."""
        if not self.continuous:
            return self.at_most(WINDOW_SECONDS)
        return self.at_most(TIERED_LOOK_SECONDS if self.tiered else LOOK_SECONDS)

    def at_most(self, usual: float) -> float:
        """A window of so many seconds, or shorter where a reader asked for less than that."""
        return max(self.shortest, min(usual, self.seconds or usual))

    @property
    def least(self) -> int:
        """How many windows there are at least."""
        return TIERED_WINDOWS if self.tiered else WINDOWS

    @property
    def patience(self) -> int:
        """How many windows more there are, at most, when each program had what it needs."""
        return round(PATIENCE_SECONDS / self.window)

    @property
    def windows(self) -> int:
        """How many windows programs need on two CPUs, where nothing else runs."""
        if self.seconds is not None:
            return math.ceil(round(self.seconds / self.window, 6))
        each = QUICK_CPU_SECONDS if self.continuous else CPU_SECONDS
        needed = 0.0 if self.few else each * self.entries / LOAD_CPUS / self.window
        return max(math.ceil(needed), self.least)

    @property
    def expected(self) -> float:
        """How long it takes, about, in seconds, with the window where programs are timed later."""
        count = self.windows
        if self.seconds is None:  # Node.js and Deno were seen to need none to all of the patience
            count += TWICE if self.continuous or self.tiered else TWICE // 2
        resting = count * REST_SECONDS + self.tiered * COMPILING_SECONDS if self.tiered else 0.0
        if self.continuous:
            return count * self.window + resting + BEGIN_SECONDS
        return (count + 1) * (self.window + WINDOW_COST) + resting


@dataclass
class Warming:
    """A warm-up under way. costs: the mean of what a request cost in each window; requests and
    cpu_seconds: those that each program had so far; compiled: CPU seconds that all spent after
    each window, while nothing was asked."""

    goal: WarmUp
    costs: list[float] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    cpu_seconds: dict[str, float] = field(default_factory=dict)
    compiled: list[float] = field(default_factory=list)
    enough_at: int | None = None

    def add(self, samples: Sequence[Sample], compiled: float = 0.0) -> None:
        """What each program did in a window; those that are no longer there don't count."""
        self.costs.append(mean_cost(sample.cpu_microseconds for sample in samples))
        self.compiled.append(compiled)
        there = {sample.variant for sample in samples}
        for gone in self.requests.keys() - there:
            del self.requests[gone], self.cpu_seconds[gone]
        for sample in samples:
            spent = sample.evidence["server_cpu_seconds"]
            self.requests[sample.variant] += sample.requests
            if spent is None or math.isnan(spent):
                spent = self.goal.window
            self.cpu_seconds[sample.variant] = self.cpu_seconds.get(sample.variant, 0.0) + spent

    def over(self) -> bool:
        count, goal = len(self.costs), self.goal
        if goal.seconds is not None:
            return count >= goal.windows
        if count >= LONGER * (goal.windows + goal.patience):
            return True
        if count < goal.least or not all(map(self.enough, self.requests)):
            return False
        self.enough_at = self.enough_at or count
        still = steady(self.costs) and not self.compiles
        return still or count >= self.enough_at + goal.patience

    @property
    def compiles(self) -> bool:
        """Did programs compile in the background after one of the last windows?"""
        return any(spent > COMPILED * self.goal.tiered for spent in self.compiled[-TWICE:])

    @property
    def had_least(self) -> bool:
        """Had each program what it needs at least, though its cost may still fall?"""
        return len(self.costs) >= self.goal.least

    def enough(self, name: str) -> bool:
        """Had this program what it needs?"""
        requests, seconds = REQUESTS, CPU_SECONDS
        if self.goal.few:
            requests, seconds = FEW_REQUESTS, FEW_CPU_SECONDS
        return self.requests[name] >= requests or self.cpu_seconds[name] >= seconds


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
    begun = now = quiet = time.monotonic()
    first = before = cpu_seconds(members)
    while members and now - quiet < QUIET_SECONDS and now - begun < MOST_TIER_UP_SECONDS:
        time.sleep(GLANCE_SECONDS)
        works, now, last = processes.runnable(members), time.monotonic(), now
        spent = cpu_seconds(members)
        if works if works is not None else spent - before >= IDLE_SHARE * (now - last):
            quiet = now
        before = spent
    return before - first


def cpu_seconds(members: Sequence[int]) -> float:
    """CPU time that processes have spent so far; NaN where one has ended."""
    return sum(map(processes.cpu_seconds, members))


def compiled_more(members: Sequence[int], count: int, least: int = 1) -> bool:
    """After a warm-up: wait until processes that compile in the background have done so.

    Is another warm-up due? The first `least` (count 0 and on) are not enough: what is compiled with
    probes is compiled again.
    """
    used = tier_up_wait(members)
    return bool(members) and (count < least or used > MUCH * len(members))
