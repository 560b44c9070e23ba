"""Start processes so that each is ended: on success, failure, Ctrl-C and death of this process."""

import contextlib
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import psutil

from benchbook_kernels.base import guard
from benchbook_kernels.base.running import (
    kill_group,
    own_group,
    signal_group,
    temporary_files,
    uncoloured,
)

Process = subprocess.Popen[bytes]
# A socket's path has 104 characters on macOS (unix(4)), of which a user's own folder takes 49.
SHORT = "/tmp" if sys.platform == "darwin" else None
SETPRIV = ("setpriv", "--pdeathsig", "TERM")
TELLS_LISTENERS = sys.platform != "darwin"  # may we see the sockets of our own processes?


class Keeper:
    """A context in which processes are started; leaving it ends all of them.

    A guard process (guard.py) watches over it and ends them if this process dies instead. Where
    this process was itself started by a keeper, that one ends them, too.
    """

    def __init__(self) -> None:
        outer = os.environ.get(guard.VARIABLE)
        own = secrets.token_hex(16)
        self.token = f"{outer}/{own}" if outer else own
        self._running: list[Process] = []
        self._folder: Path | None = None
        self._left: list[Path] = []
        self._former: list[Process] = []  # guards that somebody has ended
        self._guard = self._guarded()

    def _guarded(self) -> Process:
        """A guard that knows what is running."""
        process = subprocess.Popen(
            [sys.executable, str(Path(guard.__file__)), self.token],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={k: v for k, v in os.environ.items() if k != guard.VARIABLE},
            **own_group(),
        )
        for each in self._running:
            tell(process, each.pid)
        for path in [*([self._folder] if self._folder else []), *self._left]:
            tell(process, path)
        return process

    @property
    def folder(self) -> Path:
        """A temporary folder for what is started; the guard removes it in the end."""
        if not self._folder:
            self._folder = Path(tempfile.mkdtemp(prefix="benchbook-", dir=SHORT))
            self._tell(self._folder)
        return self._folder

    def remove(self, path: Path) -> None:
        """Let a file go, too, that something leaves which is started: by an absolute path."""
        self._tell(path)
        self._left.append(path)

    def _tell(self, what: int | Path) -> None:
        """Let the guard know, or a new one, where somebody has ended it."""
        if self._guard.poll() is None:
            with contextlib.suppress(BrokenPipeError):
                tell(self._guard, what)
                return
        self._replace_guard()

    def _replace_guard(self) -> None:
        """A new guard for one that somebody has ended, whose understudy still hears the old pipe:
        it would end all that was started where that ends."""
        self._guard.wait()
        self._former.append(self._guard)
        self._guard = self._guarded()

    def __enter__(self) -> "Keeper":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(
        self,
        command: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: IO[Any] | int = subprocess.DEVNULL,
        stdout: IO[Any] | int = subprocess.DEVNULL,
        stderr: IO[Any] | int = subprocess.DEVNULL,
        cpus: Sequence[int] | None = None,
        inherited: Mapping[str, str] | None = None,
        pass_fds: Sequence[int] = (),
        bufsize: int = -1,
    ) -> Process:
        """Start a command in a process group of its own, on `cpus` where they are given.

        inherited: its environment; this process's unless given, but for its temporary files, which
        go with the keeper's folder (.NET leaves some wherever it is killed), and for wishes for
        colours. env: what is added to that; pass_fds and bufsize are subprocess.Popen's. Raises
        OSError where it can't be started.
        """
        if inherited is None:
            inherited = uncoloured(os.environ) | temporary_files(self.folder)
        environment = {
            **inherited,
            **(env or {}),
            guard.VARIABLE: self.token,
        }
        prefix = []
        if shutil.which(command[0], path=environment.get("PATH")):  # otherwise Popen says so
            prefix = with_its_parent()
        with inherited_cpus(cpus):
            process = subprocess.Popen(
                [*prefix, *command],
                cwd=cwd,
                env=environment,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=pass_fds,
                bufsize=bufsize,
                **own_group(),
            )
        if cpus and sys.platform == "win32":
            psutil.Process(process.pid).cpu_affinity(list(cpus))
        self._running.append(process)
        self._tell(process.pid)
        return process

    def end(self, process: Process, grace_seconds: float = 2.0) -> None:
        """End a process and its group: asked first, killed after the grace."""
        self.end_all([process], grace_seconds)

    def end_all(self, processes: Sequence[Process], grace_seconds: float = 2.0) -> None:
        """As end, for several at once. Their descendants, wherever they went, end too."""
        descendants = [d for process in processes for d in descendants_of(process.pid)]
        for process in processes:
            signal_group(process, signal.SIGTERM)
        deadline = time.monotonic() + grace_seconds
        for process in processes:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                kill_group(process)
                process.wait()
            if process in self._running:
                self._running.remove(process)
        for each in descendants:
            with contextlib.suppress(psutil.Error):
                each.kill()  # psutil knows by its start that an id is another's by now

    def close(self) -> None:
        """End all that still runs, then let the guard look for anything that got away."""
        self.end_all(list(self._running), grace_seconds=1.0)
        if self._guard.poll() is not None:
            self._replace_guard()
        for guarding in (*self._former, self._guard):
            if guarding.stdin and not guarding.stdin.closed:
                with contextlib.suppress(BrokenPipeError):
                    guarding.stdin.close()
        self._guard.wait()


