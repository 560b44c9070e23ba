"""Experiment 03: every rung of the ladder binds the same query and gives the same answer."""

import http.client
import json

import pytest

from benchbook.load import registry
from benchbook.model import experiments
from benchbook.programs import programs, readiness
from benchbook.race.kinds.http import executor
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.processes import Keeper
from made import on_mono, race_all

pytestmark = pytest.mark.slow("builds and starts every variant")

FOUND = experiments.find("03")
PACKAGES = {"carter", "fast-endpoints"}  # may be unavailable: they are not in every NuGet feed


@pytest.fixture(scope="module")
def ladder():
    """All variants that can run here, started: an executor. The last test ends them."""
    reasons = readiness.make_ready(FOUND.variants, lambda text: None)
    lacking = {name for name, reason in reasons.items() if reason}
    assert lacking <= PACKAGES | on_mono(FOUND), reasons
    variants = {v.name: v for v in FOUND.variants if v.name not in lacking}
    free = Pinning(None, None, "for a test")
    with Keeper() as keeper:
        made = executor.HttpExecutor(FOUND, variants, registry.choose(), free, 8, keeper=keeper)
        assert made.launch(list(variants)) == {}
        yield made
        made.close()


def ask(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(programs.HOST, port, timeout=60)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize("factor", ["4", "Four"])
def test_no_rung_has_the_answer_ready_made(ladder, factor):
    for name, program in ladder.running.items():
        status, body = ask(program.port, f"/echo?name=J%C3%BCrgen&x=-1&y=8&factor={factor}")
        assert (status, json.loads(body)) == (200, {"name": "Jürgen", "sum": 28}), name


def test_rungs_with_a_route_know_no_other_path(ladder):
    raw = {"http-listener", "raw-sync", "raw-async", "katana-sync", "katana-async"}
    raw |= {"dispatcher", "dispatcher-sync"}
    routed = set(ladder.running) - raw
    assert len(routed) >= 4
    for name in routed:
        assert ask(ladder.running[name].port, "/other?name=a&x=1&y=2&factor=2")[0] == 404, name


def test_every_rung_gives_the_same_answer_and_is_gone_afterwards(ladder):
    assert json.loads(ladder.answers["raw-async"].body) == {"name": "benchbook", "sum": 60}
    race_all(ladder)


def test_the_articles_order_is_in_the_claim():
    order = next(s for s in FOUND.claim.statements if s.type == "order")
    assert order.variants[0] == "raw-sync" and order.variants[-1] == "controller-views"
    method = FOUND.claim.method
    assert (method.tool, method.requests, method.connections) == ("ab", 40_000, 20)
    assert not method.keep_alive
