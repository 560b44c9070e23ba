"""The load generator that is always there counts as servers do, whatever they answer."""

import http.client
import io
import json
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass

import pytest

import benchbook
from benchbook.load import loading, registry
from benchbook.load.aborts import RESET
from benchbook.loadtools.tools import closed_loop
from benchbook.loadtools.tools.closed_loop import Incoming
from benchbook.loadtools.tools.python_load import SCRIPT
from made import SERVER
from talkers import Talker, talking

TOOL = registry.get("python-load")
CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
ANSWERS = {
    "length": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "no body": b"HTTP/1.1 204 No Content\r\nX: y\r\n\r\n",
    "not modified": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
    "empty": b"HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n",
    "chunks": CHUNKS + b"2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\n\r\n",
    "trailers": CHUNKS + b"B\r\nhello\r\n\r\nyo\r\n0\r\nX-Sum: 1\r\nY: 2\r\n\r\n",
    "after another": b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n" + CHUNKS + b"0\r\n\r\n",
    "without words": b"HTTP/1.1 404\r\nContent-Length: 2\r\n\r\nno",
    "older": b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
}


@pytest.mark.parametrize("text", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_is_complete_with_its_last_byte_however_it_is_cut(text):
    """And it is what Python's own client reads of it."""
    response = http.client.HTTPResponse(Wire(text), method="GET")
    response.begin()
    response.read()
    for cut in range(1, len(text)):
        answer = Incoming()
        assert not answer.feed(text[:cut]), text[:cut]
        assert answer.feed(text[cut:])
        assert answer.head.status == response.status
        assert answer.head.closes is response.will_close
    answer = Incoming()
    assert [answer.feed(text[at : at + 1]) for at in range(len(text))].index(True) == len(text) - 1


@dataclass
class Wire:
    """A connection from which bytes come."""

    text: bytes

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self.text)


@pytest.mark.parametrize(
    "text",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 fine\r\n\r\n",
        b"HTTP/2 200 OK\r\n\r\n",
        b"hello\r\n\r\n",
        CHUNKS + b"x\r\n",
        CHUNKS + b"-5\r\n",
        CHUNKS + b"0\r\n\r\nmore",
        b"x" * 100_000,
    ],
)
def test_what_is_no_answer_is_refused(text):
    with pytest.raises(ValueError):
        Incoming().feed(text)


def test_an_answer_without_a_length_ends_with_its_connection():
    answer = Incoming()
    assert not answer.feed(b"HTTP/1.1 200 OK\r\n\r\nhello") and answer.head.closes
    assert answer.head.length == closed_loop.TO_THE_END


def test_heads_that_never_repeat_are_not_kept_for_ever():
    answer = Incoming()
    for number in range(3 * closed_loop.MOST_HEADS):
        assert answer.feed(b"HTTP/1.1 200 OK\r\nX-Id: %d\r\nContent-Length: 0\r\n\r\n" % number)
        answer.head = None
    assert len(answer.heads) <= closed_loop.MOST_HEADS


def test_percentiles_are_of_what_was_counted():
    found = closed_loop.latencies(Counter({us: 1 for us in range(1000)}))
    expected = {"p50": 0.499, "p75": 0.749, "p90": 0.899, "p99": 0.989, "p99_9": 0.998}
    assert found == {"mean": pytest.approx(0.5), **expected, "max": 0.999}
    assert set(closed_loop.latencies(Counter()).values()) == {None}


# ── Against servers ──────────────────────────────────────────────────────────────────────────────


@dataclass
class Saying(Talker):
    """Answers every request with the same bytes, in two pieces, and may close or reset then."""

    text: bytes = b""
    after: str = ""

    def talk(self, connection: socket.socket) -> None:
        with connection:
            while connection.recv(1 << 16):
                self.asked.append(b"")
                connection.sendall(self.text[:20])
                connection.sendall(self.text[20:])
                if self.after == "reset":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                if self.after:
                    return


def loaded(keeper, talker: Talker, seconds=0.5, connections=4):
    with talking(talker):
        url = f"http://127.0.0.1:{talker.port}/"
        return loading.run(TOOL, url, seconds, connections, keeper)


@pytest.mark.parametrize("name", ["length", "chunks", "after another", "older"])
def test_requests_are_those_that_the_server_answered(keeper, name):
    talker = Saying(text=ANSWERS[name])
    load = loaded(keeper, talker)
    assert load.requests and 0 <= len(talker.asked) - load.requests <= 4
    assert not sum(load.errors.values()) and not load.non_2xx and load.reused == 1
    assert load.sent is None or abs(load.sent - len(talker.asked)) <= 4
    assert abs(load.bytes - load.requests * len(talker.text)) <= 4 * len(talker.text)
    assert 0 < load.latency_ms["p50"] <= load.latency_ms["p99"] <= load.latency_ms["max"]


