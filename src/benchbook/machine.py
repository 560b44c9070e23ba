"""What machine is this: CPU, clock, memory, load, versions, and what may disturb a measurement.

Nothing here names the user or the host: a manifest goes into run files that people share.
psutil is used where it is installed and loaded only when it is needed.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

PROC = Path("/proc")
SYS = Path("/sys")
CHECKOUT = Path(__file__).resolve().parents[2]

# How a tool tells its version: the arguments, and where in its output (some exit with an error).
TOOLS: dict[str, tuple[list[str], str]] = {
    "node": (["--version"], r"v(\d\S*)"),
    "deno": (["--version"], r"deno (\d\S*)"),
    "dotnet-sdk": (["--list-sdks"], r"(?m)\A(?:.*\n)*(\d\S+) \["),
    "wrk": (["-v"], r"wrk (?:debian/)?(\d[^\s\[]*)"),
    "ab": (["-V"], r"Version (\d\S*)"),
    "taskset": (["--version"], r"(\d+\.\d\S*)"),
    "nginx": (["-v"], r"nginx/(\d\S*)"),
    "git": (["--version"], r"(\d+\.\d\S*)"),
}
COMMANDS = {"dotnet-sdk": "dotnet"}
SBIN = "/usr/local/sbin:/usr/sbin"  # where nginx is, and what Debian leaves out of a user's PATH
PYTHON_PACKAGES = (
    "numpy",
    "scipy",
    "plotly",
    "psutil",
    "ipykernel",
    "ipython",
    "jupyterlab",
    "notebook",
    "nbclient",
    "nbconvert",
)
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


# ── Reading small files ──────────────────────────────────────────────────────────────────────────


def read(path: Path) -> str:
    """The text of a small file; empty where it cannot be read (much of /sys depends on the CPU)."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip("\x00\n ")
    except OSError:
        return ""


def number(path: Path) -> int | None:
    text = read(path)
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def psutil_or_none() -> ModuleType | None:
    """psutil, or None before set-up, when doctor runs with whichever Python there is."""
    try:
        import psutil
    except ImportError:
        return None
    return psutil


def ask(name: str, *arguments: Any, **options: Any) -> Any:
    """psutil's answer; None where it is absent, has no such question, or /sys has no answer."""
    psutil = psutil_or_none()
    try:
        return getattr(psutil, name)(*arguments, **options)
    except (AttributeError, OSError, NotImplementedError, RuntimeError, ValueError):
        return None


# ── Cores ────────────────────────────────────────────────────────────────────────────────────────


def affinity() -> list[int]:
    """The logical cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def cpu_quota() -> float | None:
    """How many cores' time the control groups of this process allow; None: no limit."""
    limits: list[float] = []
    for line in read(PROC / "self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            base = SYS / "fs/cgroup"
            for folder in group_and_parents(base, path):
                limit, _, period = read(folder / "cpu.max").partition(" ")
                if limit.isdigit() and period.isdigit():
                    limits.append(int(limit) / int(period))
        elif "cpu" in controllers.split(","):
            base = SYS / "fs/cgroup" / controllers
            for folder in group_and_parents(base, path):
                limit_us = number(folder / "cpu.cfs_quota_us")
                period_us = number(folder / "cpu.cfs_period_us")
                if limit_us and period_us and limit_us > 0:
                    limits.append(limit_us / period_us)
    return min(limits, default=None)


def group_and_parents(base: Path, path: str) -> list[Path]:
    """A control group and those around it: each may set a limit."""
    group = base / path.strip("/")
    return [group, *(parent for parent in group.parents if parent.is_relative_to(base))]


def siblings(core: int) -> str:
    """The hardware threads that share a physical core with this one, as the kernel lists them."""
    return read(SYS / f"devices/system/cpu/cpu{core}/topology/thread_siblings_list") or str(core)


def cores() -> list[int]:
    """Logical cores to use for measuring, as many as affinity and quota allow.

    One hardware thread of each physical core comes first: two processes that are pinned to the
    first two cores of this list do not share one, where that can be avoided.
    """
    seen: set[str] = set()
    first: list[int] = []
    second: list[int] = []
    for core in affinity():
        group = siblings(core)
        (second if group in seen else first).append(core)
        seen.add(group)
    usable = first + second
    quota = cpu_quota()
    return usable if quota is None else usable[: max(1, math.floor(quota))]


# ── What the machine is ──────────────────────────────────────────────────────────────────────────


def cpu_model() -> str:
    """The marketing name of the CPU."""
    match = re.search(r"(?m)^model name\s*:\s*(.+)$", read(PROC / "cpuinfo"))
    if match:
        return match[1].strip()
    if sys.platform == "darwin":
        return command_output(["sysctl", "-n", "machdep.cpu.brand_string"])
    if sys.platform == "win32":
        import winreg

        key = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
        try:
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key) as opened:
                return str(winreg.QueryValueEx(opened, "ProcessorNameString")[0]).strip()
        except OSError:
            pass
    return platform.processor() or platform.machine()


