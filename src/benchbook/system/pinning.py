"""Which CPUs the server gets and which the load generator, so that they don't fight over one."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass

from benchbook.system import cores


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
