"""`./bench room serve`: takes what a class shares, and shows its page.

Two addresses, both below the room's code: its page, and `share`, where files are sent to. A request
without the code gets 404 before any of its body is read. A body is written to the room's folder as
it comes, never larger than said and allowed; it is looked at by one thread, after the other ones,
and only then is it answered: who has been told that a file is there can rely on it.
"""

import asyncio
import contextlib
import hmac
import json
import logging
import os
import re
import signal
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from tornado import web
from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.netutil import bind_sockets

from benchbook.notebook.classroom import growing_page
from benchbook.notebook.classroom.members import INCOMING, MOST_BYTES, ClassRoom, Refused
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.words import counted

AT_ONCE, CONNECTIONS = 64, 400  # files on their way, and connections that are open
BURST, EVERY_SECONDS = 8, 5.0  # files of one key: so many at once, then one in so many seconds
IDLE_SECONDS, BODY_SECONDS = 30, 120
ENDING_TRIES = 200  # of 50 ms, for files that are on their way when the server ends
KEY_HEADER, KEY = "X-Benchbook-Key", re.compile(r"[0-9a-f]{64}")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
    "Server": "benchbook",
}


class TokenBuckets:
    """How often somebody may come: a bucket for each key, which fills again (a token bucket)."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.buckets: dict[str, tuple[float, float]] = {}  # (what is left, when)

    def wait(self, key: str) -> float:
        """0 where it may come now, which is counted, else in how many seconds."""
        if len(self.buckets) > 10_000:  # keys without end: those who come rarely lose nothing
            self.buckets.clear()
        now = self.clock()
        left, then = self.buckets.get(key, (float(BURST), now))
        left = min(BURST, left + (now - then) / EVERY_SECONDS)
        enough = left >= 1
        self.buckets[key] = (left - enough, now)
        return 0.0 if enough else (1 - left) * EVERY_SECONDS


class ClassServer:
    """What the handlers share. `room` is used in the one thread of `worker` only.

    page: the newest one; told: is called with a line for each file that is kept.
    """

    def __init__(self, room: ClassRoom, told: Callable[[str], None]) -> None:
        self.room, self.told = room, told
        self.pace = TokenBuckets()
        self.worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="room")
        self.under_way = self.refused = 0
        self.page = growing_page.render(room)
        self.stale = asyncio.Event()

    async def receive(self, incoming: Path, key: str) -> dict[str, Any]:
        """Have a file checked and kept. Raises InputError where it is not."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self.worker, self.room.receive, incoming, key)
        except InputError:
            self.refused += 1
            self.stale.set()
            raise
        if found.new:
            races, guesses = counted(found.races, "race"), counted(found.guesses, "guess")
            self.told(f"{found.attendee}: {races}, {guesses}")
            self.stale.set()
        return {"attendee": found.attendee, "races": found.races, "guesses": found.guesses}

    async def draw(self) -> None:
        """Draw the page anew, again and again, whenever something has come."""
        loop = asyncio.get_running_loop()
        while True:
            await self.stale.wait()
            self.stale.clear()
            try:
                self.page = await loop.run_in_executor(
                    self.worker, growing_page.render, self.room, self.refused
                )
            except (ArithmeticError, LookupError, ValueError, BenchError) as error:
                self.told(f"the page stays as it was: {error}")

    def application(self) -> web.Application:
        given = {"server": self}
        routes: list[Any] = [
            (r"/([^/]{1,64})/", ClassPage, given),
            (r"/([^/]{1,64})/share", Share, given),
        ]
        return web.Application(
            routes,
            default_handler_class=Nothing,
            default_handler_args=given,
            log_function=lambda _: None,  # of a thousand wrong requests nobody wants to read
        )


class Handler(web.RequestHandler):
    """What all answers have in common. Bodies are streamed, so that none is kept in memory."""

    def initialize(self, server: ClassServer) -> None:
        self.server = server

    def set_default_headers(self) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        given = self.path_args[0] if self.path_args else ""
        if not hmac.compare_digest(given.encode(), self.server.room.code.encode()):
            raise web.HTTPError(404)

    def data_received(self, chunk: bytes) -> None:
        """What is sent where nothing is taken is dropped."""

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        error = kwargs.get("exc_info", (None, None, None))[1]
        reason = error.log_message if isinstance(error, web.HTTPError) else None
        self.tell(status_code, {"problem": reason or "no such thing"})

    def tell(self, status: int, answer: dict[str, Any]) -> None:
        self.set_status(status)
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.finish(json.dumps(answer))


@web.stream_request_body
class Nothing(Handler):
    """Any other address."""

    def prepare(self) -> None:
        raise web.HTTPError(404)


@web.stream_request_body
class ClassPage(Handler):
    """The page so far."""

    def get(self, _: str) -> None:
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(self.server.page)


