"""Real servers that are loaded at the same time: each is measured, and one that fails is out."""

import os

import pytest
from test_executor import DIES

from benchbook.model import experiments
from benchbook.programs.programs import VariantError
from benchbook.race import prepare
from benchbook.race.options import Options
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
