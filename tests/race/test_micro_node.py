"""JavaScript functions timed in slices for real: what is found, refused, told, and how all ends."""

import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import replace

import psutil
import pytest

import benchbook
from benchbook.model import experiments, results
from benchbook.model.samples import Evidence, UsedTool
from benchbook.programs import node_versions
from benchbook.race import prepare
from benchbook.race.kinds import asked
from benchbook.race.kinds.functions import executor as sliced_executor
from benchbook.race.kinds.functions import node_harness
from benchbook.race.options import Options
from benchbook.race.record import Note, RaceProgress
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError
from made import CLAIM, left_behind

pytestmark = pytest.mark.slow("times functions")

BENCH = "export default (methods, { benchmark }) => methods[benchmark];\n"
SUM = """
const numbers = Float64Array.from({ length: 4000 }, (_, i) => i);
export function sum() {
  let total = 0;
  for (let i = 0; i < COUNT; i++) total += numbers[i];
  return total;
}
"""
WORK = SUM.replace("COUNT", "2000")
LATE = "let n = 0; export const sum = () => { if (++n > 500) DO; return n; };"
MORE = SUM.replace("COUNT", "4000")


@pytest.fixture
def make_micro(tmp_path):
    """make_micro({"a": code, "b": code}, extra={"b": "needs = …"}) -> the experiment."""

    def make(codes: dict[str, str], extra: dict[str, str] = {}, bench: str = BENCH):
        folder = tmp_path / "78-micro"
        folder.mkdir(exist_ok=True)
        lines = [
            'title = "made for a test"\nquestion = "which is faster?"',
            'claim = "claim.toml"\nbaseline = "a"\n[micro]\nmodule = "bench.mjs"',
            "[race.quick]\nbudget_seconds = 5\nsample_seconds = 0.02\nwarmup_seconds = 0.05",
            "[race.full]\nbudget_seconds = 10\nsample_seconds = 0.05",
        ]
        for name, code in codes.items():
            (folder / f"{name}.mjs").write_text(code, encoding="utf-8")
            lines.append(f'[[variants]]\nname = "{name}"\ntitle = "{name}"\nfile = "{name}.mjs"')
            lines.append('benchmark = "sum"\n' + extra.get(name, ""))
        (folder / "bench.mjs").write_text(bench, encoding="utf-8")
        (folder / "claim.toml").write_text(CLAIM, encoding="utf-8")
        (folder / "experiment.toml").write_text("\n".join(lines), encoding="utf-8")
        return experiments.load(folder)

    return make


@pytest.fixture
def raced(make_micro, tmp_path):
    """raced({"a": code, …}) -> (the run as saved, what was told of it)."""

    def run(codes, extra={}, bench=BENCH, **options):
        chosen = {"launches": 1, "blocks": 2, "path": tmp_path / "run.json", **options}
        prepared = prepare.prepare(make_micro(codes, extra, bench), Options(**chosen))
        told = [event.text for event in prepared.events() if isinstance(event, Note)]
        return results.load(tmp_path / "run.json"), "\n".join(told)

    return run


@pytest.mark.slow("races 50 blocks, enough to see a known difference")
def test_known_work_is_found_and_equal_work_is_equal(raced):
    """Twice the work; medians of the ratios within blocks, wide enough for a machine that is busy
    with other tests."""
    run, told = raced({"a": WORK, "b": MORE}, launches=2, blocks=25)
    assert run.complete and not told
    speeds = run.speeds()

    def ratio(name: str) -> float:
        own, others = sum(speeds["a"], []), sum(speeds[name], [])
        return statistics.median(other / mine for mine, other in zip(own, others))

    assert 0.3 < ratio("b") < 0.75
    assert 0.75 < ratio("a#2") < 1.33


@pytest.mark.slow("races several launches")
def test_rounds_are_interleaved_as_planned_and_every_entry_has_its_process(make_micro, tmp_path):
    options = Options(launches=2, blocks=3, seed=5, path=tmp_path / "run.json")
    prepared = prepare.prepare(make_micro({"a": WORK, "b": WORK}), options)
    seen = set()
    for event in prepared.events():
        seen.add(frozenset(t.dialogue.process.pid for t in prepared.executor.running.values()))
    run = results.load(tmp_path / "run.json")
    for launch in range(2):
        for block in range(3):
            turn = [s.variant for s in run.samples if (s.launch, s.block) == (launch, block)]
            assert turn == list(run.plan.order[launch][block])
    assert len(set().union(*seen)) == 2 * 3, "a new process for each of 3 entries in each launch"
    assert run.unit == "operations/s"
    assert run.tool == UsedTool("Benchbook", benchbook.__version__)
    assert not left_behind(prepared.executor.keeper.token)


