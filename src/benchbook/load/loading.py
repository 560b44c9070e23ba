"""Run a load generator once: start it, stop it in time, read its result and its own CPU time."""

import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

import numpy as np

from benchbook.load.tool import (
    NO_ERRORS,
    PERCENTILES,
    Load,
    LoadError,
    LoadRequest,
    LoadTool,
    Paths,
    nothing,
)
from benchbook.system.processes import Keeper, Process, ended_within

RANKS = (50, 75, 90, 99, 99.9)  # of PERCENTILES
GRACE_SECONDS = 30.0  # longer than this after its time, and the tool hangs


def of_times(times_ms: Sequence[float], seconds: float, size: int) -> Load:
    """What a client measured that timed every load itself. size: bytes of a body."""
    latency = dict(zip(PERCENTILES, map(float, np.percentile(times_ms, RANKS)), strict=True))
    return Load(
        seconds=seconds,
        requests=len(times_ms),
        latency_ms={**latency, "mean": statistics.fmean(times_ms), "max": max(times_ms)},
        errors=dict(NO_ERRORS),
        non_2xx=0,
        bytes=size * len(times_ms),
    )


def sample_seconds(tool: LoadTool, seconds: float) -> float:
    """The length of a sample that the tool can do, at least `seconds`."""
    steps = max(1, math.ceil(round(seconds / tool.step_seconds, 6)))
    return round(steps * tool.step_seconds, 6)


def threads(tool: LoadTool, connections: int, cpus: Sequence[int] | None) -> int:
    """How many threads the tool runs with: one for each CPU it is pinned to, if it can."""
    return max(1, min(len(cpus or ()), connections)) if tool.threaded else 1


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
) -> Iterator[Callable[[], Load]]:
    """Begin to load `url`, or these paths there, for `seconds`; what is yielded waits for the end
    and returns what was measured. It is ended with the context. most_threads: None is one for each
    CPU, where the tool can.

    No requests where the tool was told to stop before it had begun (on a machine that is busy).
    Raises LoadError where the tool fails or its result can't be read.
    """
    with tempfile.TemporaryDirectory(prefix="benchbook-") as temporary:
        folder = Path(temporary)
        count = min(threads(tool, connections, cpus), most_threads or connections)
        command = tool.command(LoadRequest(url, seconds, connections, folder, count, paths))
        early = tool.interrupted and not float(seconds).is_integer()
        with open(folder / "output", "w+b") as out:
            began = time.monotonic()
            process = keeper.start(command, stdout=out, stderr=subprocess.STDOUT, cpus=cpus)

            def finished() -> Load:
                before = children_cpu()  # counts a process when it is waited for, and one at a time
                finish(process, began, seconds, early)
                cpu = children_cpu() - before
                if early and process.returncode == -signal.SIGINT:  # it did not listen to that yet
                    return nothing(seconds)
                load = result(tool, out, folder, command)
                if not math.isnan(load.client_cpu_seconds):  # on another host
                    return load
                return replace(load, client_cpu_seconds=cpu)

            try:
                yield finished
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
    with started(tool, url, seconds, connections, keeper, cpus, paths) as finished:
        return finished()


def result(tool: LoadTool, out: IO[bytes], folder: Path, command: Sequence[str]) -> Load:
    """What a load generator printed to `out`. Raises LoadError where that can't be read."""
    out.seek(0)
    output = out.read().decode("utf-8", "replace")
    try:
        return tool.read(output, folder)
    except (ValueError, KeyError, StopIteration, OSError) as error:
        tail = "\n".join(output.strip().splitlines()[-4:])
        raise LoadError(
            f"{tool.name} gave no result that can be read ({error or 'no line of JSON'})\n{tail}",
            f"run it by hand: {' '.join(command)}",
        ) from None


def finish(process: Process, began: float, seconds: float, early: bool) -> None:
    """Wait for a load generator that began then; `early`: tell it to stop after `seconds`.

    Raises LoadError where it does not end.
    """
    end = began + seconds
    if early and not ended_within(process, max(0.0, end - time.monotonic())):
        os.kill(process.pid, signal.SIGINT)  # it ends before its time only where it failed
    if not ended_within(process, end + GRACE_SECONDS - time.monotonic()):
        raise LoadError("the load generator did not end", "./bench doctor")


def children_cpu() -> float:
    """CPU seconds, user and system, of all children of this process that have been waited for."""
    if sys.platform == "win32":
        return float("nan")
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
