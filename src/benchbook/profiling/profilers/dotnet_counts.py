"""What a .NET program does beside computing: bytes that it allocates, collections, threads.

By the runtime's own events: GCAllocationTick comes once in about 100 KB of a heap and says how much
it stands for, so that what is allocated is known to within that; GCStart comes with every
collection; the counters of System.Runtime come once a second.
https://learn.microsoft.com/dotnet/fundamentals/diagnostics/runtime-garbage-collection-events
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from benchbook.profiling.profilers import dotnet

QUEUED, POOL_THREADS = "threadpool-queue-length", "threadpool-thread-count"
LEAST_SECONDS = 4.0  # with the collector's start, so that each counter comes at least once


@dataclass(frozen=True)
class DotnetCounts:
    """Of a window of so many seconds.

    allocated: bytes; collections: of generation 0, 1 and 2, and pause_seconds: while all threads
    stood for them; pool_threads: of the thread pool, at most; queued: work items that waited for
    one of these, on average. Both are None where the runtime did not tell.
    """

    seconds: float
    allocated: int
    collections: tuple[int, int, int]
    pause_seconds: float
    pool_threads: int | None
    queued: float | None


def counts(pid: int, seconds: float, folder: Path, cpus: Sequence[int] | None) -> DotnetCounts:
    """Count for so long, at least for four seconds, what a running program does; as the profiler's
    `collect`, but any program of .NET will do. Raises ProfilerError."""
    asked: dict[str, object] = {"sampler": "", "cost": True}
    return read(dotnet.record(pid, max(seconds, LEAST_SECONDS), folder, cpus, asked))


def read(report: Mapping[str, Any]) -> DotnetCounts:
    """What a report (eventpipe/Report.cs) holds of it."""
    counters: Mapping[str, Sequence[float]] = report["counters"]
    threads, queued = counters.get(POOL_THREADS), counters.get(QUEUED)
    gen0, gen1, gen2 = report["collections"]
    return DotnetCounts(
        seconds=report["seconds"],
        allocated=report.get("allocated", 0),
        collections=(gen0, gen1, gen2),
        pause_seconds=report.get("pauseSeconds", 0.0),
        pool_threads=round(max(threads)) if threads else None,
        queued=fmean(queued) if queued else None,
    )
