"""Evidence that the thing measured was the bottleneck, and what speaks against a sample.

Each flag is a short name; EXPLAIN says what it means and what to do.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from benchbook.loadtools.tool import Load
from benchbook.model.samples import Evidence
from benchbook.system import cores
from benchbook_kernels.base import processes

CLIENT_BOUND = 0.95  # share of its CPUs that the load generator used: it could give no more
SERVER_IDLE = 0.75  # CPUs that the server used, at least, if it was the bottleneck; less is all
# right where its CPUs were busy with something else, or the hypervisor took them
LITTLE_TOLERANCE = 0.15  # relative difference allowed in Little's law
OUTSIDE = 0.10  # share of all CPUs that went to programs outside of the race
STOLEN = 0.02  # share of all CPUs that the hypervisor gave to other machines
MISCOUNTED = 0.01  # share of the requests sent that the load generator may not have counted
CLOCK = 0.05  # how much lower than the highest in this race the clock may be

EXPLAIN = {
    "client-bound": "the load generator used all of its CPU, so it was the bottleneck: "
    "give it more cores, or ask for more work per request",
    "server-idle": "the server had CPU time left, so it was not the bottleneck: "
    "raise --connections",
    "errors": "connections failed or timed out: the figures count what is left",
    "non-2xx": "the server answered with an error status: it did not do the work",
    "miscounted": "the load generator sent more requests than it counted, failed ones and those "
    "under way included: its figures count what is left; use another --tool",
    "littles-law": "connections ≠ throughput × mean latency: "
    "the load generator did not keep its connections busy, or its clock is wrong",
    "machine-busy": "other programs used the CPUs meanwhile: "
    "close them (./bench doctor names them)",
    "cpu-stolen": "the hypervisor gave the CPU to other virtual machines: "
    "use a machine of your own, or race longer",
    "disturbed": "slices took far more than the others, with a context switch or a garbage "
    "collection in them: other programs had the CPU in between, or memory was cleared up; "
    "they count",
    "clock-lower": "the CPU's clock was lower than before: heat, battery or a power plan; "
    "plug it in, let it cool down",
}


@dataclass(frozen=True)
class Together:
    """CPU seconds of all servers and of all load generators, in a block where all are loaded;
    clients: how many load generators there were, each of one thread."""

    server_cpu_seconds: float
    client_cpu_seconds: float
    clients: int


class Watch:
    """Looks at the machine when it is made and again at evidence(): what happened between?"""

    def __init__(self, server: Sequence[int], cpus: Sequence[int] | None = None) -> None:
        """server: ids of its processes; cpus: those that it may use, None for all."""
        self.server, self.cpus = tuple(server), cpus
        self.before = self.look()

    def look(self) -> dict[str, float]:
        times = psutil.cpu_times()
        voluntary, involuntary = switches(self.server)
        return {
            "server": sum(map(processes.cpu_seconds, self.server)) if self.server else math.nan,
            "own": time.process_time(),
            # without time in interrupts: the network's is not always charged to its programs
            "busy": times.user + getattr(times, "nice", 0.0) + times.system,
            "stolen": getattr(times, "steal", float("nan")),
            "voluntary": voluntary,
            "involuntary": involuntary,
            "idle": idle_seconds(self.cpus),
        }

    def evidence(self, client_cpu_seconds: float) -> Evidence:
        """What happened since; client_cpu_seconds is the load generator's, from its end."""
        after = self.look()
        spent = {name: after[name] - self.before[name] for name in after}
        outside = spent["busy"] - spent["server"] - spent["own"] - client_cpu_seconds
        return Evidence(
            server_cpu_seconds=spent["server"],
            outside_cpu_seconds=max(0.0, outside) if outside == outside else None,
            stolen_cpu_seconds=spent["stolen"] if spent["stolen"] == spent["stolen"] else None,
            clock_mhz=clock_mhz(),
            voluntary_switches=count(spent["voluntary"]),
            involuntary_switches=count(spent["involuntary"]),
            idle_cpu_seconds=spent["idle"],
        )

    def part_of(self, whole: Evidence) -> Evidence:
        """What happened on the machine, with what this one's processes did in it."""
        own = self.evidence(0.0)
        return replace(
            whole,
            server_cpu_seconds=own.server_cpu_seconds,
            voluntary_switches=own.voluntary_switches,
            involuntary_switches=own.involuntary_switches,
        )


def idle_seconds(cpus: Sequence[int] | None) -> float:
    """How long CPUs have been idle so far; where none are given, all that we may use."""
    cpus = cores.affinity() if cpus is None else cpus
    each = psutil.cpu_times(percpu=True)
    return float(sum(each[cpu].idle for cpu in cpus if cpu < len(each)))


def count(value: float) -> int | None:
    return int(value) if value == value else None


