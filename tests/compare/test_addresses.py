"""Servers that run already are raced by their addresses, and left as they were found."""

import http.server
import os
import re
import socket
import subprocess
import threading
from contextlib import contextmanager
from statistics import mean
from types import SimpleNamespace

import psutil
import pytest

import benchbook
from benchbook._api import NoAudience
from benchbook.compare import service, words
from benchbook.compare.asking import request_by_keywords
from benchbook.compare.servers import addresses
from benchbook.model.variants import Variant
from benchbook.programs import programs
from benchbook.race import prepare
from benchbook.race.options import Options
from benchbook.show.cards import compare_cards
from benchbook_kernels.base.errors import BenchError, InputError
from made import SERVER

WORK = "let sum = 0;\nfor (let i = 0; i < 2e5; i++) sum += Math.sqrt(i);\n  if (sum) response.end"
SLOWER = SERVER.replace("response.end", WORK)
BY_PATH = SERVER.replace("'hello'", "request.url === '/b' ? 'hello' : request.url")


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RACE", "seconds=0.3 warmup=0.1")


@pytest.fixture
def serving(keeper, tmp_path):
    """serving(code) -> a server that somebody else started: its address and its process."""

    def serve(code: str) -> SimpleNamespace:
        file = tmp_path / f"{len(list(tmp_path.iterdir()))}.mjs"
        file.write_text(code)
        program = programs.start(Variant("theirs", "theirs", file), keeper)
        programs.await_ready(program, "/")
        (process,) = program.processes
        url = f"http://127.0.0.1:{program.port}"
        return SimpleNamespace(url=url, pid=process.pid, process=process, port=program.port)

    return serve


def compared(checkout, *things, **more):
    options = {"seconds": 4.0, "launches": 2, "blocks": 2, **more}
    return benchbook.compare(*things, folder=checkout, **options)


@pytest.mark.slow("races servers for seconds")
def test_servers_that_run_are_raced_in_turns_and_go_on_running(serving, checkout):
    a, b = serving(SERVER), serving(SLOWER)
    answer = compared(checkout, a.url, b.url, connections=4)
    run = answer.run
    assert run.complete and not run.plan.together and run.unit == "requests/s"
    assert run.pinning.server is None and [e.role for e in run.entries][1] == "control"
    fast, _, slow = (mean(sum(run.speeds()[entry.name], [])) for entry in run.entries)
    assert slow < fast and len(answer.results.judgements) == 1
    assert any("were not started anew" in message for message in run.messages)
    # what nobody sees is no evidence against it
    seen = {flag for sample in run.samples for flag in sample.flags}
    assert not seen & {"server-idle", "machine-busy", "errors"}
    for each in (a, b):
        assert each.process.poll() is None and programs.answers(each.port, "/")


@pytest.mark.slow("races servers for seconds")
def test_with_their_processes_they_are_loaded_together_by_cpu_time(serving, checkout):
    a, b = serving(SERVER), serving(SLOWER)
    before = psutil.Process(b.pid).cpu_affinity()
    answer = compared(checkout, a.url, b.url, pids=[a.pid, b.pid])
    run = answer.run
    assert run.plan.together and run.unit == "requests per CPU second"
    assert [entry.role for entry in run.entries] == ["baseline", "variant"]  # no copy of a process
    assert answer.results.control is None
    assert "No copy of 127.0.0.1" in compare_cards.answer(run, answer.results).text
    said = answer.results.judgements[0]  # a busy machine may not tell, but it tells nothing false
    assert said.verdict in ("opposite", "too close to call"), said.why
    assert all(sample.evidence["server_cpu_seconds"] > 0 for sample in run.samples)
    assert b.process.poll() is None and psutil.Process(b.pid).cpu_affinity() == before


@pytest.mark.slow("races servers for seconds")
def test_each_address_may_have_a_path_of_its_own(serving, checkout):
    """And one process serves both."""
    one = serving(BY_PATH)
    url = f"{one.url}/b?a=1"
    with pytest.raises(BenchError, match=r"variant '127.*/b\?a=1' answers with the body"):
        compared(checkout, f"{one.url}/b", url)
    run = compared(checkout, f"{one.url}/b", url, answers="any", launches=1).run
    assert run.complete and not sum(sample.non_2xx for sample in run.samples)
    assert [entry.name for entry in run.entries if entry.role != "control"] == [
        f"127.0.0.1:{one.port}/b",
        f"127.0.0.1:{one.port}/b?a=1",
    ]


@pytest.mark.slow("races servers for seconds")
def test_one_that_ends_meanwhile_is_named(serving, checkout):
    a, b = serving(SERVER), serving(SERVER)
    options = Options(launches=1, blocks=4, path=checkout / "run.json")
    wanted = request_by_keywords([a.url, b.url], pids=[a.pid, b.pid], folder=checkout)
    with service.asked(wanted, NoAudience()) as (question, _):
        race = prepare.prepare(question.experiment(), options)
        ended = rf"(process {b.pid}) has ended during the race"
        with pytest.raises(BenchError, match=re.escape(ended)):
            for _event in race.events():
                if race.run.samples:
                    b.process.kill()
                    b.process.wait()
    assert a.process.poll() is None


