"""Experiment 13: two files, three runtimes; what runs here answers alike, what can't says why."""

import os
import re
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchbook.load import registry
from benchbook.model import experiments
from benchbook.notebook import editions, exercises
from benchbook.notebook.checking.solutions import edits, no_variable
from benchbook.notebook.headless import execute
from benchbook.notebook.workbench import Workbench
from benchbook.programs import given_environment, programs, readiness, runners
from benchbook.programs.runtimes import javascript
from benchbook.race.kinds.http import executor
from benchbook.system import paths
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.processes import Keeper

pytestmark = pytest.mark.slow("starts every variant")

FOUND = experiments.find("13")
HERE = {v.name: v for v in FOUND.variants if not readiness.unavailable(v)}
NOT_RACED = "Nothing was raced yet: run the cell with %race."
BIG = b"\x7fELF" + bytes(2 << 20)


@pytest.fixture(scope="module")
def keeper():
    with Keeper() as kept:
        yield kept


# ── The programs ─────────────────────────────────────────────────────────────────────────────────


def test_the_same_files_run_on_three_runtimes():
    for file, names in {
        "http.mjs": {"node-http", "deno-http", "bun-http", "node-26-http"},
        "hono.mjs": {"hono-node", "hono-deno", "hono-bun", "node-26-hono"},
    }.items():
        assert {v.name for v in FOUND.variants if v.path.name == file} == names
    for variant in FOUND.variants:
        runtimes = [need for need in variant.needs if need.startswith("runtime:")]
        assert runners.runs_node(variant) is not bool(runtimes)
        assert [f"runtime:{part}" for part in ("deno", "bun") if part in variant.name] == runtimes


def test_what_can_run_here_answers_alike(keeper):
    assert {"node-http", "hono-node", "node-http-short"} <= set(HERE)
    free = Pinning(None, None, "for a test")
    made = executor.HttpExecutor(FOUND, HERE, registry.choose(), free, 2, keeper=keeper)
    try:
        assert made.launch(list(HERE)) == {}
        assert {answer.body for answer in made.answers.values()} == {b'{"hello":"world"}'}
        assert {answer.compressed for answer in made.answers.values()} == {""}
        for name, answer in made.answers.items():
            assert all(c.answers == c.asked for c in answer.connections if c.http == "1.1"), name
    finally:
        made.end()


def test_the_quick_race_has_the_programs_that_statements_name():
    named = {n for s in FOUND.claim.statements for n in (s.variants or (s.a, s.b))}
    assert named == set(FOUND.modes["quick"].variants)


@pytest.mark.skipif(not javascript.Bun().binary, reason="npm has no Bun for this system")
def test_bun_leaves_nothing_in_the_readers_home(tmp_path, monkeypatch, keeper):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert given_environment.environment()["BUN_RUNTIME_TRANSPILER_CACHE_PATH"] == "0"
    program = programs.start(FOUND.variant("hono-bun"), keeper)
    try:
        programs.await_ready(program, "/")
    finally:
        program.end(keeper)
    assert os.listdir(tmp_path) == []


