"""A pytest plugin: what a test starts ends with it, and a test that left a process fails; so does
a run that left temporary files.

All that a run starts carries the run's token in its environment (base/guard.py of the kernels),
with the worker's and the test's behind it: RUN/gw0/17. What a test left is so found by its own
token when it ends, what a session left by the worker's, and a guard ends the rest when pytest is
killed.
"""

import itertools
import os
import sys
import tempfile
import time
from collections.abc import Iterator

import psutil
import pytest

from benchbook_kernels.base import guard
from benchbook_kernels.base.processes import Keeper
from benchbook_kernels.base.running import temporary_files

PATIENCE_SECONDS = 20  # a process that was told to end may take a moment, beside other work too
KEEPER = pytest.StashKey[Keeper]()
STARTED = pytest.StashKey["Starts"]()
COUNT = itertools.count()
STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn")


class Starts:
    """Were processes started since this was asked last? It saves most tests a look at all."""

    def __init__(self) -> None:
        self.seen = False
        sys.addaudithook(self.watch)

    def watch(self, event: str, _arguments: tuple) -> None:
        if event in STARTS:
            self.seen = True

    def taken(self) -> bool:
        seen, self.seen = self.seen, False
        return seen


def pytest_configure(config: pytest.Config) -> None:
    """One keeper for a run: xdist's workers are processes of it, with a name of their own."""
    config.stash[STARTED] = Starts()
    worker = getattr(config, "workerinput", {}).get("workerid")
    if worker is None:
        config.stash[KEEPER] = keeper = Keeper()
        os.environ[guard.VARIABLE] = keeper.token
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())  # stays where it is
        os.environ |= temporary_files(keeper.folder)
        tempfile.tempdir = None  # it is to look again
    os.environ[guard.VARIABLE] += f"/{worker or 'main'}"


def pytest_unconfigure(config: pytest.Config) -> None:
    if KEEPER in config.stash:
        config.stash[KEEPER].close()


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Fails a run that left temporary files, when all workers have ended."""
    yield
    if KEEPER not in session.config.stash or session.exitstatus != pytest.ExitCode.OK:
        return
    if found := sorted(each.name for each in session.config.stash[KEEPER].folder.iterdir()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        session.config.get_terminal_writer().line(
            "\nleft in the temporary folder: " + " ".join(found)
        )


def left(token: str) -> list[str]:
    """What still runs under a token after a while, as "name (process 17)"; all of it is ended."""
    time.sleep(0.01)  # a process shows its environment a moment after its start
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (found := guard.marked(token)) and time.monotonic() < deadline:
        time.sleep(0.05)
    told = []
    for pid in found:
        try:
            told.append(f"process {pid}: {' '.join(psutil.Process(pid).cmdline())[:200]}")
        except psutil.Error:
            continue  # it has just ended
    guard.sweep(token)
    return told


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """Fails the last test where a fixture of a session or a module left a process.

    By now they are all torn down; a fixture of the session would come before others of it.
    """
    outcome = yield
    if nextitem is None and (told := left(os.environ[guard.VARIABLE])):
        before = f"{outcome.excinfo[1]}\n" if outcome.excinfo else ""
        pytest.fail(f"{before}left behind by fixtures:\n" + "\n".join(told), pytrace=False)


@pytest.fixture(autouse=True)
def leave_no_process(request) -> Iterator[None]:
    """Fails a test that left a process, after ending that."""
    starts, outer = request.config.stash[STARTED], os.environ[guard.VARIABLE]
    token = f"{outer}/{next(COUNT)}"
    os.environ[guard.VARIABLE] = token
    starts.taken()
    yield
    os.environ[guard.VARIABLE] = outer
    if starts.taken() and (told := left(token)):
        pytest.fail("this test left behind:\n" + "\n".join(told), pytrace=False)
