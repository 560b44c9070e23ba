"""Open-loop load: where the latency of a stall lands, against what arithmetic says it must be.

No speed is asserted: only where latencies land, with room for a busy machine.
"""

import json
import subprocess
from dataclasses import replace

import numpy as np
import psutil
import pytest

from benchbook.loadtools.tool import LoadRequest
from benchbook.loadtools.tools.wrk import Wrk
from benchbook.model.variants import Variant
from benchbook.programs import programs
from benchbook.system import paths, pinning
from benchbook_kernels.base.processes import Keeper
from made import SERVER
from notebook_00 import EXPERIMENT, open_loop, stalling

OpenLoop, Stall = open_loop.OpenLoop, stalling.Stall
STALL = Stall(stall_ms=300, every_ms=3000)
PINS = pinning.split()
# answers after 100 ms, as many at once as it is asked
SLOW = """
import http from 'node:http';
http.createServer((request, response) => setTimeout(() => response.end('hello'), 100))
  .listen(process.env.PORT, '127.0.0.1');
"""
# of ten requests one gets a 500, one a broken connection
FAILING = """
import http from 'node:http';
let count = 0;
http.createServer((request, response) => {
  const turn = count++ % 10;
  if (turn === 3) response.statusCode = 500;
  if (turn === 7) request.socket.destroy();
  else response.end('hello');
}).listen(process.env.PORT, '127.0.0.1');
"""
# never answers the requests from the 21st on
SILENT = """
import http from 'node:http';
let count = 0;
http.createServer((request, response) => {
  if (++count <= 20) response.end('hello');
}).listen(process.env.PORT, '127.0.0.1');
"""
# notes when each request came, in milliseconds
NOTING = """
import fs from 'node:fs';
import http from 'node:http';
http.createServer((request, response) => {
  fs.appendFileSync('arrivals', `${performance.now()}\\n`);
  response.end('hello');
}).listen(process.env.PORT, '127.0.0.1');
"""


def ours() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


@pytest.fixture(scope="module")
def seen():
    """The comparison of the lesson in small, and what was still running after it."""
    before = ours()
    found = stalling.compare_loops(
        EXPERIMENT / "stalling.mjs",
        seconds=3,
        rate=500,
        connections=5,
        stall=STALL,
        tools=("autocannon", "wrk"),
        pins=PINS,
    )
    return found, ours() - before


@pytest.fixture
def served(tmp_path):
    """served(code) -> the URL of a server with that code."""
    with Keeper() as keeper:  # ends it

        def serve(code: str) -> str:
            path = tmp_path / "server.mjs"
            path.write_text(code, encoding="utf-8")
            program = programs.start(Variant("server", "server", path), keeper, PINS.server)
            programs.await_ready(program, "/")
            return f"http://127.0.0.1:{program.port}/"

        yield serve


def asked(url: str, rate: float, seconds: float, connections: int) -> open_loop.OpenLoad:
    with Keeper() as keeper:
        return open_loop.run(url, rate, seconds, connections, keeper, PINS.client)


@pytest.mark.parametrize("utilisation", [0.0, 0.3, 0.6])
def test_the_expected_latencies_are_those_of_a_simulated_queue(utilisation):
    rate, stall = 2000, Stall(1000, 10000)
    service = utilisation / rate
    free, latencies = 0.0, []
    for due in np.arange(0, 40, 1 / rate):
        begin = max(due, free)
        if begin % 10 >= 9:  # stalls at 9, 19 … seconds, till the next full ten
            begin = np.ceil(begin / 10) * 10
        free = begin + service
        latencies.append((free - due) * 1000)
    latencies = latencies[int(10 * rate) :]  # what the first stall left behind spreads over them
    for percent in (50, 90, 95, 99, 99.9):
        simulated = np.percentile(latencies, percent)
        assert stall.latency_ms(percent, utilisation) == pytest.approx(simulated, abs=8)
    assert stall.mean_ms(utilisation) == pytest.approx(np.mean(latencies), rel=0.05, abs=1)


