"""./bench room serve: what a class shares arrives whole, whatever somebody sends beside it."""

import http.client
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from benchbook.model import experiments, results
from benchbook.notebook.classroom import members, sending, serving
from benchbook.notebook.classroom.members import Refused
from benchbook.notebook.classroom.sending import Taken
from benchbook.show import sharing
from benchbook_kernels.base.errors import BenchError, InputError
from calling import call

CLIENTS = 30
NAME = "77-made"
SCRIPT = "<script>alert(1)</script>"
KEY = "a" * 64


@pytest.fixture
def root(checkout, make_experiment, monkeypatch):
    """A checkout with one experiment."""
    (checkout / "snippets").mkdir()
    make_experiment({"a": "1", "b": "2"}).rename(checkout / "snippets" / NAME)
    monkeypatch.chdir(checkout)
    return checkout


@pytest.fixture
def shared(root, make_run):
    """shared("00000a", seed=1) -> a document of ./bench share, with one race and one guess."""

    def make(attendee: str, seed: int = 1) -> dict:
        run = make_run({"a": 1000.0, "b": 1100.0}, seed=seed, launches=3)
        run.experiment = replace(run.experiment, name=NAME)
        run.started = f"2026-01-01T00:{seed:02}:00+00:00"
        guess = {"experiment": NAME, "variant": "b", "to": "", "guess": 1.0 + seed / 100}
        return {
            "format": "benchbook-share/1",
            "attendee": attendee,
            "told": run.started,
            "runs": [sharing.anonymous(run, experiments.find("77"))],
            "guesses": [guess],
        }

    return make


