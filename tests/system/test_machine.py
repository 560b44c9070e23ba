"""What machine is this: read from fake /proc and /sys trees, so that it is the same everywhere."""

import getpass
import json
import os
import platform
from types import SimpleNamespace

import pytest

from benchbook.system import cores, disturbances, machine, probe, versions
from benchbook.system.disturbances import Busy

QUIET = Busy([], 0.0, [])


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Empty /proc and /sys; write(path, text) fills them."""
    monkeypatch.setattr(probe, "PROC", tmp_path / "proc")
    monkeypatch.setattr(probe, "SYS", tmp_path / "sys")

    def write(path: str, text: str) -> None:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    return write


def allow(monkeypatch, numbers: list[int]) -> None:
    monkeypatch.setattr(cores, "affinity", lambda: numbers)


def names(disturbances) -> set[str]:
    return {disturbance.name for disturbance in disturbances}


def test_the_tightest_control_group_around_us_counts(system):
    system("proc/self/cgroup", "0::/outer/inner\n")
    system("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n")
    system("sys/fs/cgroup/outer/cpu.max", "150000 100000\n")
    assert cores.cpu_quota() == 1.5


def test_quotas_of_the_older_control_groups_count_too(system):
    system("proc/self/cgroup", "4:cpu,cpuacct:/docker/abc\n3:memory:/docker/abc\n")
    folder = "sys/fs/cgroup/cpu,cpuacct/docker/abc"
    system(f"{folder}/cpu.cfs_quota_us", "200000\n")
    system(f"{folder}/cpu.cfs_period_us", "100000\n")
    assert cores.cpu_quota() == 2.0


def test_no_control_group_means_no_quota(system):
    assert cores.cpu_quota() is None


def test_the_first_two_cores_are_different_physical_ones(system, monkeypatch):
    allow(monkeypatch, [0, 1, 2, 3])
    for core, group in enumerate(["0-1", "0-1", "2-3", "2-3"]):
        system(f"sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list", group)
    assert cores.usable() == [0, 2, 1, 3]


def test_a_quota_limits_how_many_cores_are_used(system, monkeypatch):
    allow(monkeypatch, [0, 1, 2, 3])
    system("proc/self/cgroup", "0::/\n")
    system("sys/fs/cgroup/cpu.max", "250000 100000\n")
    assert cores.usable() == [0, 1]
    system("sys/fs/cgroup/cpu.max", "50000 100000\n")
    assert cores.usable() == [0]


def test_the_real_cores_are_among_those_we_may_use():
    usable = cores.usable()
    assert usable and set(usable) <= set(range(os.cpu_count() or 1024))


def test_governor_and_turbo_are_read_and_reported(system):
    cpu = "sys/devices/system/cpu"
    system(f"{cpu}/cpu0/cpufreq/scaling_governor", "powersave\n")
    system(f"{cpu}/cpu1/cpufreq/scaling_governor", "powersave\n")
    system(f"{cpu}/intel_pstate/no_turbo", "0\n")
    system(f"{cpu}/cpu0/thermal_throttle/core_throttle_count", "12\n")
    found = {d.name: d for d in disturbances.clock_disturbances()}
    assert found["clock governor"].severity == "warning"
    assert "performance" in found["clock governor"].remedy
    assert "no_turbo" in found["turbo"].remedy
    assert "12 times" in found["heat"].found


def test_a_machine_tuned_for_measuring_is_not_complained_about(system, monkeypatch):
    cpu = "sys/devices/system/cpu"
    system(f"{cpu}/cpu0/cpufreq/scaling_governor", "performance\n")
    system(f"{cpu}/cpufreq/boost", "0\n")
    monkeypatch.setattr(machine, "power_source", lambda: "ac")
    assert machine.turbo() is False
    assert list(disturbances.clock_disturbances()) == []


def test_battery_power_is_a_warning(system, monkeypatch):
    monkeypatch.setattr(machine, "power_source", lambda: "battery")
    assert names(disturbances.clock_disturbances()) == {"battery"}


def test_one_core_and_a_quota_are_warnings(system, monkeypatch):
    allow(monkeypatch, [0, 1])
    system("proc/self/cgroup", "0::/\n")
    system("sys/fs/cgroup/cpu.max", "100000 100000\n")
    found = list(disturbances.core_disturbances())
    assert names(found) == {"one core", "CPU quota"}
    assert "--cpuset-cpus" in [d for d in found if d.name == "CPU quota"][0].remedy


def test_two_threads_of_one_core_are_noticed(system, monkeypatch):
    allow(monkeypatch, [0, 1])
    for core in (0, 1):
        system(f"sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list", "0-1")
    assert names(disturbances.core_disturbances()) == {"shared core"}


def test_load_and_busy_processes_are_named(monkeypatch):
    allow(monkeypatch, [0, 1])
    monkeypatch.setattr(machine, "load_average", lambda: [3.5, 1.0, 0.5])
    found = list(disturbances.busy_disturbances(Busy([("backup", 87.0)], 0.0, ["ClamAV"])))
    assert names(found) == {"load", "other processes", "virus scanner"}
    assert "backup (87 %)" in [d for d in found if d.name == "other processes"][0].found


def test_little_memory_and_swap_are_noticed(monkeypatch):
    state = {"total_mib": 4096, "available_mib": 300, "swap_used_mib": 900}
    monkeypatch.setattr(machine, "memory", lambda: state)
    assert names(disturbances.memory_disturbances()) == {"memory", "swap"}


def test_memory_is_read_without_psutil(system, monkeypatch):
    monkeypatch.setattr(probe, "psutil_or_none", lambda: None)
    system("proc/meminfo", "MemTotal: 2048000 kB\nMemAvailable: 1024000 kB\n")
    assert machine.memory() == {"total_mib": 2000, "available_mib": 1000, "swap_used_mib": 0}


def test_a_machine_that_does_not_tell_is_no_error(monkeypatch):
    def refuse(*arguments, **options):
        raise FileNotFoundError("/sys/class/power_supply")

    mute = SimpleNamespace(sensors_battery=refuse, cpu_count=refuse, virtual_memory=refuse)
    monkeypatch.setattr(probe, "psutil_or_none", lambda: mute)
    assert machine.power_source() is None
    assert machine.manifest()["cpu"]["logical_cores"] >= 1


def test_stolen_time_and_a_virtual_machine_are_noticed(system):
    system("proc/cpuinfo", "model name : Fast\nflags : fpu hypervisor\n")
    system("sys/class/dmi/id/sys_vendor", "QEMU")
    found = list(disturbances.host_disturbances(Busy([], 4.2, [])))
    assert names(found) == {"steal", "virtual machine"}
    assert any("QEMU" in disturbance.found for disturbance in found)


def test_wsl_is_recognised(system):
    system("proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2")
    assert names(disturbances.host_disturbances(QUIET)) == {"WSL"}


def test_a_container_is_recognised(system):
    system("run/.containerenv", "")
    assert machine.virtualisation()["container"] == "podman"


def fake_psutil(processes: list[dict], steal: float) -> SimpleNamespace:
    """A psutil whose second look at the machine is later than its first."""
    looks = {"processes": 0, "times": 0}

    def process_iter(_):
        looks["processes"] += 1
        for process in processes:
            seconds = process["seconds"] * looks["processes"]
            times = SimpleNamespace(user=seconds, system=0.0)
            info = {"name": process["name"], "cpu_times": times}
            yield SimpleNamespace(pid=process["pid"], info=info)

    class Times(tuple):
        @property
        def steal(self):
            return self[1]

    def cpu_times():
        looks["times"] += 1
        return Times((10.0 * looks["times"], steal * looks["times"]))

    me = SimpleNamespace(pid=1, parents=lambda: [], children=lambda recursive: [])
    return SimpleNamespace(
        process_iter=process_iter, cpu_times=cpu_times, Process=lambda: me, Error=OSError
    )


def test_watching_finds_who_else_works_but_not_ourselves(monkeypatch):
    processes = [
        {"pid": 1, "name": "bench", "seconds": 9.0},
        {"pid": 2, "name": "backup", "seconds": 0.04},
        {"pid": 3, "name": "clamd", "seconds": 0.0},
    ]
    monkeypatch.setattr(probe, "psutil_or_none", lambda: fake_psutil(processes, 1.0))
    busy = disturbances.watch(0.05)
    assert [name for name, _ in busy.processes] == ["backup"]
    assert busy.scanners == ["ClamAV"]
    assert busy.steal_percent == pytest.approx(100 / 11)


def test_warnings_come_before_notes(system, monkeypatch):
    monkeypatch.setattr(disturbances, "watch", lambda seconds: Busy([("x", 50.0)], 0.0, ["ClamAV"]))
    system("proc/version", "microsoft")
    order = [disturbance.severity for disturbance in disturbances.find_disturbances(0)]
    assert order == sorted(order, reverse=True) and "warning" in order and "note" in order


TELLS = {
    "node": ("v22.1.0", "22.1.0"),
    "deno": ("deno 2.9.6 (stable, release, x86_64)\nv8 15.0\ntypescript 6.0", "2.9.6"),
    "bun": ("1.4.5", "1.4.5"),
    "gerbil": ("Gerbil v0.16 on Gambit v4.9.3", "0.16"),
    "dotnet-sdk": ("8.0.100 [/x/sdk]\n11.0.100-rc.1 [/x/sdk]", "11.0.100-rc.1"),
    "mono": ("Mono JIT compiler version 6.8.0.105 (Debian 6.8)\n\tTLS: __thread", "6.8.0.105"),
    "nginx": ("nginx version: nginx/1.22.1", "1.22.1"),
    "git": ("git version 2.39.5", "2.39.5"),
}


@pytest.mark.parametrize("tool", versions.TOOLS)
def test_each_tools_version_is_understood(tool, tmp_path, monkeypatch):
    said, version = TELLS[tool]
    command = tmp_path / versions.COMMANDS.get(tool, tool)
    # wrk exits with 1 and nginx writes to stderr: neither may matter
    command.write_text(f"#!/bin/sh\n/bin/cat >&2 <<'END'\n{said}\nEND\nexit 1\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert versions.tool_version(tool) == version


def test_a_tool_that_is_absent_has_no_version(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(versions, "SBIN", "")
    found = {tool: versions.tool_version(tool) for tool in versions.probes()}
    found.pop("python-load")  # is Python, which is always there
    assert set(found.values()) == {None}


def test_a_server_is_found_where_a_users_path_does_not_look(tmp_path, monkeypatch):
    nginx = tmp_path / "sbin" / "nginx"
    nginx.parent.mkdir()
    nginx.write_text("#!/bin/sh\necho nginx version: nginx/1.22.1\n")
    nginx.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(versions, "SBIN", str(nginx.parent))
    assert versions.find_command("nginx") == str(nginx)
    assert versions.tool_version("nginx") == "1.22.1"


def test_versions_are_asked_for_once(monkeypatch):
    versions.all_versions.cache_clear()
    calls: list[str] = []
    monkeypatch.setattr(versions, "tool_version", lambda tool: calls.append(tool))
    versions.all_versions()
    versions.all_versions()
    versions.all_versions.cache_clear()
    assert sorted(calls) == sorted(versions.probes())


def test_a_manifest_is_json_and_names_neither_user_nor_host():
    text = json.dumps(machine.manifest())
    manifest = json.loads(text)
    assert manifest["cpu"]["logical_cores"] >= 1
    assert manifest["memory"]["total_mib"] > 0
    assert manifest["versions"]["python"] == platform.python_version()
    values = {str(value).lower() for value in leaves(manifest)}
    assert platform.node().lower() not in values
    assert getpass.getuser().lower() not in values


def leaves(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value