def switches(pids: Sequence[int]) -> tuple[float, float]:
    """Voluntary and involuntary context switches so far, all threads; NaN where unknown."""
    sums = [0, 0]
    for pid in pids:
        try:
            for status in Path(f"/proc/{pid}/task").glob("*/status"):
                lines = status.read_text().rsplit("\n", 3)
                sums[0] += int(lines[-3].partition(":")[2])
                sums[1] += int(lines[-2].partition(":")[2])
        except (OSError, ValueError, IndexError):
            return float("nan"), float("nan")
    known = bool(pids) and Path("/proc/self/task").is_dir()
    return (sums[0], sums[1]) if known else (float("nan"), float("nan"))


def clock_mhz() -> float | None:
    """Mean clock of the CPUs now, from the kernel's cpufreq files (Linux); None without them."""
    values = []
    for path in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_cur_freq"):
        try:
            values.append(int(path.read_text()) / 1000)
        except (OSError, ValueError):
            continue
    return sum(values) / len(values) if values else None


@dataclass(frozen=True)
class Setting:
    """What a sample was taken with: CPUs that one load generator can use, connections, all CPUs
    (counts).

    all_clients_cpus: CPUs that load generators can use which run at the same time; corrected: their
    latencies hold more than was sent (see LoadTool.corrects); quota: how many CPUs' time this
    container may use.
    """

    client_cpus: int
    connections: int
    corrected: bool = False
    cpus: int = 1
    all_clients_cpus: int = 1
    quota: float = math.inf


def littles_law(load: Load) -> float | None:
    """Mean number of requests in flight: throughput × mean latency. None without a mean latency.

    Little 1961, A Proof for the Queuing Formula L = λW, doi:10.1287/opre.9.3.383.
    """
    mean = load.latency_ms.get("mean")
    return None if mean is None else load.requests_per_second * mean / 1000


def flags(
    load: Load,
    evidence: Evidence,
    setting: Setting,
    highest_clock_mhz: float | None = None,
    together: Together | None = None,
) -> list[str]:
    """What speaks against a sample; empty where nothing does. What is not known is no evidence.

    highest_clock_mhz: the highest clock in this race so far; together: what all entries used, where
    they were loaded at the same time.
    """
    servers = together.server_cpu_seconds if together else evidence.server_cpu_seconds
    clients = together.client_cpu_seconds if together else load.client_cpu_seconds
    quota_left = setting.quota * load.seconds - servers - clients
    found = of_answers(load, setting)
    if load.seconds > 0:
        if client_bound(load, setting, together):
            found.append("client-bound")
        elif servers / load.seconds < SERVER_IDLE and had_time(load, evidence, quota_left):
            found.append("server-idle")
    available = load.seconds * setting.cpus
    if (evidence.outside_cpu_seconds or 0) > OUTSIDE * available:
        found.append("machine-busy")
    if (evidence.stolen_cpu_seconds or 0) > STOLEN * available:
        found.append("cpu-stolen")
    if evidence.clock_mhz and evidence.clock_mhz < (1 - CLOCK) * (highest_clock_mhz or 0):
        found.append("clock-lower")
    return found


def of_answers(load: Load, setting: Setting) -> list[str]:
    """The flags that follow from answers and latencies, which some loads tell in the end only."""
    found = []
    if sum(load.errors.values()):
        found.append("errors")
    if load.non_2xx:
        found.append("non-2xx")
    if breaks_littles_law(load, setting):
        found.append("littles-law")
    if miscounted(load, setting.connections):
        found.append("miscounted")
    return found


def miscounted(load: Load, under_way: int) -> bool:
    """Did the load generator leave out requests that it sent? under_way: in the end, at most."""
    told = load.requests + sum(load.errors.values())
    return load.sent is not None and left_out(load.sent, told, under_way)


def left_out(sent: int, told: int, under_way: int) -> bool:
    """Is what was sent, and not told of, more than what was under way in the end, at most?"""
    return sent - told - under_way > MISCOUNTED * sent


def client_bound(load: Load, setting: Setting, together: Together | None) -> bool:
    """Had the load generator no CPU time left, or together all of them?"""
    if not together:
        return load.client_cpu_seconds / load.seconds > CLIENT_BOUND * setting.client_cpus
    theirs = min(setting.all_clients_cpus, together.clients)
    alone = load.client_cpu_seconds / load.seconds > CLIENT_BOUND
    return alone or together.client_cpu_seconds / load.seconds > CLIENT_BOUND * theirs


def had_time(load: Load, evidence: Evidence, quota_left: float) -> bool:
    """Had the CPUs of a server that used little of them nothing else to do?

    quota_left: CPU seconds that its container still had.
    """
    left = [evidence.idle_cpu_seconds, None if math.isnan(quota_left) else quota_left]
    return all(idle is None or idle / load.seconds > 1 - SERVER_IDLE for idle in left)


def breaks_littles_law(load: Load, setting: Setting) -> bool:
    """Is throughput × mean latency far from the connections? Not asked where it can't be told."""
    in_flight = littles_law(load)
    if not in_flight or not load.requests:
        return False
    if float(load.latency_ms["max"] or 0).is_integer():
        return False  # latencies in whole milliseconds say nothing about a mean below one
    off = in_flight / setting.connections - 1
    return (-off if setting.corrected else abs(off)) > LITTLE_TOLERANCE
