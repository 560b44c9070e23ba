"""What can be known without a build is said before one, and before a race waits for another."""

import socket
from dataclasses import replace

import pytest

from benchbook.model import experiments
from benchbook.programs import programs, runners
from benchbook.race import prepare, service, turn
from benchbook.race.kinds.benchmarks import cell_project
from benchbook.race.options import Options, RaceRequest
from benchbook.race.service import Audience
from benchbook_kernels.base.errors import BenchError, InputError
from made import SERVER


@pytest.fixture(autouse=True)
def nothing_is_built(monkeypatch):
    for name in ("build", "build_together"):
        monkeypatch.setattr(runners.Ready, name, lambda *_: pytest.fail("it was built"))
    monkeypatch.setattr(turn, "taken", lambda *_: pytest.fail("it waited for its turn"))


@pytest.mark.parametrize("before", [0, 1, 2])
def test_a_port_that_is_in_use(experiment, before):
    port = programs.free_port()  # no client's socket takes the ports beside it meanwhile
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        with pytest.raises(BenchError, match=f"port {port} is in use"):
            prepare.prepare(experiment, Options(port=port - before))


def test_programs_that_lack_something(make_experiment):
    lacking = 'needs = ["tool:unheard-of-tool"]'
    folder = make_experiment({"a": SERVER, "b": SERVER}, {"a": lacking})
    with pytest.raises(BenchError, match="baseline 'a' can't be raced: unheard-of-tool is not"):
        prepare.prepare(experiments.load(folder))
    folder = make_experiment({"a": SERVER, "b": SERVER}, {"b": lacking}, "78-other")
    asked = replace(experiments.load(folder), delta=0.02)
    with pytest.raises(BenchError, match="nothing is left to compare: variant 'b' is unavailable"):
        prepare.prepare(asked)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Options(variants=("b", "unheard-of")), "no variant 'unheard-of'"),
        (Options(mode="long"), "no mode 'long'"),
        (Options(launches=0), "--launches: is 0"),
    ],
)
def test_options_that_make_no_sense(experiment, options, message):
    with pytest.raises(InputError, match=message):
        service.race(experiment, RaceRequest(), options, Audience)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "public class A { public int B() => 1; } // [Benchmark]",
            "there is no .Benchmark. method",
        ),
        ("public class A {\n[Benchmark] int B() => 1; }", "line 3: B is not public, so Benchm"),
    ],
)
def test_a_cell_whose_benchmarks_can_not_be_called(code, message):
    with pytest.raises(BenchError, match=message):
        cell_project.check(code)
