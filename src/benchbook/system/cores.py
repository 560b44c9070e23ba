"""Which logical cores this process may use, and which of them share a physical core."""

from __future__ import annotations

import math
import os
from pathlib import Path

from benchbook.system import probe


def affinity() -> list[int]:
    """The logical cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def cpu_quota() -> float | None:
    """How many cores' time the control groups of this process allow; None: no limit."""
    limits: list[float] = []
    for line in probe.read(probe.PROC / "self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            base = probe.SYS / "fs/cgroup"
            for folder in group_and_parents(base, path):
                limit, _, period = probe.read(folder / "cpu.max").partition(" ")
                if limit.isdigit() and period.isdigit():
                    limits.append(int(limit) / int(period))
        elif "cpu" in controllers.split(","):
            base = probe.SYS / "fs/cgroup" / controllers
            for folder in group_and_parents(base, path):
                limit_us = probe.number(folder / "cpu.cfs_quota_us")
                period_us = probe.number(folder / "cpu.cfs_period_us")
                if limit_us and period_us and limit_us > 0:
                    limits.append(limit_us / period_us)
    return min(limits, default=None)


def group_and_parents(base: Path, path: str) -> list[Path]:
    """A control group and those around it: each may set a limit."""
    group = base / path.strip("/")
    return [group, *(parent for parent in group.parents if parent.is_relative_to(base))]


def siblings(core: int) -> str:
    """The hardware threads that share a physical core with this one, as the kernel lists them."""
    return probe.read(
        probe.SYS / f"devices/system/cpu/cpu{core}/topology/thread_siblings_list"
    ) or str(core)


def usable() -> list[int]:
    """Logical cores to use for measuring, as many as affinity and quota allow.

    One hardware thread of each physical core comes first: two processes that are pinned to the
    first two cores of this list do not share one, where that can be avoided.
    """
    seen: set[str] = set()
    first: list[int] = []
    second: list[int] = []
    for core in affinity():
        group = siblings(core)
        (second if group in seen else first).append(core)
        seen.add(group)
    found = first + second
    quota = cpu_quota()
    return found if quota is None else found[: max(1, math.floor(quota))]
