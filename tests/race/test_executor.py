"""Real programs under a real load: the contract, parity, failures, and that all of them end."""

import os
import re
import signal
import socket
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from benchbook.load import installed, loading, registry
from benchbook.load.errors import LoadError
from benchbook.loadtools.tool import LoadRequest
from benchbook.loadtools.tools.wrk import Wrk
from benchbook.model import experiments
from benchbook.programs import parity, programs, runners
from benchbook.programs.programs import VariantError
from benchbook.race import prepare
from benchbook.race.kinds.http import executor
from benchbook.race.options import Options
from benchbook.race.record import Note
from benchbook.race.warming import tier_up_wait
from benchbook.system.pinning import Pinning
from benchbook_kernels.base import processes
from benchbook_kernels.base.errors import BenchError
from made import SERVER, second_of_two_ports

WIDE = SERVER.replace("'127.0.0.1'", "'::'")
OTHER_HEADER = SERVER.replace("'text/plain'", "'text/html'")
OTHER_BODY = SERVER.replace("'hello'", "'hallo'")
CRASH = "throw new Error('no luck');"
DEAF = "setInterval(() => {}, 1000);"
DEAF_TO_SIGTERM = SERVER + "\nprocess.on('SIGTERM', () => {});"
WRONG_PORT = SERVER.replace("process.env.PORT", "Number(process.env.PORT) + 1")
SICKENS = """
import http from 'node:http';
let count = 0;
http.createServer((request, response) => {
  response.statusCode = ++count > 400 ? 500 : 200;
  response.setHeader('content-type', 'text/plain');
  response.end('hello');
}).listen(process.env.PORT, '127.0.0.1');
"""
DIES = SICKENS.replace(
    "response.statusCode", "if (count > 400) process.exit(3);\n  response.statusCode"
)


STOPS_LISTENING = (
    SERVER
    + """
process.on('SIGUSR2', () => server.close());
setInterval(() => {}, 9999);
"""
)
ENDLESS = """
import http from 'node:http';
http.createServer((request, response) => {
  response.setHeader('content-type', 'text/event-stream');
  setInterval(() => response.write('data: 1\\n\\n'), 100);
}).listen(process.env.PORT, '127.0.0.1');
"""
ONE_AT_A_TIME = SERVER.replace(
    "response.end('hello')",
    "setTimeout(() => server._connections < 4 && response.end('hello'), 50)",
)
BUSY_AFTERWARDS = """
import http from 'node:http';
let first;
http.createServer((request, response) => {
  first ??= Date.now();
  response.setHeader('content-type', 'text/plain');
  response.end('hello');
}).listen(process.env.PORT, '127.0.0.1');
setInterval(() => {
  for (const end = Date.now() + 100; Date.now() < end && Date.now() < first + 3000; );
}, 110);
"""


def test_equal_variants_are_launched_and_measured(started):
    made, errors = started({"a": SERVER, "b": SERVER})
    assert errors == {}
    measured = made.measure("b", 0.3)
    assert measured.load.requests > 0
    assert measured.load.non_2xx == 0 and not any(measured.load.errors.values())
    assert measured.evidence.server_cpu_seconds > 0
    assert measured.evidence.outside_cpu_seconds >= 0
    assert measured.evidence.voluntary_switches > 0
    assert measured.load.client_cpu_seconds > 0
    ids = [p.pid for program in made.running.values() for p in program.processes]
    assert made.land() == {}
    assert not any(psutil.pid_exists(pid) for pid in ids)


def test_a_server_runs_on_its_own_cpus_with_all_its_threads(started):
    cpus = sorted(os.sched_getaffinity(0))[:1]
    made, errors = started({"a": SERVER}, pinning=Pinning(tuple(cpus), None))
    assert errors == {}
    made.measure("a", 0.2)
    tasks = list(Path(f"/proc/{made.running['a'].processes[0].pid}/task").iterdir())
    assert len(tasks) > 1
    assert all(os.sched_getaffinity(int(task.name)) == set(cpus) for task in tasks)


@pytest.mark.slow("waits until a program has tiered up")
def test_a_warmed_up_program_is_left_alone_until_it_has_tiered_up(started, monkeypatch):
    monkeypatch.setattr(runners.Node, "tiered", True)
    waited = []
    monkeypatch.setattr(executor, "tier_up_wait", lambda pids: waited.append(tier_up_wait(pids)))
    made, errors = started({"b": BUSY_AFTERWARDS})
    assert errors == {}
    assert made.warm_up(["b"], 0.2)["b"].load.requests
    assert waited[0] > 0.1  # CPU seconds that it spent afterwards, and now it does nothing
    members = made.running["b"].members
    used = sum(map(processes.cpu_seconds, members))
    time.sleep(1)
    assert sum(map(processes.cpu_seconds, members)) - used < 0.5


