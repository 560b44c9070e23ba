"""What on this machine makes measurements less certain right now, and what to do about it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from benchbook.system import cores, machine, probe

SCANNERS = {
    "msmpeng.exe": "Windows Defender",
    "mssense.exe": "Defender for Endpoint",
    "wdavdaemon": "Defender for Endpoint",
    "clamd": "ClamAV",
    "falcon-sensor": "CrowdStrike Falcon",
    "csfalconservice.exe": "CrowdStrike Falcon",
    "sentinelagent": "SentinelOne",
    "mcshield.exe": "McAfee",
    "ekrn.exe": "ESET",
    "avp.exe": "Kaspersky",
    "savservice.exe": "Sophos",
}


# name: (severity, what it means, what to do)
ADVICE = {
    "load": (
        "warning",
        "other work competes with the measurement for the cores",
        "wait for it to end, or close it; top shows what it is",
    ),
    "other processes": (
        "warning",
        "they take time from the server or the load generator, not equally often",
        "close them while measuring (browsers, sync and backup are the usual ones)",
    ),
    "virus scanner": (
        "note",
        "it inspects files and connections, which slows builds and each new process",
        "exclude this folder from scanning, if you may; compare only on one machine",
    ),
    "clock governor": (
        "warning",
        "the clock follows the load, so a measurement also measures the governor",
        "sudo cpupower frequency-set --governor performance",
    ),
    "turbo": (
        "note",
        "the clock depends on temperature and on how many cores are busy",
        "for the steadiest figures: {}",
    ),
    "heat": (
        "note",
        "a hot CPU slows down during a race",
        "cool it, put the laptop on a hard surface, pause between races",
    ),
    "battery": ("warning", "power saving lowers and varies the clock", "plug it in"),
    "one core": (
        "warning",
        "server and load generator take turns on it: requests/s measure both together",
        "use a machine or a container with two cores or more",
    ),
    "CPU quota": (
        "warning",
        "the kernel stops all processes for the rest of a period when the quota is spent",
        "give the container whole cores (docker run --cpuset-cpus 0,1), not --cpus",
    ),
    "shared core": (
        "note",
        "server and load generator slow each other down even when pinned apart",
        "use a machine with two physical cores or more",
    ),
    "memory": (
        "warning",
        "builds and servers may be swapped out or killed",
        "close what you do not need; 1 GiB is enough for all experiments",
    ),
    "swap": (
        "note",
        "fetching memory back from disk takes milliseconds and shows in high percentiles",
        "close what you do not need, then: sudo swapoff -a && sudo swapon -a",
    ),
    "steal": (
        "warning",
        "another guest uses the same cores; rates vary over seconds",
        "measure at a quieter time or on a machine of your own; trust ratios, not rates",
    ),
    "WSL": (
        "note",
        "Windows schedules its cores, and files under /mnt are slow",
        "keep the checkout in the Linux file system, close Windows programs",
    ),
    "virtual machine": (
        "note",
        "its neighbours and its host's clock are out of sight",
        "trust ratios within a race, not requests/s between races",
    ),
}


@dataclass(frozen=True)
class Disturbance:
    """Something on this machine that makes measurements less certain, and what to do about it."""

    name: str
    severity: str  # "warning": expect wrong or unstable figures; "note": good to know
    found: str
    means: str
    remedy: str


@dataclass(frozen=True)
class Busy:
    """What other processes did while we watched."""

    processes: list[tuple[str, float]]  # name, per cent of one core
    steal_percent: float
    scanners: list[str]


def watch(seconds: float, share_percent: float = 10.0) -> Busy:
    """Look at the machine for a moment: who else uses it, and does the hypervisor take from it?"""
    psutil = probe.psutil_or_none()
    if psutil is None:
        return Busy([], 0.0, [])
    ours = own_processes(psutil)
    before = cpu_seconds(psutil)
    times = psutil.cpu_times()
    start = time.monotonic()
    time.sleep(seconds)
    elapsed = time.monotonic() - start
    after = cpu_seconds(psutil)
    later = psutil.cpu_times()
    processes = [
        (name, 100 * (used - before[pid][1]) / elapsed)
        for pid, (name, used) in after.items()
        if pid in before and pid not in ours
    ]
    busy = sorted((p for p in processes if p[1] > share_percent), key=lambda p: -p[1])
    steal = getattr(later, "steal", 0.0) - getattr(times, "steal", 0.0)
    total = sum(later) - sum(times)
    names = {name.lower() for name, _ in after.values()}
    scanners = sorted({label for name, label in SCANNERS.items() if name in names})
    return Busy(busy[:5], 100 * steal / total if total > 0 else 0.0, scanners)


def own_processes(psutil: ModuleType) -> set[int]:
    """This process, what it was started by and what it started."""
    try:
        me = psutil.Process()
        return {me.pid, *(p.pid for p in me.parents()), *(p.pid for p in me.children(True))}
    except psutil.Error:
        return {os.getpid()}


def cpu_seconds(psutil: ModuleType) -> dict[int, tuple[str, float]]:
    found: dict[int, tuple[str, float]] = {}
    for process in psutil.process_iter(["name", "cpu_times"]):
        spent = process.info["cpu_times"]
        if spent is not None:
            found[process.pid] = (process.info["name"] or "?", spent.user + spent.system)
    return found


def throttle_count() -> int:
    """How often the CPU has slowed down because it was too hot, since the machine started."""
    counts = (probe.SYS / "devices/system/cpu").glob(
        "cpu[0-9]*/thermal_throttle/core_throttle_count"
    )
    return sum(probe.number(path) or 0 for path in counts)


def find_disturbances(watch_seconds: float = 0.5) -> list[Disturbance]:
    """What on this machine disturbs measurements right now, the worst first."""
    busy = watch(watch_seconds)
    found = [
        *busy_disturbances(busy),
        *clock_disturbances(),
        *core_disturbances(),
        *memory_disturbances(),
        *host_disturbances(busy),
    ]
    return sorted(found, key=lambda disturbance: disturbance.severity != "warning")


def disturbance(name: str, found: str, command: str = "") -> Disturbance:
    """What was found, with the advice on it; command: what a remedy asks to be typed."""
    severity, means, remedy = ADVICE[name]
    return Disturbance(name, severity, found, means, remedy.format(command))


def busy_disturbances(busy: Busy) -> Iterator[Disturbance]:
    load, usable = machine.load_average(), len(cores.usable())
    if load and load[0] / usable > 0.5:
        yield disturbance("load", f"load average {load[0]} on {usable} usable cores")
    if busy.processes:
        names = ", ".join(f"{name} ({percent:.0f} %)" for name, percent in busy.processes)
        yield disturbance("other processes", f"using a core right now: {names}")
    if busy.scanners:
        yield disturbance("virus scanner", ", ".join(busy.scanners))


def clock_disturbances() -> Iterator[Disturbance]:
    rule = machine.governor()
    if rule and rule != "performance":
        yield disturbance("clock governor", f"the CPU frequency governor is {rule}")
    if machine.turbo():
        switch = probe.SYS / "devices/system/cpu/intel_pstate/no_turbo"
        command = f"echo 1 | sudo tee {switch}"
        if not switch.exists():
            command = f"echo 0 | sudo tee {probe.SYS / 'devices/system/cpu/cpufreq/boost'}"
        yield disturbance("turbo", "turbo (boost) is on", command)
    if throttled := throttle_count():
        yield disturbance("heat", f"the CPU has throttled {throttled} times since it was started")
    if machine.power_source() == "battery":
        yield disturbance("battery", "the machine runs on battery")


def core_disturbances() -> Iterator[Disturbance]:
    allowed, quota = len(cores.affinity()), cores.cpu_quota()
    if len(cores.usable()) < 2:
        yield disturbance("one core", "one usable core")
    if quota is not None and quota < allowed:
        limit = f"{quota:g} of {allowed} cores"
        yield disturbance("CPU quota", f"a control group limits this process to {limit}")
    physical = {cores.siblings(core) for core in cores.affinity()}
    if quota is None and allowed > 1 and len(physical) < 2:
        found = "all usable cores are hardware threads of one physical core"
        yield disturbance("shared core", found)


def memory_disturbances() -> Iterator[Disturbance]:
    state = machine.memory()
    available, swap = state["available_mib"], state["swap_used_mib"]
    if available is not None and available < 1024:
        yield disturbance("memory", f"{available} MiB of memory are available")
    if swap is not None and swap > 256:
        yield disturbance("swap", f"{swap} MiB are swapped out")


def host_disturbances(busy: Busy) -> Iterator[Disturbance]:
    hints = machine.virtualisation()
    if busy.steal_percent > 1:
        taken = f"{busy.steal_percent:.1f} % of the CPU time"
        yield disturbance("steal", f"the hypervisor took {taken}")
    if hints["wsl"]:
        yield disturbance("WSL", "this is Linux inside Windows (WSL)")
    elif guest := hints["virtual_machine"]:
        yield disturbance("virtual machine", f"this is a virtual machine ({guest})")
