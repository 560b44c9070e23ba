"""Browser tests: Chromium through playwright-core, and notebook servers that end with the test."""

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchbook import paths
from benchbook.kernel import spec

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
FRONT_ENDS = {"lab": "jupyterlab", "notebook": "notebook"}
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SHORT_RACE = "launches=2 blocks=2 seconds=0.2"
SERVER_SECONDS = 60
BROWSER_SECONDS = 300


def installed() -> list[str]:
    """The front ends of this environment: JupyterLab, Notebook, or both.

    In a virtual environment that sees the system's packages, the system's Notebook does not count:
    it would run on this environment's newer libraries. Nor does Notebook 7, which is JupyterLab.
    """
    places = {name: find_spec(module) for name, module in FRONT_ENDS.items()}
    folders = {name: Path(found.origin).parents[1] for name, found in places.items() if found}
    if set(folders) == set(FRONT_ENDS):
        old = version("notebook").startswith("6.")
        if not old or folders["notebook"] != folders["lab"]:
            del folders["notebook"]
    return list(folders)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Chromium's path. Missing, the tests fail: what they check was not checked."""
    given = os.environ.get("BENCHBOOK_CHROMIUM")
    found = shutil.which(given) if given else next(filter(None, map(shutil.which, CHROMIUM)), None)
    if not found:
        pytest.fail(
            f"no Chromium ({given or ', '.join(CHROMIUM)}): the browser tests need it.\n"
            "  → ./bench setup --with-browser, or set BENCHBOOK_CHROMIUM to its path",
            pytrace=False,
        )
    return found


@pytest.fixture(scope="session")
def browse(chromium) -> Callable[..., dict[str, Any]]:
    """browse("open-page.mjs", argument, option=value) -> what the script saw."""

    def run(script: str, *arguments: str | Path, **options: Any) -> dict[str, Any]:
        given = [
            word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", value)
        ]
        done = subprocess.run(
            ["node", HERE / script, *map(str, arguments), *map(str, given)],
            env={**os.environ, "BENCHBOOK_CHROMIUM": chromium},
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=BROWSER_SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory) -> Path:
    """Where screenshots go; BENCHBOOK_SCREENSHOTS keeps them."""
    kept = os.environ.get("BENCHBOOK_SCREENSHOTS")
    folder = Path(kept).resolve() if kept else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@dataclass(frozen=True)
class Server:
    """A running notebook server."""

    front_end: str
    url: str
    token: str
    root: Path


@pytest.fixture(params=installed())
def server(request, tmp_path) -> Iterator[Server]:
    """A server of each installed front end, on a checkout of its own, with a short race."""
    root = copy_of_checkout(tmp_path / "checkout")
    with running(request.param, root, tmp_path) as started:
        yield started


def copy_of_checkout(root: Path) -> Path:
    """What notebooks need, so that what they write stays out of the real checkout."""
    for name in ("notebooks", "snippets", "data"):
        if (paths.root() / name).is_dir():
            shutil.copytree(paths.root() / name, root / name)
    (root / "notebooks").mkdir(parents=True, exist_ok=True)
    (root / "node_modules").symlink_to(REPOSITORY / "node_modules")
    return root


@contextlib.contextmanager
def running(front_end: str, root: Path, tmp_path: Path) -> Iterator[Server]:
    spec.install(tmp_path / "prefix")
    token, port = secrets.token_hex(16), free_port()
    environment = {
        **os.environ,
        "BENCHBOOK_ROOT": str(root),
        "BENCHBOOK_MODE": "quick",
        "BENCHBOOK_RACE": SHORT_RACE,
        "HOME": str(tmp_path / "home"),
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "JUPYTER_PATH": str(tmp_path / "prefix" / "share" / "jupyter"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        "JUPYTER_TOKEN": token,
        "JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path / "workspaces"),
    }
    command = [sys.executable, "-m", FRONT_ENDS[front_end], "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", f"--port={port}", f"--notebook-dir={root}"]
    log = tmp_path / f"{front_end}.log"
    (tmp_path / "home").mkdir()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment, cwd=root, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(f"{url}/api/status?token={token}", process, log)
        yield Server(front_end, url, token, root)
    finally:
        end(process)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def wait_for(url: str, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + SERVER_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(urllib.error.URLError, OSError):
            with urllib.request.urlopen(url, timeout=5):
                return
        time.sleep(0.2)
    pytest.fail(f"the notebook server did not start:\n{log.read_text(errors='replace')[-3000:]}")


def end(process: subprocess.Popen) -> None:
    """End the server and everything that it started: asked first, killed if that is no use."""
    with contextlib.suppress(psutil.NoSuchProcess):
        family = [*psutil.Process(process.pid).children(recursive=True)]
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
        _, alive = psutil.wait_procs(family, timeout=5)
        for left in alive:
            with contextlib.suppress(psutil.NoSuchProcess):
                left.kill()
    if process.poll() is None:
        process.kill()
    process.wait(10)