@pytest.fixture
def served(root):
    """A server of the folder `room`, as somebody starts it: (its process, its address)."""
    command = [sys.executable, "-m", "benchbook", "room", "serve", "room", "--port", "0"]
    (root / "room").mkdir()
    process = subprocess.Popen(
        command, cwd=root, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        line = process.stdout.readline()
        found = re.match(r"page: (http://127\.0\.0\.1:\d+/[a-z0-9-]+/)", line)
        assert found, line + process.stdout.read()
        yield process, sending.parse(found[1])
    finally:
        process.kill()
        process.communicate()


def get(address, path: str):
    """(status, headers, text) of a page."""
    connection = http.client.HTTPConnection(address.host, address.port, timeout=300)
    connection.request("GET", path)
    answer = connection.getresponse()
    found = answer.status, answer.headers, answer.read().decode()
    connection.close()
    return found


def post(address, body: bytes, key: str = KEY, path: str = "", length: int | None = None) -> int:
    """The status that a sent body gets; 0 where the connection ended without one."""
    size = len(body) if length is None else length
    head = f"POST {path or f'/{address.code}/share'} HTTP/1.1\r\nHost: x\r\n"
    head += f"X-Benchbook-Key: {key}\r\nContent-Length: {size}\r\n\r\n"
    return raw(address, head.encode() + body)


def raw(address, data: bytes) -> int:
    try:
        with socket.create_connection((address.host, address.port), timeout=300) as connection:
            connection.sendall(data)
            answer = connection.recv(200)
    except ConnectionError:
        return 0
    return int(answer.split()[1]) if answer.startswith(b"HTTP/") else 0


def hostile(address, shared, ended: threading.Event) -> set[int]:
    """All that somebody might send until the others have ended; returns the statuses seen."""
    named = shared("bad000")
    named["runs"][0]["entries"][2]["name"] = SCRIPT
    own = shared("bad001")
    own["runs"][0]["experiment"]["title"] = SCRIPT
    own["runs"][0]["machine"]["cpu"]["model"] = SCRIPT
    ways = [
        lambda: post(address, b"{}", path="/wrong-code/share"),
        lambda: post(address, b"", length=members.MOST_BYTES + 1),
        lambda: post(address, b"[" * 100_000, secrets.token_hex(32)),
        lambda: post(address, json.dumps(named).encode(), secrets.token_hex(32)),
        lambda: post(address, json.dumps(own).encode(), KEY),
        lambda: post(address, b"{}", "no key"),
        lambda: post(address, b'{"format": "benchbook-share/1"', secrets.token_hex(32)),
        lambda: raw(address, b"\x00\xff rubbish\r\n\r\n"),
        lambda: raw(address, b"GET /" + b"a" * 30_000 + b" HTTP/1.1\r\n\r\n"),
        lambda: raw(address, f"GET /{SCRIPT}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode()),
    ]
    seen = set()
    while not ended.is_set():
        seen |= {way() for way in ways}
    return seen


def test_thirty_share_at_once_and_a_hostile_one_among_them(served, shared, root):
    process, address = served
    documents = {f"0000{i:02}": shared(f"0000{i:02}", i) for i in range(CLIENTS)}
    files = {name: root / f"{name}.json" for name in documents}
    for name, document in documents.items():
        files[name].write_text(json.dumps(document))
    ended = threading.Event()
    with ThreadPoolExecutor(CLIENTS + 4) as pool:
        flood = [pool.submit(hostile, address, shared, ended) for _ in range(4)]
        try:
            sent = [
                pool.submit(sending.send, path, address, secrets.token_hex(32), print)
                for path in files.values()
            ]
            taken = [each.result() for each in sent]
        finally:
            ended.set()
        statuses = set.union(*(each.result() for each in flood))
    assert taken == [Taken(1, 1)] * CLIENTS
    assert {404, 413, 422} <= statuses <= {0, 201, 400, 404, 411, 413, 422, 429, 503}
    kept = {path: json.loads(path.read_text()) for path in (root / "room").glob("*.json")
            if not path.name.startswith(".")}  # fmt: skip
    by_name = {d["attendee"]: d for d in kept.values() if not d["attendee"].startswith("bad")}
    assert by_name == documents, "nothing lost, nothing changed"
    assert {d["attendee"] for d in kept.values()} - set(documents) <= {"bad001"}
    assert not list((root / "room").glob(f"{members.INCOMING}*"))

    text = page_with(address, [*documents])
    assert "<script" not in text and 'http-equiv="refresh"' in text
    status, headers, _ = get(address, f"/{address.code}/")
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "script-src" not in headers["Content-Security-Policy"]

    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0 and "ended: " in out and "Traceback" not in out
    merged = call("room", "merge", "room", folder=root)
    assert merged.code == 0 and "alert" not in merged.err and (root / "room.html").is_file()
    assert SCRIPT not in (root / "room.html").read_text(encoding="utf-8")
    assert call("room", "guesses", "room", folder=root).code == 0


def page_with(address, names: list[str]) -> str:
    """The page, once it tells of all of them."""
    while True:
        status, _, text = get(address, f"/{address.code}/")
        assert status == 200
        if all(name in text for name in names):
            return text


def test_share_sends_the_file_and_tells_why_it_was_not_taken(served, shared, root, make_run):
    _, address = served
    run = make_run({"a": 1000.0, "b": 1100.0})
    run.experiment = replace(run.experiment, name=NAME)
    run.path = results.folder(NAME) / "20260101T000000-000000.json"
    run.save()
    done = call("share", "--to", address.text, folder=root)
    assert done.code == 0 and f"{address.text} has it: 1 race, 0 guesses" in done.out, done.err
    code = (root / ".benchbook" / "attendee").read_text().strip()
    assert code in page_with(address, [code])
    wrong = call("share", "--to", f"{address.host}:{address.port}/another-code", folder=root)
    assert wrong.code == 1 and "there is no room at" in wrong.err
    (root / ".benchbook" / "attendee-key").unlink()  # somebody else, who saw the code on the page
    posing = call("share", "--to", address.text, folder=root)
    assert posing.code == 1 and f"{code} is another attendee's code" in posing.err
    none = call("share", "--to", "http://127.0.0.1/", folder=root)
    assert none.code == 2 and "is no room's address" in none.err


def received(room: members.ClassRoom, document: object, key: str = KEY):
    incoming = room.folder / f"{members.INCOMING}x"
    incoming.write_text(document if isinstance(document, str) else json.dumps(document))
    try:
        return room.receive(incoming, key)
    finally:
        assert not incoming.exists()


def test_a_room_goes_on_where_it_ended(shared, tmp_path):
    folder = tmp_path / "room"
    with members.opened(folder) as room:
        code = room.code
        assert received(room, shared("00000a", 1)).new
        assert not received(room, shared("00000a", 1)).new, "the same file again"
        assert received(room, shared("00000a", 2)).new
        with pytest.raises(BenchError, match="another ./bench room serve"):
            with members.opened(folder):
                pass
    (folder / f"{members.INCOMING}half").write_text("{")
    with members.opened(folder) as room:
        assert room.code == code and room.files == {"00000a": 2}
        assert not (folder / f"{members.INCOMING}half").exists()
        with pytest.raises(Refused, match="another attendee's code"):
            received(room, shared("00000a", 3), "b" * 64)
        (found,) = room.rooms()
        assert len(found.machines) == 1, "the newest race of an attendee counts"
    with members.opened(folder, "our-course") as room:
        assert room.code == "our-course"
    with pytest.raises(InputError, match="no room code"):
        with members.opened(folder, "Course!"):
            pass


def without_runs(document: dict) -> dict:
    return {**document, "runs": [], "guesses": []}


def with_experiment(document: dict) -> dict:
    document["runs"][0]["experiment"]["name"] = "78-other"
    return document


def cut_short(document: dict) -> dict:
    document["runs"][0]["status"] = "incomplete"
    return document


def mad(document: dict) -> dict:
    document["guesses"][0]["guess"] = 1e300
    return document


WRONG = {
    "nothing": (without_runs, "neither race nor guess"),
    "a run file": (lambda document: document["runs"][0], "not that of ./bench share"),
    "another experiment": (with_experiment, "does not have"),
    "a race cut short": (cut_short, "cut short"),
    "a guess beyond all": (mad, "beyond all measure"),
    "deep": (lambda _: "[" * 90_000, "nested too deeply"),
    "no JSON": (lambda _: "{", "is not JSON"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_shared_file_is_not_kept(case, shared, tmp_path):
    change, why = WRONG[case]
    with members.opened(tmp_path / "room") as room:
        with pytest.raises(InputError, match=why):
            received(room, change(shared("00000a")))
        assert not list(Path(room.folder).glob("*share*")) and room.files == room.keys == {}


def test_who_comes_too_often_waits():
    now = 0.0
    pace = serving.TokenBuckets(lambda: now)
    assert [pace.wait("a") for _ in range(serving.BURST)] == [0] * serving.BURST
    assert pace.wait("a") == serving.EVERY_SECONDS and pace.wait("b") == 0
    now = serving.EVERY_SECONDS
    assert pace.wait("a") == 0 and pace.wait("a") > 0


def test_nobody_else_is_let_in_unless_the_leader_says_so(root):
    (root / "room").mkdir()
    done = call("room", "serve", "room", "--listen", "192.0.2.1", "--port", "1", folder=root)
    assert done.code == 1 and "can't listen on 192.0.2.1" in done.err
