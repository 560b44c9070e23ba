"""What was started ends, however the one who started it ends."""

import os
import signal
import subprocess
import sys
import time

import pytest

from benchbook.system import guard, paths
from benchbook.system.processes import Keeper

ORPHAN = """
import sys, time
from benchbook.system.processes import Keeper
keeper = Keeper()
keeper.start([sys.executable, "-c", "import time; time.sleep(600)"])
# one that leaves its group and whose parent ends at once
keeper.start([sys.executable, "-c", "import os, time\\nif os.fork() == 0:\\n os.setsid()\\n"
              " time.sleep(600)"])
time.sleep(0.5)
print(keeper.token, flush=True)
time.sleep(600)
"""


@pytest.fixture
def keeper():
    with Keeper() as kept:
        yield kept


def gone(token: str, seconds: float = 120) -> bool:
    deadline = time.monotonic() + seconds
    while guard.marked(token) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not guard.marked(token)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_what_was_started_ends_with_its_parent_however_that_dies(how):
    environment = {**os.environ, "PYTHONPATH": str(paths.PACKAGE.parent)}
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True, env=environment
    )
    token = parent.stdout.readline().strip()
    assert len(guard.marked(token)) == 2
    parent.send_signal(how)
    parent.wait()
    parent.stdout.close()
    assert gone(token)


def test_closing_a_keeper_ends_what_got_away(keeper):
    code = "import os, time\nif os.fork() == 0:\n os.setsid()\n time.sleep(600)"
    keeper.start([sys.executable, "-c", code]).wait()
    deadline = time.monotonic() + 120
    while len(guard.marked(keeper.token)) != 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    keeper.close()
    assert guard.marked(keeper.token) == []
