"""Connections that are closed with requests under way, as load generators close them."""

import contextlib
import socket
import threading

from benchbook.load import aborts


def test_a_server_meets_requests_whose_client_goes_away():
    heard: list[bytes] = []
    ends: set[str] = set()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        thread = threading.Thread(target=answer, args=(server, heard, ends))
        thread.start()
        aborts.abort("127.0.0.1", port, "/here?a=1")
        with socket.create_connection(("127.0.0.1", port)) as last:
            last.sendall(b"stop")
        thread.join(10)
    assert len(heard) == 4 * aborts.ROUNDS
    assert all(b"GET /here?a=1 HTTP/1.1\r\n" in each or not each for each in heard)
    assert any(each.count(b"GET") == 4 for each in heard)  # several on one connection
    assert any(each.count(b"GET") == 2 and not each.endswith(b"\r\n\r\n") for each in heard)
    assert "reset" in ends  # others are closed, or reset where the answer had come: that is chance


def answer(server: socket.socket, heard: list[bytes], ends: set[str]) -> None:
    """Answer the first request of each connection, and note all that comes, and how it ends."""
    while True:
        client, _ = server.accept()
        with client:
            got = b""
            try:
                while part := client.recv(4096):
                    if not got:
                        client.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
                    got += part
                ends.add("closed")
            except OSError:
                ends.add("reset")
            if got == b"stop":
                return
            heard.append(got)


def test_where_nobody_listens_nothing_happens():
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    aborts.abort("127.0.0.1", port, "/")
