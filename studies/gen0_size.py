"""Equal servers on .NET, of which one half may allocate as much between two garbage collections as
.NET finds right for the CPU's caches, and the other half 4 MB, all loaded at once: what a request
costs, how much that scatters from second to second, and how many pages of memory are touched for
the first time; and what such a page costs. The figures of "What is set, and what is left alone" in
method.md. Takes a minute and a half, on a Linux machine that does nothing else:

    .venv/bin/python studies/gen0_size.py [VARIANT of 01]
"""

import mmap
import statistics
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from benchbook.load import loading, registry
from benchbook.model import experiments
from benchbook.model.kinds.http import Http
from benchbook.programs import given_environment, programs, readiness
from benchbook.programs.programs import Program
from benchbook.race.kinds.http.continuous import ContinuousLoad
from benchbook.system import pinning
from benchbook_kernels.base.processes import Keeper

PAGES, COPIES, WARMUP_SECONDS, SECONDS, CONNECTIONS = 16384, 4, 60, 20, 50
HOW = {"as it comes": {}, "4 MB": {"DOTNET_GCgen0size": f"{given_environment.GEN0_BYTES:x}"}}


def touched(program: Program) -> int:
    """How many pages its processes have touched for the first time (proc(5), minflt)."""
    stats = (Path(f"/proc/{pid}/stat").read_text() for pid in program.members)
    return sum(int(text.rpartition(")")[2].split()[7]) for text in stats)


with mmap.mmap(-1, PAGES * mmap.PAGESIZE) as memory:
    begun = time.thread_time()
    for at in range(0, len(memory), mmap.PAGESIZE):
        memory[at] = 1
    print(f"a page costs {1e6 * (time.thread_time() - begun) / PAGES:.2f} CPU µs")

experiment = experiments.find("01")
variant = experiment.variant(sys.argv[1] if len(sys.argv) > 1 else "http-listener-async")
path, pins, tool = experiment.kind_as(Http).path, pinning.split(), registry.choose()
readiness.make_ready([variant], print)
given_environment.gen0 = lambda: {}
names = [(how, copy) for copy in range(COPIES) for how in HOW]
with ExitStack() as stack:
    keeper = Keeper()
    stack.callback(keeper.close)
    running, loads = {}, {}
    for name in names:
        running[name] = programs.start(variant, keeper, pins.server, env=HOW[name[0]])
        stack.callback(running[name].end, keeper)
    for name, program in running.items():
        programs.await_ready(program, path)
    for name, program in running.items():
        url = f"http://{programs.HOST}:{program.port}{path}"
        seconds = WARMUP_SECONDS + SECONDS + 30
        begun = loading.started(tool, url, seconds, CONNECTIONS, keeper, pins.client, None, 1)
        loads[name] = stack.enter_context(begun)
    continuous_load = ContinuousLoad(running, loads)
    stack.callback(continuous_load.end)
    continuous_load.block(names, WARMUP_SECONDS)
    costs, pages = {name: [] for name in names}, {name: touched(running[name]) for name in names}
    for _ in range(SECONDS):
        for name, load in continuous_load.block(names, 1.0).items():
            costs[name].append(1e6 * continuous_load.server_cpu_seconds[name] / load.requests)
    for how, copy in names:
        found = costs[how, copy]
        scatter = statistics.stdev(found) / statistics.fmean(found)
        fresh = (touched(running[how, copy]) - pages[how, copy]) / SECONDS
        print(
            f"{variant.name}, {how:<11}: {statistics.fmean(found):6.1f} CPU µs a request, "
            f"{scatter:5.1%} from second to second, {fresh:5.0f} pages a second"
        )
