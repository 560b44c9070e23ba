"""Which CPUs the server gets and which the load generator, so that they don't fight over one."""

import os
import statistics
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from threading import Thread

from benchbook.system import cores

# What is compiled to see how fast a CPU is: the compiler's code fills caches, as a server's does.
SOURCE = "\n".join(
    f"def f{i}(a, b={i}):\n    return [x for x in a if x > b] or b" for i in range(60)
)
LOOKS = 15  # of a millisecond or two each
SLOWER = 1.15  # times as slow: it is not chance, and worth a change
UNPINNED = "switched off with --no-pin"  # a reason
MOST_CPUS = 4  # of a side that are looked at: the mean of more changes little


@dataclass(frozen=True)
class Pinning:
    """CPU numbers for each side; both None where they are not pinned, and `reason` says why."""

    server: tuple[int, ...] | None
    client: tuple[int, ...] | None
    reason: str = ""


def split(cpus: Iterable[int] | None = None) -> Pinning:
    """Half of the physical cores for each side; hyperthreads of a core stay together."""
    cpus = cores.affinity() if cpus is None else sorted(cpus)
    quota = cores.cpu_quota()
    if sys.platform == "darwin":
        return Pinning(None, None, "macOS has no way to pin a process to a CPU")
    if len(cpus) < 2:
        return Pinning(None, None, "there is only one CPU")
    if quota is not None and quota < 2:
        return Pinning(None, None, f"this container may use the time of {quota:g} CPUs only")
    physical: dict[str, list[int]] = {}
    for cpu in cpus:
        physical.setdefault(cores.siblings(cpu), []).append(cpu)
    groups = list(physical.values())
    reason = ""
    if len(groups) == 1:
        groups = [[cpu] for cpu in cpus]
        reason = "both sides share one physical core (hyperthreads)"
    half = (len(groups) + 1) // 2
    server = tuple(sorted(cpu for group in groups[:half] for cpu in group))
    client = tuple(sorted(cpu for group in groups[half:] for cpu in group))
    return Pinning(server, client, reason)


def quicker(pins: Pinning) -> Pinning:
    """The two sides of `pins`, changed where the servers' CPUs are slower than the others just now.

    A virtual CPU shares a core with the work of others, which nothing tells, and runs at half its
    speed meanwhile, while the next one does not (studies/cpu_speeds.py).
    """
    server, client = pins.server, pins.client
    if not server or not client or len(server) != len(client) or len(server) > MOST_CPUS:
        return pins
    if pins.reason or not hasattr(os, "sched_setaffinity"):
        return pins
    first, second, again = cost(server), cost(client), cost(server)
    if min(first, again) > SLOWER * second:
        return replace(pins, server=client, client=server)
    return pins


def cost(cpus: Iterable[int]) -> float:
    """CPU seconds that the same work takes on these CPUs now, in the mean."""
    return statistics.fmean(work_on(cpu) for cpu in cpus)


def work_on(cpu: int) -> float:
    """CPU seconds that the same work takes on a CPU now."""
    taken: list[float] = []

    def work() -> None:
        os.sched_setaffinity(0, {cpu})  # of this thread alone
        for _ in range(LOOKS):
            begun = time.thread_time()
            compile(SOURCE, "", "exec")
            taken.append(time.thread_time() - begun)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    return statistics.median(taken)
