"""The evidence beside each sample."""

import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchbook.loadtools.tool import Load
from benchbook.model.samples import Evidence
from benchbook.race import evidence as evidence_of
from benchbook.system import cores, pinning

SETTING = evidence_of.Setting(client_cpus=1, connections=50)
GOOD = Load(
    seconds=1.0,
    requests=50_000,
    latency_ms={"mean": 1.0, "p50": 0.9, "max": 5.5},
    errors={"connect": 0, "read": 0, "write": 0, "timeout": 0},
    non_2xx=0,
    bytes=1,
    client_cpu_seconds=0.6,
)


def flags(load, server_cpu=0.99, setting=SETTING, clock=None, **evidence):
    return evidence_of.flags(load, Evidence(server_cpu, **evidence), setting, clock)


def test_a_good_sample_has_no_flags():
    assert flags(GOOD) == []
    assert evidence_of.littles_law(GOOD) == pytest.approx(50)


@pytest.mark.parametrize(
    ("change", "server_cpu", "flag"),
    [
        ({"client_cpu_seconds": 0.99}, 0.5, "client-bound"),
        ({}, 0.3, "server-idle"),
        ({"errors": {"connect": 0, "read": 2, "write": 0, "timeout": 0}}, 0.99, "errors"),
        ({"non_2xx": 1}, 0.99, "non-2xx"),
        ({"latency_ms": {"mean": 0.5, "max": 5.5}}, 0.99, "littles-law"),
    ],
)
def test_each_flag_is_raised_by_its_cause_alone(change, server_cpu, flag):
    assert flags(replace(GOOD, **change), server_cpu) == [flag]
    assert flag in evidence_of.EXPLAIN


@pytest.mark.parametrize(
    ("cpus", "own", "everyones", "bound"),
    [
        (1, 0.16, 0.97, True),
        (1, 0.16, 0.90, False),
        (8, 0.30, 1.80, False),  # without pinning, or with many CPUs, they use more than one
        (8, 0.97, 3.00, True),  # one of them can't use more than its thread has
        (2, 0.32, 1.95, True),
        (8, 0.90, 5.80, True),
    ],
)
def test_six_load_generators_are_bound_by_the_cpus_of_all_or_by_their_own_thread(
    cpus, own, everyones, bound
):
    setting = replace(SETTING, all_clients_cpus=cpus)
    together = evidence_of.Together(5.0, everyones, clients=6)
    load = replace(GOOD, client_cpu_seconds=own)
    found = evidence_of.flags(load, Evidence(0.9), setting, together=together)
    assert found == (["client-bound"] if bound else [])


def test_a_container_that_had_no_more_time_was_not_idle():
    load, evidence = replace(GOOD, client_cpu_seconds=0.5), {"idle_cpu_seconds": 7.0}
    assert flags(load, 0.48, **evidence) == ["server-idle"]
    assert flags(load, 0.48, replace(SETTING, quota=1.0), **evidence) == []
    assert flags(load, 0.48, replace(SETTING, quota=4.0), **evidence) == ["server-idle"]


@pytest.mark.parametrize(
    ("evidence", "flag"),
    [
        ({"outside_cpu_seconds": 0.2}, "machine-busy"),
        ({"stolen_cpu_seconds": 0.1}, "cpu-stolen"),
        ({"clock_mhz": 2000.0, "clock": 3000.0}, "clock-lower"),
    ],
)
def test_what_happens_on_the_machine_is_flagged(evidence, flag):
    assert flags(GOOD, **evidence) == [flag]
    assert flag in evidence_of.EXPLAIN
    assert (
        flags(GOOD, **{name: value / 100 for name, value in evidence.items()} | {"clock": 0}) == []
    )


def test_a_watch_sees_work_outside_of_the_race():
    watch = evidence_of.Watch([os.getpid()])
    code = "import time\nwhile time.process_time() < 0.5: pass"
    subprocess.run([sys.executable, "-c", code], check=True)
    found = watch.evidence(client_cpu_seconds=0.0)
    assert found.outside_cpu_seconds >= 0.3
    assert found.server_cpu_seconds < found.outside_cpu_seconds
    assert found.voluntary_switches >= 1


def test_latencies_in_whole_milliseconds_are_no_evidence_against_littles_law():
    coarse = replace(GOOD, latency_ms={"mean": 0.3, "p50": 0.0, "max": 5.0})
    assert flags(coarse) == []


def test_corrected_latencies_may_be_longer_than_littles_law_allows_but_not_shorter():
    corrected = replace(SETTING, corrected=True)
    stalled = replace(GOOD, latency_ms={"mean": 2.5, "max": 90.5})
    assert flags(stalled) == ["littles-law"]
    assert flags(stalled, setting=corrected) == []
    idle = replace(GOOD, latency_ms={"mean": 0.5, "max": 5.5})
    assert flags(idle, setting=corrected) == ["littles-law"]


