"""What this machine lets a process open, compared with the connections before a race begins.

A load generator that may not open its connections counts errors of the server, of every server.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.words import counted

SPARE = 32  # files that a load generator, or a server, has open besides its connections
EACH = 4  # that Benchbook itself has open for each program
PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
OPTION = "--connections"


def check(connections: int, programs: int, where: str = OPTION) -> None:
    """Raise the limit of open files as far as the race needs it and the system lets us.

    where: what says how many connections, the option or an article's claim, which stays as it is.
    Raises InputError, with the remedy, where that is not enough, or where there are too few ports.
    """
    ports = client_ports()
    if ports is not None and connections > ports:
        problem = f"{connections:,} connections need as many ports, and there are {ports:,}"
        widen = f"widen {PORTS}"
        remedy = f"{ports:,} or fewer (or {widen})" if where == OPTION else widen
        raise InputError(where, "", problem, remedy)
    needed = max(connections + SPARE, open_here() + EACH * programs)
    limit = open_files(needed)
    if limit is not None and limit < needed:
        fewer = ""
        if where == OPTION and connections > limit - SPARE > 0:
            fewer = f"{OPTION} {limit - SPARE} or fewer, or "
        problem = (
            f"no load generator can open {counted(connections, 'connection')}: a process may have "
            f"{counted(limit, 'file')} open here, and this race needs {needed:,}"
        )
        raise InputError(where, "", problem, f"{fewer}raise the limit: ulimit -n {needed}")


def open_files(needed: int) -> int | None:
    """How many files a process may have open; the limit is raised first, if that is needed and
    allowed. None where there is none that is known."""
    if sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    if soft < needed:
        allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        with suppress(OSError, ValueError):  # macOS has a limit below the one that it tells
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
            soft = allowed
    return soft


def open_here() -> int:
    """Files that this process has open; 0 where that can't be known."""
    with suppress(OSError):
        return len(os.listdir("/proc/self/fd"))
    return 0


def client_ports() -> int | None:
    """How many ports there are for connections to one server; None where that is not known."""
    try:
        low, high = map(int, PORTS.read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return None
    return high - low + 1