def test_a_second_in_ten_is_expected_as_everybody_says():
    expected = Stall(1000, 10000).expected()
    assert expected["p50"] == 0 and expected["p90"] == pytest.approx(0)
    assert Stall().latency_ms(95) == pytest.approx(500)
    assert expected["p99"] == pytest.approx(900) and expected["p99_9"] == pytest.approx(990)
    assert expected["mean"] == pytest.approx(50) and expected["max"] == 1000


@pytest.mark.slow("loads a server that stalls for several seconds, in three ways")
def test_the_closed_loops_p99_hides_the_stall(seen):
    found = seen[0].closed["autocannon"]
    assert found.latency_ms["max"] > 0.8 * STALL.stall_ms  # it was there, and was met
    assert found.latency_ms["p99"] < seen[0].open.latency_ms["p99"]


@pytest.mark.slow("loads a server that stalls for several seconds, in three ways")
def test_the_open_loops_percentiles_show_the_stall_where_it_must_be(seen):
    found = seen[0].open  # at least what the stall causes; a busy machine adds to it
    assert found.due == found.sent == found.requests == 1500
    assert found.latency_ms["p99"] > 0.75 * STALL.latency_ms(99)
    assert found.latency_ms["max"] > 0.9 * STALL.stall_ms
    assert found.latency_ms["mean"] > 0.6 * STALL.mean_ms()
    assert found.latency_ms["p50"] < found.latency_ms["p99"]
    over = 100 - next(percent for percent, ms in found.curve if ms > 100)
    assert over > 4  # two thirds of the tenth that is hit, 6.7 %, wait for over 100 ms


@pytest.mark.slow("loads a server that stalls for several seconds, in three ways")
def test_the_same_requests_counted_from_when_they_were_sent_hide_it(seen):
    found = seen[0].open
    assert found.waited > 100  # of the 150 that were due in the stall, all but 5
    assert found.from_send_ms["max"] > 0.8 * STALL.stall_ms
    assert found.from_send_ms["p99"] < found.latency_ms["p99"]


@pytest.mark.slow("loads a server that stalls for several seconds, in three ways")
def test_wrk_adds_what_a_stall_kept_it_from_sending(seen):
    """Wrk.corrects: its p99 shows the stall, though its loop is closed."""
    found = seen[0].closed["wrk"]
    assert Wrk.corrects and not any(found.errors.values())
    assert found.latency_ms["p99"] > 0.6 * STALL.latency_ms(99)


@pytest.mark.slow("loads a server that stalls for several seconds, in three ways")
def test_the_comparison_is_ready_for_a_figure_and_leaves_nothing_running(seen):
    found, left = seen
    names = ["autocannon (closed loop)", "wrk (closed loop)"]
    names += ["open loop, from when sent", "open loop, from when due", "expected"]
    assert list(found.rows()) == names
    assert all(row["p99"] is not None for row in found.rows().values())
    assert found.open.curve[-1] == (100, found.open.latency_ms["max"])
    assert 0 < found.utilisation < 1
    assert left == set()


def test_a_server_that_never_stalls_is_expected_to_answer_at_once():
    assert set(Stall(0, 100).expected(0.5).values()) == {0}


