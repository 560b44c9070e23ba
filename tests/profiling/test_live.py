"""Programs that are profiled for real, for moments, with plants too gross to be missed; and what
becomes of those that can't be."""

import errno
import os
import re

import pytest

from benchbook.model import experiments
from benchbook.model.profiles import reading
from benchbook.profiling import differences, experiment, registry, service
from benchbook.profiling.cost import counting, of_calls, of_system
from benchbook.profiling.options import WhyOptions
from benchbook.race.options import Options
from benchbook.race.record import RaceProgress
from benchbook.show.why import cost_cards
from benchbook_kernels.base.errors import BenchError, InputError
from calling import call
from made import CLAIM, SERVER, left_behind
from quiet import Quiet

pytestmark = pytest.mark.slow("profiles programs")

SHORT = WhyOptions(launches=2, seconds=0.8, race=Options(warmup=0.5))
SLOW = """exports.slow = function slow() {
  let x = 12345;
  for (let i = 0; i < 200_000; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
};
"""
PLANTED = """
import http from 'node:http';
import dep from 'dep';
let sink = 0;
const middle = () => dep.slow() + 1;
http
  .createServer((request, response) => {
    response.setHeader('content-type', 'text/plain');
    sink ^= middle();
    response.end('hello');
  })
  .listen(process.env.PORT, '127.0.0.1');
"""


@pytest.fixture(autouse=True)
def few_samples_will_do(monkeypatch):
    monkeypatch.setattr(differences, "FEWEST", 20)
    monkeypatch.setattr(differences, "FEWEST_OF_ROW", 5)


@pytest.fixture
def planted(make_experiment):
    """Two servers, one of which calls a slow function of a package."""
    folder = make_experiment({"a": SERVER, "b": PLANTED}, {"b": 'needs = ["npm:dep"]'})
    package = folder / "node_modules" / "dep"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "dep", "version": "1.2.3"}')
    (package / "index.js").write_text("\n" * 99 + SLOW)
    return experiments.load(folder)


@pytest.fixture
def servers(make_experiment):
    """servers({"a": code, …}) -> the experiment."""
    return lambda codes: experiments.load(make_experiment(codes))


def nothing_runs(audience):
    token = audience.ready.run  # of the race that was prepared
    return token is not None and left_behind(audience.ready.pairs.copies.keeper.token) == []


def test_a_plant_in_a_dependency_is_found_behind_what_was_inlined(planted):
    audience = Quiet()
    found = service.profiled(planted, ("a", "b"), SHORT, audience)
    why = differences.why(found)
    assert (why.rows[0].key.layer, why.rows[0].key.function) == ("dep", "slow")
    assert why.rows[0].b > 10 * max(why.rows[0].a, 0.01)
    assert why.rows[0].link.startswith("https://app.unpkg.com/dep@1.2.3/files/index.js#L100")
    assert nothing_runs(audience)
    assert reading.comparison(found.path) == found
    assert [launch.plain["a"].requests > 0 for launch in found.launches] == [True, True]


def test_what_a_request_costs_is_counted(planted):
    costing = service.counted(planted, ("a", "b"), SHORT, Quiet())
    for name in ("a", "b"):
        known = {what for what, each in costing.figures[name].items() if each.values}
        assert {counting.ALLOCATED, counting.THREADS} <= known
        sent, calls = (costing.figures[name][what] for what in (counting.SENT, counting.CALLS))
        # on a busy machine a slow server's connections are opened while it is looked at
        assert sent.reason in (of_system.lacks_sent(), counting.ANEW)
        assert sent.reason or sent.mean > 50
        if not of_system.lacks_calls() and calls.reason != of_system.NO_TRACE:
            assert calls.mean >= 1.5  # it reads, and it writes


WORK = "export const work = () => { let x = 1; for (let i = 0; i < N; i++) x += i % 7; return x; };"


def functions(folder, codes):
    """An experiment of functions in JavaScript, named `work` in each file."""
    folder.mkdir()
    lines = [
        'title = "made for a test"\nquestion = "which is faster?"',
        'claim = "claim.toml"\nbaseline = "a"\n[micro]\nmodule = "bench.mjs"',
        "[race.quick]\nbudget_seconds = 5\nsample_seconds = 0.02\nwarmup_seconds = 0.05",
        "[race.full]\nbudget_seconds = 10\nsample_seconds = 0.05",
    ]
    for name, code in codes.items():
        (folder / f"{name}.mjs").write_text(code + "\n")
        lines.append(f'[[variants]]\nname = "{name}"\ntitle = "{name}"\nfile = "{name}.mjs"')
        lines.append('benchmark = "work"')
    (folder / "experiment.toml").write_text("\n".join(lines))
    (folder / "claim.toml").write_text(CLAIM)
    module = "export default (methods, { benchmark }) => methods[benchmark];\n"
    (folder / "bench.mjs").write_text(module)
    return experiments.load(folder)