def test_the_next_launch_starts_meanwhile_each_process_with_a_layout_of_its_own(
    make_micro, tmp_path, monkeypatch
):
    monkeypatch.setattr(sliced_executor, "APART_SECONDS", 0.0)
    monkeypatch.setattr(sliced_executor.SlicedExecutor, "has_room", lambda executor: True)
    options = Options(launches=2, blocks=3, path=tmp_path / "run.json")
    prepared = prepare.prepare(make_micro({"a": WORK, "b": WORK}), options)
    executor, launches = prepared.executor, [set(), set()]
    ahead, layouts = set(), {}
    for event in prepared.events():
        if isinstance(event, RaceProgress) and event.sample:
            now = {timer.dialogue.process.pid for timer in executor.running.values()}
            launches[event.sample.launch] |= now
            ahead |= {timer.dialogue.process.pid for timer in executor.ahead.values()}
            for pid in now:
                layouts[pid] = psutil.Process(pid).environ()[sliced_executor.LAYOUT]
    assert not launches[0] & launches[1] and launches[1] <= ahead
    assert len({layout.split()[0] for layout in layouts.values()}) == 6
    assert len({len(layout) for layout in layouts.values()}) > 1
    assert not left_behind(executor.keeper.token), "also not those of a third launch"


@pytest.mark.parametrize(
    ("cost", "switches", "collections", "disturbed"),
    [(2, 1, 0, True), (2, 0, 1, True), (2, 0, 0, False), (1.2, 1, 1, False)],
)
def test_slices_far_above_the_others_are_flagged(cost, switches, collections, disturbed):
    usual = {"seconds": 1.0, "operations": 10, "switches": 0, "collections": 0, "allocated": None}
    odd = {**usual, "seconds": cost, "switches": switches, "collections": collections}
    slices = [usual, usual, usual, odd]
    measured = sliced_executor.measurement(slices, Evidence(), 10.0, 0.0)
    assert measured.flags == (("disturbed",) if disturbed else ())
    assert measured.load.seconds == 3 + cost, "it counts nevertheless"
    assert measured.evidence.involuntary_switches == switches


def test_slices_take_turns_forwards_and_backwards(make_micro, tmp_path):
    prepared = prepare.prepare(make_micro({"a": WORK, "b": WORK}), Options(path=tmp_path / "r"))
    orders = list(prepared.executor.orders(["a", "a#2", "b"], 6))
    assert len(orders) == 6 and all(sorted(order) == ["a", "a#2", "b"] for order in orders)
    assert [order[::-1] for order in orders[::2]] == orders[1::2]
    assert len(set(map(tuple, orders))) > 2, "each pair is drawn anew"
    again = list(prepared.executor.orders(["a", "a#2", "b"], 6))
    assert again == orders, "as the race's seed says"


@pytest.mark.slow("waits until the optimiser has compiled the function")
def test_work_is_done_where_its_result_is_given_back_and_refused_where_it_is_removed(raced):
    work = "Math.sqrt(v[0]) * v[1]"
    bodies = {
        "empty": "",
        "unused": "const unused = n.length * 3;",
        "root": "Math.sqrt(n[1]);",
        "product": f"{work};",
        "b": f"return {work};",
    }
    data = "const n = [1, 2, 3];\nconst v = Float64Array.of(1.5, 2);\n"
    codes = {name: f"{data}export function sum() {{ {bodies[name]} }}\n" for name in bodies}
    run, told = raced({"a": WORK, **codes}, blocks=6)
    for name in bodies.keys() - {"b"}:
        entry = run.entry(name)
        assert entry.status == "failed", name
        assert "takes no time that can be measured" in entry.reason, name
        assert f"variant '{name}'" in told
    assert told.count("return its result") == len(bodies) - 1
    assert run.entry("a").status == run.entry("b").status == "raced"


FAILING = {
    "b": ("export const sum = () => nothing.at.all;", "nothing is not defined"),
    "cut-off": ("export const sum = () => {", "SyntaxError"),
    "other": ("export const other = () => 1;", "made no function of 'sum'"),
    "lacking": ("import 'no-such-package'; export const sum = () => 1;", "no-such-package"),
    "late": (LATE.replace("DO", "throw new Error('late')"), "Error: late"),
    "exits": (LATE.replace("DO", "process.exit(3)"), "exit code 3"),
}


def test_variants_that_fail_are_named_and_the_others_go_on(raced):
    run, told = raced({"a": WORK, **{name: code for name, (code, _) in FAILING.items()}})
    assert run.complete
    for name, (_, words) in FAILING.items():
        assert run.entry(name).status == "failed" and words in run.entry(name).reason
        assert f"variant '{name}'" in told
    assert told.startswith("variant '") and told.count("correct 'sum' in") == len(FAILING)
    assert "harness.mjs" not in told and "file://" not in told
    assert len([s for s in run.samples if s.variant == "a"]) == 2