def test_programs_that_do_not_compile_in_the_background_are_not_waited_for(started, monkeypatch):
    monkeypatch.setattr(
        executor, "tier_up_wait", lambda pids: pytest.fail(f"{pids}") if pids else 0.0
    )
    made, errors = started({"b": BUSY_AFTERWARDS})
    assert errors == {} and made.warm_up(["b"], 0.2)["b"].load.requests


def test_servers_listen_on_the_loopback_address_only(started):
    made, errors = started({"a": SERVER, "b": WIDE})
    assert "listens on ::" in errors["b"].message and "127.0.0.1 only" in errors["b"].remedy
    assert list(made.running) == ["a"]


# As Mono says it.
UNHANDLED = """console.error(`Unhandled Exception:
System.InvalidOperationException: it broke
  at System.Web.HttpApplication.ProcessError (System.Exception e) [0x00000] in <1>:0`);
process.exit(1);
"""


@pytest.mark.parametrize(
    ("code", "problem", "remedy"),
    [
        (UNHANDLED, "System.InvalidOperationException: it broke", "by hand"),
        (CRASH, "ended with exit code 1 at start\n    throw new Error", "by hand: PORT=8080 node"),
        (DEAF, "did not answer on 127.0.0.1", "ready_seconds"),
        (WRONG_PORT, "did not answer on 127.0.0.1", "variable PORT"),
        ("const x = ;", "SyntaxError", "by hand"),
        (OTHER_BODY, "the body 'hallo' (5 bytes), the baseline with 'hello'", "byte for byte"),
        (OTHER_HEADER, "has the header content-type 'text/html'", "headers = { content-type"),
        (SERVER.replace("response.end", "response.statusCode = 404;response.end"), "404", "same"),
    ],
)
@pytest.mark.slow("waits until a program is given up")
def test_a_variant_that_breaks_the_contract_is_named(started, code, problem, remedy):
    made, errors = started({"a": SERVER, "b": code})
    error = errors["b"]
    assert error.message.startswith("variant 'b' ")
    assert problem in error.message
    assert remedy in error.remedy
    assert list(made.running) == ["a"], "the others go on"


def test_declared_differences_are_enforced_both_ways(started):
    header = 'headers = { content-type = "text/html" }'
    assert started({"a": SERVER, "b": OTHER_HEADER}, {"b": header})[1] == {}
    stale = started({"a": SERVER, "b": SERVER}, {"b": header})[1]["b"]
    assert "declares the header content-type 'text/html', but it is 'text/plain'" in stale.message
    idle = started({"a": SERVER, "b": SERVER}, {"b": header.replace("html", "plain")})[1]["b"]
    assert "it is the baseline's" in idle.message
    absent = "headers = { content-type = false }"
    bare = SERVER.replace("response.setHeader('content-type', 'text/plain');", "")
    assert started({"a": SERVER, "b": bare}, {"b": absent})[1] == {}


def test_variants_of_one_file_differ_in_their_environment(started):
    code = SERVER.replace("'hello'", "process.env.WORD ?? 'hello'")
    own = {"b": 'env = { WORD = "hallo" }'}
    assert "the body 'hallo'" in started({"a": code, "b": code}, own)[1]["b"].message


def test_variants_may_answer_like_another_than_the_baseline(started):
    long = {name: 'answers_like = "b"' for name in "bcd"}
    codes = {"a": SERVER, "b": OTHER_BODY, "c": OTHER_BODY, "d": SERVER}
    made, errors = started(codes, long)
    assert list(made.running) == ["a", "b", "c"]
    assert "the body 'hello' (5 bytes), the baseline with 'hallo'" in errors["d"].message
    made.drop("b")
    assert "'b', which it must be like, is gone" in made.land()["c"].message


def test_a_port_in_use_is_named_with_its_owner(started):
    with second_of_two_ports() as taken:
        port = taken.getsockname()[1]
        made, errors = started({"a": SERVER, "b": SERVER}, first_port=port - 1)
    assert list(made.running) == ["a"]
    assert f"port {port} is in use by" in errors["b"].message
    assert f"(process {os.getpid()})" in errors["b"].message
    assert "--port" in errors["b"].remedy


