"""Small servers in this process, which keep or close connections as told, and note requests."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

BODY = b"hello"


@dataclass
class Talker:
    """A server on a port of 127.0.0.1. keep: after how many answers a connection ends, by version
    of HTTP; says: it tells so; asked: the requests; encodes: it compresses where it is asked to."""

    keep: dict[str, int] = field(default_factory=dict)
    says: bool = True
    encodes: bool = False
    port: int = 0
    asked: list[bytes] = field(default_factory=list)

    def answer(self, request: bytes, number: int) -> tuple[bytes, bool]:
        version = "1.0" if b" HTTP/1.0\r\n" in request else "1.1"
        last = number >= self.keep.get(version, 1_000)
        lines = [b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(BODY)]
        if self.encodes and b"gzip" in request:
            lines.append(b"Content-Encoding: gzip")
        if self.says:
            lines.append(b"Connection: " + (b"close" if last else b"keep-alive"))
        return b"\r\n".join([*lines, b"", BODY]), last

    def talk(self, connection: socket.socket) -> None:
        with connection:
            number, text = 0, b""
            while piece := connection.recv(1 << 16):
                text += piece
                while b"\r\n\r\n" in text:
                    request, _, text = text.partition(b"\r\n\r\n")
                    number += 1
                    self.asked.append(request + b"\r\n\r\n")
                    answer, last = self.answer(self.asked[-1], number)
                    connection.sendall(answer)
                    if last:
                        return


@contextmanager
def talking(talker: Talker, listener: socket.socket | None = None) -> Iterator[Talker]:
    """The server while the context lasts; listener: where, if not on 127.0.0.1."""
    with listener or socket.create_server(("127.0.0.1", 0)) as listener:
        talker.port = listener.getsockname()[1]

        def talk(connection: socket.socket) -> None:
            try:
                talker.talk(connection)
            except OSError:  # the client went away
                pass

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=talk, args=(connection,), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield talker
        finally:
            with suppress(OSError):  # where a closed socket is enough
                listener.shutdown(socket.SHUT_RDWR)  # else accept() would go on, and answer
