"""What a .NET program does beside computing: bytes that it allocates, collections, threads.

By the runtime's own events: GCAllocationTick comes once in about 100 KB of a heap and says how much
it stands for, so that what is allocated is known to within that; GCStart comes with every
collection; the counters of System.Runtime come once a second.
https://learn.microsoft.com/dotnet/fundamentals/diagnostics/runtime-garbage-collection-events
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from benchbook.profiling.profilers import dotnet

COUNTERS = {
    "queued": "threadpool-queue-length",
    "contentions": "monitor-lock-contention-count",
    "exceptions": "exception-count",
    "completed": "threadpool-completed-items-count",
}
SUMS = ("contentions", "exceptions", "completed")  # counted anew each second
LEAST_SECONDS = 4.0  # with the collector's start, so that each counter comes at least once


@dataclass(frozen=True)
class DotnetCounts:
    """Of a window of so many seconds.

    allocated: bytes, and types: of the twenty types with most; collections: of generation 0, 1 and
    2, and pause_seconds: while all threads stood for them; threads: of the process at the end, and
    pool_threads, of its thread pool, at most; queued: work items that waited for one, on average;
    contentions, exceptions, completed: how often a thread found a lock taken, an exception was
    thrown, and the pool completed an item.
    """

    seconds: float
    cpu_seconds: float
    allocated: int
    collections: tuple[int, int, int]
    pause_seconds: float
    threads: int
    pool_threads: int
    queued: float
    contentions: float
    exceptions: float
    completed: float
    types: Mapping[str, int] = field(default_factory=dict)


def counts(pid: int, seconds: float, folder: Path, cpus: Sequence[int] | None) -> DotnetCounts:
    """Count for so long, at least for four seconds, what a running program does; as the profiler's
    `collect`, but any program of .NET will do. Raises ProfilerError."""
    asked: dict[str, object] = {"sampler": "", "cost": True}
    return read(dotnet.record(pid, max(seconds, LEAST_SECONDS), folder, cpus, asked))


def read(report: Mapping[str, Any]) -> DotnetCounts:
    """What a report (eventpipe/Report.cs) holds of it."""
    counters: Mapping[str, Sequence[float]] = report["counters"]
    told = {}
    for name, counter in COUNTERS.items():
        values = counters.get(counter) or [0.0]
        told[name] = sum(values) if name in SUMS else fmean(values)
    gen0, gen1, gen2 = report["collections"]
    return DotnetCounts(
        seconds=report["seconds"],
        cpu_seconds=report.get("cpuSeconds", 0.0),
        allocated=report.get("allocated", 0),
        collections=(gen0, gen1, gen2),
        pause_seconds=report.get("pauseSeconds", 0.0),
        threads=len(report["threads"]),
        pool_threads=round(max(counters.get("threadpool-thread-count") or [0])),
        types=report["allocatedTypes"],
        **told,
    )
