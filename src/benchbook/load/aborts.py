"""Requests whose client goes away: what every load generator does to a server in the end."""

import contextlib
import socket
import struct
import time

from benchbook.loadtools.manner import PLAIN

ROUNDS = 6
ANSWER_SECONDS = 0.002  # longer than a server takes to answer
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing resets the connection, socket(7)


def abort(host: str, port: int, path: str) -> None:
    """Send a server requests, and close the connections in each way that there is.

    A load generator that ends closes its connections, with requests under way. Where a server has
    not met that before it was compiled, V8 throws away the code of everything that handles a
    request and compiles it anew, beside the requests of the next second, which then cost twice as
    much: once for each process, and at a time that chance chooses ("code dependencies" in the
    output of node --trace-deopt). So they are met at once.
    """
    request = PLAIN.request(host, port, path)
    for turn in range(4 * ROUNDS):
        with contextlib.suppress(OSError):  # whatever is wrong with a server, others will tell
            with socket.create_connection((host, port), timeout=1) as connection:
                connection.sendall(request)
                if turn % 4 == 1:  # reset, before the answer
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                if turn % 4 == 2:  # with an answer that nobody has read, and requests waiting
                    time.sleep(ANSWER_SECONDS)
                    connection.sendall(3 * request)
                if turn % 4 == 3:  # in the midst of a request
                    connection.recv(1)
                    connection.sendall(request[: len(request) // 2])