@web.stream_request_body
class Share(Handler):
    """Where files are sent to; asked by GET, it says how large one may be."""

    incoming: IO[bytes] | None = None

    def prepare(self) -> None:
        super().prepare()
        if self.request.method == "POST":
            self.check()
            folder = self.server.room.folder
            handle, self.name = tempfile.mkstemp(prefix=INCOMING, dir=folder)
            self.incoming = os.fdopen(handle, "wb")
            self.server.under_way += 1

    def check(self) -> None:
        """Raises HTTPError for what need not be read, or not now."""
        length = self.request.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,12}", length):
            raise web.HTTPError(411, "its length must be said")
        if int(length) > MOST_BYTES:
            raise web.HTTPError(413, f"it is larger than {MOST_BYTES >> 20} MiB")
        key = self.request.headers.get(KEY_HEADER, "")
        if not KEY.fullmatch(key):
            raise web.HTTPError(400, "it came without a key: send it by ./bench share --to")
        if wait := self.server.pace.wait(key):
            self.set_later(wait)
            raise web.HTTPError(429, "too many files in a short time")
        if self.server.under_way >= AT_ONCE:
            self.set_later(2)
            raise web.HTTPError(503, "too many files at once")

    def set_later(self, seconds: float) -> None:
        self.later = str(max(1, round(seconds)))

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        if later := getattr(self, "later", ""):
            self.set_header("Retry-After", later)
        super().write_error(status_code, **kwargs)

    def data_received(self, chunk: bytes) -> None:
        if self.incoming:
            self.incoming.write(chunk)

    def get(self, _: str) -> None:
        self.tell(200, {"format": "benchbook-room/1", "most_bytes": MOST_BYTES})

    async def post(self, _: str) -> None:
        assert self.incoming
        self.incoming.flush()
        os.fsync(self.incoming.fileno())
        self.incoming.close()
        try:
            key = self.request.headers[KEY_HEADER]
            self.tell(201, await self.server.receive(Path(self.name), key))
        except InputError as error:
            status = error.status if isinstance(error, Refused) else 422
            self.tell(status, {"problem": error.message, "remedy": error.remedy})

    def on_finish(self) -> None:
        self.let_go()

    def on_connection_close(self) -> None:
        self.let_go()
        super().on_connection_close()

    def let_go(self) -> None:
        """Count a file as no longer on its way; the half of one is removed."""
        if incoming := self.incoming:
            self.incoming = None
            self.server.under_way -= 1
            if not incoming.closed:
                with contextlib.suppress(OSError):  # of a full disk: what is buffered is written
                    incoming.close()
                Path(self.name).unlink(missing_ok=True)


class BoundedServer(HTTPServer):
    """A server of so many connections and no more."""

    connections = 0

    def handle_stream(self, stream: IOStream, address: Any) -> None:
        if self.connections >= CONNECTIONS:
            stream.close()
        else:
            self.connections += 1
            super().handle_stream(stream, address)

    def on_close(self, server_conn: object) -> None:
        self.connections -= 1
        super().on_close(server_conn)


async def serve(
    room: ClassRoom,
    address: str,
    port: int,
    ready: Callable[[int], None],
    told: Callable[[str], None],
) -> None:
    """Serve a room until SIGINT or SIGTERM. ready: is called with the port once requests are taken.

    Raises BenchError where the address can't be listened on.
    """
    logging.getLogger("tornado").setLevel(logging.ERROR)
    shared = ClassServer(room, told)
    http = BoundedServer(
        shared.application(),
        idle_connection_timeout=IDLE_SECONDS,
        body_timeout=BODY_SECONDS,
        max_header_size=16 << 10,
        max_body_size=MOST_BYTES,
        chunk_size=64 << 10,
    )
    try:
        sockets = bind_sockets(port, address)
    except (OSError, ValueError) as error:
        problem = f"can't listen on {address}, port {port}: {error}"
        raise BenchError(problem, "name another --port, or an address of this machine") from None
    http.add_sockets(sockets)
    drawing = asyncio.create_task(shared.draw())
    try:
        ready(sockets[0].getsockname()[1])
        await until_ended()
    finally:
        http.stop()
        for _ in range(ENDING_TRIES):  # what has come is kept, and told
            if shared.under_way:
                await asyncio.sleep(0.05)
        drawing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await drawing
        await http.close_all_connections()
        shared.worker.shutdown()


async def until_ended() -> None:
    """Wait for SIGINT or SIGTERM."""
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
    except NotImplementedError:  # Windows, where Ctrl-C cancels what waits here
        with contextlib.suppress(asyncio.CancelledError):
            while True:
                await asyncio.sleep(0.5)
        return
    await ended.wait()
