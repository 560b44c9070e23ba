"""The open connections of a server, and how many requests came on each, by the kernel's own count.

Linux only: sock_diag(7), which any user may ask. One question takes less than a millisecond, and
neither server nor client notices it.
"""

import errno
import os
import socket
import struct
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h, linux/tcp.h
SOCK_DIAG, BY_FAMILY, DUMP, ERROR, DONE = 4, 20, 0x301, 2, 3
INFO, ESTABLISHED, CLOSE_WAIT = 2, 1, 8
HEADER, MESSAGE = struct.Struct("=IHHII"), 72  # of netlink; struct inet_diag_msg
SEGMENTS_IN = 152  # of struct tcp_info: tcpi_data_segs_in
PATIENCE_SECONDS = 1.0

Requests = Mapping[int, int]  # that came on each open connection, by the client's port


def look(port: int) -> Requests | None:
    """The connections to a server on this port (IPv4) and the requests that came on each so far.

    A request is a segment with data, so of pipelined requests those sent at once count as one.
    None where that can't be known.
    """
    if sys.platform != "linux":
        return None
    states = 1 << ESTABLISHED | 1 << CLOSE_WAIT
    wanted = struct.pack("=BBBBI", socket.AF_INET, socket.IPPROTO_TCP, 1 << INFO - 1, 0, states)
    end = struct.pack(">HH", port, 0) + bytes(36) + b"\xff" * 8
    length = HEADER.size + len(wanted) + len(end)
    question = HEADER.pack(length, BY_FAMILY, DUMP, 1, 0) + wanted + end
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, SOCK_DIAG) as kernel:
            kernel.settimeout(PATIENCE_SECONDS)
            kernel.send(question)
            return dict(answered(kernel))
    except (OSError, struct.error):  # no such sockets in this container
        return None


def answered(kernel: socket.socket) -> Iterator[tuple[int, int]]:
    """(the client's port, requests) of each connection in the kernel's answer."""
    while True:
        answer, at = kernel.recv(1 << 18), 0
        while at < len(answer):
            size, kind, *_ = HEADER.unpack_from(answer, at)
            if kind == DONE:
                return
            if kind == ERROR or size < HEADER.size:
                raise OSError(errno.EPROTO, os.strerror(errno.EPROTO))
            message = answer[at + HEADER.size : at + size]
            (client,) = struct.unpack_from(">H", message, 6)
            yield client, segments(message[MESSAGE:])
            at += size + 3 & ~3


def segments(attributes: bytes) -> int:
    """Segments with data that came on a connection. Raises struct.error where it isn't said."""
    at = 0
    while at < len(attributes):
        size, kind = struct.unpack_from("=HH", attributes, at)
        if kind == INFO:
            found: int = struct.unpack_from("=I", attributes, at + 4 + SEGMENTS_IN)[0]
            return found
        at += max(4, size + 3 & ~3)
    raise struct.error("no struct tcp_info")


@dataclass
class Seen:
    """What several looks at a server under load have seen: the connections at the first and at the
    last one, and the most requests that came on one connection."""

    port: int
    first: Requests = field(default_factory=dict)
    last: Requests = field(default_factory=dict)
    most: int = 0

    def look(self) -> None:
        """Look once more; where no connection is open yet, that was none."""
        if found := look(self.port):
            self.first, self.last = self.first or found, found if self.first else {}
            self.most = max(self.most, *found.values())

    @property
    def reused(self) -> float | None:
        """The share of requests after which the connection was used again; None where unknown.

        1 where all connections are those of the first look. Else each had as many requests as were
        seen on one, and then was replaced.
        """
        if not self.last:
            return None
        new = len(self.last.keys() - self.first.keys()) / len(self.last)
        return 1 - new / max(1, self.most)
