"""Real servers that are loaded at the same time: each is measured, and one that fails is out."""

import os
import time
from dataclasses import replace

import psutil
import pytest
from test_executor import DIES

from benchbook.load import loading, registry
from benchbook.model import experiments
from benchbook.programs.programs import VariantError
from benchbook.race import prepare
from benchbook.race.kinds.http import continuous
from benchbook.race.options import Options
from benchbook.system import pinning
from benchbook.system.pinning import Pinning
from made import SERVER


def test_programs_that_are_loaded_together_share_the_cpu(started):
    cpus = sorted(os.sched_getaffinity(0))
    code = {name: SERVER for name in ("a", "b", "c")}
    made, errors = started(code, pinning=Pinning(tuple(cpus[:1]), tuple(cpus[1:]) or None))
    assert errors == {}
    found = made.measure_together(["b", "c", "a"], 1.0)
    assert list(found) == ["b", "c", "a"]
    spent = [each.evidence.server_cpu_seconds for each in found.values()]
    assert all(
        each.load.requests > 0 and each.load.client_cpu_seconds > 0 for each in found.values()
    )
    assert all(cpu > 0 for cpu in spent)
    for each in found.values():
        assert each.together.server_cpu_seconds == pytest.approx(sum(spent), rel=0.2)


def test_one_that_ends_while_all_are_loaded_is_out_and_the_others_are_measured(started):
    made, errors = started({"a": SERVER, "b": DIES})
    assert errors == {}
    found = made.measure_together(["a", "b"], 3.0)
    assert found["a"].load.requests and isinstance(found["b"], VariantError)
    assert "ended with exit code 3 during the race" in found["b"].message
    assert list(made.running) == ["a"]


@pytest.mark.parametrize("connections, together", [(4, False), (8, True)])
def test_with_few_connections_servers_take_turns(two_servers, checkout, connections, together):
    options = Options(connections=connections)
    prepared = prepare.prepare(experiments.load(two_servers), options)
    prepared.executor.close()
    assert prepared.plan.together is together
    assert any("raced in turns" in message for message in prepared.run.messages) is not together


# Answers as the others do at first, and then with as many bytes that are wrong.
TURNS = SERVER.replace("const server", "let asked = 0;\nconst server").replace(
    "'hello'", "asked++ < 1000 ? 'hello' : 'hallo'"
)
# Is right whenever somebody looks who asks for one thing at a time.
CHEATS = (
    SERVER.replace("const server", "let open = 0;\nconst server").replace(
        "'hello'", "open > 4 ? 'hallo' : 'hello'"
    )
    + """
server.on('connection', (socket) => { open++; socket.on('close', () => open--); });
"""
)


@pytest.mark.parametrize("code", [TURNS, CHEATS], ids=["later", "with many"])
def test_one_that_answers_wrong_under_load_is_out(started, code):
    made, errors = started({"a": SERVER, "b": code})
    assert errors == {}
    for _ in range(50):  # a busy machine may take a while for a thousand answers
        found = made.measure_together(["a", "b"], 1.0)
        if isinstance(found["b"], VariantError):
            break
    assert found["a"].load.requests
    assert "answers with the body 'hallo'" in str(found["b"])
    assert list(made.running) == ["a"]


@pytest.mark.parametrize("name", ["wrk", "python-load"])
def test_under_continuous_load_nothing_is_stopped_between_blocks_and_all_requests_are_counted(
    started, name
):
    tool = registry.get(name)
    made, errors = started({"a": SERVER, "b": SERVER}, continuous=True, tool=tool)
    assert errors == {}
    made.begin(["b", "a"], 3.0)
    loads = [running.process.pid for running in made.continuous_load.loads.values()]
    blocks = [made.measure_together(["b", "a"], 0.5) for _ in range(3)]
    assert [running.process.pid for running in made.continuous_load.loads.values()] == loads
    whole = made.finish()
    assert made.continuous_load is None and list(whole) == ["b", "a"]
    for name in ("a", "b"):
        parts = [block[name] for block in blocks]
        assert all(part.load.seconds >= 0.5 and part.load.requests > 0 for part in parts)
        assert all(part.evidence.server_cpu_seconds > 0 for part in parts)
        assert all(part.load.client_cpu_seconds > 0 for part in parts)
        assert all(part.load.latency_ms["mean"] is None for part in parts)
        # the lead and the time after the last block are not among the blocks
        assert sum(part.load.requests for part in parts) < whole[name].requests
        assert whole[name].latency_ms["mean"] > 0 and not sum(whole[name].errors.values())
    assert not any(psutil.pid_exists(pid) for pid in loads)


