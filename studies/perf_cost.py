"""What do perf's samples cost a server of .NET, taken of its threads and of its CPU?

    .venv/bin/python studies/perf_cost.py [ROUNDS]

As root, with linux-perf and wrk. A Kestrel server runs on one CPU, wrk on another. In each round it
is loaded for two seconds without perf, and then under each way of sampling; what is printed is CPU
time a request, as a factor of that without perf in the same round, each round's and their median.
"""

import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from benchbook.model import experiments
from benchbook.profiling.profilers.perf import RECORD
from benchbook_kernels.base import builds, processes
from benchbook_kernels.base.processes import Keeper

SECONDS, PORT, START_SECONDS = 2, 18977, 120
WAYS = {
    "threads, 1 ms": ("-c", "1000000", "-p", "PID"),
    "threads, 5 ms": ("-c", "5000000", "-p", "PID"),
    "CPU, 1 ms": ("-c", "1000000", "-a", "-C", "CPU"),
    "CPU, 0.5 ms": ("-c", "500000", "-a", "-C", "CPU"),
}
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
own, other = sorted(os.sched_getaffinity(0))[:2]
url = f"http://127.0.0.1:{PORT}/"


def server() -> list[str]:
    """How the server is started; it is built."""
    path = experiments.find("01").variant("kestrel-sync").path
    folder = builds.build_folder(path)
    builds.build(path, "build", folder, lambda: None)
    return ["dotnet", str(folder / "out" / f"{path.stem}.dll")]


def await_answer() -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(url).read()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def cost(keeper: Keeper, pid: int) -> float:
    """µs of CPU time a request, under load."""
    before = processes.cpu_seconds(pid)
    words = ["wrk", "-t1", "-c50", f"-d{SECONDS}s", url]
    load = keeper.start(words, stdout=subprocess.PIPE, cpus=[other])
    [requests] = re.findall(rb"(\d+) requests in", load.communicate()[0])
    return 1e6 * (processes.cpu_seconds(pid) - before) / int(requests)


def under(keeper: Keeper, pid: int, way: tuple[str, ...], folder: str) -> float:
    """The same, while perf samples."""
    given = [each.replace("PID", str(pid)).replace("CPU", str(own)) for each in way]
    words = [*RECORD, "-o", str(Path(folder, "perf.data")), *given]
    sampler = keeper.start(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    found = cost(keeper, pid)
    sampler.send_signal(signal.SIGINT)
    sampler.wait()
    return found


factors: dict[str, list[float]] = {name: [] for name in WAYS}
with Keeper() as keeper, tempfile.TemporaryDirectory() as folder:
    started = keeper.start(server(), env={**os.environ, "PORT": str(PORT)}, cpus=[own])
    await_answer()
    for _ in range(3):
        cost(keeper, started.pid)  # until it is compiled for good
    for _ in range(rounds):
        without = cost(keeper, started.pid)
        for name, way in WAYS.items():
            factors[name].append(under(keeper, started.pid, way, folder) / without)
for name, found in factors.items():
    each = " ".join(f"{factor:.2f}" for factor in found)
    print(f"{name:14} {statistics.median(found):.2f}   ({each})")
