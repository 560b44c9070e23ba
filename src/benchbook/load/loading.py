"""Run a load generator once: start it, stop it in time, read its result and its own CPU time."""

import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import numpy as np
import psutil

from benchbook.load import installed, registry
from benchbook.load.errors import LoadError
from benchbook.loadtools.manner import Manner
from benchbook.loadtools.tool import PERCENTILES, Load, LoadRequest, LoadTool, Paths
from benchbook_kernels.base.processes import Keeper, Process, cpu_seconds, exits_within

RANKS = (50, 75, 90, 99, 99.9)  # of PERCENTILES
GRACE_SECONDS = 30.0  # longer than this after its time, and the tool hangs


def of_times(times_ms: Sequence[float], seconds: float, size: int) -> Load:
    """What a client measured that timed every load itself. size: bytes of a body."""
    latency = dict(zip(PERCENTILES, map(float, np.percentile(times_ms, RANKS)), strict=True))
    return Load(
        seconds=seconds,
        requests=len(times_ms),
        latency_ms={**latency, "mean": statistics.fmean(times_ms), "max": max(times_ms)},
        bytes=size * len(times_ms),
    )


def sample_seconds(tool: LoadTool, seconds: float) -> float:
    """The length of a sample that the tool can do, at least `seconds`."""
    steps = max(1, math.ceil(round(seconds / tool.step_seconds, 6)))
    return round(steps * tool.step_seconds, 6)


def threads(
    tool: LoadTool, connections: int, cpus: Sequence[int] | None, most: int | None = None
) -> int:
    """How many threads the tool runs with, where it can: one for each CPU it is pinned to, or so
    many fewer that all have as many connections. wrk does not open those that are left over."""
    if not tool.threaded:
        return 1
    wanted = max(1, min(len(cpus or ()), most or connections, connections))
    return next(count for count in range(wanted, 0, -1) if connections % count == 0)


@dataclass
class Running:
    """A load generator under way that began then, by time.monotonic(), and is told to stop after
    `seconds` where it does not stop by itself (early). out and folder: where its result will be;
    request_bytes: of each request, 0 where they differ."""

    tool: LoadTool
    process: Process
    command: Sequence[str]
    out: IO[bytes]
    folder: Path
    seconds: float
    early: bool
    began: float
    request_bytes: int = 0

    @property
    def cpu_seconds(self) -> float:
        """User and system time that it has had so far; NaN where it has ended."""
        return cpu_seconds(self.process.pid)

    def sent(self) -> int | None:
        """How many requests it has sent so far, of a tool that sends each by one write; None where
        that can't be known.

        The number of its writes, of all threads (syscw in proc_pid_io(5)). A connection sends its
        next request when it has read an answer, so between two looks as many were answered as were
        sent. What else such a tool writes, it writes in the end.
        """
        if not self.tool.counts_requests:
            return None
        try:
            return int(psutil.Process(self.process.pid).io_counters().write_count)
        except (psutil.Error, OSError, ValueError, AttributeError):
            return None

    def stop(self) -> None:
        """Tell it to stop now."""
        self.seconds, self.early = time.monotonic() - self.began, True
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGINT)

    def finished(self) -> Load:
        """Wait for its end, and return what it measured. Raises LoadError as `started` says."""
        before = children_cpu()  # counts a process when it is waited for, and one at a time
        finish(self.process, self.began, self.seconds, self.early)
        sent = sent_in_all(self.tool, self.process, self.folder, self.request_bytes)
        self.process.wait()
        cpu = children_cpu() - before
        if self.early and self.process.returncode == -signal.SIGINT:  # not listening to that yet
            return Load(self.seconds, 0)
        load = result(self.tool, self.out, self.folder, self.command)
        if not math.isnan(load.client_cpu_seconds):  # on another host, as what it sent
            return load
        load = load if load.sent is not None else replace(load, sent=sent)
        return replace(load, client_cpu_seconds=cpu)