def test_a_variant_with_a_fixed_port_that_is_taken_is_explained(started):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        fixed = SERVER.replace("process.env.PORT", str(taken.getsockname()[1]))
        _, errors = started({"a": SERVER, "b": fixed})
    assert "EADDRINUSE" in errors["b"].message and "PORT" in errors["b"].remedy


def test_a_variant_that_dies_under_load_is_named(started):
    made, errors = started({"a": SERVER, "b": DIES})
    assert errors == {}
    with pytest.raises(VariantError, match="variant 'b' ended with exit code 3 during the race"):
        made.measure("b", 3.0)
    assert made.measure("a", 0.2).load.requests > 0


@pytest.mark.parametrize("name", ["wrk", "ab", "autocannon", "python-load"])
@pytest.mark.slow("loads servers with each tool, for seconds")
def test_a_variant_that_is_gone_when_its_turn_comes_is_named(started, name):
    """Tools give up at once where nobody listens, which is not the tool's failure."""
    made, errors = started({"b": SERVER, "c": STOPS_LISTENING}, tool=registry.get(name))
    assert errors == {}
    made.running["b"].processes[0].kill()
    made.running["b"].processes[0].wait()
    with pytest.raises(VariantError, match="variant 'b' was ended by signal 9 during the race"):
        made.measure("b", 1.0)
    made.running["c"].processes[0].send_signal(signal.SIGUSR2)
    deadline = time.monotonic() + 60
    while programs.answers(made.running["c"].port, "/") and time.monotonic() < deadline:
        time.sleep(0.05)
    with pytest.raises(VariantError, match="variant 'c' (could not be put|answered no request)"):
        made.measure("c", 1.0)
    assert list(made.running) == ["a"]


@pytest.mark.slow("loads servers with each tool, for seconds")
def test_a_variant_that_answers_one_but_not_many_is_told_so(started):
    """As where threads wait for each other: kestrel-sync-64k of experiment 01."""
    made, errors = started({"b": ONE_AT_A_TIME})
    assert errors == {}
    with pytest.raises(VariantError) as caught:
        made.measure("b", 0.3)
    assert "variant 'b' answered no request in 2." in caught.value.message
    assert "8 connections at once: try --connections 1" in caught.value.remedy
    assert made.measure("a", 0.2).load.requests > 0


@pytest.mark.slow("waits until a program is given up")
def test_an_answer_that_does_not_end_is_not_waited_for(started):
    _, errors = started({"b": ENDLESS})  # comes back, though the answer never ends
    assert "did not answer" in errors["b"].message and "to the end" in errors["b"].message


def test_ab_warms_up_for_a_second_at_most(tmp_path):
    demand = LoadRequest("http://127.0.0.1:1/", 0.1, 8, tmp_path)
    words = registry.get("ab").command(demand)
    assert words[words.index("-t") + 1] == "1"


@pytest.mark.slow("loads servers with each tool, for seconds")
def test_a_variant_that_answers_500_in_mid_race_is_named_once_and_the_others_go_on(
    make_experiment, checkout
):
    folder = make_experiment({"a": SERVER, "b": SICKENS})
    prepared = prepare.prepare(
        experiments.load(folder), Options(launches=2, blocks=2, seconds=0.2, warmup=0.1)
    )
    notes = [event.text for event in prepared.events() if isinstance(event, Note)]
    assert any("variant 'b'" in note and "status not 2xx" in note for note in notes)
    assert not any("variant 'a'" in note for note in notes)
    healthy = [s for s in prepared.run.samples if s.variant != "b"]
    assert len(healthy) == 2 * 2 * 2 and all(s.non_2xx == 0 for s in healthy)
    assert any("non-2xx" in s.flags for s in prepared.run.samples if s.variant == "b")


@pytest.mark.slow("waits until a program is given up")
def test_a_program_that_ignores_sigterm_is_ended_all_the_same(started):
    made, errors = started({"a": DEAF_TO_SIGTERM})
    pid = made.running["a"].processes[0].pid
    made.end()
    assert errors == {} and not psutil.pid_exists(pid)


def test_a_missing_load_tool_says_how_to_get_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(LoadError, match="wrk is not installed") as caught:
        registry.choose("wrk")
    assert "apt-get install wrk" in caught.value.remedy


def test_a_missing_npm_package_makes_a_variant_unavailable(make_experiment, checkout):
    folder = make_experiment({"a": SERVER, "b": SERVER}, {"b": 'needs = ["npm:not-there"]'})
    prepared = prepare.prepare(
        experiments.load(folder), Options(launches=1, blocks=1, seconds=0.2, warmup=0)
    )
    list(prepared.events())
    entry = prepared.run.entry("b")
    assert entry.status == "unavailable" and "npm package not-there" in entry.reason
    assert {s.variant for s in prepared.run.samples} == {"a", "a#2"}


