"""Doctor: what it calls missing, what it only mentions, and the commands it gives."""

import json
import socket
import sys
from dataclasses import replace

import pytest

from benchbook.commands.begin import checks, doctor
from benchbook.commands.begin.checks import Check
from benchbook.commands.begin.doctor import Doctor
from benchbook.model import experiments
from benchbook.programs import programs
from benchbook.setup.tools import remedies
from benchbook.system import machine, probe, versions
from benchbook.system.disturbances import Disturbance

VERSIONS = {
    "node": "22.1.0",
    "dotnet-sdk": "10.0.100",
    "wrk": "4.2.0",
    "ab": "2.3",
    "nginx": "1.22.1",
    "node_packages": {"autocannon": "9.0.0"},
}


@pytest.fixture
def root(tmp_path, monkeypatch):
    """An empty checkout that doctor looks at."""
    monkeypatch.setenv("BENCHBOOK_ROOT", str(tmp_path))
    monkeypatch.setattr(versions, "CHECKOUT", tmp_path)
    return tmp_path


def diagnosis(*checks: Check) -> Doctor:
    battery = Disturbance("battery", "warning", "on battery", "slow clock", "plug it in")
    return Doctor("debian", "apt is here", list(checks), [battery], {"cpu": {}})


PRESENT = Check("click", "ok", "8.1", "Benchbook itself")
ABSENT = Check("Node.js", "missing", "not on PATH", "experiments", "brew install node")
OPTIONAL = Check("wrk", "missing", "not on PATH", "HTTP load", "brew install wrk", required=False)
WARNING = Check("set-up", "warning", "files have changed", "everything", "./bench setup")


def test_only_what_is_required_and_missing_is_a_failure():
    assert diagnosis(PRESENT, OPTIONAL, WARNING).ok
    assert not diagnosis(PRESENT, ABSENT).ok


def test_the_text_gives_the_command_for_each_thing_missing():
    text = diagnosis(PRESENT, ABSENT, OPTIONAL).text()
    assert "route debian: apt is here" in text
    assert "→ brew install node" in text
    assert "not on PATH (optional)" in text
    assert "on battery" in text and "plug it in" in text
    assert text.endswith("Not ready: Node.js missing.")
    assert diagnosis(PRESENT, OPTIONAL).text().endswith("Ready.")


def test_json_says_the_same_as_the_text():
    told = json.loads(diagnosis(PRESENT, ABSENT).to_json())
    assert told["ok"] is False and told["route"] == "debian" and told["why"] == "apt is here"
    assert told["checks"][1]["remedy"] == "brew install node"
    assert told["disturbances"][0]["name"] == "battery"
    assert told["machine"] == {"cpu": {}} and "detectable_effect" not in told
    seeing = replace(diagnosis(PRESENT), effect="differences of 4 % and more")
    assert json.loads(seeing.to_json())["detectable_effect"] == seeing.effect in seeing.text()


def test_a_checkout_that_is_not_set_up_is_not_ok(root, monkeypatch):
    monkeypatch.setattr(versions, "all_versions", lambda: VERSIONS)
    found = doctor.report(watch_seconds=0)
    assert not found.ok
    assert "./bench setup" in found.why
    statuses = {check.name: check.status for check in found.checks}
    assert statuses["set-up"] == statuses["Node.js packages"] == "missing"
    assert statuses["Node.js"] == statuses["free ports"] == statuses["disk space"] == "ok"


def test_every_check_that_is_not_ok_has_a_remedy(root, monkeypatch):
    nothing = dict.fromkeys(VERSIONS) | {"node_packages": {}}
    monkeypatch.setattr(versions, "all_versions", lambda: nothing)
    monkeypatch.setattr(checks, "find_spec", lambda name: None)
    monkeypatch.setattr(remedies, "find_browser", lambda: "")
    found = doctor.report(watch_seconds=0).checks
    assert [c.name for c in found if c.status != "ok" and not c.remedy] == []
    assert {"wrk", "ab", "autocannon", "nginx", "mono", ".NET SDK", "Chromium"} <= {
        c.name for c in found if c.status == "missing" and not c.required
    }


