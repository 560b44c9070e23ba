"""A load generator in Python's standard library: what the tool `python-load` runs. By hand:

    python closed_loop.py http://127.0.0.1:8080/ CONNECTIONS SECONDS [SEED COUNT '/items/{number}']

A closed loop over connections that are kept: each sends its next request when it has read an answer
to the end. With SEED, COUNT and a pattern it asks COUNT paths, the pattern with each number from 0
for "{number}", in random order: every path once before one is asked again. It ends after SECONDS,
or on SIGINT, and prints what it measured as one line of JSON.
"""

from __future__ import annotations

import errno
import functools
import itertools
import json
import os
import random
import selectors
import signal
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

LOOK_SECONDS = 0.1  # between two looks: is it to stop, and what became of its connections?
PATIENT_SECONDS = 10.0  # for an answer: many servers may share one CPU
MOST_BYTES = 1 << 16  # that are read at once, and of the head of an answer
MOST_HEADS = 1000  # that are remembered
BLANK, LINE = b"\r\n\r\n", b"\r\n"
CHUNKED, TO_THE_END = -1, -2  # lengths of a body that its head does not tell
UNDER_WAY = (0, errno.EINPROGRESS, errno.EWOULDBLOCK)
SHARES = {"p50": 0.5, "p75": 0.75, "p90": 0.9, "p99": 0.99, "p99_9": 0.999, "max": 1.0}
clock = time.perf_counter


# ── An answer ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Head:
    """What the head of an answer says; length: bytes of the body, or CHUNKED or TO_THE_END;
    closes: it is the last one on its connection."""

    status: int
    length: int
    closes: bool


def parsed(text: bytes) -> Head:
    """A head, without the blank line at its end. Raises ValueError where it is none."""
    first, *lines = text.decode("latin-1").split("\r\n")
    version, status = first.split(" ", 2)[:2]
    if version not in ("HTTP/1.1", "HTTP/1.0"):
        raise ValueError(f"no HTTP/1.1: {first}")
    pairs = (line.partition(":") for line in lines)
    fields = {name.strip().lower(): value.strip().lower() for name, _, value in pairs}
    code, connection = int(status), fields.get("connection", "")
    closes = "close" in connection or version == "HTTP/1.0" and "keep-alive" not in connection
    if code < 200 or code in (204, 304):
        return Head(code, 0, closes)
    if "chunked" in fields.get("transfer-encoding", ""):
        return Head(code, CHUNKED, closes)
    if "content-length" in fields:
        if not fields["content-length"].isdigit():
            raise ValueError("a Content-Length that is no number")
        return Head(code, int(fields["content-length"]), closes)
    return Head(code, TO_THE_END, True)


@dataclass
class Incoming:
    """What came of an answer; heads: those that were seen before (with a date, one a second).

    held: bytes that can't be read yet; left: of the body, or of its chunk, that are still to come;
    last: the last chunk was there.
    """

    heads: dict[bytes, Head] = field(default_factory=dict)
    head: Head | None = None
    held: bytes = b""
    left: int = 0
    last: bool = False

    def feed(self, data: bytes) -> bool:
        """Take what came; is the answer complete? Raises ValueError for what is no answer."""
        if self.held:
            data, self.held = self.held + data, b""
        head = self.head
        if not head:
            end = data.find(BLANK)
            if end < 0:
                return self.hold(data)
            head = self.heads.get(data[:end]) or self.learnt(data[:end])
            data = data[end + len(BLANK) :]
            if head.status < 200:  # 100 and 103 come before the answer
                return bool(data) and self.feed(data)
            self.head, self.left, self.last = head, max(0, head.length), False
        if head.length == CHUNKED:
            return self.chunks(data)
        if head.length == TO_THE_END:
            return False
        self.left -= len(data)
        if self.left < 0:
            raise ValueError("more than its Content-Length")
        return self.left == 0

    def learnt(self, text: bytes) -> Head:
        if len(self.heads) >= MOST_HEADS:
            self.heads.clear()
        self.heads[text] = found = parsed(text)
        return found

    def hold(self, data: bytes) -> bool:
        if len(data) > MOST_BYTES:
            raise ValueError("a line, or a head, without an end")
        self.held = data
        return False

    def chunks(self, data: bytes) -> bool:
        """Chunks, each behind a line with its size, and after the last one lines up to a blank."""
        at = 0
        while True:
            skipped = min(self.left, len(data) - at)
            self.left -= skipped
            at += skipped
            end = -1 if self.left else data.find(LINE, at)
            if end < 0:
                return self.hold(data[at:])
            line, at = data[at:end], end + len(LINE)
            if self.last:
                if line:
                    continue
                if at < len(data):
                    raise ValueError("more than its chunks")
                return True
            size = int(line.partition(b";")[0], 16)
            if size < 0:
                raise ValueError("a chunk of less than nothing")
            self.last, self.left = size == 0, size + len(LINE) if size else 0


# ── Connections ──────────────────────────────────────────────────────────────────────────────────


@dataclass
class Counts:
    """What was measured so far; microseconds: how often an answer took so long; lost: connections
    that ended, and had to be opened anew."""

    requests: int = 0
    non_2xx: int = 0
    bytes: int = 0
    lost: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    microseconds: Counter[int] = field(default_factory=Counter)

    def told(self, seconds: float) -> dict[str, object]:
        kinds = ("connect", "read", "write", "timeout")
        return {
            "seconds": seconds,
            "requests": self.requests,
            "latency_ms": latencies(self.microseconds),
            "errors": {kind: self.errors[kind] for kind in kinds},
            "non_2xx": self.non_2xx,
            "bytes": self.bytes,
            "reused": max(0.0, 1 - self.lost / self.requests) if self.requests else None,
        }


