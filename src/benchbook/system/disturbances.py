"""What on this machine makes measurements less certain right now, and what to do about it."""

from __future__ import annotations

import os
import time
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


def busy_disturbances(busy: Busy) -> list[Disturbance]:
    found: list[Disturbance] = []
    load, usable = machine.load_average(), len(cores.usable())
    if load and load[0] / usable > 0.5:
        found.append(
            Disturbance(
                "load",
                "warning",
                f"load average {load[0]} on {usable} usable cores",
                "other work competes with the measurement for the cores",
                "wait for it to end, or close it; top shows what it is",
            )
        )
    if busy.processes:
        names = ", ".join(f"{name} ({percent:.0f} %)" for name, percent in busy.processes)
        found.append(
            Disturbance(
                "other processes",
                "warning",
                f"using a core right now: {names}",
                "they take time from the server or the load generator, not equally often",
                "close them while measuring (browsers, sync and backup are the usual ones)",
            )
        )
    if busy.scanners:
        found.append(
            Disturbance(
                "virus scanner",
                "note",
                ", ".join(busy.scanners),
                "it inspects files and connections, which slows builds and each new process",
                "exclude this folder from scanning, if you may; compare only on one machine",
            )
        )
    return found


def clock_disturbances() -> list[Disturbance]:
    found: list[Disturbance] = []
    rule = machine.governor()
    if rule and rule != "performance":
        found.append(
            Disturbance(
                "clock governor",
                "warning",
                f"the CPU frequency governor is {rule}",
                "the clock follows the load, so a measurement also measures the governor",
                "sudo cpupower frequency-set --governor performance",
            )
        )
    if machine.turbo():
        switch = probe.SYS / "devices/system/cpu/intel_pstate/no_turbo"
        remedy = f"echo 1 | sudo tee {switch}"
        if not switch.exists():
            remedy = f"echo 0 | sudo tee {probe.SYS / 'devices/system/cpu/cpufreq/boost'}"
        found.append(
            Disturbance(
                "turbo",
                "note",
                "turbo (boost) is on",
                "the clock depends on temperature and on how many cores are busy",
                f"for the steadiest figures: {remedy}",
            )
        )
    if throttled := throttle_count():
        found.append(
            Disturbance(
                "heat",
                "note",
                f"the CPU has throttled {throttled} times since it was started",
                "a hot CPU slows down during a race",
                "cool it, put the laptop on a hard surface, pause between races",
            )
        )
    if machine.power_source() == "battery":
        found.append(
            Disturbance(
                "battery",
                "warning",
                "the machine runs on battery",
                "power saving lowers and varies the clock",
                "plug it in",
            )
        )
    return found


def core_disturbances() -> list[Disturbance]:
    found: list[Disturbance] = []
    allowed, quota = len(cores.affinity()), cores.cpu_quota()
    if len(cores.usable()) < 2:
        found.append(
            Disturbance(
                "one core",
                "warning",
                "one usable core",
                "server and load generator take turns on it: requests/s measure both together",
                "use a machine or a container with two cores or more",
            )
        )
    if quota is not None and quota < allowed:
        found.append(
            Disturbance(
                "CPU quota",
                "warning",
                f"a control group limits this process to {quota:g} of {allowed} cores",
                "the kernel stops all processes for the rest of a period when the quota is spent",
                "give the container whole cores (docker run --cpuset-cpus 0,1), not --cpus",
            )
        )
    if (
        quota is None
        and allowed > 1
        and len({cores.siblings(core) for core in cores.affinity()}) < 2
    ):
        found.append(
            Disturbance(
                "shared core",
                "note",
                "all usable cores are hardware threads of one physical core",
                "server and load generator slow each other down even when pinned apart",
                "use a machine with two physical cores or more",
            )
        )
    return found


def memory_disturbances() -> list[Disturbance]:
    found: list[Disturbance] = []
    state = machine.memory()
    available, swap = state["available_mib"], state["swap_used_mib"]
    if available is not None and available < 1024:
        found.append(
            Disturbance(
                "memory",
                "warning",
                f"{available} MiB of memory are available",
                "builds and servers may be swapped out or killed",
                "close what you do not need; 1 GiB is enough for all experiments",
            )
        )
    if swap is not None and swap > 256:
        found.append(
            Disturbance(
                "swap",
                "note",
                f"{swap} MiB are swapped out",
                "fetching memory back from disk takes milliseconds and shows in high percentiles",
                "close what you do not need, then: sudo swapoff -a && sudo swapon -a",
            )
        )
    return found


def host_disturbances(busy: Busy) -> list[Disturbance]:
    found: list[Disturbance] = []
    hints = machine.virtualisation()
    if busy.steal_percent > 1:
        found.append(
            Disturbance(
                "steal",
                "warning",
                f"the hypervisor took {busy.steal_percent:.1f} % of the CPU time",
                "another guest uses the same cores; rates vary over seconds",
                "measure at a quieter time or on a machine of your own; trust ratios, not rates",
            )
        )
    if hints["wsl"]:
        found.append(
            Disturbance(
                "WSL",
                "note",
                "this is Linux inside Windows (WSL)",
                "Windows schedules its cores, and files under /mnt are slow",
                "keep the checkout in the Linux file system, close Windows programs",
            )
        )
    elif hints["virtual_machine"]:
        found.append(
            Disturbance(
                "virtual machine",
                "note",
                f"this is a virtual machine ({hints['virtual_machine']})",
                "its neighbours and its host's clock are out of sight",
                "trust ratios within a race, not requests/s between races",
            )
        )
    return found