@pytest.mark.slow("loads a server for seconds")
def test_a_request_that_finds_no_free_connection_counts_its_wait(served):
    """100 requests, one every 10 ms; 5 connections and 100 ms each make 20 batches of 5."""
    found = asked(served(SLOW), rate=100, seconds=1, connections=5)
    ends = (np.arange(100) // 5 + 1) * 100
    expected = np.sort(ends - np.arange(100) * 10)
    assert found.requests == 100
    for name, rank in (("p50", 49), ("p90", 89), ("max", 99)):
        assert found.latency_ms[name] > 0.85 * expected[rank]
    assert found.from_send_ms["p50"] < found.latency_ms["p50"]
    assert found.not_valid


def test_the_schedule_does_not_wait_for_answers_while_connections_are_free(served):
    found = asked(served(SLOW), rate=100, seconds=1, connections=100)
    assert found.requests == found.due == 100 and found.waited == 0
    assert found.latency_ms["p50"] > 99 and found.seconds >= 1.0


@pytest.mark.slow("loads a server for seconds")
def test_requests_come_at_the_rate_that_was_asked_for(served, tmp_path):
    found = asked(served(NOTING), rate=100, seconds=2, connections=4)
    arrivals = np.loadtxt(tmp_path / "arrivals")[-found.due :]  # before them: the warm-up
    assert len(arrivals) == found.due == 200
    assert arrivals[-1] - arrivals[0] > 1000  # spread over two seconds, not as fast as it can


def test_a_rate_that_can_not_be_kept_is_flagged(served):
    found = asked(served(SERVER), rate=200_000, seconds=0.1, connections=20)
    assert found.due == found.requests == 20_000
    assert found.requests_per_second < found.rate_asked
    assert found.not_valid


@pytest.mark.slow("loads a server that stalls for several seconds, in three ways")
def test_each_reason_against_a_result_is_told(seen):
    calm = {**dict.fromkeys(seen[0].open.late_ms, 0.1)}
    errors = dict.fromkeys(seen[0].open.errors, 0)
    good = replace(seen[0].open, late_ms=calm, errors=errors, non_2xx=0, seconds=3.0)
    assert good.not_valid == ""
    late = {**calm, "p99": 0.6 * good.latency_ms["p99"]}
    assert "could not keep 500 requests/s" in replace(good, late_ms=late).not_valid
    assert "2 of 1500 requests failed" in replace(good, non_2xx=2).not_valid
    assert "250 of 500 requests/s" in replace(good, seconds=6.0).not_valid


def test_errors_are_counted_and_make_the_result_not_valid(served):
    found = asked(served(FAILING), rate=200, seconds=1, connections=4)
    assert found.due == 200 and found.requests + sum(found.errors.values()) == 200
    assert 15 <= found.non_2xx <= 25
    assert 15 <= found.errors["read"] + found.errors["write"] <= 25
    assert "requests failed" in found.not_valid or "could not keep" in found.not_valid


def test_a_server_that_is_not_there_is_all_errors():
    found = asked(f"http://127.0.0.1:{programs.free_port()}/", rate=100, seconds=0.5, connections=2)
    assert (found.requests, found.errors["connect"]) == (0, 50)
    assert found.latency_ms["p99"] is None and found.latency_ms["mean"] is None, "and not 0"
    assert "none of 50 requests was answered" in found.not_valid


@pytest.mark.slow("waits until requests time out")
def test_requests_that_are_never_answered_are_timeouts(served):
    command = OpenLoop(50).command(LoadRequest(served(SILENT), 1, 4, paths.PACKAGE))
    done = subprocess.run([*command, "300"], capture_output=True, text=True, timeout=120)
    found = json.loads(done.stdout)
    assert found["errors"]["timeout"] == found["due"] - found["requests"]
    assert found["due"] == 50 and 0 < found["requests"] <= 20
    assert found["sent"] == found["requests"] + 4


def test_bytes_and_requests_are_what_the_server_sent(served):
    url = served(SERVER)
    found = asked(url, rate=100, seconds=0.5, connections=3)
    assert found.requests == 50
    assert 100 < found.bytes / found.requests < 300 and found.client_cpu_seconds > 0


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf")])
def test_a_rate_that_is_none_is_refused(rate):
    with pytest.raises(ValueError, match="above 0 requests/s"):
        OpenLoop(rate)


def test_a_server_that_fails_is_named_and_nothing_is_left(tmp_path):
    broken = tmp_path / "broken.mjs"
    broken.write_text("throw new Error('no luck');")
    before = ours()
    with pytest.raises(programs.VariantError, match="variant 'broken' ended with exit code 1"):
        stalling.compare_loops(broken, 1, 100, 2, STALL)
    assert ours() - before == set()
