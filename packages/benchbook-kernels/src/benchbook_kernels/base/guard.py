"""A process that outlives its parent by a moment, to end what the parent started.

`python guard.py TOKEN` reads the ids of the processes that the parent started, and the folder in
which they write, a line each, until the end of its standard input, which comes when the parent
closes it or dies, however it dies (kill -9 included). Then it removes the folder, but first it ends

- every process whose environment holds BENCHBOOK_TOKEN=TOKEN or TOKEN/…, even one that left its
  process group or was started by a keeper of its own;
- every process in the session of one that was started: nginx writes over its environment;
- every descendant of these, whatever its environment and its session.

It has an understudy, which is no descendant of the parent and hears the same lines: where the guard
is killed, too, as by somebody who ends the parent and all its children at once, the understudy does
its work (not on Windows, where a process has no fork).

What it can't catch: a descendant without the token in a session of its own, whose parent ended
before. Imports nothing of Benchbook, so that it starts fast.
"""

import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO, NamedTuple

VARIABLE = "BENCHBOOK_TOKEN"
PROC = Path("/proc/self/stat")
GRACE_SECONDS = 1.0
DONE = b"done\n"  # the guard's last line to its understudy


def marked(token: str) -> list[int]:
    """The ids of living processes that carry the token in their environment."""
    if not PROC.exists():
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


class Known(NamedTuple):
    """What is known of a living process; start: when it began, in whatever unit, and 0 where that
    is not known."""

    parent: int
    session: int
    start: float


def living() -> dict[int, Known]:
    """Every living process by its id."""
    if PROC.exists():
        ids = [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]
    else:
        import psutil

        ids = psutil.pids()
    return {pid: known for pid in ids if (known := look(pid))}


def look(pid: int) -> Known | None:
    """What is known of a process; None where it has ended.

    Linux: fields 4, 6 and 22 of /proc/PID/stat (proc(5)); elsewhere from psutil.
    """
    if not PROC.exists():
        return look_psutil(pid)
    try:
        # the name, in brackets, may contain anything
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    if fields[0] in (b"Z", b"X"):
        return None
    return Known(int(fields[1]), int(fields[3]), int(fields[19]))


def look_psutil(pid: int) -> Known | None:
    """The same on macOS, and on Windows, where there are no sessions."""
    import psutil

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        session = os.getsid(pid) if hasattr(os, "getsid") else -1
        return Known(process.ppid(), session, process.create_time())
    except (psutil.Error, OSError):
        return None


def watched(token: str, started: dict[int, float]) -> dict[int, float]:
    """The living processes to end (see above) and when each began.

    started: the same of those that were started; an id may be another process's by now, and is a
    session's as long as anything is in that. Without the guards of other keepers: those end by
    themselves when theirs does.
    """
    known = living()

    def same(pid: int) -> bool:
        return pid in started and (pid not in known or known[pid].start == started[pid])

    children: dict[int, list[int]] = {}
    for pid, about in known.items():
        children.setdefault(about.parent, []).append(pid)
    found: dict[int, float] = {}
    next_ones = [*marked(token), *(p for p in known if same(p) or same(known[p].session))]
    while next_ones:
        pid = next_ones.pop()
        if pid not in found and pid != os.getpid() and pid in known:
            found[pid] = known[pid].start
            next_ones += children.get(pid, [])
    return {pid: start for pid, start in found.items() if not is_guard(pid)}


def is_guard(pid: int) -> bool:
    try:
        return os.fsencode(__file__) in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def sweep(
    token: str, started: dict[int, float] | None = None, grace_seconds: float = GRACE_SECONDS
) -> None:
    """End every watched process: asked first, after the grace killed.

    A descendant that was seen once is ended even where its parent has ended meanwhile.
    """
    seen = dict(started or {})
    left = watched(token, seen)
    tell(left, signal.SIGTERM)
    deadline = time.monotonic() + grace_seconds
    while left and time.monotonic() < deadline:
        seen |= left
        time.sleep(0.02)
        left = watched(token, seen)
    while left:  # one that was just being started may appear late
        seen |= left
        tell(left, getattr(signal, "SIGKILL", signal.SIGTERM))
        time.sleep(0.05)
        left = watched(token, seen)


def tell(ids: Iterable[int], signal_number: int) -> None:
    for pid in ids:
        try:
            os.kill(pid, signal_number)
        except OSError:
            pass


def main() -> None:
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    if not hasattr(os, "fork"):
        guard(sys.argv[1], sys.stdin.buffer)
        return
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)  # what is left is no descendant of the parent
        os.close(writer)
        understudy(sys.argv[1], os.fdopen(reader, "rb"))
        return
    os.wait()
    os.close(reader)
    with os.fdopen(writer, "wb", buffering=0) as told:
        guard(sys.argv[1], sys.stdin.buffer, told)


def guard(token: str, lines: Iterable[bytes], told: IO[bytes] | None = None) -> None:
    """Read what was started to the end of the lines, then end it; told: hears the lines, too."""
    watch = GuardedWork()
    for line in lines:
        watch.hear(line)
        if told:
            pass_on(told, line)
    watch.end(token)
    if told:
        pass_on(told, DONE)


def understudy(token: str, lines: Iterable[bytes]) -> None:
    """Do the guard's work where the guard itself was killed, perhaps with its parent."""
    watch = GuardedWork()
    for line in lines:
        if line == DONE:
            return
        watch.hear(line)
    for line in sys.stdin.buffer:  # from here on it is ours
        watch.hear(line)
    watch.end(token)


def pass_on(told: IO[bytes], line: bytes) -> None:
    try:
        told.write(line)
    except OSError:  # somebody has ended the understudy
        pass


class GuardedWork:
    """What a parent started: processes, with the time at which each began, and folders."""

    def __init__(self) -> None:
        self.started: dict[int, float] = {}
        self.folders: list[str] = []

    def hear(self, line: bytes) -> None:
        told = os.fsdecode(line.rstrip(b"\r\n"))  # a folder's name need not be in any encoding
        if told.isdigit():
            self.started[int(told)] = known.start if (known := look(int(told))) else 0
        else:
            self.folders.append(told)

    def end(self, token: str) -> None:
        sweep(token, self.started)
        for folder in self.folders:
            with contextlib.suppress(OSError):
                os.unlink(folder)  # a socket, which is no folder
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
