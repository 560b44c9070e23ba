"""A load generator on another host: through a real sshd, in races as a user starts them."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from benchbook.load import addressed, installed, load_from, remote_tool
from benchbook.load.errors import LoadError
from benchbook.load.load_from import Clock, Remote
from benchbook.load.remote_tool import RemoteTool
from benchbook.loadtools.tools import wrk
from benchbook.model import experiments, results
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from made import SERVER
from ssh_lab import Lab, lab

pytestmark = pytest.mark.slow("races between two hosts over ssh")

SHORT = ["--launches", "2", "--blocks", "2", "--seconds", "0.2", "--warmup", "0.1", "--seed", "3"]


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    with lab(tmp_path_factory.mktemp("lab")) as made:
        yield made


def race(hosts: Lab, folder, *more) -> list[str]:
    remote = ["--load-from", "ssh:loader", "--listen", hosts.address]
    command = [sys.executable, "-m", "benchbook", "race", str(folder), *remote, *map(str, more)]
    return [*hosts.here, *command]


def env(hosts: Lab) -> dict[str, str]:
    return {**hosts.env, "PYTHONPATH": paths.pythonpath()}


def test_a_race_under_load_from_another_host_is_whole_and_says_so(hosts, two_servers, tmp_path):
    file = tmp_path / "run.json"
    done = subprocess.run(
        race(hosts, two_servers, *SHORT, "--json", file),
        env=env(hosts),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "the load comes from another host through ssh" in done.stderr
    run = results.load(file)  # checked by the schema
    assert run.complete and len(run.samples) == 2 * 2 * 3
    assert run.tool.load_from["through"] == "ssh" and run.tool.load_from["cpus"] >= 1
    assert run.tool.version not in ("", "unknown")
    assert all(s.requests > 0 and not sum(s.errors.values()) for s in run.samples)
    assert all(s.seconds > 0.1 for s in run.samples)
    assert max(s.client_cpu_seconds for s in run.samples) > 0
    assert {s.evidence["sent"] for s in run.samples} == {None}, "what ssh wrote is no count"
    for entry in run.entries:  # what raced is the file of the experiment, not an edit of it
        assert not entry.edited and entry.status == "raced"
    text = file.read_text()
    assert "loader" not in text and hosts.address not in text
    assert hosts.await_nothing_left(5) == []


def started(hosts: Lab, folder, file, port: int) -> subprocess.Popen:
    """A long race, once its first sample has come."""
    more = ["--launches", "2", "--blocks", "400", "--seconds", "0.2", "--warmup", "0"]
    process = subprocess.Popen(
        race(hosts, folder, *more, "--json", file, "--port", port),
        env=env(hosts),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while '"launch": 0' not in (file.read_text() if file.exists() else ""):
        assert process.poll() is None and time.monotonic() < deadline, process.stderr.read()
        time.sleep(0.1)
    return process


def test_servers_listen_on_the_named_address_and_refuse_on_all_others(hosts, two_servers, tmp_path):
    process = started(hosts, two_servers, tmp_path / "run.json", 21500)
    try:
        assert hosts.connects(hosts.address, 21500, hosts.there)
        assert not hosts.connects(hosts.other, 21500, hosts.there)
        assert not hosts.connects(hosts.other, 21500, hosts.here)
        assert not hosts.connects("127.0.0.1", 21500, hosts.here)
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == 130
    assert hosts.await_nothing_left(5) == []


def test_a_race_that_is_killed_leaves_nothing_on_either_host(hosts, two_servers, tmp_path):
    process = started(hosts, two_servers, tmp_path / "run.json", 21600)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=120)
    assert hosts.await_nothing_left(120) == []
    deadline = time.monotonic() + 120
    while hosts.connects(hosts.address, 21600, hosts.there):
        assert time.monotonic() < deadline, "the server outlived the race"
        time.sleep(0.2)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--load-from", "ssh:loader"], 2, "--listen ADDRESS"),
        (["--listen", "127.0.0.1"], 2, "--listen: needs --load-from"),
        (["--load-from", "loader", "--listen", "127.0.0.1"], 2, "write ssh:HOST"),
        (["--load-from", "ssh:-oProxyCommand=x", "--listen", "127.0.0.1"], 2, "write ssh:HOST"),
        (["--load-from", "ssh:loader", "--listen", "0.0.0.0"], 2, "every network"),
        (
            ["--load-from", "ssh:loader", "--listen", "192.0.2.1"],
            2,
            "not an address of this machine",
        ),
        (["--load-from", "ssh:loader", "--listen", "here"], 2, "not an IPv4 address"),
        (["--load-from", "ssh:nobody", "--listen", "127.0.0.1"], 1, "without a question: "),
        (["--load-from", "ssh:loader", "--listen", "127.0.0.1", "--as-published"], 2, "--as-pub"),
    ],
)
def test_a_wrong_call_says_what_to_do(hosts, two_servers, arguments, code, words):
    command = [sys.executable, "-m", "benchbook", "race", str(two_servers), *arguments]
    done = subprocess.run(
        [*hosts.here, *command], env=env(hosts), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code, done.stderr
    assert words in done.stderr and "Traceback" not in done.stderr


def test_a_load_tool_that_the_other_host_lacks_is_named(hosts, two_servers):
    done = subprocess.run(
        race(hosts, two_servers, "--tool", "autocannon"),
        env=env(hosts),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert "autocannon is not installed on loader" in done.stderr
    assert "npm install -g autocannon" in done.stderr


def test_copies_listen_on_the_address_and_backends_stay_where_they_are(tmp_path):
    experiment = experiments.find("02")
    raced, unfit = addressed.addressed(experiment, "192.0.2.7", tmp_path / "copy")
    assert unfit == {}
    proxy = raced.variant("nginx-keepalive")
    assert "listen 192.0.2.7:${PORT};" in proxy.code
    assert "server 127.0.0.1:${BACKEND_PORT};" in proxy.code
    assert proxy.backend == experiment.variant("nginx-keepalive").backend
    assert "192.0.2.7" in raced.variant("kestrel").code
    assert "192.0.2.7" not in experiment.variant("kestrel").code


def test_a_program_that_does_not_name_its_address_is_unavailable_in_such_a_race(
    make_experiment, tmp_path
):
    code = SERVER.replace("127.0.0.1", "localhost")
    experiment = experiments.load(make_experiment({"a": SERVER, "b": code}))
    _, unfit = addressed.addressed(experiment, "192.0.2.7", tmp_path / "copy")
    assert list(unfit) == ["b"] and "does not name 127.0.0.1" in unfit["b"]


def remote(**facts) -> Remote:
    return Remote("h", "192.0.2.7", keeper=None, clock=Clock(0.0, 0.001, 0.0), **facts)


def test_a_clock_that_runs_faster_there_is_remarked_and_one_that_is_off_is_told(monkeypatch):
    host = remote()
    host.compare_clocks = lambda: Clock(ahead=0.2, error=0.001, at=100.0)
    assert host.remarks() == []  # 0.2 % is nothing
    host.compare_clocks = lambda: Clock(ahead=2.0, error=0.001, at=100.0)
    assert "+2.00 s" in host.remarks()[0] and "100 s" in host.remarks()[0]

    host.clock = Clock(ahead=-300.0, error=0.001, at=0.0)
    host.run = lambda script: "wrk 4.1 [epoll]"
    tool = RemoteTool(wrk.TOOL, host)
    monkeypatch.setattr(installed, "version", lambda tool: "4.2")
    told = "\n".join(tool.messages())
    assert "300.0 s behind" in told and "is 4.1, the one here is 4.2" in told


def test_cpu_seconds_are_read_from_what_shells_print():
    assert remote_tool.children_seconds("0m0.00s 0m0.01s\n1m2.50s 0m0.25s\n") == 62.75
    assert remote_tool.children_seconds("0m0,00s 0m0,01s\n0m2,50s 0m0,25s\n") == 2.75


def test_a_shell_that_greets_is_no_hindrance_and_one_that_says_no_number_is_told():
    host = remote()
    assert host.number("Welcome to the lab\n1795000000.25\n", "its clock") == 1795000000.25
    for said in ("", "Welcome to the lab\n"):
        with pytest.raises(LoadError, match="did not report its clock"):
            host.number(said, "its clock")


def test_hosts_are_named_as_ssh_does():
    assert load_from.parse_host("ssh:me@lab-2.example") == "me@lab-2.example"
    for wrong in ("ssh:", "ssh:-v", "lab", "http:lab", "ssh:a b"):
        with pytest.raises(InputError):
            load_from.parse_host(wrong)


def test_the_ssh_command_is_split_as_a_shell_does_or_refused(monkeypatch):
    for given, command in (
        ("", ["ssh"]),
        (" ", ["ssh"]),
        ("ssh -F 'my config'", ["ssh", "-F", "my config"]),
    ):
        monkeypatch.setenv("BENCHBOOK_SSH", given)
        assert load_from.ssh() == command
    monkeypatch.setenv("BENCHBOOK_SSH", "ssh -F 'my config")
    with pytest.raises(InputError, match="BENCHBOOK_SSH.*quotation"):
        load_from.ssh()


def test_the_run_file_names_neither_host_nor_address():
    described = json.dumps(remote(system="Linux 6").to_json())
    assert "192.0.2.7" not in described and '"h"' not in described


def test_every_experiment_s_servers_can_be_told_another_address(tmp_path):
    """A new variant says 127.0.0.1 in its code, so that it can be loaded from another host."""
    for i, experiment in enumerate(e for e in experiments.load_all() if e.kind.under_load):
        assert addressed.addressed(experiment, "192.0.2.7", tmp_path / str(i))[1] == {}
