"""Notebook servers for browser tests and pictures: JupyterLab or Notebook, on a checkout's copy."""

import contextlib
import os
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import psutil

from benchbook.programs import programs
from benchbook.race import limits
from benchbook_kernels.install import kernelspecs
from made import copy_of_checkout

FRONT_ENDS = {"lab": "jupyterlab", "notebook": "notebook"}
SERVER_SECONDS = 300
SHORTEST_RACE = "launches=1 blocks=2 seconds=0.2 warmup=0 shorten=1000"
SHORT_RACE = "launches=2 blocks=2 seconds=0.2 warmup=0 shorten=100"


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


@dataclass(frozen=True)
class Server:
    """A running notebook server."""

    front_end: str
    url: str
    token: str
    root: Path


@contextlib.contextmanager
def running(front_end: str, tmp_path: Path, race: str) -> Iterator[Server]:
    """A server on a checkout of its own in tmp_path; it ends with the context.

    race: limits of all races, '' where they are whole. Raises RuntimeError where it does not start.
    """
    root = copy_of_checkout(tmp_path / "checkout")
    kernelspecs.install(tmp_path / "prefix")
    token, port = secrets.token_hex(16), programs.free_port()
    environment = {
        **os.environ,
        "BENCHBOOK_ROOT": str(root),
        limits.MODE: "quick",
        limits.VARIABLE: race,
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
    settings = tmp_path / "settings" / "@jupyterlab" / "docmanager-extension"
    settings.mkdir(parents=True)
    # of two saves at once JupyterLab's server refuses one: who looks at a notebook saves it
    (settings / "plugin.jupyterlab-settings").write_text('{"autosave": false}')
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


def wait_for(url: str, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + SERVER_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(urllib.error.URLError, OSError):
            with urllib.request.urlopen(url, timeout=30):
                return
        time.sleep(0.2)
    said = log.read_text(errors="replace")[-3000:]
    raise RuntimeError(f"the notebook server did not start:\n{said}")


def end(process: subprocess.Popen) -> None:
    """End the server and everything that it started: asked first, killed if that is no use."""
    with contextlib.suppress(psutil.NoSuchProcess):
        family = [*psutil.Process(process.pid).children(recursive=True)]
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(60)
        _, alive = psutil.wait_procs(family, timeout=5)
        for left in alive:
            with contextlib.suppress(psutil.NoSuchProcess):
                left.kill()
    if process.poll() is None:
        process.kill()
    process.wait(10)
