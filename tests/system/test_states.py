"""What Linux tells of programs that start: does one listen already, and does one work?"""

import socket
import subprocess
import sys
import time

import pytest

from benchbook.system import connections
from benchbook_kernels.base import processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux tells it")


@pytest.mark.parametrize("family, host", [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_a_port_is_seen_when_somebody_listens_on_it(family, host):
    try:
        server = socket.create_server((host, 0), family=family)
    except OSError:
        pytest.skip("no IPv6 here")
    with server:
        port = server.getsockname()[1]
        assert connections.listened(port)
    assert not connections.listened(port)


def test_a_port_of_a_connection_is_not_one_that_is_listened_on():
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            assert not connections.listened(client.getsockname()[1])


def test_a_program_that_works_is_told_from_one_that_waits():
    waits, works = (
        subprocess.Popen([sys.executable, "-c", code])
        for code in ("import time; time.sleep(60)", "while True: pass")
    )
    try:
        deadline = time.monotonic() + 30
        while processes.runnable([waits.pid]) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert processes.runnable([waits.pid, works.pid])
        assert not processes.runnable([waits.pid])
    finally:
        for each in (waits, works):
            each.kill()
            each.wait()
    assert not processes.runnable([works.pid])