@pytest.mark.parametrize("name", ["wrk", "ab", "autocannon", "python-load"])
def test_each_load_tool_counts_what_the_server_answered(started, name):
    tool = registry.get(name)
    assert not installed.missing(tool), f"install it: {tool.install}"
    assert re.match(r"\d+\.\d+", installed.version(tool))
    made, errors = started({"a": SERVER}, tool=tool)
    assert errors == {}
    found = made.measure("a", loading.sample_seconds(tool, 0.3)).load
    assert found.requests > 50 and found.seconds > 0.2
    assert found.bytes > 100 * found.requests
    assert found.non_2xx == 0 and not any(found.errors.values())
    known = [v for v in found.latency_ms.values() if v is not None]
    assert len(known) >= 6 and all(v >= 0 for v in known)
    values = [found.latency_ms[p] for p in ("p50", "p75", "p90", "p99")]
    assert values == sorted(values)


@pytest.mark.parametrize("name", ["wrk", "ab", "autocannon", "python-load"])
def test_each_load_tool_counts_error_answers(started, name):
    made, _ = started({"a": SICKENS}, tool=registry.get(name))
    assert made.measure("a", 1.0).load.non_2xx > 0


def test_output_that_is_no_result_is_explained(keeper, monkeypatch):
    class Broken(Wrk):
        def command(self, *_):
            return ["echo", "nothing here"]

    with pytest.raises(LoadError, match="gave no result that can be read") as caught:
        loading.run(Broken(), "http://127.0.0.1:1/", 0.2, 1, keeper)
    assert "nothing here" in caught.value.message


def test_parity_looks_at_every_header_but_the_dates_value(experiment):
    a, b = experiment.variants
    one = parity.Answer(200, {"date": "now", "x": "1"}, b"hi")
    parity.check(b, parity.Answer(200, {"date": "then", "x": "1"}, b"hi"), one)
    for headers in ({"date": "now", "x": "2"}, {"date": "now"}, {"x": "1"}):
        with pytest.raises(VariantError):
            parity.check(b, parity.Answer(200, headers, b"hi"), one)
    with pytest.raises(VariantError, match="is the baseline and answers with status 500"):
        parity.check_baseline(a, parity.Answer(500, {}, b""))


def test_an_experiment_outside_of_the_checkout_finds_the_npm_packages(make_experiment):
    code = SERVER.replace("import http", "import 'acorn';\nimport http")
    folder = make_experiment({"a": code, "b": code})
    prepared = prepare.prepare(
        experiments.load(folder),
        Options(launches=1, blocks=1, seconds=0.2, warmup=0, path=folder / "run.json"),
    )
    list(prepared.events())
    assert {s.variant for s in prepared.run.samples} == {"a", "a#2", "b"}


def test_a_broken_baseline_ends_the_race_with_its_name(make_experiment, checkout):
    prepared = prepare.prepare(experiments.load(make_experiment({"a": CRASH, "b": SERVER})))
    with pytest.raises(BenchError, match="the baseline can't be raced: variant 'a' ended"):
        list(prepared.events())
    assert prepared.run.status == "incomplete"


def test_another_server_on_its_port_is_not_taken_for_a_variant(started, keeper):
    """A variant that can't listen, because somebody else does, must not be raced as that one."""
    made, errors = started({"a": SERVER})
    port = made.running["a"].port
    impostor = made.experiment.variant("b")
    program = programs.start(impostor, keeper, env={"PORT": str(port)})
    program.port = port
    with pytest.raises(VariantError, match="(?s)variant 'b' ended.*EADDRINUSE"):
        programs.await_ready(program, "/")
    assert errors == {}


def test_ports_are_below_those_of_outgoing_connections_and_never_given_twice():
    ports = [programs.free_port() for _ in range(200)]
    assert len(set(ports)) == 200
    assert all(20000 <= port < 32768 for port in ports)


def test_a_header_may_be_one_of_several(experiment):
    """HttpListener names another server on each system."""
    b = replace(experiment.variant("b"), headers={"server": ["here", "there"]})
    usual = parity.Answer(200, {}, b"hi")
    for server in ("here", "there"):
        parity.check(b, parity.Answer(200, {"server": server}, b"hi"), usual)
    with pytest.raises(VariantError, match="'here' or 'there', but it is absent"):
        parity.check(b, usual, usual)