def test_after_a_long_pause_a_launch_goes_on(started, monkeypatch):
    monkeypatch.setattr(continuous, "SPARE_SECONDS", 1.0)  # as if it had been a minute
    made, _ = started({"a": SERVER, "b": SERVER}, continuous=True)
    made.begin(["a", "b"], 4.0)
    before = made.measure_together(["a", "b"], 0.5)
    first = {running.process.pid for running in made.continuous_load.loads.values()}
    while not made.continuous_load.over:
        time.sleep(0.1)
    after = made.measure_together(["a", "b"], 0.5)
    assert first.isdisjoint(running.process.pid for running in made.continuous_load.loads.values())
    assert all(block[name].load.requests for block in (before, after) for name in ("a", "b"))
    whole = made.finish()
    for name in ("a", "b"):  # both times
        assert whole[name].requests > sum(b[name].load.requests for b in (before, after))
    assert "stopped for more than a minute" in made.closing_remarks()[-1]


def test_a_load_generator_without_a_result_in_the_end_is_said(started, monkeypatch):
    made, _ = started({"a": SERVER, "b": SERVER}, continuous=True)
    made.begin(["a", "b"], 1.0)
    assert made.measure_together(["a", "b"], 0.5)["b"].load.requests
    running = made.continuous_load.loads["b"]
    running.process.kill()
    running.process.wait()
    assert list(made.finish()) == ["a"]
    (told,) = made.closing_remarks()
    assert "'b' gave no result" in told


def test_before_continuous_load_servers_change_to_the_faster_cpus_and_a_remark_says_so(
    started, monkeypatch
):
    first, second = (sorted(os.sched_getaffinity(0)) * 2)[:2]
    made, _ = started(
        {"a": SERVER, "b": SERVER}, continuous=True, pinning=Pinning((first,), (second,))
    )
    assert made.closing_remarks() == []
    monkeypatch.setattr(
        pinning, "quicker", lambda pins: replace(pins, server=pins.client, client=pins.server)
    )
    made.begin(["a", "b"], 2.0)
    assert {frozenset(os.sched_getaffinity(pid)) for pid in made.members} == {frozenset({second})}
    loads = [running.process.pid for running in made.continuous_load.loads.values()]
    assert {frozenset(os.sched_getaffinity(pid)) for pid in loads} == {frozenset({first})}
    assert made.measure_together(["a", "b"], 0.5)["b"].load.requests
    made.finish()
    (told,) = made.closing_remarks()
    assert "changed CPUs once" in told


def test_what_a_load_generator_sent_is_what_it_counts(started):
    made, _ = started({"a": SERVER}, continuous=True)
    made.begin(["a"], 2.0)
    made.measure_together(["a"], 1.0)
    running = made.continuous_load.loads["a"]
    sent, whole = running.sent(), made.finish()["a"]
    assert sent <= whole.requests + made.connections  # under way when it was stopped


def test_one_that_ends_under_continuous_load_is_out_and_nobody_asks_it_any_more(started):
    made, errors = started({"a": SERVER, "b": DIES}, continuous=True)
    assert errors == {}
    made.begin(["a", "b"], 3.0)
    pid = made.continuous_load.loads["b"].process.pid
    found = made.measure_together(["a", "b"], 1.0)
    assert found["a"].load.requests and isinstance(found["b"], VariantError)
    assert "ended with exit code 3 during the race" in found["b"].message
    assert list(made.continuous_load.loads) == ["a"]
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    assert made.measure_together(["a"], 0.5)["a"].load.requests
    assert list(made.finish()) == ["a"]


def test_where_requests_cannot_be_counted_each_block_has_load_generators_of_its_own(
    started, monkeypatch
):
    monkeypatch.setattr(loading.Running, "sent", lambda self: None)
    made, _ = started({"a": SERVER, "b": SERVER}, continuous=True)
    made.begin(["a", "b"], 1.0)
    assert made.continuous_load is None
    found = made.measure_together(["a", "b"], 0.5)
    assert all(each.load.latency_ms["mean"] > 0 for each in found.values())
    assert made.finish() == {}


def test_a_load_generator_that_ends_under_continuous_load_is_said(started):
    made, _ = started({"a": SERVER, "b": SERVER}, continuous=True)
    made.begin(["a", "b"], 1.0)
    made.continuous_load.loads["b"].process.kill()
    made.continuous_load.loads["b"].process.wait()
    found = made.measure_together(["a", "b"], 0.5)
    assert found["a"].load.requests and "could not be put under load" in found["b"].message
    made.close()
    assert made.continuous_load is None
