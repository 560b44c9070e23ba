"""perf (linux-perf): may it sample here, and how often?

Its samples made a Kestrel server dearer by a share that grows with their number: in a virtual
machine with two busy CPUs by 29 and 47 % with one in each millisecond, by 36 % without stacks, by
22 % with one in two, by 8 % with one in five. What is dear in them was not found: a loop of one
thread costs no more with samples every 0.2 ms than without. Shares of the time are true all the
same, since samples fall where the time is spent.
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

MOST_PARANOID = 1  # of PARANOID: kernel samples for everybody
PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
RECORD = ("perf", "record", "-q", "-e", "cpu-clock", "-g", "-k", "CLOCK_MONOTONIC")
LEAST_US = 5000.0  # between two samples
TRIAL_SECONDS = 20


def interval_us(asked: float) -> float:
    """Between two samples: as asked for, but no less than is cheap enough."""
    return max(asked, LEAST_US)


@cache
def samples() -> bool:
    """Does perf sample our own processes here, the kernel's part included? It is tried."""
    if sys.platform != "linux" or not shutil.which("perf") or not may_sample():
        return False
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        data = Path(folder, "perf.data")
        words = [*RECORD, "--no-buildid", "--no-buildid-cache", "-o", str(data), "--", "true"]
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            done = running.run(words, timeout=TRIAL_SECONDS, cwd=Path(folder))
            return done.returncode == 0 and data.stat().st_size > 0
    return False


def may_sample() -> bool:
    """May this user sample the kernel, too? Root may."""
    with contextlib.suppress(OSError, ValueError):
        return os.geteuid() == 0 or int(PARANOID.read_text(encoding="ascii")) <= MOST_PARANOID
    return False