# ── Where their runtimes are ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["deno", "bun"])
def test_without_its_runtime_a_program_is_unavailable_and_says_how_large_it_is(
    name, tmp_path, monkeypatch
):
    monkeypatch.setattr(javascript.paths, "root", lambda: tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    stub = tmp_path / "node_modules/bun/bin/bun.exe"
    stub.parent.mkdir(parents=True)
    stub.write_text("what npm's package has before its script ran")
    told = readiness.unavailable(FOUND.variant(f"{name}-serve"))
    assert f"{name.title()} is not installed" in told
    assert f"npm install --no-save {name} (about 100 MB)" in told


@pytest.mark.parametrize(
    ("runtime", "place"),
    [
        (javascript.Deno, "@deno/linux-x64-glibc/deno"),
        (javascript.Deno, "@deno/win32-x64/deno.exe"),
        (javascript.Bun, "@oven/bun-linux-x64/bin/bun"),
        (javascript.Bun, "bun/bin/bun.exe"),  # moved there by its script
    ],
)
def test_a_runtime_is_found_in_npms_packages_before_the_path(runtime, place, tmp_path, monkeypatch):
    monkeypatch.setattr(javascript.paths, "root", lambda: tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert runtime().binary == ""
    on_path = tmp_path / runtime.name.lower()
    on_path.write_bytes(BIG)
    on_path.chmod(0o755)
    assert runtime().binary == str(on_path)
    binary = tmp_path / "node_modules" / place
    binary.parent.mkdir(parents=True)
    binary.write_bytes(BIG)
    (binary.parent / f"{runtime.name.lower()}.txt").write_text("no binary")
    assert runtime().binary == str(binary)


def test_bun_neither_installs_what_is_missing_nor_reads_settings_of_the_folder(tmp_path):
    variant = FOUND.variant("bun-http")
    line = runners.of(variant).command(variant, {"PORT": 8080}, tmp_path)
    assert line[1:] == ["run", "--no-install", "--no-env-file", str(variant.path)]
    assert runners.of(variant).by_hand(variant).startswith("PORT=8080 npx bun run snippets/13-")


# ── The exercises ────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def scratch():
    """In the checkout, so that an edit finds its packages, as a reader's does."""
    paths.scratch().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="test-13-", dir=paths.scratch()) as folder:
        yield Path(folder)


def adapter(scratch, old: str, new: str) -> list[str]:
    """What the first exercise still lacks with its solution, changed."""
    notebook = FOUND.notebook
    solved = edits(editions.exercises(execute.read(notebook), notebook.name)[1])["hono-node"]
    assert old in solved
    bench = Workbench(FOUND, scratch=scratch)
    bench.edit("hono-node", solved.replace(old, new))
    return exercises.missing(1, exercises.view(bench, no_variable))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("import('node:http')", "import('@hono/node-server')", "still imports @hono/node-server"),
        ("await app.fetch(", "new Response('hi') ?? (", "nobody calls app.fetch"),
        ("response.statusCode = answer.status;", "", "/nothing is answered with status 200"),
        ("answer.headers.get('content-type')", "'text/plain'", "The content-type is text/plain"),
        ("await answer.arrayBuffer()", "String(answer.text())", r"\[object Promise\].*awaited"),
        ("http://${headers.host}${url}", "${url}", "hono-node.*gave no answer|ended|exit code"),
    ],
)
def test_an_adapter_that_is_wrong_is_told_what_it_lacks(scratch, old, new, told):
    found = adapter(scratch, old, new)
    assert re.search(told, " ".join(found)), found


def test_the_solution_is_an_adapter(scratch):
    assert adapter(scratch, "adapter", "adapter") == [NOT_RACED]


COSTS = {"hono-node": (20.0, 22.0, 21.0), "hono-deno": (11.0, 10.0, 12.0), "hono-bun": (8.0,) * 3}


def microseconds(saved, share, costs=COSTS) -> list[str]:
    """What the second exercise still lacks with these values."""
    samples = [
        SimpleNamespace(variant=name, cpu_microseconds=cost)
        for name, each in costs.items()
        for cost in each
    ]
    values = {"savedMicroseconds": saved, "savedShare": share}
    view = SimpleNamespace(value=values.get, raced=lambda name: SimpleNamespace(samples=samples))
    return list(exercises.load(FOUND)[2](view))


@pytest.mark.parametrize(
    ("saved", "share", "told"),
    [
        (13.0, 13 / 21, "mind the unit: 1 ms is 1,000 µs"),  # of the empty request
        (10.0, 10 / 1021, "than the cheapest other Hono"),  # of the other runtime
        (0.013, 0.013 / 1.021, "in µs"),  # in milliseconds
        ("13", "1 %", "should be numbers"),
    ],
)
def test_a_wrong_saving_is_told(saved, share, told):
    assert told in " ".join(microseconds(saved, share))


def test_a_right_saving_passes_and_needs_another_runtime():
    assert microseconds(13.0, 13 / 1021) == []
    alone = microseconds(13.0, 13 / 1021, {"hono-node": COSTS["hono-node"]})
    assert alone == ["The last race had no other Hono: run it with hono-deno or hono-bun."]


def test_the_solution_of_the_second_is_what_its_check_asks():
    found = editions.exercises(execute.read(FOUND.notebook), FOUND.notebook.name)[2]
    assert "cpu_us" in found.code[0] and "1000" in found.code[0]
    assert paths.relative(FOUND.notebook) == "notebooks/13-is-it-the-runtime.ipynb"