@contextmanager
def started(
    tool: LoadTool,
    url: str,
    seconds: float,
    connections: int,
    keeper: Keeper,
    cpus: Sequence[int] | None = None,
    paths: Paths | None = None,
    most_threads: int | None = None,
) -> Iterator[Running]:
    """Begin to load `url`, or these paths there, for `seconds`. It is ended with the context.
    most_threads: None is one for each CPU, where the tool can.

    No requests where the tool was told to stop before it had begun (on a machine that is busy).
    Raises LoadError where the tool can't ask these paths, fails or gives no result.
    """
    if reason := registry.refuses(tool, paths):
        raise LoadError(reason, "leave --tool out")
    with tempfile.TemporaryDirectory(dir=keeper.folder) as temporary:
        folder = Path(temporary)
        count = threads(tool, connections, cpus, most_threads)
        request = LoadRequest(url, seconds, connections, folder, count, paths)
        command = installed.started_here(tool, tool.command(request))
        early = tool.interrupted and not float(seconds).is_integer()
        with open(folder / "output", "w+b") as out:
            began = time.monotonic()
            process = keeper.start(command, stdout=out, stderr=subprocess.STDOUT, cpus=cpus)
            try:
                size = 0 if paths else request_bytes(tool.manner, url)
                yield Running(tool, process, command, out, folder, seconds, early, began, size)
            finally:
                keeper.end(process)


def run(
    tool: LoadTool,
    url: str,
    seconds: float,
    connections: int,
    keeper: Keeper,
    cpus: Sequence[int] | None = None,
    paths: Paths | None = None,
) -> Load:
    """Load `url` as `started` does, and return what was measured. Raises LoadError as it does."""
    with started(tool, url, seconds, connections, keeper, cpus, paths) as running:
        return running.finished()


def result(tool: LoadTool, out: IO[bytes], folder: Path, command: Sequence[str]) -> Load:
    """What a load generator printed to `out`. Raises LoadError where that can't be read."""
    out.seek(0)
    output = out.read().decode("utf-8", "replace")
    try:
        return tool.read(output, folder)
    except (ValueError, KeyError, StopIteration, OSError) as error:
        what = str(error) or "no line of JSON"
        tail = "\n".join(output.strip().splitlines()[-4:])
        raise LoadError(
            f"{tool.name} gave no result that can be read ({what})\n{tail}",
            f"run it by hand: {' '.join(command)}",
        ) from None


def finish(process: Process, began: float, seconds: float, early: bool) -> None:
    """Wait for the exit of a load generator that began then; `early`: tell it to stop after
    `seconds`.

    Raises LoadError where it does not end.
    """
    end = began + seconds
    if early and not exits_within(process, max(0.0, end - time.monotonic())):
        os.kill(process.pid, signal.SIGINT)  # it ends before its time only where it failed
    if not exits_within(process, max(0.0, end - time.monotonic()) + GRACE_SECONDS):
        raise LoadError("the load generator did not end", "./bench doctor")


def request_bytes(manner: Manner, url: str) -> int:
    """The length of a request for `url`, as a load generator sends it."""
    parts = urlsplit(url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return len(manner.request(parts.hostname or "", parts.port or 80, path or "/"))


def sent_in_all(tool: LoadTool, process: Process, folder: Path, size: int) -> int | None:
    """How many requests a load generator has sent that ended and was not waited for, of `size`
    bytes each; None where that can't be known.

    What it wrote, by the kernel's count (proc_pid_io(5)), but for what it printed to files in its
    folder; or how often, where it sends each request by one write.
    """
    try:
        wrote = psutil.Process(process.pid).io_counters()
        printed = sum(file.stat().st_size for file in folder.iterdir())
    except (psutil.Error, OSError, ValueError, AttributeError):
        return None
    if tool.writes_each:
        return int(wrote.write_count) if tool.counts_requests else None
    if not size or not hasattr(wrote, "write_chars"):  # Linux has it
        return None
    return max(0, int(wrote.write_chars) - printed) // size


def children_cpu() -> float:
    """CPU seconds, user and system, of all children of this process that have been waited for."""
    if sys.platform == "win32":
        return float("nan")
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
