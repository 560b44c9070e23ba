"""No process stays after a run of tests, whether it passed, failed, was interrupted or killed."""

import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchbook.system import paths
from benchbook_kernels.base import guard

PATIENCE_SECONDS = 120
pytestmark = pytest.mark.slow("runs the test command, five times")
CONFTEST = """
import leftovers

pytest_plugins = ["leftovers", "lengths"]
leftovers.PATIENCE_SECONDS = 0.5
"""
TESTS = """
import subprocess, sys, time
import pytest

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture(scope="module")
def shared():
    with subprocess.Popen(SLEEP) as process:
        yield
        process.kill()

@pytest.fixture(scope="session")
def careless():
    subprocess.Popen(SLEEP)

def test_with_a_careless_fixture(careless):
    pass

def test_tidy(shared):
    with subprocess.Popen(SLEEP) as process:
        process.kill()

def test_passes_and_leaves_one():
    subprocess.Popen(SLEEP)

def test_fails_and_leaves_one_in_a_session_of_its_own():
    subprocess.Popen(SLEEP, start_new_session=True)
    assert False

def test_waits(shared):
    subprocess.Popen(SLEEP, start_new_session=True)
    print("waiting", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def bench_test(tmp_path):
    """bench_test(*arguments) -> `./bench test` of the tests above, as a process, and its token."""
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_inner.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
    token = f"{os.environ[guard.VARIABLE]}/{secrets.token_hex(8)}"
    here = [str(Path(__file__).parent), paths.pythonpath()]
    environment = {**os.environ, guard.VARIABLE: token, "PYTHONPATH": os.pathsep.join(here)}

    def start(*arguments: str) -> tuple[subprocess.Popen, str]:
        command = [sys.executable, "-m", "benchbook", "test", "--fast", *arguments, str(tmp_path)]
        process = subprocess.Popen(
            command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        return process, token

    return start


def all_gone(token: str) -> bool:
    """Does everything under a token end?"""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while guard.marked(token) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not guard.marked(token)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_test_that_leaves_a_process_fails_and_nothing_stays(bench_test, workers):
    process, token = bench_test("-k", "not waits", "-n", workers)
    said, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1, said
    assert "1 failed, 3 passed" in said and "errors" in said, said
    assert said.count("this test left behind:\nprocess ") == 2, said
    assert said.count("left behind by fixtures:\nprocess ") == 1, said
    assert guard.marked(token) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays_of_a_run_that_is_stopped(bench_test, number):
    process, token = bench_test("-s", "-k", "waits")
    assert any("waiting" in line for line in process.stdout)
    # bench, pytest, what the module and the test started: the last may just begin
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(guard.marked(token)) < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(guard.marked(token)) >= 4
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == (-9 if number == signal.SIGKILL else 130)
    assert all_gone(token)
