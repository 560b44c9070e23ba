"""Sessions and kernels for the tests, and recorders of what they put out."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel
from recorders import TIMEOUT_SECONDS, Bench, Client

from benchbook.kernel import spec
from benchbook.kernel.csharp import CSharpSession
from benchbook.kernel.node import NodeSession
from benchbook.kernel.sessions import Session


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


@pytest.fixture
def csharp(open_csharp) -> Bench:
    return open_csharp()


@pytest.fixture
def node(open_session) -> Bench:
    return open_session()


@pytest.fixture(scope="session")
def kernelspec_environment(tmp_path_factory) -> Iterator[None]:
    """The kernelspec in a prefix of its own, and a home without settings."""
    prefix = tmp_path_factory.mktemp("prefix")
    home = tmp_path_factory.mktemp("home")
    spec.install(prefix)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(prefix / "share" / "jupyter"))
        for name in ("HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR"):
            patch.setenv(name, str(home))
        yield


@pytest.fixture
def open_kernel(kernelspec_environment, tmp_path) -> Iterator[Callable[..., Client]]:
    with contextlib.ExitStack() as stack:

        def start(**options: Any) -> Client:
            manager, client = start_new_kernel(
                kernel_name="benchbook-node",
                startup_timeout=TIMEOUT_SECONDS,
                cwd=str(tmp_path),
                **options,
            )
            stack.callback(manager.shutdown_kernel, now=True)
            stack.callback(client.stop_channels)
            return Client(manager, client)

        yield start


@pytest.fixture(scope="module")
def kernel(kernelspec_environment, tmp_path_factory) -> Iterator[Client]:
    """One kernel for the tests of a module that leave nothing behind."""
    manager, client = start_new_kernel(
        kernel_name="benchbook-node",
        startup_timeout=TIMEOUT_SECONDS,
        cwd=str(tmp_path_factory.mktemp("notebook")),
    )
    yield Client(manager, client)
    client.stop_channels()
    manager.shutdown_kernel(now=True)


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
