"""What is known of a program's requests beside their time; all of a request, unless said."""

from collections.abc import Mapping
from dataclasses import dataclass, field

SIMILAR = 0.02  # a difference by a smaller share is none
SCATTER = 3.0  # nor is one that is not so many times what two windows of a program differ by


@dataclass(frozen=True)
class Memory:
    """In a window: bytes that were allocated, collections by kind, seconds in which the program
    stood still for them; depth: functions on the stack where its own code began; queued: work items
    that waited for a thread of the pool, on average, and pool_threads, of these threads, at most;
    None where the runtime does not tell."""

    allocated: float
    collections: Mapping[str, int]
    pause_seconds: float
    depth: int | None = None
    queued: float | None = None
    pool_threads: int | None = None


@dataclass(frozen=True)
class Counted:
    """Two windows' values of one thing; reason: why there are none, ''."""

    values: tuple[float, ...] = ()
    reason: str = ""

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values)

    @property
    def scatter(self) -> float:
        """How far the windows lie apart."""
        return max(self.values) - min(self.values)


@dataclass
class Costing:
    """figures: by program and name (NAMES); calls: the most frequent system calls of a request, by
    program; thing: request or operation."""

    programs: list[str]
    thing: str
    how: str
    figures: dict[str, dict[str, Counted]] = field(default_factory=dict)
    calls: dict[str, dict[str, float]] = field(default_factory=dict)

    def differs(self, name: str) -> bool:
        """Do the two programs differ in this?"""
        found = [self.figures[program].get(name, Counted()) for program in self.programs]
        if len(found) < 2 or not all(each.values for each in found):
            return False
        a, b = found
        apart = abs(a.mean - b.mean)
        larger = max(abs(a.mean), abs(b.mean))
        return apart > SIMILAR * larger and apart > SCATTER * max(a.scatter, b.scatter)