@pytest.mark.slow("waits until a function that never ends is given up")
def test_an_endless_loop_is_ended(raced, monkeypatch):
    monkeypatch.setattr(sliced_executor, "PATIENCE_SECONDS", 1.5)
    monkeypatch.setattr(asked, "PATIENCE_SECONDS", 10.0)  # for what others tell at their start
    run, told = raced({"a": WORK, "b": LATE.replace("DO", "for (;;);")})
    assert "gave no result within" in told and "endless loop" in told
    assert run.complete and run.entry("a").status == "raced"


def test_a_baseline_that_fails_ends_the_race_with_its_reason(make_micro, tmp_path):
    broken = make_micro({"a": "export const sum = () => nothing;", "b": WORK})
    prepared = prepare.prepare(broken, Options(path=tmp_path / "run.json"))
    with pytest.raises(BenchError, match="baseline can't be raced: variant 'a' failed"):
        list(prepared.events())
    assert not left_behind(prepared.executor.keeper.token)


def test_functions_that_wait_and_that_allocate(raced):
    """An async one is awaited; one that waits takes as long as it waits; bytes are told."""
    later = "export const sum = async () => { await null; return 1; };"
    nap = """
    const never = new Int32Array(new SharedArrayBuffer(4));
    export const sum = () => Atomics.wait(never, 0, 0, 20);"""
    timer = """
    const spin = (until) => { while (performance.now() < until); };
    export async function sum() {
      spin(performance.now() + 5); // more than a twentieth of its time
      return new Promise((done) => setTimeout(done, 18, 1));
    }"""
    arrays = "let n = 0; export const sum = () => new Array(100).fill(n++);"
    functions = {"a": WORK, "b": nap, "timer": timer, "later": later, "arrays": arrays}
    run, told = raced(functions, blocks=4)
    assert run.complete and not told
    assert {entry.status for entry in run.entries} == {"raced"}
    waiting = [s for s in run.samples if s.variant in ("b", "timer")]
    assert all(s.requests_per_second < 1 / 0.015 for s in waiting)
    # its result is a number, which V8 may box; what else V8 does meanwhile is a small share
    assert run.allocated_bytes["a"] < 100
    assert run.allocated_bytes["arrays"] == pytest.approx(8 * 100 + 32, rel=0.2)


def test_the_command_by_hand_measures(make_micro):
    """As a reader would call it, in the folder of ./bench."""
    extra = {"b": 'case = "N = 7"\nenv = { COLOUR = "red" }'}
    made = make_micro({"a": WORK, "b": WORK}, extra)
    command = node_harness.by_hand(made.kind.module, made.variant("b")).replace("0.5", "0.02")
    assert command.endswith(" sum 'N = 7'") and "| COLOUR=red node --expose-gc src/" in command
    done = subprocess.run(command, shell=True, cwd=paths.root(), capture_output=True, text=True)
    assert (
        json.loads(done.stdout.splitlines()[-1].removeprefix(sliced_executor.MARK))["operations"]
        > 0
    )


def test_variables_and_cases_reach_the_module(raced):
    bench = """
    export default (methods, { benchmark, case: name }) => {
      if (benchmark !== 'sum' || name !== 'N = 7') throw new Error(`${benchmark}, ${name}`);
      if (process.env.COLOUR !== 'red') throw new Error('no colour');
      return methods.sum;
    };"""
    extra = dict.fromkeys("ab", 'case = "N = 7"\nenv = { COLOUR = "red" }')
    run, told = raced({"a": WORK, "b": WORK}, extra, bench)
    assert run.complete and not told
    assert {e.case for e in run.entries} == {"N = 7"}


def test_an_edit_takes_the_place_of_the_snippet(make_micro, tmp_path):
    made = make_micro({"a": WORK, "b": WORK})
    edit = tmp_path / "edited.mjs"
    edit.write_text("export const sum = () => { throw new Error('edited'); };")
    edited = made.with_edit(replace(made.variant("b"), path=edit, edited=True))
    prepared = prepare.prepare(edited, Options(launches=1, blocks=1, path=tmp_path / "run.json"))
    assert any("edited" in event.text for event in prepared.events() if isinstance(event, Note))
    entry = results.load(tmp_path / "run.json").entry("b")
    assert entry.edited and entry.status == "failed"


