"""What a runtime tells of a program's memory: Node.js by V8's sampling heap profiler, .NET by its
events."""

import statistics
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchbook.model.profiles.cost import Memory
from benchbook.model.variants import Variant
from benchbook.profiling.profiler import ProfiledStart
from benchbook.profiling.profilers import dotnet, dotnet_counts, node


class MemoryCounter(ABC):
    """Counts what programs of one runtime allocate."""

    def prepare(self, start: ProfiledStart, folder: Path) -> ProfiledStart:
        """How a program must be started for that."""
        return start

    @abstractmethod
    def count(self, pid: int, seconds: float, folder: Path, cpus: Sequence[int] | None) -> Memory:
        """What it allocates from now on, for so long. Raises ProfilerError."""


class NodeMemory(MemoryCounter):
    """https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/#method-startSampling"""

    def prepare(self, start: ProfiledStart, folder: Path) -> ProfiledStart:
        made = node.PROFILER.prepare(start, folder, 0.0)
        return ProfiledStart(made.words, {**made.env, "BENCHBOOK_WINDOW_OF": "memory"})

    def count(self, pid: int, seconds: float, folder: Path, cpus: Sequence[int] | None) -> Memory:
        return read(node.window(pid, seconds, folder))


def read(told: Mapping[str, Any]) -> Memory:
    """What window.cjs wrote."""
    return Memory(
        told["allocated"], told["collections"], told["pause"] / 1000, deep(told["depths"])
    )


def deep(depths: Sequence[tuple[int, int]]) -> int | None:
    """The median of depths by the bytes that were allocated there; None where there are none."""
    every = [depth for depth, size in depths for _ in range(max(1, size // 1024))]
    return round(statistics.median(every)) if every else None


class DotnetMemory(MemoryCounter):
    """GCAllocationTick and GCStart, which are events of the runtime (dotnet_counts.py)."""

    def prepare(self, start: ProfiledStart, folder: Path) -> ProfiledStart:
        dotnet.library()  # so that nothing is built beside the load
        return start

    def count(self, pid: int, seconds: float, folder: Path, cpus: Sequence[int] | None) -> Memory:
        found = dotnet_counts.counts(pid, seconds, folder, cpus)
        share = seconds / found.seconds  # it may have taken longer than it was asked to
        kinds = {f"generation {i}": round(n * share) for i, n in enumerate(found.collections)}
        took = (found.allocated * share, kinds, found.pause_seconds * share)
        return Memory(*took, queued=found.queued, pool_threads=found.pool_threads)


NODE, DOTNET = NodeMemory(), DotnetMemory()


def find(variant: Variant) -> MemoryCounter | None:
    """What counts for a variant's runtime; None where nothing does."""
    if node.PROFILER.runs(variant) and not node.PROFILER.lacks(variant):
        return NODE
    if dotnet.PROFILER.runs(variant) and not dotnet.PROFILER.lacks(variant):
        return DOTNET
    return None