def test_an_answer_with_another_status_is_counted_as_such(keeper):
    load = loaded(keeper, Saying(text=ANSWERS["without words"]))
    assert load.non_2xx == load.requests > 0 and not sum(load.errors.values())


@pytest.mark.parametrize(
    "head",
    [b"Connection: close\r\nContent-Length: 5\r\n", b"X: no length\r\n"],
    ids=["said", "end"],
)
def test_connections_that_close_after_an_answer_are_opened_anew(keeper, head):
    talker = Saying(text=b"HTTP/1.1 200 OK\r\n" + head + b"\r\nhello", after="close")
    load = loaded(keeper, talker)
    assert load.requests > 4 and 0 <= len(talker.asked) - load.requests <= 4
    assert not sum(load.errors.values()) and load.reused == 0


def test_connections_that_end_unannounced_are_errors_and_the_rest_is_counted(keeper):
    talker = Talker(keep={"1.1": 3}, says=False)
    load = loaded(keeper, talker)
    assert load.errors["read"] + load.errors["write"] > 4
    assert load.requests > 4 and 0 <= len(talker.asked) - load.requests <= 4
    assert load.reused == pytest.approx(2 / 3, abs=0.1)


@pytest.mark.parametrize("text", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"])
def test_a_server_that_resets_connections_has_answered_nothing(keeper, text):
    load = loaded(keeper, Saying(text=text, after="reset"))
    assert load.requests == 0 and load.errors["read"] > 4
    assert "answered no request" in load.silence and "× read" in load.silence


def test_nobody_there_is_counted_and_tried_again(keeper):
    """The server begins to listen while it is loaded."""
    listener, talker = socket.socket(), Talker()
    listener.bind(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    with loading.started(TOOL, url, 60.0, 2, keeper) as running:
        time.sleep(0.5)
        listener.listen()
        with talking(talker, listener):
            wait_until(lambda: len(talker.asked) > 10)
            running.stop()
            load = running.finished()
    assert load.errors["connect"] >= 2 and load.requests > 8
    assert 0 <= len(talker.asked) - load.requests <= 2


def wait_until(true, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert true()


def test_an_answer_that_does_not_come_is_a_timeout(monkeypatch):
    monkeypatch.setattr(closed_loop, "PATIENT_SECONDS", 0.3)
    with talking(Saying(text=b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel")) as talker:
        address = socket.AF_INET, ("127.0.0.1", talker.port)
        client = closed_loop.Loader(address, lambda: b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        client.run(2, 2.0)
    assert client.counts.errors["timeout"] >= 2 and not client.counts.requests


@pytest.mark.parametrize("host", ["localhost", "[::1]"])
def test_an_address_may_be_a_name_or_of_ipv6(host, keeper):
    family = socket.AF_INET6 if host == "[::1]" else socket.AF_INET
    listener = socket.create_server((host.strip("[]"), 0), family=family)
    with talking(Talker(), listener) as talker:
        load = loading.run(TOOL, f"http://{host}:{talker.port}/a?b=c", 0.5, 2, keeper)
    asked = f"GET /a?b=c HTTP/1.1\r\nHost: {host}:{talker.port}\r\n\r\n"
    assert load.requests and talker.asked[0] == asked.encode()


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(which):
    """SIGINT with its figures, SIGTERM at once."""
    with talking(Talker()) as talker:
        command = [sys.executable, SCRIPT, f"http://127.0.0.1:{talker.port}/", "2", "600"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        wait_until(lambda: len(talker.asked) > 100)
        process.send_signal(which)
        time.sleep(0.01)
        process.send_signal(which)  # once more, as it ends
        output, _ = process.communicate(timeout=60)
        if which == signal.SIGTERM:
            assert (process.returncode, output) == (-signal.SIGTERM, b"")
            return
        told = json.loads(output)
        assert process.returncode == 0 and told["requests"] > 90
        assert 0 <= len(talker.asked) - told["requests"] <= 2


# Ten times the work of the other, or more.
SLOWER = SERVER.replace(
    "response.end", "for (let i = 0; i < 2e5; i++) sum += Math.sqrt(i);\n  response.end"
).replace("const server", "let sum = 0;\nconst server")


@pytest.mark.parametrize("name", ["wrk", "python-load"])
@pytest.mark.slow("races two servers with each of two load generators")
def test_it_finds_the_winner_that_wrk_finds(make_experiment, checkout, name):
    folder = make_experiment({"a": SERVER, "b": SLOWER})
    run, found = benchbook.race(folder, tool=name, launches=2, blocks=2, seconds=0.4, warmup=0.2)
    assert run.plan.together and run.plan.continuous
    assert [each.verdict for each in found.judgements] == ["opposite"], found
    assert not {"miscounted", "errors", "littles-law"} & {f for s in run.samples for f in s.flags}
