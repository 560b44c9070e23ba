"""Experiment 06: every framework gives the same answer, and says what it can't run for."""

import http.client
import json
from dataclasses import replace

import pytest

from benchbook.load import registry
from benchbook.model import experiments
from benchbook.programs import programs, readiness
from benchbook.race.kinds.http import executor
from benchbook.system import paths
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.processes import Keeper
from made import race_all

pytestmark = pytest.mark.slow("starts every variant")

FOUND = experiments.find("06")
ROUTELESS = {"bare", "bare-prototypes", "koa"}  # as in the article: every path gets the answer
NEWER = {"hono", "koa-router", "fastify-no-schema", "bare-prototypes"}  # not in its table


@pytest.fixture
def ladder():
    """All variants, started: an executor."""
    variants = {v.name: v for v in FOUND.variants}
    assert readiness.make_ready(FOUND.variants, lambda text: None) == dict.fromkeys(variants, "")
    free = Pinning(None, None, "for a test")
    with Keeper() as keeper:
        made = executor.HttpExecutor(FOUND, variants, registry.choose(), free, 8, keeper=keeper)
        assert made.launch(list(variants)) == {}
        yield made
        made.close()


def ask(port: int, path: str) -> tuple[int, str, bytes]:
    """Status, type and body of the answer."""
    connection = http.client.HTTPConnection(programs.HOST, port, timeout=60)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.getheader("content-type", ""), response.read()
    finally:
        connection.close()


def test_all_send_the_same_bytes_and_the_same_type(ladder):
    assert set(ladder.running) == {v.name for v in FOUND.variants}
    for name, program in ladder.running.items():
        answer = (200, "application/json; charset=utf-8", b'{"hello":"world"}')
        assert ask(program.port, "/") == answer, name


def test_only_the_articles_routeless_ones_answer_another_path(ladder):
    for name, program in ladder.running.items():
        assert ask(program.port, "/other")[0] == (200 if name in ROUTELESS else 404), name


def test_all_are_raced_without_failures_and_are_gone_afterwards(ladder):
    race_all(ladder)


def test_every_framework_of_the_ladder_is_in_the_lock_file_and_needed_by_its_variant():
    locked = json.loads((paths.root() / "package-lock.json").read_text(encoding="utf-8"))
    direct = locked["packages"][""]["dependencies"]
    for variant in FOUND.variants:
        imported = {
            line.split("'")[1] for line in variant.code.splitlines() if line.startswith("import")
        }
        packages = {name for name in imported if not name.startswith("node:")}
        assert {f"npm:{name}" for name in packages} == set(variant.needs), variant.name
        for name in packages:
            assert locked["packages"][f"node_modules/{name}"]["version"] == direct[name]


def test_a_framework_that_does_not_run_here_is_named_with_its_own_words(tmp_path):
    """As Restify 11 on Node.js 24, which ends at its first import."""
    broken = tmp_path / "restify.mjs"
    broken.write_text("throw new Error('No such module: http_parser');\n")
    variant = replace(FOUND.variant("restify"), path=broken)
    variants = {"bare": FOUND.variant("bare"), "restify": variant}
    free = Pinning(None, None, "for a test")
    with Keeper() as keeper:
        made = executor.HttpExecutor(FOUND, variants, registry.choose(), free, 8, keeper=keeper)
        failed = made.launch(list(variants))
        assert list(made.running) == ["bare"]
        made.close()
    assert list(failed) == ["restify"]
    assert "Error: No such module: http_parser" in str(failed["restify"])


def test_the_articles_table_is_in_the_claim():
    figures = {f.variant: f.value for f in FOUND.claim.figures}
    assert figures == {
        "express": 15978,
        "hapi": 45815,
        "restify": 49279,
        "koa": 54848,
        "fastify": 78956,
        "bare": 70380,
    }
    assert set(figures) == {v.name for v in FOUND.variants} - NEWER
    order = next(s for s in FOUND.claim.statements if s.type == "order")
    assert list(order.variants) == sorted(figures, key=figures.get, reverse=True)
    method = FOUND.claim.method
    assert (method.tool, method.connections, method.duration_seconds) == ("autocannon", 100, 40)
    assert (method.pipelining, method.runs, method.take) == (10, 2, "last")
    ratios = {s.id: FOUND.claim.published_ratio(s) for s in FOUND.claim.statements}
    assert ratios["bare-beats-express"] == pytest.approx(4.405, abs=0.001)
