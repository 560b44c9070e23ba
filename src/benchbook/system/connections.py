"""The open connections of a server, and how many requests came on each, by the kernel's own count.

Linux only: sock_diag(7), which any user may ask. One question takes less than a millisecond, and
neither server nor client notices it.
"""

import errno
import os
import re
import socket
import struct
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h, linux/tcp.h
SOCK_DIAG, BY_FAMILY, DUMP, ERROR, DONE = 4, 20, 0x301, 2, 3
INFO, ESTABLISHED, CLOSE_WAIT = 2, 1, 8
HEADER, MESSAGE = struct.Struct("=IHHII"), 72  # of netlink; struct inet_diag_msg
SEGMENTS_IN = 152  # of struct tcp_info: tcpi_data_segs_in
PATIENCE_SECONDS = 1.0
MOSTLY = 0.5  # of the connections

Requests = Mapping[int, int]  # that came on each open connection, by the client's port


def listened(port: int) -> bool:
    """May somebody listen on this port? True where the system does not say.

    One look at all sockets (proc_net_tcp(5)) costs a tenth of a look for those of one process, so
    many programs that start at once can be looked at often.
    """
    wanted = re.compile(rf":{port:04X} [0-9A-F]+:0000 0A ")
    try:
        return any(wanted.search(Path("/proc/net", each).read_text()) for each in ("tcp", "tcp6"))
    except OSError:
        return True


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
    """What several looks at a server under load have seen: the connections at the last one, the
    most requests that came on one connection, and the largest share of connections that were
    replaced between two looks, None before the second one."""

    port: int
    last: Requests = field(default_factory=dict)
    most: int = 0
    replaced: float | None = None

    def look(self) -> None:
        """Look once more; where no connection is open yet, that was none."""
        found = look(self.port)
        if not found:
            return
        if self.last:
            # a load generator that begins only opens connections, one that ends only closes them
            gone, new = self.last.keys() - found.keys(), found.keys() - self.last.keys()
            share = min(len(gone), len(new)) / min(len(self.last), len(found))
            self.replaced = max(self.replaced or 0.0, min(1.0, share))
        self.last, self.most = found, max(self.most, *found.values())

    @property
    def reused(self) -> float | None:
        """The share of requests after which the connection was used again; None where unknown.

        1 where no connection was replaced. Where none had a second request, 0, if most of them
        were replaced; if few were, nothing is known: the machine may have stood still between
        two looks, or a slow server may have lost one. Else each had as many requests as were seen
        on one, and then was replaced.
        """
        if self.replaced is None or self.replaced == 0:
            return None if self.replaced is None else 1.0
        if self.most <= 1:
            return 0.0 if self.replaced > MOSTLY else None
        return 1 - self.replaced / self.most

    def reused_or(self, told: float | None) -> float | None:
        """The same, or what the client told, where the kernel does not."""
        return told if self.reused is None else self.reused