@contextmanager
def six():
    """A server on ::1, of this process."""

    class Answering(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        hosts: set[str] = set()

        def do_GET(self) -> None:
            self.hosts.add(self.headers["Host"])
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            pass

    class Six(http.server.ThreadingHTTPServer):
        address_family = socket.AF_INET6
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Clients go away."""

    with Six(("::1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], Answering.hosts
        server.shutdown()


@pytest.mark.slow("races a server for seconds")
@pytest.mark.parametrize("tool", ["wrk", "python-load"])
def test_an_address_of_ipv6_is_asked_by_it(checkout, tool):
    with six() as (port, hosts):
        run = compared(checkout, f"http://[::1]:{port}", tool=tool, connections=2, launches=1).run
    assert run.complete and all(sample.requests for sample in run.samples)
    assert hosts == {f"[::1]:{port}"}


def test_a_name_becomes_the_number_where_somebody_listens(serving):
    one = serving(SERVER)
    (found,) = addresses.variants([f"http://localhost:{one.port}/x#y"])
    assert found.address == f"http://127.0.0.1:{one.port}/x"
    assert found.name == f"localhost:{one.port}/x#y" and found.path.read_text().startswith("http")


def test_an_address_is_one_however_it_is_written_and_others_are_kept_apart(serving):
    one = serving(SERVER)
    host, name = f"http://localhost:{one.port}", f"127.0.0.1:{one.port}"
    assert [v.name for v in addresses.variants([one.url, f"{one.url}/", host])] == [name]
    paths = ["/a-b", "/a/b", "/a/b/", "/?a", "/?b/"]
    found = addresses.variants([f"{one.url}{path}" for path in paths])
    assert [variant.name for variant in found] == [f"{name}{path}" for path in paths]
    texts = [variant.path.read_text() for variant in found]
    assert texts == [f"{one.url}{path}\n" for path in paths]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://192.0.2.1:80/", "only addresses of this machine are compared"),
        ("http://[2001:db8::1]/", "only addresses of this machine are compared"),
        ("http://0.0.0.0:3000", "only addresses of this machine are compared"),
        ("https://127.0.0.1:3000", "speaks plain HTTP"),
        ("ftp://127.0.0.1", "speaks plain HTTP"),
        ("http://me:secret@127.0.0.1:3000", "speaks plain HTTP"),
        ("http://", "speaks plain HTTP"),
        ("http://127.0.0.1:99999", "port that is no number"),
        ("http://no-such-host.invalid:80", "only addresses of this machine are compared"),
        ("http://example.com", "compared .*, not example.com"),
    ],
)
def test_what_is_no_address_of_this_machine_is_refused(monkeypatch, url, words):
    refused = lambda *_, **__: pytest.fail("a foreign name was looked up")  # noqa: E731
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    with pytest.raises(InputError, match=words):
        addresses.variants([url])


def test_nobody_there_is_said_before_anything_is_raced():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"nobody listens on port {port}"):
            addresses.variants([f"http://127.0.0.1:{port}"])


def test_processes_must_be_those_that_listen_there(serving):
    a, b = serving(SERVER), serving(SERVER)
    urls = [a.url, b.url]
    assert [each.pid for each in addresses.variants(urls, [a.pid, b.pid])] == [a.pid, b.pid]
    with pytest.raises(InputError, match="does not listen on the port of") as caught:
        addresses.variants(urls, [b.pid, a.pid])
    assert f"process {a.pid}" in str(caught.value)
    with pytest.raises(InputError, match="names 1 process for 2 servers"):
        addresses.variants(urls, [a.pid])
    with pytest.raises(InputError, match="names a process twice"):
        addresses.variants(urls, [a.pid, a.pid])
    with pytest.raises(InputError, match="are of one family"):
        addresses.variants(urls, [os.getpid(), b.pid])
    gone = subprocess.Popen(["true"])
    gone.wait()
    with pytest.raises(InputError, match=f"there is no process {gone.pid}"):
        addresses.variants([a.url], [gone.pid])


def test_a_command_that_asks_an_address_is_a_command(tmp_path):
    lines = ["curl -s http://127.0.0.1:1/", "sleep 1"]
    wanted = request_by_keywords(lines, folder=tmp_path)
    with service.asked(wanted, NoAudience()) as (question, _):
        assert [variant.words[-1] for variant in question.variants] == lines


@pytest.mark.parametrize(
    ("things", "more", "words"),
    [
        (["http://127.0.0.1:1", "b.mjs"], {}, "runs already, and the others don't"),
        (["http://127.0.0.1:1"], {"env": "A=1,2"}, "with what it was given"),
        (["a.mjs"], {"pids": [1]}, "is for servers that run already"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path, things, more, words):
    for name in ("a.mjs", "b.mjs"):
        (tmp_path / name).write_text(SERVER)
    with pytest.raises(InputError, match=words):
        benchbook.compare(*things, folder=tmp_path, **more)


def test_ids_of_processes_are_numbers():
    assert words.numbers("12, 34", "--pid") == (12, 34)
    for wrong in ("", "a", "12,", "0", "-1", "1.5"):
        with pytest.raises(InputError, match="write their ids"):
            words.numbers(wrong, "--pid")