def test_an_old_node_is_missing_and_an_old_sdk_is_optional(monkeypatch):
    old = VERSIONS | {"node": "18.20.4", "dotnet-sdk": "8.0.100"}
    node, dotnet = checks.check_node(old, "pip"), checks.check_dotnet(old, "conda")
    assert (node.status, node.required) == ("missing", True) and "too old" in node.found
    assert (dotnet.status, dotnet.required) == ("missing", False)
    assert "conda install" in dotnet.remedy and "dotnet-sdk>=10" in dotnet.remedy
    assert checks.check_dotnet(VERSIONS | {"dotnet-sdk": "11.0.100"}, "").status == "ok"


def kernelspec(prefix, program: str, name: str = "benchbook-node") -> None:
    folder = prefix / "share" / "jupyter" / "kernels" / name
    folder.mkdir(parents=True)
    argv = [program, "-m", "benchbook.notebook"]
    (folder / "kernel.json").write_text(json.dumps({"argv": argv}))


def test_kernels_must_be_in_this_environment(tmp_path, monkeypatch):
    program = sys.executable
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert checks.check_kernelspecs(True).status == "missing"
    kernelspec(tmp_path, program)
    found = checks.check_kernelspecs(True)
    assert found.status == "missing" and "no benchbook-csharp in" in found.found
    kernelspec(tmp_path, program, "benchbook-csharp")
    found = checks.check_kernelspecs(True)
    assert (found.status, found.found) == ("ok", "benchbook-csharp, benchbook-node")


