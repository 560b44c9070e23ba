"""GET requests with an end, asked as a load generator asks: is a server there, what does it answer,
and does it keep the connection?"""

import http.client
import socket
import time
from dataclasses import dataclass

from benchbook.loadtools.manner import PLAIN, Manner

MOST_BYTES = 64 << 20
CLOSED = (http.client.RemoteDisconnected, ConnectionError)  # of a connection that was there before


@dataclass(frozen=True)
class Reply:
    """One answer; closes: it says that the connection ends with it."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    closes: bool


def get(address: str, port: int, path: str, seconds: float, manner: Manner = PLAIN) -> Reply:
    """What the path answers, on a connection of its own.

    Raises OSError or http.client.HTTPException where there is no HTTP answer, or one that does not
    end: within so many seconds, or 64 MiB.
    """
    with socket.create_connection((address, port), timeout=seconds) as connection:
        return exchange(connection, manner.request(address, port, path), seconds)


def exchange(connection: socket.socket, request: bytes, seconds: float) -> Reply:
    """Send a request on an open connection and read its answer. Raises as `get` does."""
    deadline = time.monotonic() + seconds
    connection.sendall(request)
    response = http.client.HTTPResponse(connection, method="GET")
    try:
        response.begin()
        body = bytearray()
        while piece := response.read1(1 << 16):
            body += piece
            if time.monotonic() > deadline or len(body) > MOST_BYTES:
                told = f"its answer does not end: {len(body):,} bytes after {seconds:g} s"
                raise TimeoutError(told)
        if response.length:
            raise http.client.IncompleteRead(bytes(body), response.length)
        headers = response.getheaders()
        return Reply(response.status, headers, bytes(body), response.will_close)
    finally:
        response.close()


def answers_on_one(
    address: str, port: int, path: str, count: int, seconds: float, manner: Manner = PLAIN
) -> int:
    """How many of `count` requests, one after the other, are answered on one connection before the
    server closes it, or says that it does. Raises as `get` does where not one is."""
    with socket.create_connection((address, port), timeout=seconds) as connection:
        request = manner.request(address, port, path)
        closes = exchange(connection, request, seconds).closes
        answered = 1
        while answered < count and not closes:
            try:
                closes = exchange(connection, request, seconds).closes
            except CLOSED:
                break
            answered += 1
        return answered
