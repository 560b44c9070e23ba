"""Equal shares of the CPU for programs that are measured beside each other.

A scheduler shares a CPU by runnable threads, so that of two programs the one with more threads gets
more; and who gets more spends less on a request, because it wakes up less often. On Linux each
session is a scheduling group of its own (autogroup, sched(7)), which counts where the processes lie
in the root control group; elsewhere systemd makes a control group of equal weight for each program.
"""

import functools
import shutil
import sys
from pathlib import Path

from benchbook_kernels.base.running import output_of

SESSIONS = "sessions (autogroup)"
SCOPES = "control groups (systemd scopes)"
NONE = ""
AUTOGROUP = Path("/proc/sys/kernel/sched_autogroup_enabled")
GROUPS = Path("/sys/fs/cgroup")
SCOPE = ("systemd-run", "--user", "--scope", "--quiet", "--collect", "--property=CPUWeight=100")


@functools.cache
def how() -> str:
    """How programs get equal shares here: SESSIONS, SCOPES or NONE."""
    if not sys.platform.startswith("linux"):
        return NONE
    if sessions_count():
        return SESSIONS
    if shutil.which("systemd-run") and output_of([*SCOPE, "true"], timeout=5) is not None:
        return SCOPES
    return NONE


def prefix() -> list[str]:
    """The words before a command that put it into a group of its own; its session needs none."""
    return list(SCOPE) if how() == SCOPES else []


def sessions_count() -> bool:
    """Is each session a scheduling group: autogroup is on, and no control group stands above?"""
    try:
        return AUTOGROUP.read_text(encoding="ascii").strip() == "1" and in_root_group()
    except OSError:
        return False


def in_root_group(own: Path = Path("/proc/self/cgroup"), mounted: Path = GROUPS) -> bool:
    """Is this process in the root control group of the CPU controller?

    /proc/self/cgroup has a line for each hierarchy: number:controllers:path (cgroups(7)). In
    version 2 (no controllers) a group whose share is set has a file cpu.weight, the root has not.
    """
    for line in own.read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        if "cpu" in controllers.split(","):
            return path == "/"
    for line in own.read_text(encoding="utf-8").splitlines():
        if line.startswith("0::"):
            folder = mounted / line[3:].lstrip("/")
            inside = [each for each in (folder, *folder.parents) if each.is_relative_to(mounted)]
            return not any((each / "cpu.weight").exists() for each in inside)
    return True