def test_unknown_cpu_times_are_no_evidence():
    unknown = replace(GOOD, client_cpu_seconds=float("nan"))
    assert flags(unknown, float("nan")) == []


def test_the_sides_never_share_a_cpu(monkeypatch):
    monkeypatch.setattr(cores, "cpu_quota", lambda: None)
    for count in range(2, 17):
        found = pinning.split(range(count))
        assert found.server and found.client
        assert not set(found.server) & set(found.client)
        assert set(found.server) | set(found.client) == set(range(count))
        assert len(found.server) >= len(found.client)


def test_hyperthreads_of_a_core_stay_together(monkeypatch):
    monkeypatch.setattr(cores, "siblings", lambda cpu: str(cpu % 4))
    monkeypatch.setattr(cores, "cpu_quota", lambda: None)
    found = pinning.split(range(8))
    assert (found.server, found.client) == ((0, 1, 4, 5), (2, 3, 6, 7))


def test_a_container_with_the_time_of_one_cpu_is_not_split(monkeypatch):
    monkeypatch.setattr(cores, "cpu_quota", lambda: 1.0)
    found = pinning.split(range(8))
    assert found.server is None and "1 CPUs only" in found.reason


@pytest.mark.parametrize(
    "server, client, reason, changed",
    [
        ((0,), (1,), "", True),
        ((1,), (0,), "", False),
        ((0, 2), (1, 3), "", True),
        ((0, 1), (2, 3), "", False),  # in the mean both sides are as fast
        ((0, 1), (2,), "", False),
        ((0,), (1,), "both share a core", False),
        (None, None, "switched off", False),
    ],
)
def test_servers_get_the_cpus_that_are_faster_now(monkeypatch, server, client, reason, changed):
    monkeypatch.setattr(pinning.os, "sched_setaffinity", lambda *_: None, raising=False)
    slow = {0: 0.002, 1: 0.001, 2: 0.002, 3: 0.001}  # seconds of the same work
    monkeypatch.setattr(pinning, "work_on", slow.__getitem__)
    pins = pinning.Pinning(server, client, reason)
    found = pinning.quicker(pins)
    assert found == (replace(pins, server=client, client=server) if changed else pins)


def test_a_cpu_that_is_a_little_slower_keeps_its_side(monkeypatch):
    taken = iter([0.00112, 0.001, 0.00125])  # the servers', the others', and once more
    monkeypatch.setattr(pinning, "work_on", lambda cpu: next(taken))
    pins = pinning.Pinning((0,), (1,))
    assert pinning.quicker(pins) == pins


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux only")
def test_to_see_how_fast_a_cpu_is_moves_nothing_but_the_look():
    before = os.sched_getaffinity(0)
    assert pinning.work_on(min(before)) > 0
    assert os.sched_getaffinity(0) == before


def test_one_cpu_is_not_split():
    found = pinning.split([0])
    assert found.server is None and "only one CPU" in found.reason


def test_only_cpus_that_we_may_use_can_be_idle(monkeypatch):
    """In a container with one CPU of eight the other seven are no sign of a server that waits."""
    monkeypatch.setattr(evidence_of.cores, "affinity", lambda: [1])
    idle = [SimpleNamespace(idle=100.0), SimpleNamespace(idle=2.0), SimpleNamespace(idle=100.0)]
    monkeypatch.setattr(evidence_of.psutil, "cpu_times", lambda percpu: idle)
    assert evidence_of.idle_seconds(None) == 2.0
    assert evidence_of.idle_seconds([0, 2]) == 200.0


@pytest.mark.parametrize(
    ("sent", "requests", "failed", "wrong"),
    [
        (50_000, 50_000, 0, False),
        (50_050, 50_000, 0, False),  # fifty were under way in the end
        (50_500, 50_000, 400, False),
        (12_978, 6_460, 0, True),  # autocannon, where the server closes after each answer
        (2_160, 180, 25, True),
        (50_600, 50_000, 0, True),
        (None, 50_000, 0, False),
    ],
)
def test_requests_that_were_sent_and_not_counted_are_flagged(sent, requests, failed, wrong):
    errors = {"connect": 0, "read": failed, "write": 0, "timeout": 0}
    load = replace(GOOD, sent=sent, requests=requests, errors=errors)
    assert evidence_of.miscounted(load, SETTING.connections) == wrong
    assert ("miscounted" in evidence_of.of_answers(load, SETTING)) == wrong
    assert "miscounted" in evidence_of.EXPLAIN
