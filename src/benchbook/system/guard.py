"""A process that outlives its parent by a moment, to end what the parent started.

`python guard.py TOKEN` waits for the end of its standard input, which comes when the parent closes
it or dies, however it dies (kill -9 included). It then ends every process whose environment holds
BENCHBOOK_TOKEN=TOKEN or TOKEN/…: only processes that this parent started, and their descendants,
even those that left their process group or were started by a keeper of their own. Imports nothing
of Benchbook, so that it starts fast.
"""

import os
import signal
import sys
import time
from pathlib import Path

VARIABLE = "BENCHBOOK_TOKEN"
GRACE_SECONDS = 1.0


def marked(token: str) -> list[int]:
    """The ids of living processes that carry the token in their environment."""
    if not Path("/proc/self/environ").exists():
        return marked_psutil(token)
    prefix = f"\0{VARIABLE}={token}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            environment = b"\0" + (folder / "environ").read_bytes()
        except OSError:
            continue  # ended meanwhile, or not ours to read
        if prefix + b"\0" in environment or prefix + b"/" in environment:
            found.append(int(folder.name))
    return found


def marked_psutil(token: str) -> list[int]:
    """The same on macOS and Windows."""
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            if f"{process.environ().get(VARIABLE, '')}/".startswith(f"{token}/"):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def sweep(token: str, grace_seconds: float = GRACE_SECONDS) -> list[int]:
    """End every marked process: asked first, after the grace killed. Returns their ids."""
    first = marked(token)
    left = first
    tell(left, signal.SIGTERM)
    deadline = time.monotonic() + grace_seconds
    while left and time.monotonic() < deadline:
        time.sleep(0.02)
        left = marked(token)
    while left:  # one that was just being started may appear late
        tell(left, getattr(signal, "SIGKILL", signal.SIGTERM))
        time.sleep(0.05)
        left = marked(token)
    return first


def tell(ids: list[int], signal_number: int) -> None:
    for pid in ids:
        try:
            os.kill(pid, signal_number)
        except OSError:
            pass


def main() -> None:
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    sys.stdin.buffer.read()
    sweep(sys.argv[1])


if __name__ == "__main__":
    main()