def test_a_plant_in_a_function_is_found(tmp_path):
    codes = {name: WORK.replace("N", loops) for name, loops in (("a", "100"), ("b", "20_000"))}
    made = functions(tmp_path / "78-micro", codes)
    why = differences.why(service.profiled(made, ("a", "b"), SHORT, Quiet()))
    assert why.rows[0].key.function == "line 1 of a.mjs / line 1 of b.mjs"
    assert why.rows[0].b > 10 * why.rows[0].a and why.thing == "operation"


def test_what_a_call_allocates_is_counted_and_removed_work_is_told(tmp_path):
    codes = {
        "a": "export const work = () => 1;",
        "b": "export const work = () => new Float64Array(1000).fill(1);",
    }
    made = functions(tmp_path / "78-micro", codes)
    audience = Quiet()
    costing = service.counted(made, ("a", "b"), SHORT, audience)
    nothing, large = (costing.figures[name] for name in ("a", "b"))
    assert nothing[of_calls.REMOVED].mean == 1 and large[of_calls.REMOVED].mean == 0
    assert large[of_calls.ALLOCATED].mean > 0 and costing.differs(of_calls.REMOVED)
    text = cost_cards.summary(costing).text
    assert re.search(r"≠ +work removed by the optimiser +yes +no", text)
    assert "of an operation" in text and "system calls" not in text
    assert left_behind(audience.ready.copies.keeper.token) == []


# ── What can't be profiled ───────────────────────────────────────────────────────────────────────


def test_names_that_make_no_sense_are_refused(servers):
    made = servers({"a": SERVER, "b": SERVER})
    for ready in (experiment.ready, counting.ready):
        with pytest.raises(InputError, match="names 'a' twice"):
            ready(made, ("a", "a"), SHORT, print)
    with pytest.raises(InputError, match="no variant 'c'|'c'"):
        experiment.ready(made, ("a", "c"), SHORT, print)


def test_a_program_of_another_runtime_is_told_why(make_experiment):
    folder = make_experiment({"a": SERVER, "b": SERVER})
    text = (folder / "experiment.toml").read_text().replace('file = "b.mjs"', 'file = "b.py"')
    (folder / "experiment.toml").write_text(text)
    (folder / "b.py").write_text("print(1)\n")
    made = experiments.load(folder)
    assert "there is no profiler here for Python" in registry.lacks(made.variant("b"))
    with pytest.raises(BenchError, match="'b' can't be profiled: there is no profiler here"):
        experiment.ready(made, ("a", "b"), SHORT, print)


DIES = SERVER + "process.on('SIGUSR2', () => process.exit(3));\n"


def test_a_program_that_dies_under_the_profiler_is_named_and_nothing_is_left(servers):
    audience = Quiet()
    with pytest.raises(BenchError, match="variant 'b|'b'"):
        service.profiled(servers({"a": SERVER, "b": DIES}), ("a", "b"), SHORT, audience)
    assert nothing_runs(audience)


def test_a_full_disk_is_one_message(servers, monkeypatch):
    def full(self):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("benchbook.model.profiles.comparison.ProfileComparison.save", full)
    audience = Quiet()
    short = WhyOptions(launches=1, seconds=0.4, race=Options(warmup=0.5))
    with pytest.raises(BenchError, match="can't be kept: No space left"):
        service.profiled(servers({"a": SERVER, "b": SERVER}), ("a", "b"), short, audience)
    assert nothing_runs(audience)


def test_an_interrupt_ends_all_and_keeps_what_was_complete(servers):
    def interrupt(event):
        if isinstance(event, RaceProgress) and event.done == 1:
            raise KeyboardInterrupt

    audience = Quiet(interrupt)
    short = WhyOptions(launches=3, seconds=0.4, race=Options(warmup=0.5))
    with pytest.raises(service.ProfilingStopped) as stopped:
        service.profiled(servers({"a": SERVER, "b": SERVER}), ("a", "b"), short, audience)
    assert len(stopped.value.comparison.launches) == 1
    assert len(reading.comparison(stopped.value.comparison.path).launches) == 1
    assert nothing_runs(audience)


def test_the_command_leaves_no_profile_in_the_reader_s_folder(make_experiment, tmp_path):
    folder = make_experiment({"a": SERVER, "b": SERVER})
    here = tmp_path / "here"
    here.mkdir()
    words = ("why", folder, "a", "--launches", "1", "--seconds", "0.4")
    done = call(*words, folder=here, BENCHBOOK_RACE="warmup=0.3")
    assert done.code == 0 and "µs of CPU time a request" in done.out
    assert list(here.iterdir()) == []
