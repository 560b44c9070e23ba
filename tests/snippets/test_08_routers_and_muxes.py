"""Experiment 08: every router answers all of its paths and no other, in a server and alone."""

import http.client
import json
import subprocess

import pytest

from benchbook.load import registry
from benchbook.model import experiments
from benchbook.model.variants import Variant
from benchbook.programs import programs, readiness, runners
from benchbook.programs.runtimes import javascript
from benchbook.race.kinds.http import executor
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.processes import Keeper

pytestmark = pytest.mark.slow("builds and starts every variant")

SERVERS = experiments.find("08/http")
ALONE = experiments.find("08/memory")
SIZES = [1, 10, 100, 1000]
ROUTERS = [
    "node-bare",
    "map",
    "ifs",
    "regexps",
    "find-my-way",
    "hono-node",
    "deno-bare",
    "hono-deno",
    "gerbil-default",
    "gerbil-static",
]
HERE = [v for v in SERVERS.variants if not readiness.unavailable(v)]


@pytest.fixture(scope="module")
def keeper():
    with Keeper() as kept:
        yield kept


def asked(program, paths) -> dict[str, tuple[int, bytes]]:
    """Status and body by path, over one connection."""
    connection = http.client.HTTPConnection(programs.HOST, program.port, timeout=120)
    answers = {}
    for path in paths:
        connection.request("GET", path)
        response = connection.getresponse()
        answers[path] = response.status, response.read()
    connection.close()
    return answers


def test_each_router_is_raced_with_1_10_100_and_1000_paths():
    assert [v.name for v in SERVERS.variants] == [f"{r}-{n}" for r in ROUTERS for n in SIZES]
    for variant in SERVERS.variants:
        assert variant.env["PATHS"] == str(variant.paths) == variant.name.rpartition("-")[2]
    for found in (SERVERS, ALONE):
        places = [(v.series, v.case) for v in found.variants]
        assert len(set(places)) == len(places)
        assert [v.case for v in found.variants[:4]] == [
            "1 path",
            "10 paths",
            "100 paths",
            "1,000 paths",
        ]


def test_all_that_can_run_here_answer_alike_and_404_where_nothing_is(keeper):
    assert len(HERE) >= 24, "all that need nothing but Node.js and npm's packages"
    variants = {v.name: v for v in HERE if v.paths in (1, 1000)}
    free = Pinning(None, None, "for a test")
    made = executor.HttpExecutor(SERVERS, variants, registry.choose(), free, 2, keeper=keeper)
    try:
        assert made.launch(list(variants)) == {}  # parity, with http.unknown
        assert made.answers["map-1000"].body == b"hello"
        for name in variants:
            measured = made.measure(name, 0.2).load
            assert measured.non_2xx == 0 and not any(measured.errors.values()), name
    finally:
        made.end()


@pytest.mark.parametrize("variant", [v for v in HERE if v.paths == 100], ids=lambda v: v.name)
def test_every_path_is_answered_and_no_other(variant, keeper):
    program = programs.start(variant, keeper)
    try:
        programs.await_ready(program, SERVERS.kind.path)
        known = asked(program, [f"/items/{number}" for number in range(100)])
        assert set(known.values()) == {(200, b"hello")}
        unknown = asked(program, ["/items/100", "/items/", "/items/x", "/nothing", "/"])
        assert {status for status, _ in unknown.values()} == {404}
    finally:
        program.end(keeper)


def test_the_article_asked_one_path(keeper):
    assert {SERVERS.variant(name).paths for name in SERVERS.claim.method.order} == {1}
    line = " ".join(registry.get("wrk").published(SERVERS.claim.method))
    assert line == "-t 2 -c 10 -d 10s"


def test_the_recorded_race_has_gerbil_in_a_named_version_without_a_failed_request(recorded_runs):
    run = recorded_runs[SERVERS.name]
    for name in (f"gerbil-{mux}-{size}" for mux in ("default", "static") for size in SIZES):
        samples = [sample for sample in run.samples if sample.variant == name]
        assert samples and run.entry(name).software[0].startswith("Gerbil 0."), name
        assert not any(s.non_2xx or any(s.errors.values()) for s in samples), name


# ── The routers alone ────────────────────────────────────────────────────────────────────────────

FIND = """
const [file, count] = process.argv.slice(1);
const { router } = await import(file);
const paths = Array.from({ length: Number(count) }, (_, number) => `/items/${number}`);
const handler = () => 'hello';
const find = router(paths, handler);
const unknown = ['/items/' + count, '/items/', '/nothing', '/'].map((path) => find(path));
console.log(JSON.stringify({
  found: paths.filter((path) => find(path) === handler).length,
  missed: unknown.every((found) => found === undefined),
}));
"""


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize(
    "file", dict.fromkeys(v.path for v in ALONE.variants), ids=lambda p: p.stem
)
def test_a_router_finds_every_path_and_no_other(file, count):
    command = ["node", "--input-type=module", "-e", FIND, file.as_uri(), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["found"] == count
    assert told["missed"] == (file.stem != "none"), "the baseline looks for nothing"


# ── Deno and Gerbil ──────────────────────────────────────────────────────────────────────────────

NOSY = """
let told = '';
for (const [what, look] of Object.entries({
  file: () => Deno.readTextFile('/etc/hostname'),
  variable: () => Deno.env.get('HOME'),
  net: () => fetch('http://127.0.0.1:2000/'),
  program: () => new Deno.Command('true').output(),
})) {
  try {
    await look();
    told += `${what} `;
  } catch (error) {
    told += error instanceof Deno.errors.NotCapable ? '' : `${what}: ${error} `;
  }
}
Deno.serve({ port: Number(Deno.env.get('PORT')), hostname: '127.0.0.1' }, () => new Response(told));
"""


@pytest.mark.skipif(not javascript.Deno().binary, reason="npm has no Deno for this system")
def test_a_deno_program_may_use_its_port_and_no_more(keeper, tmp_path):
    file = tmp_path / "nosy.ts"
    file.write_text(NOSY)
    program = programs.start(Variant("nosy", "nosy", file), keeper)
    try:
        programs.await_ready(program, "/")
        assert asked(program, ["/"]) == {"/": (200, b"")}
    finally:
        program.end(keeper)


def test_without_deno_its_variants_are_unavailable_and_say_how_to_get_it(monkeypatch, checkout):
    monkeypatch.setenv("PATH", "/nowhere")
    reason = readiness.unavailable(SERVERS.variant("deno-bare-1"))
    assert reason.startswith("Deno is not installed; get it with: npm install --no-save deno")


def test_gerbils_variants_are_run_by_gxi_and_unavailable_without_it(monkeypatch, tmp_path):
    variant = SERVERS.variant("gerbil-static-10")
    monkeypatch.setenv("PATH", "/nowhere")
    assert "get it with: brew install gerbil-scheme" in readiness.unavailable(variant)
    gxi = tmp_path / "gxi"
    gxi.write_text("#!/bin/sh\necho Gerbil v0.16 on Gambit v4.9.3\n")
    gxi.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert readiness.unavailable(variant) == ""
    runner = runners.find(variant.path)
    assert runner.command(variant, {"PORT": 8080}, tmp_path) == ["gxi", str(variant.path)]
    assert runner.by_hand(variant).startswith("PORT=8080 PATHS=10 gxi snippets/08-")
    runners.version.cache_clear()
    assert readiness.software(variant) == ["Gerbil 0.16"]
    runners.version.cache_clear()
