"""Which CPUs the server gets and which the load generator, so that they don't fight over one."""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil

TOPOLOGY = Path("/sys/devices/system/cpu")


@dataclass(frozen=True)
class Pinning:
    """CPU numbers for each side; both None where they are not pinned, and `reason` says why."""

    server: tuple[int, ...] | None
    client: tuple[int, ...] | None
    reason: str = ""


def usable() -> list[int]:
    """The CPU numbers that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(psutil.cpu_count() or 1))


def physical(cpu: int) -> tuple[str, ...]:
    """What tells the physical core behind a logical CPU (Linux); the CPU itself where unknown."""
    try:
        folder = TOPOLOGY / f"cpu{cpu}" / "topology"
        names = ("physical_package_id", "core_id")
        return tuple((folder / name).read_text().strip() for name in names)
    except OSError:
        return (str(cpu),)


def split(cpus: Iterable[int] | None = None) -> Pinning:
    """Half of the physical cores for each side; hyperthreads of a core stay together."""
    cpus = usable() if cpus is None else sorted(cpus)
    if sys.platform == "darwin":
        return Pinning(None, None, "macOS has no way to pin a process to a CPU")
    if len(cpus) < 2:
        return Pinning(None, None, "there is only one CPU")
    cores: dict[tuple[str, ...], list[int]] = {}
    for cpu in cpus:
        cores.setdefault(physical(cpu), []).append(cpu)
    groups = list(cores.values())
    reason = ""
    if len(groups) == 1:
        groups = [[cpu] for cpu in cpus]
        reason = "both sides share one physical core (hyperthreads)"
    half = (len(groups) + 1) // 2
    server = tuple(sorted(cpu for group in groups[:half] for cpu in group))
    client = tuple(sorted(cpu for group in groups[half:] for cpu in group))
    return Pinning(server, client, reason)
