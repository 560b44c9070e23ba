"""Sessions and kernels for the tests, and recorders of what they put out."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from recorders import TIMEOUT_SECONDS, Bench, Cell, Client

from benchbook.system import kernels
from benchbook_kernels.install import kernelspecs
from benchbook_kernels.notebook.sessions.csharp import CSharpSession
from benchbook_kernels.notebook.sessions.node import NodeSession
from benchbook_kernels.notebook.sessions.session import Session


@contextlib.contextmanager
def opener(kind: type[Session], tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    """Starts sessions, and closes them in the end."""
    with contextlib.ExitStack() as stack:

        def start(directory: str | None = None, **options: Any) -> Bench:
            session = kind(directory or str(tmp_path), **options)
            stack.callback(session.close)
            return Bench(session)

        yield start


@pytest.fixture
def open_session(tmp_path) -> Iterator[Callable[..., Bench]]:
    with opener(NodeSession, tmp_path) as start:
        yield start


@pytest.fixture
def open_csharp(tmp_path) -> Iterator[Callable[..., Bench]]:
    with opener(CSharpSession, tmp_path) as start:
        yield start


@pytest.fixture(scope="session")
def shared_csharp(tmp_path_factory) -> Iterator[Bench]:
    """One C# session for all tests that leave it alive: starting one takes about two seconds."""
    session = CSharpSession(str(tmp_path_factory.mktemp("csharp")))
    session.start()
    yield Bench(session)
    session.close()


@pytest.fixture
def csharp(shared_csharp) -> Iterator[Bench]:
    """The shared session, whose names other tests may have declared: take names of your own."""
    yield shared_csharp
    assert shared_csharp.session.alive, "a test that ends its session takes own_csharp"


@pytest.fixture
def own_csharp(open_csharp) -> Bench:
    """A session for a test that ends it, or needs it as it begins."""
    return open_csharp()


@pytest.fixture
def node(open_session) -> Bench:
    return open_session()


@pytest.fixture(scope="session")
def kernelspec_environment(tmp_path_factory) -> Iterator[None]:
    """The kernelspec in a prefix of its own, and a home without settings."""
    prefix = tmp_path_factory.mktemp("prefix")
    home = tmp_path_factory.mktemp("home")
    kernelspecs.install(prefix)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(prefix / "share" / "jupyter"))
        for name in ("HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR"):
            patch.setenv(name, str(home))
        yield


@contextlib.contextmanager
def running_kernel(name: str, **options: Any) -> Iterator[Client]:
    """A kernel of this name, ended at the end."""
    with kernels.started(name, TIMEOUT_SECONDS, **options) as (manager, client):
        yield Client(manager, client)


@pytest.fixture
def open_kernel(kernelspec_environment, tmp_path) -> Iterator[Callable[..., Client]]:
    with contextlib.ExitStack() as stack:

        def start(name: str = "benchbook-node", **options: Any) -> Client:
            return stack.enter_context(running_kernel(name, cwd=str(tmp_path), **options))

        yield start


@pytest.fixture(scope="module")
def kernel(kernelspec_environment, tmp_path_factory) -> Iterator[Client]:
    """One Node.js kernel for the tests of a module that leave nothing behind."""
    folder = tmp_path_factory.mktemp("notebook")
    with running_kernel("benchbook-node", cwd=str(folder)) as client:
        yield client


@pytest.fixture(scope="session")
def csharp_kernel(kernelspec_environment, tmp_path_factory) -> Iterator[Client]:
    """One C# kernel for all: a cell must not disturb the next."""
    folder = tmp_path_factory.mktemp("notebook")
    with running_kernel("benchbook-csharp", cwd=str(folder)) as client:
        yield client


@pytest.fixture
def asked(csharp_kernel) -> Callable[[str, str], tuple[Cell, list[tuple[str, bool]]]]:
    """Runs a cell, gives an answer to all that it asks; the cell, and what it asked for."""

    def run(code: str, answer: str) -> tuple[Cell, list[tuple[str, bool]]]:
        requests = []

        def reply(message: dict[str, Any]) -> None:
            requests.append((message["content"]["prompt"], message["content"]["password"]))
            csharp_kernel.client.input(answer)

        return csharp_kernel.run(code, allow_stdin=True, stdin_hook=reply), requests

    return run


@pytest.fixture
def ends() -> Callable[[int], bool]:
    """Does the process with this id end (within a generous time)?"""

    def check(pid: int) -> bool:
        deadline = time.monotonic() + TIMEOUT_SECONDS / 2
        while time.monotonic() < deadline:
            try:
                os.kill(pid, 0)
                if os.path.exists(f"/proc/{pid}/stat"):
                    state = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0]
                    if state == "Z":
                        return True
            except (ProcessLookupError, FileNotFoundError):
                return True
            time.sleep(0.05)
        return False

    return check
