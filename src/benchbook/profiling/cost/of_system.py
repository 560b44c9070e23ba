"""What the system counts of a program: calls, bytes, packets, threads. All of it is Linux's."""

import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchbook.system import probe
from benchbook_kernels.base.processes import Keeper, ended_within
from benchbook_kernels.base.running import output_of

ENDING_SECONDS, GLANCE_SECONDS = 20.0, 0.002
CALL = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", re.MULTILINE)
BYTES = re.compile(r"\bbytes_sent:(\d+)")
PEER = re.compile(r"^\S+ +\d+ +\d+ +\S+ +(\S+)", re.MULTILINE)
SEGMENTS = re.compile(r"\bsegs_out:(\d+)")
NO_TRACE = "may not be traced: strace needs the right to (ptrace)"


def lacks_calls() -> str:
    """Why system calls can't be counted, '' where they can."""
    if not sys.platform.startswith("linux"):
        return "strace is Linux's"
    return "" if shutil.which("strace") else "strace is not installed: apt-get install strace"


def lacks_sent() -> str:
    """Why bytes and packets can't be counted, '' where they can."""
    if not sys.platform.startswith("linux"):
        return "ss is Linux's"
    return "" if shutil.which("ss") else "ss is not installed: apt-get install iproute2"


def calls(
    pid: int, seconds: float, keeper: Keeper, folder: Path, done: Callable[[], int]
) -> dict[str, float]:
    """How often a process made each system call of a request, its threads' included; {} where it
    may not be traced. It is many times slower meanwhile (strace(1), -c).

    done: how many requests there were so far, asked when tracing has begun: before, they are fast.
    """
    out = folder / "strace.txt"
    words = ["strace", "-c", "-f", "-p", str(pid), "-o", str(out)]
    process = keeper.start(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    requests = 0
    try:
        end = time.monotonic() + seconds
        while process.poll() is None and not is_traced(pid) and time.monotonic() < end:
            time.sleep(GLANCE_SECONDS)
        before = done()
        time.sleep(max(0.0, end - time.monotonic()))
        if process.poll() is None:
            requests = done() - before
            process.send_signal(signal.SIGINT)
            ended_within(process, ENDING_SECONDS)
    finally:
        keeper.end(process)
    text = out.read_text(encoding="utf-8", errors="replace") if out.is_file() else ""
    return parsed(text, requests)


def parsed(text: str, requests: int) -> dict[str, float]:
    """The calls of a request in what strace -c wrote; {} where there were none."""
    found = {name: int(count) for count, name in CALL.findall(text) if name != "total"}
    return {name: count / requests for name, count in found.items()} if requests > 0 else {}


def is_traced(pid: int) -> bool:
    told = re.search(r"^TracerPid:\s+(\d+)", probe.read(probe.PROC / str(pid) / "status"), re.M)
    return bool(told and int(told[1]))


def sent(port: int) -> tuple[int, int, frozenset[str]]:
    """Bytes and TCP segments that were sent on connections of this port that are open (ss(8), -i),
    and whom these are with.

    What the system says of a process (wchar in proc_pid_io(5)) lacks what it sent by sendmsg, as
    .NET does.
    """
    told = output_of(["ss", "-tinH", f"sport = :{port}"], timeout=10) or ""
    size, packets = (sum(map(int, form.findall(told))) for form in (BYTES, SEGMENTS))
    return size, packets, frozenset(PEER.findall(told))


def threads(pid: int) -> int:
    return len(list((probe.PROC / str(pid) / "task").glob("[0-9]*")))