def latencies(microseconds: Counter[int]) -> dict[str, float | None]:
    """The mean and the percentiles, in milliseconds; None where nothing was answered."""
    count = microseconds.total()
    if not count:
        return dict.fromkeys(("mean", *SHARES))
    mean = sum((each + 0.5) * times for each, times in microseconds.items()) / count / 1e3
    found: dict[str, float | None] = {"mean": mean}
    wanted, below = list(SHARES), 0
    for each, times in sorted(microseconds.items()):
        below += times
        while wanted and below >= SHARES[wanted[0]] * count:
            found[wanted.pop(0)] = each / 1e3
    return found


class Kept:
    """One of those that are kept open: it is connecting, or waits for an answer since `began`, or
    waits to be opened once more (socket: None)."""

    def __init__(self, client: Loader) -> None:
        self.client, self.counts = client, client.counts
        self.answer = Incoming(client.heads)
        self.socket: socket.socket | None = None
        self.began = 0.0

    def open(self) -> None:
        family, address = self.client.address
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.receive, self.write = self.socket.recv, writer(self.socket)
        self.began, self.ready = clock(), self.connected
        if self.socket.connect_ex(address) in UNDER_WAY:
            self.client.selector.register(self.socket, selectors.EVENT_WRITE, self)
        else:
            self.fail("connect")

    def connected(self) -> None:
        assert self.socket
        if self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self.fail("connect")
            return
        self.client.selector.modify(self.socket, selectors.EVENT_READ, self)
        self.ready = self.read
        self.ask()

    def ask(self) -> None:
        self.began, request = clock(), self.client.request()
        try:
            whole = self.write(request) == len(request)
        except OSError:
            whole = False
        if not whole:  # a request fits into what the system holds for an idle connection
            self.fail("write")

    def read(self) -> None:
        try:
            data = self.receive(MOST_BYTES)
            head = self.answer.head
            complete = self.answer.feed(data) if data else bool(head and head.length == TO_THE_END)
        except BlockingIOError:
            return
        except (OSError, ValueError):
            self.fail("read")
            return
        self.counts.bytes += len(data)
        if complete:
            self.answered()
        elif not data:
            self.fail("read")

    def answered(self) -> None:
        head, counts = self.answer.head, self.counts
        assert head
        counts.microseconds[int((clock() - self.began) * 1e6)] += 1
        counts.requests += 1
        if not 200 <= head.status < 300:
            counts.non_2xx += 1
        if head.closes:
            counts.lost += 1
            self.close()
            self.open()
        else:
            self.answer.head = None
            self.ask()

    def fail(self, kind: str) -> None:
        """Count an error, and open the connection anew: where there was none, when the client looks
        next."""
        self.counts.errors[kind] += 1
        self.counts.lost += 1
        self.close()
        if kind in ("read", "write"):
            self.open()

    def close(self) -> None:
        if self.socket:
            if self.socket in self.client.selector.get_map():
                self.client.selector.unregister(self.socket)
            self.socket.close()
        self.socket, self.answer = None, Incoming(self.client.heads)

    def look(self) -> None:
        if self.socket and clock() - self.began > PATIENT_SECONDS:
            self.fail("timeout")
        if not self.socket:
            self.open()


def writer(connection: socket.socket) -> Callable[[bytes], int]:
    """Sends by write(2), because that is what Linux counts for a process (syscw in proc_pid_io(5)),
    and send(2) it does not; Windows writes to no socket."""
    if sys.platform == "win32":
        return connection.send
    return functools.partial(os.write, connection.fileno())


# ── The client ───────────────────────────────────────────────────────────────────────────────────


@dataclass
class Loader:
    """All connections to one server. request: gives the next one that is to be sent."""

    address: tuple[int, tuple[object, ...]]
    request: Callable[[], bytes]
    counts: Counts = field(default_factory=Counts)
    heads: dict[bytes, Head] = field(default_factory=dict)
    stopped: bool = False

    def run(self, connections: int, seconds: float) -> float:
        """Load the server for so long, or until it is stopped; how long that was."""
        began = clock()
        looked, until = began, began + seconds
        with selectors.DefaultSelector() as self.selector:
            each = [Kept(self) for _ in range(connections)]
            for connection in each:
                connection.look()
            while not self.stopped and (now := clock()) < until:
                for key, _ in self.selector.select(min(until - now, LOOK_SECONDS)):
                    key.data.ready()
                if now - looked > LOOK_SECONDS:
                    looked = now
                    for connection in each:
                        connection.look()
            lasted = clock() - began
            for connection in each:
                connection.close()
        return lasted

    def stop(self, *_: object) -> None:
        self.stopped = True


def requests(host: str, paths: list[str], seed: int) -> Iterator[bytes]:
    """Without an end: every path in a random order, then all of them in another one."""
    every = [f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode() for path in paths]
    if len(every) == 1:
        yield from itertools.repeat(every[0])
    drawing = random.Random(seed)
    while True:
        for last in reversed(range(len(every))):  # a step of a Fisher-Yates shuffle
            drawn = int(drawing.random() * (last + 1))
            every[drawn], every[last] = every[last], every[drawn]
            yield every[last]


def main(words: list[str]) -> None:
    url, connections, seconds, *many = words
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or 80
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    seed, paths = 0, [path]
    if many:
        seed, count, pattern = int(many[0]), int(many[1]), many[2]
        paths = [pattern.replace("{number}", str(number)) for number in range(count)]
    named = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    client = Loader((found[0], found[4]), requests(named, paths, seed).__next__)
    signal.signal(signal.SIGINT, client.stop)
    lasted = client.run(int(connections), float(seconds))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who told it to stop may do so again
    print(json.dumps(client.counts.told(lasted)))


if __name__ == "__main__":
    main(sys.argv[1:])