def test_the_diagnosis_before_set_up_knows_the_same_options(capsys):
    assert doctor.main(["--csharp", "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)


def test_a_kernel_whose_python_is_gone_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    kernelspec(tmp_path, "/gone/python")
    found = checks.check_kernelspecs(True)
    assert found.status == "missing" and "benchbook-node" in found.found


def test_packages_older_than_the_pip_route_wants_are_a_warning(root, monkeypatch):
    (root / "requirements.txt").write_text("click>=99.0\nplotly>=1.0  # old enough\n")
    monkeypatch.setattr(checks, "find_spec", lambda name: True)
    monkeypatch.setattr("importlib.metadata.version", lambda name: "8.1.3")
    pip = {check.name: check for check in checks.check_packages("pip")}
    assert pip["click"].status == "warning" and "older than 99.0" in pip["click"].found
    assert pip["plotly"].status == "ok"
    debian = {check.name: check.status for check in checks.check_packages("debian")}
    assert debian["click"] == "ok" and "notebook" in debian


@pytest.mark.parametrize(
    ("version", "bound", "expected"),
    [("8.10.0", "8.9", False), ("8.9", "8.10.0", True), ("1.24", "1.24", False)],
)
def test_versions_are_compared_by_number(version, bound, expected):
    assert checks.older(version, bound) is expected


def test_a_full_disk_is_named(root, monkeypatch):
    usage = type("Usage", (), {"free": 10 << 20})
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda path: usage)
    found = checks.check_disk()
    assert found.status == "missing" and "10 MiB" in found.found


def test_the_exit_code_tells_whether_all_is_there(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "report", lambda csharp=False: diagnosis(PRESENT))
    assert doctor.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True
    monkeypatch.setattr(doctor, "report", lambda csharp=False: diagnosis(ABSENT))
    assert doctor.main([]) == 1


def test_a_plot_that_can_not_be_drawn_offline_fails_the_preflight(monkeypatch):
    from benchbook.show import embed

    assert checks.check_renderer().status == "ok"
    monkeypatch.setattr(embed, "packed_library", lambda: "")
    found = checks.check_renderer()
    assert (found.status, found.required, found.remedy) == ("missing", True, "./bench setup")
    assert not diagnosis(PRESENT, found).ok


def test_without_a_loopback_interface_a_workshop_would_fail(monkeypatch):
    class Socket(socket.socket):
        def bind(self, address):
            raise OSError(99, "Cannot assign requested address")

    assert checks.check_ports().status == "ok"
    monkeypatch.setattr(checks.socket, "socket", Socket)
    found = checks.check_ports()
    assert found.status == "missing" and "Cannot assign" in found.found
    assert not diagnosis(PRESENT, found).ok


def test_the_ports_are_those_that_programs_take():
    assert checks.PORTS == programs.PORTS
    most = max(len(experiment.variants) for experiment in experiments.load_all())
    assert most + 1 <= checks.MOST_PROGRAMS  # and the copy of the baseline


def test_languages_of_one_experiment_are_optional():
    tools = {check.name: check for check in checks.check_tools(VERSIONS | {"gerbil": "0.16"}, "")}
    assert (tools["Gerbil"].status, tools["Gerbil"].found) == ("ok", "0.16")
    for name in ("Deno", "Bun"):
        assert (tools[name].status, tools[name].required) == ("missing", False)
        assert "about 100 MB" in tools[name].remedy


def test_a_power_plan_that_slows_down_is_a_warning_with_a_remedy(monkeypatch):
    monkeypatch.setattr(machine, "power_source", lambda: "ac")
    monkeypatch.setattr(machine, "power_saving", lambda: "")
    assert checks.check_power() == Check(
        "power mode", "ok", "mains", checks.check_power().needed_for
    )
    monkeypatch.setattr(machine, "power_source", lambda: "battery")
    monkeypatch.setattr(machine, "power_saving", lambda: "Low Power Mode")
    found = checks.check_power()
    assert (found.status, found.found) == ("warning", "on battery, Low Power Mode")
    assert "plug it in" in found.remedy and diagnosis(PRESENT, found).ok


def test_power_saving_is_read_where_linux_tells_it(tmp_path, monkeypatch):
    monkeypatch.setattr(probe, "SYS", tmp_path)
    monkeypatch.setattr(machine.sys, "platform", "linux")
    profile = tmp_path / "firmware" / "acpi" / "platform_profile"
    profile.parent.mkdir(parents=True)
    profile.write_text("low-power\n")
    assert machine.power_saving() == "platform profile low-power"
    profile.write_text("balanced\n")
    monkeypatch.setattr(machine.shutil, "which", lambda name: None)
    assert machine.power_saving() == ""


def test_a_session_that_is_not_built_is_only_mentioned(monkeypatch):
    from benchbook_kernels.notebook.sessions import csharp

    monkeypatch.setattr(csharp, "built", lambda: None)
    found = checks.check_csharp(VERSIONS)
    assert (found.status, found.required) == ("missing", False) and "--from" in found.remedy


@pytest.fixture
def quick(monkeypatch):
    """Doctor without what takes long: other programs are not asked, and nothing is watched."""
    for name in ("check_browser", "check_csharp", "check_renderer"):
        monkeypatch.setattr(checks, name, lambda *_: PRESENT)
    monkeypatch.setattr(machine, "manifest", lambda: {"versions": VERSIONS})
    monkeypatch.setattr(doctor, "find_disturbances", lambda seconds: [])


def test_what_can_t_be_looked_at_is_a_line_of_the_report(quick, monkeypatch):
    def fails(*_):
        raise OSError(24, "Too many open files")

    for place in ((machine, "manifest"), (checks, "check_disk"), (doctor, "find_disturbances")):
        monkeypatch.setattr(*place, fails)
    found = {check.name: check for check in doctor.report(0).checks}
    assert {"disk space", "power mode", "Python", "limits"} <= set(found)
    assert "can't be looked at" in found["disk space"].found and found["disk space"].remedy


@pytest.mark.parametrize(
    "error",
    [RuntimeError("can't start new thread"), MemoryError(), KeyError("wrk"), ImportError("x")],
)
def test_whatever_a_limit_does_to_a_check_is_told(error):
    def fails():
        raise error

    (found,) = checks.looked("disk space", fails)
    assert found.status == "warning" and "can't be looked at" in found.found


def test_a_report_is_made_where_no_thread_can_be_started(quick, monkeypatch):
    def refuses(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(doctor.ThreadPoolExecutor, "submit", refuses)
    assert doctor.report(0).checks


@pytest.mark.skipif(sys.platform == "win32", reason="ulimit is POSIX's")
@pytest.mark.parametrize("limit, flag", [("NOFILE", "-n"), ("NPROC", "-u"), ("AS", "-v")])
def test_a_low_limit_of_the_shell_is_told(limit, flag, monkeypatch):
    import resource

    given = {getattr(resource, f"RLIMIT_{limit}"): (40, 40)}
    plenty = resource.RLIM_INFINITY
    monkeypatch.setattr(resource, "getrlimit", lambda n: given.get(n, (plenty, plenty)))
    found = checks.check_limits()
    assert found.status == "warning" and "only 40" in found.found and flag in found.remedy
    monkeypatch.setattr(resource, "getrlimit", lambda n: (plenty, plenty))
    assert checks.check_limits().status == "ok"


def test_ports_are_not_blamed_where_no_socket_can_be_opened(monkeypatch):
    def none(*_):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(checks.socket, "socket", none)
    found = checks.check_ports()
    assert "Too many open files" in found.found and "ulimit -n" in found.remedy
