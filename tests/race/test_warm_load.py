"""Load generators that live through a warm-up, and stand still where programs compile."""

import os
import time

import psutil
import pytest
from test_executor import BUSY_AFTERWARDS, DIES, SERVER

from benchbook.load.loading import Running
from benchbook.programs import runners
from benchbook.programs.programs import VariantError
from benchbook.race.kinds.http import executor, warm_load
from benchbook.race.kinds.http.warm_load import ENDING_WINDOWS
from benchbook.system import cores
from benchbook.system.pinning import Pinning

NEVER_AGAIN = SERVER.replace("response.end('hello')", "count++ < 100 && response.end('hello')")
SILENT = NEVER_AGAIN.replace("const server", "let count = 0;\nconst server", 1)


def loads(made) -> dict[str, int]:
    return {name: each.process.pid for name, each in made.warm_load.load.loads.items()}


def stopped(pid: int) -> bool:
    """Does it stand still, or soon? A signal needs its time on a busy machine."""
    deadline = time.monotonic() + 20
    while psutil.Process(pid).status() != psutil.STATUS_STOPPED:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_load_goes_on_from_one_window_to_the_next_and_ends_with_the_warm_up(started):
    made, errors = started({"a": SERVER, "b": SERVER}, counts=True)
    assert errors == {}
    found = made.warm_up(["a", "b"], 0.2)
    first = loads(made)
    assert all(done.load.requests > 0 for done in found.values())
    assert all(done.evidence.server_cpu_seconds > 0 for done in found.values())
    made.warm_up(["a", "b"], 0.2)
    assert loads(made) == first and made.compiled == 0
    made.warmed_up()
    assert made.warm_load is None
    assert not any(psutil.pid_exists(pid) for pid in first.values())
    assert made.measure("a", 0.2).load.requests


def test_programs_may_use_all_cpus_until_they_are_warm(started):
    own = tuple(sorted(cores.affinity())[:1])
    made, _ = started({"a": SERVER}, counts=True, pinning=Pinning(own, None))
    member = made.running["a"].members[0]
    made.warm_up(["a"], 0.2)
    assert os.sched_getaffinity(member) == set(cores.affinity())
    made.warmed_up()
    assert os.sched_getaffinity(member) == set(own)


def test_load_stands_still_while_programs_compile_and_its_first_ones_end(started, monkeypatch):
    monkeypatch.setattr(runners.Node, "tiered", True)
    found, stood = [], []

    def waiting(members):
        running = made.warm_load.load.loads if made.warm_load else {}
        stood.append([stopped(each.process.pid) for each in running.values()])
        return 0.25 if members else pytest.fail("nobody is waited for")

    monkeypatch.setattr(warm_load, "tier_up_wait", waiting)
    made, errors = started({"a": SERVER, "b": SERVER}, counts=True)
    assert errors == {}
    for _ in range(ENDING_WINDOWS + 2):
        assert all(done.load.requests for done in made.warm_up(["a", "b"], 0.2).values())
        assert made.compiled == 0.25
        found.append(loads(made))
    assert stood == [[]] * (1 + ENDING_WINDOWS) + [[True, True]] * 2
    assert len({each["a"] for each in found}) == ENDING_WINDOWS
    made.close()
    assert not any(psutil.pid_exists(pid) for each in found for pid in each.values())


def test_load_goes_on_though_a_rest_is_interrupted(started, monkeypatch):
    monkeypatch.setattr(runners.Node, "tiered", True)
    made, _ = started({"a": SERVER}, counts=True)
    for _ in range(ENDING_WINDOWS):
        made.warm_up(["a"], 0.1)

    def interrupted(members):
        raise KeyboardInterrupt

    monkeypatch.setattr(warm_load, "tier_up_wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        made.warm_up(["a"], 0.1)
    pid = loads(made)["a"]
    assert psutil.Process(pid).status() != psutil.STATUS_STOPPED
    made.close()
    assert not psutil.pid_exists(pid)


@pytest.mark.parametrize("code, told", [(DIES, "exit code 3"), (SILENT, "--connections 1")])
def test_one_that_dies_or_falls_silent_in_a_warm_up_is_out(started, monkeypatch, code, told):
    monkeypatch.setattr(executor, "PATIENT_SECONDS", 0.4)
    made, errors = started({"b": code}, counts=True)
    assert errors == {}
    for _ in range(50):
        found = made.warm_up(list(made.running), 0.2)
        assert found["a"].load.requests
        if isinstance(found["b"], VariantError):
            break
    assert told in found["b"].message + found["b"].remedy
    assert list(made.running) == ["a"] and list(loads(made)) == ["a"]


def test_where_requests_cannot_be_counted_each_window_has_load_generators(started, monkeypatch):
    monkeypatch.setattr(Running, "sent", lambda self: None)
    made, _ = started({"b": BUSY_AFTERWARDS}, counts=True)
    assert made.warm_up(["a"], 0.2)["a"].load.requests
    assert made.warm_load is None and not made.counts