def test_a_race_that_is_stopped_keeps_its_samples_and_ends_everything(make_micro, tmp_path):
    options = Options(launches=3, blocks=5, path=tmp_path / "run.json")
    prepared = prepare.prepare(make_micro({"a": WORK, "b": WORK}), options)
    events = prepared.events()
    while not (isinstance(event := next(events), RaceProgress) and event.sample):
        pass
    token = prepared.executor.keeper.token
    assert len(left_behind(token)) >= 3
    events.close()
    assert not left_behind(token)
    run = results.load(tmp_path / "run.json")
    assert run.status == "incomplete" and run.reason == "interrupted" and len(run.samples) >= 1


def test_a_process_that_is_killed_from_outside_is_out_and_the_others_go_on(make_micro, tmp_path):
    options = Options(launches=1, blocks=4, path=tmp_path / "run.json")
    prepared = prepare.prepare(make_micro({"a": WORK, "b": WORK}), options)
    for event in prepared.events():
        timer = prepared.executor.running.get("b")
        if (
            isinstance(event, RaceProgress)
            and event.sample
            and timer
            and timer.dialogue.process.poll() is None
        ):
            timer.dialogue.process.kill()
            timer.dialogue.process.wait()
    run = results.load(tmp_path / "run.json")
    assert run.complete and "was ended by signal 9" in run.entry("b").reason
    assert len([s for s in run.samples if s.variant == "a"]) == 4


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.slow("starts a race in a process of its own")
def test_nothing_is_left_when_the_parent_is_ended(make_micro, how):
    made = make_micro({"a": WORK, "b": WORK})
    command = [sys.executable, "-m", "benchbook", "race", str(made.folder)]
    command += ["--launches", "50", "--blocks", "50"]
    parent = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ)
    )
    children: list[psutil.Process] = []
    deadline = time.monotonic() + 120
    try:
        while sum(map(is_node, children)) < 3 and time.monotonic() < deadline:
            time.sleep(0.1)
            children = psutil.Process(parent.pid).children(recursive=True)
        assert len(children) >= 4, "a guard and three processes"
        parent.send_signal(how)
        parent.wait(120)
    finally:
        parent.kill()
        parent.wait()
    _, alive = psutil.wait_procs(children, timeout=120)
    assert not alive


def is_node(process: psutil.Process) -> bool:
    """Is it Node.js, and still there?"""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.name() == "node"
    return False


# ── Versions of Node.js, and what is refused ─────────────────────────────────────────────────────


def test_a_version_that_is_not_there_is_unavailable_with_the_line_that_gets_it(raced, checkout):
    run, told = raced({"a": WORK, "b": WORK}, {"b": 'needs = ["node:22"]'})
    entry = run.entry("b")
    assert entry.status == "unavailable"
    assert "npm install --prefix .benchbook/versions/node node-22@npm:node@22" in entry.reason
    assert run.complete and run.entry("a").status == "raced"


def test_a_version_that_is_there_runs_the_variant(make_micro, checkout):
    binary = node_versions.folder() / "node_modules" / "node-22" / "bin" / "node"
    binary.parent.mkdir(parents=True)
    binary.write_text("")
    made = make_micro({"a": WORK, "b": WORK}, {"b": 'needs = ["node:22"]'})
    assert node_harness.command(made.kind.module, made.variant("b"))[0] == str(binary)
    assert node_harness.command(made.kind.module, made.variant("a"))[0] == "node"
    assert node_versions.install_line("24").endswith("node-22@npm:node@22 node-24@npm:node@24")


def test_options_for_servers_are_refused(make_micro):
    with pytest.raises(InputError, match="--connections: is for experiments that put servers"):
        prepare.prepare(make_micro({"a": WORK, "b": WORK}), Options(connections=10))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('module = "bench.mjs"', "", "micro: is empty"),
        ('module = "bench.mjs"', 'module = "none.mjs"', "'none.mjs' does not exist"),
        ('module = "bench.mjs"', 'module = "bench.cs"', "micro.module"),
        ('module = "bench.mjs"', 'module = "../bench.mjs"', "lies outside"),
        ('module = "bench.mjs"', 'module = "bench.mjs"\nproject = "x.csproj"', "names both"),
        ('benchmark = "sum"', "", "benchmark: is missing"),
    ],
)
def test_a_wrong_experiment_is_explained(make_micro, old, new, words):
    path = make_micro({"a": WORK, "b": WORK}).folder / "experiment.toml"
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        experiments.load(path.parent)
    assert words in str(caught.value)


def test_functions_are_pinned_only_where_that_is_wanted(make_micro):
    for pin in (True, False):
        race = prepare.prepare(make_micro({"a": WORK, "b": WORK}), Options(pin=pin))
        cpus = race.executor.cpus
        assert (cpus is None) == (race.run.pinning.server is None)
        assert pin or cpus is None
