"""perf (linux-perf): may it sample here, what, and how often?

Where it may, it samples CPUs, whatever runs there, and what is not the program's is left out. Else
it samples the program's threads, each by a clock of its own, which stops and starts whenever the
thread loses a CPU and gets one. Such samples made a Kestrel server dearer by a share that grows
with their number: in a virtual machine with two busy CPUs by 29 and 47 % with one in each
millisecond, by 36 % without stacks, by 22 % with one in two, by 8 % with one in five; in another
hour by 23 % with one in each millisecond, while as many samples of its CPU cost nothing that could
be told from noise of 15 %. A loop of one thread, which waits for nothing, costs no more with
samples of its thread every 0.2 ms than without. Shares of the time are true either way, since
samples fall where the time is spent.

To sample a CPU, every program on it is interrupted, the copies without a profiler, too: what that
costs is no part of the overhead that is told. How much that is: studies/perf_cost.py.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from benchbook_kernels.base import running

MOST_PARANOID, MOST_OF_CPUS = 1, 0  # of PARANOID: kernel samples for everybody; of all programs
PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
RECORD = ("perf", "record", "-q", "-e", "cpu-clock", "-g", "-k", "CLOCK_MONOTONIC")
LEAST_US, LEAST_OF_CPUS_US = 5000.0, 1000.0  # between two samples
TRIAL_SECONDS = 20


def interval_us(asked: float) -> float:
    """Between two samples: as asked for, but no less than is cheap enough."""
    return max(asked, LEAST_OF_CPUS_US if samples_cpus() else LEAST_US)


@cache
def samples() -> bool:
    """Does perf sample our own processes here, the kernel's part included? It is tried."""
    return tried(MOST_PARANOID)


@cache
def samples_cpus() -> bool:
    """Does it sample whole CPUs, whatever runs there?"""
    return tried(MOST_OF_CPUS, "-a")


def tried(most_paranoid: int, *options: str) -> bool:
    if sys.platform != "linux" or not shutil.which("perf") or not may_sample(most_paranoid):
        return False
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        data = Path(folder, "perf.data")
        words = [*RECORD, *options, "--no-buildid", "--no-buildid-cache", "-o", str(data)]
        words += ["--", "true"]
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            done = running.run(words, timeout=TRIAL_SECONDS, cwd=Path(folder))
            return done.returncode == 0 and data.stat().st_size > 0
    return False


def may_sample(most_paranoid: int) -> bool:
    """May this user sample the kernel, too, where PARANOID is no more than that? Root may."""
    with contextlib.suppress(OSError, ValueError):
        return os.geteuid() == 0 or int(PARANOID.read_text(encoding="ascii")) <= most_paranoid
    return False
