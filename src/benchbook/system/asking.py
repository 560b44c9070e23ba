"""One GET request with an end: to see whether a server is there, and what it answers."""

import http.client
import time

MOST_BYTES = 64 << 20


def get(
    address: str, port: int, path: str, seconds: float
) -> tuple[int, list[tuple[str, str]], bytes]:
    """(status, headers, body) of the path.

    Raises OSError or http.client.HTTPException where there is no HTTP answer, or one that does not
    end: within so many seconds, or 64 MiB.
    """
    deadline = time.monotonic() + seconds
    connection = http.client.HTTPConnection(address, port, timeout=seconds)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        body = bytearray()
        while piece := response.read1(1 << 16):
            body += piece
            if time.monotonic() > deadline or len(body) > MOST_BYTES:
                told = f"its answer does not end: {len(body):,} bytes after {seconds:g} s"
                raise TimeoutError(told)
        if response.length:
            raise http.client.IncompleteRead(bytes(body), response.length)
        return response.status, response.getheaders(), bytes(body)
    finally:
        connection.close()