def ended_within(process: Process, seconds: float) -> bool:
    """Wait for a process to end, at most `seconds`; did it?"""
    if not exits_within(process, seconds):
        return False
    process.wait()
    return True


def exits_within(process: Process, seconds: float) -> bool:
    """As ended_within; Linux: what the kernel counted of the process can still be read.

    There it waits on a file descriptor of the process (pidfd_open(2)), which tells at once;
    Popen.wait with a timeout looks again every 50 ms only, and that would be lost in every round of
    a race.
    """
    if hasattr(os, "pidfd_open") and process.returncode is None:
        try:
            handle = os.pidfd_open(process.pid)
        except OSError:
            handle = -1  # a kernel before 5.3
        if handle >= 0:
            try:
                return bool(select.select([handle], [], [], seconds)[0])
            finally:
                os.close(handle)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def tell(guarding: Process, what: int | Path) -> None:
    """Let a guard know of a process that was started, by its id, or of a folder. Raises
    BrokenPipeError where it has ended."""
    assert guarding.stdin
    guarding.stdin.write(os.fsencode(str(what)) + b"\n")


def with_its_parent() -> list[str]:
    """The prefix that starts a command which is asked to end when this process dies, even where the
    guard dies too (Linux: PR_SET_PDEATHSIG of prctl(2), by setpriv of util-linux).

    For the main thread only: it is the end of the thread that counts.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return []
    return list(SETPRIV) if shutil.which(SETPRIV[0]) else []


@contextlib.contextmanager
def inherited_cpus(cpus: Sequence[int] | None) -> Iterator[None]:
    """What this thread starts meanwhile runs on these CPUs (Linux, where a child inherits those of
    the thread that starts it: sched_setaffinity(2))."""
    if not cpus or sys.platform != "linux":
        yield
        return
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, own)


def move(pids: Sequence[int], cpus: Sequence[int]) -> None:
    """Put running processes on these CPUs, with all their threads (Linux; elsewhere nothing).

    Threads that they start later inherit it.
    """
    if sys.platform == "linux":
        for task in [t for pid in pids for t in Path(f"/proc/{pid}/task").glob("[0-9]*")]:
            with contextlib.suppress(OSError):  # a thread that has just ended
                os.sched_setaffinity(int(task.name), cpus)


def cpu_seconds(pid: int) -> float:
    """User and system CPU time of a living process, all threads, in seconds.

    Linux: the process's CPU clock, in nanoseconds (clock_getcpuclockid(3); the id's form is
    MAKE_PROCESS_CPUCLOCK in include/linux/posix-timers.h). Elsewhere psutil's, in clock ticks.
    Returns NaN for a process that has ended.
    """
    try:
        if sys.platform == "linux":
            return time.clock_gettime((~pid << 3) | 2)
        else:
            times = psutil.Process(pid).cpu_times()
            return times.user + times.system
    except (OSError, psutil.Error):
        return float("nan")


def runnable(pids: Sequence[int]) -> bool | None:
    """Does a thread of these processes run, or wait for a CPU or a disk? None where the system does
    not say (proc_pid_stat(5) is Linux).

    CPU time would not tell on a machine where others have the CPUs.
    """
    if sys.platform != "linux":
        return None
    for pid in pids:
        for status in Path(f"/proc/{pid}/task").glob("*/stat"):
            with contextlib.suppress(OSError, IndexError):  # a thread that has just ended
                if status.read_text(errors="replace").rpartition(")")[2].split()[0] in "RD":
                    return True
    return False


def descendants_of(pid: int) -> list[psutil.Process]:
    """The living descendants of a process; none where it has ended."""
    try:
        found: list[psutil.Process] = psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []
    return found


def family(pid: int) -> list[int]:
    """The ids of a process and its living descendants."""
    return [pid, *(child.pid for child in descendants_of(pid))]


def listening(pid: int) -> list[tuple[str, int]]:
    """(address, port) of every TCP socket on which a process or a descendant listens."""
    found = []
    for member in family(pid):
        try:
            process = psutil.Process(member)
            # psutil 6 renamed it; Debian 12 has 5.9
            connections = getattr(process, "net_connections", None) or process.connections
            for connection in connections(kind="inet"):
                if connection.status == psutil.CONN_LISTEN:
                    found.append((connection.laddr.ip, connection.laddr.port))
        except psutil.Error:
            continue
    return found


def listener(port: int) -> str:
    """Who listens on a port, for a message: 'node (process 123)', or '' where unknown."""
    try:
        for connection in psutil.net_connections(kind="tcp"):
            address = connection.laddr
            if connection.status == psutil.CONN_LISTEN and address and address.port == port:
                if connection.pid:
                    return f"{psutil.Process(connection.pid).name()} (process {connection.pid})"
    except psutil.Error:
        pass
    return ""
