"""What machine is this: CPU, clock, memory, load and versions, as they go into a run file.

Nothing here names the user or the host: a manifest goes into run files that people share.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from typing import Any

from benchbook.system import cores, probe, versions
from benchbook.system.versions import command_output


def cpu_model() -> str:
    """The marketing name of the CPU."""
    match = re.search(r"(?m)^model name\s*:\s*(.+)$", probe.read(probe.PROC / "cpuinfo"))
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
    told: int | None = probe.ask("cpu_count", logical=False)
    if told:
        return told
    listed = (probe.SYS / "devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")
    return len({probe.read(path) for path in listed}) or None


def clock() -> dict[str, Any]:
    """The CPU's clock now and at most, in MHz, and what governs it; null where not told."""
    current = [float(mhz) for mhz in re.findall(r"(?m)^cpu MHz\s*:\s*([\d.]+)", cpuinfo())]
    maximum_khz = probe.number(probe.SYS / "devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
    if not current:
        frequency = probe.ask("cpu_freq")
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
    return probe.read(probe.PROC / "cpuinfo")


def governor() -> str | None:
    """The scaling governor of the cores (comma-separated where they differ)."""
    found = (probe.SYS / "devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    return ", ".join(sorted({probe.read(path) for path in found} - {""})) or None


def turbo() -> bool | None:
    """Whether the CPU may clock above its base frequency; None where that is not told."""
    off = probe.number(probe.SYS / "devices/system/cpu/intel_pstate/no_turbo")
    if off is not None:
        return off == 0
    boost = probe.number(probe.SYS / "devices/system/cpu/cpufreq/boost")
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
    if (probe.PROC.parent / ".dockerenv").exists():
        container = "docker"
    elif (probe.PROC.parent / "run/.containerenv").exists():
        container = "podman"
    elif match := re.search(r"docker|kubepods|containerd|lxc", probe.read(probe.PROC / "1/cgroup")):
        container = match[0]
    machine = None
    if re.search(r"(?m)^flags\s*:.*\bhypervisor\b", cpuinfo()) or probe.read(
        probe.SYS / "hypervisor/type"
    ):
        vendor = probe.read(probe.SYS / "class/dmi/id/sys_vendor")
        product = probe.read(probe.SYS / "class/dmi/id/product_name")
        machine = (
            f"{vendor} {product}".strip() or probe.read(probe.SYS / "hypervisor/type") or "unknown"
        )
    wsl = "microsoft" in probe.read(probe.PROC / "version").lower()
    return {"container": container, "virtual_machine": machine, "wsl": wsl}


def power_source() -> str | None:
    """ "battery" or "ac"; None where the machine does not tell (most servers)."""
    battery = probe.ask("sensors_battery")
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
    if (profile := probe.read(probe.SYS / "firmware/acpi/platform_profile")) in (
        "low-power",
        "quiet",
    ):
        return f"platform profile {profile}"
    if shutil.which("powerprofilesctl") and command_output(["powerprofilesctl", "get"]) == (
        "power-saver"
    ):
        return "power profile power-saver"
    return ""


def memory() -> dict[str, int | None]:
    """Memory and swap in MiB."""
    main, swap = probe.ask("virtual_memory"), probe.ask("swap_memory")
    if main is None:
        pairs = re.findall(r"(?m)^(\w+):\s+(\d+) kB", probe.read(probe.PROC / "meminfo"))
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
            "usable_cores": len(cores.usable()),
            "quota_cores": cores.cpu_quota(),
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
        "versions": versions.all_versions(),
    }