def physical_cores() -> int | None:
    told = ask("cpu_count", logical=False)
    if told:
        return told
    listed = (SYS / "devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")
    return len({read(path) for path in listed}) or None


def clock() -> dict[str, Any]:
    """The CPU's clock now and at most, in MHz, and what governs it; null where not told."""
    current = [float(mhz) for mhz in re.findall(r"(?m)^cpu MHz\s*:\s*([\d.]+)", cpuinfo())]
    maximum_khz = number(SYS / "devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
    if not current:
        frequency = ask("cpu_freq")
        if frequency:
            current = [frequency.current] if frequency.current else []
            maximum_khz = maximum_khz or int(frequency.max * 1000) or None
    return {
        "current_mhz": round(sum(current) / len(current)) if current else None,
        "max_mhz": round(maximum_khz / 1000) if maximum_khz else None,
        "governor": governor(),
        "turbo": turbo(),
    }


def cpuinfo() -> str:
    return read(PROC / "cpuinfo")


def governor() -> str | None:
    """The scaling governor of the cores (comma-separated where they differ)."""
    found = (SYS / "devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    return ", ".join(sorted({read(path) for path in found} - {""})) or None


def turbo() -> bool | None:
    """Whether the CPU may clock above its base frequency; None where that is not told."""
    off = number(SYS / "devices/system/cpu/intel_pstate/no_turbo")
    if off is not None:
        return off == 0
    boost = number(SYS / "devices/system/cpu/cpufreq/boost")
    return None if boost is None else boost == 1


def distribution() -> str:
    """The system's name as people say it, such as Debian GNU/Linux 12 (bookworm)."""
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    if sys.platform == "win32":
        return f"Windows {platform.release()} {platform.win32_edition() or ''}".strip()
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return platform.system()


def virtualisation() -> dict[str, Any]:
    """Hints that this is a container, a virtual machine or WSL; null where there are none."""
    container = None
    if (PROC.parent / ".dockerenv").exists():
        container = "docker"
    elif (PROC.parent / "run/.containerenv").exists():
        container = "podman"
    elif match := re.search(r"docker|kubepods|containerd|lxc", read(PROC / "1/cgroup")):
        container = match[0]
    machine = None
    if re.search(r"(?m)^flags\s*:.*\bhypervisor\b", cpuinfo()) or read(SYS / "hypervisor/type"):
        vendor = read(SYS / "class/dmi/id/sys_vendor")
        product = read(SYS / "class/dmi/id/product_name")
        machine = f"{vendor} {product}".strip() or read(SYS / "hypervisor/type") or "unknown"
    wsl = "microsoft" in read(PROC / "version").lower()
    return {"container": container, "virtual_machine": machine, "wsl": wsl}


def power_source() -> str | None:
    """ "battery" or "ac"; None where the machine does not tell (most servers)."""
    battery = ask("sensors_battery")
    if battery is None or battery.power_plugged is None:
        return None
    return "ac" if battery.power_plugged else "battery"


def power_saving() -> str:
    """The name of a power plan that slows the CPU down on purpose; '' where none is known to be on.

    Linux: ACPI's platform profile, or power-profiles-daemon; macOS: Low Power Mode; Windows: the
    power scheme "Power saver" (powercfg's SCHEME_MAX).
    """
    if sys.platform == "darwin":
        told = command_output(["pmset", "-g"])
        return "Low Power Mode" if re.search(r"(?m)^\s*lowpowermode\s+1", told) else ""
    if sys.platform == "win32":
        told = command_output(["powercfg", "/getactivescheme"])
        return "Power saver" if "a1841308-3541-4fab-bc81-f71556f20b4a" in told.lower() else ""
    if (profile := read(SYS / "firmware/acpi/platform_profile")) in ("low-power", "quiet"):
        return f"platform profile {profile}"
    if shutil.which("powerprofilesctl") and command_output(["powerprofilesctl", "get"]) == (
        "power-saver"
    ):
        return "power profile power-saver"
    return ""


def memory() -> dict[str, int | None]:
    """Memory and swap in MiB."""
    main, swap = ask("virtual_memory"), ask("swap_memory")
    if main is None:
        pairs = re.findall(r"(?m)^(\w+):\s+(\d+) kB", read(PROC / "meminfo"))
        table = {name: int(kib) // 1024 for name, kib in pairs}
        swap_used = table.get("SwapTotal", 0) - table.get("SwapFree", 0)
        return {
            "total_mib": table.get("MemTotal"),
            "available_mib": table.get("MemAvailable"),
            "swap_used_mib": swap_used if table else None,
        }
    return {
        "total_mib": main.total >> 20,
        "available_mib": main.available >> 20,
        "swap_used_mib": swap.used >> 20 if swap else None,
    }


def load_average() -> list[float] | None:
    """Processes that ran or waited to run, over 1, 5 and 15 minutes."""
    if not hasattr(os, "getloadavg"):
        return None
    return [round(load, 2) for load in os.getloadavg()]


# ── Versions ─────────────────────────────────────────────────────────────────────────────────────


def command_output(command: Sequence[str], timeout: float = 10) -> str:
    """What a command says about itself, on either stream; empty where it is missing or hangs."""
    quiet = {"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            env={**os.environ, **quiet},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip()


def find_command(name: str) -> str | None:
    """The path of a command, on PATH or where a system keeps its servers; None where absent."""
    return shutil.which(name) or shutil.which(name, path=SBIN)


def tool_version(tool: str) -> str | None:
    """The version of a tool on PATH; None where it is absent, "unknown" where it does not tell."""
    arguments, pattern = TOOLS[tool]
    path = find_command(COMMANDS.get(tool, tool))
    if not path:
        return None
    match = re.search(pattern, command_output([path, *arguments]))
    if match:
        return match[1]
    return None if tool == "dotnet-sdk" else "unknown"  # a runtime without an SDK lists none


def node_package_versions() -> dict[str, str | None]:
    """The installed versions of the Node.js packages that package.json asks for."""
    found: dict[str, str | None] = {}
    package = json.loads(read(CHECKOUT / "package.json") or "{}")
    wanted = {**package.get("dependencies", {}), **package.get("optionalDependencies", {})}
    for name in sorted(wanted):
        text = read(CHECKOUT / "node_modules" / name / "package.json")
        found[name] = json.loads(text).get("version") if text else None
    return found


def python_package_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


@functools.cache
def versions() -> dict[str, Any]:
    """Versions of what takes part in a measurement; asked for once a process, all at once."""
    with ThreadPoolExecutor(len(TOOLS)) as pool:
        tools = dict(zip(TOOLS, pool.map(tool_version, TOOLS), strict=True))
    return {
        "python": platform.python_version(),
        **tools,
        "node_packages": node_package_versions(),
        "python_packages": {name: python_package_version(name) for name in PYTHON_PACKAGES},
    }


def manifest() -> dict[str, Any]:
    """This machine, as it goes into a run file: plain JSON types, no user and no host name."""
    from benchbook import __version__

    return {
        "benchbook": __version__,
        "cpu": {
            "model": cpu_model(),
            "architecture": platform.machine(),
            "physical_cores": physical_cores(),
            "logical_cores": os.cpu_count(),
            "usable_cores": len(cores()),
            "quota_cores": cpu_quota(),
            **clock(),
        },
        "memory": memory(),
        "os": {
            "name": platform.system(),
            "distribution": distribution(),
            "kernel": platform.release(),
        },
        **virtualisation(),
        "power": power_source(),
        "load_average": load_average(),
        "versions": versions(),
    }


# ── What disturbs ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Busy:
    """What other processes did while we watched."""

    processes: list[tuple[str, float]]  # name, per cent of one core
    steal_percent: float
    scanners: list[str]


def watch(seconds: float, share_percent: float = 10.0) -> Busy:
    """Look at the machine for a moment: who else uses it, and does the hypervisor take from it?"""
    psutil = psutil_or_none()
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
    counts = (SYS / "devices/system/cpu").glob("cpu[0-9]*/thermal_throttle/core_throttle_count")
    return sum(number(path) or 0 for path in counts)


def disturbances(watch_seconds: float = 0.5) -> list[Disturbance]:
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
    load, usable = load_average(), len(cores())
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
    rule = governor()
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
    if turbo():
        switch = SYS / "devices/system/cpu/intel_pstate/no_turbo"
        remedy = f"echo 1 | sudo tee {switch}"
        if not switch.exists():
            remedy = f"echo 0 | sudo tee {SYS / 'devices/system/cpu/cpufreq/boost'}"
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
                "a hot CPU slows down in mid-race",
                "cool it, put the laptop on a hard surface, pause between races",
            )
        )
    if power_source() == "battery":
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
    allowed, quota = len(affinity()), cpu_quota()
    if len(cores()) < 2:
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
    if quota is None and allowed > 1 and len({siblings(core) for core in affinity()}) < 2:
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
    state = memory()
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
    hints = virtualisation()
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


def disturbances_as_dicts(watch_seconds: float = 0.5) -> list[dict[str, str]]:
    """The disturbances as they go into run files and `doctor --json`."""
    return [asdict(disturbance) for disturbance in disturbances(watch_seconds)]
