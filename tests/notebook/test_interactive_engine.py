"""`%engine csharp .net-csharp`: the last .NET Interactive, as the manifest of tools has it."""

import os
import subprocess

import psutil
import pytest

from benchbook.system import paths
from benchbook_kernels.base.running import temporary_files
from benchbook_kernels.install import interactive
from benchbook_kernels.notebook.sessions.csharp import CSharpSession
from benchbook_kernels.notebook.sessions.jupyter import JupyterSession
from benchbook_kernels.notebook.sessions.session import Collected

pytestmark = pytest.mark.slow("gets .NET Interactive from NuGet, and starts it")

MANIFEST = paths.root() / ".config" / "dotnet-tools.json"
SECONDS = 300


@pytest.fixture
def session(tmp_path):
    """A session in the tool that NuGet has."""
    restore = ["dotnet", "tool", "restore", "--tool-manifest", str(MANIFEST)]
    env = os.environ | temporary_files(tmp_path)  # dotnet leaves a folder there
    done = subprocess.run(
        restore, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = JupyterSession(CSharpSession(), interactive.KERNEL)
    yield found
    found.close()


def test_it_runs_cells_and_listens_on_this_machine_only(session):
    before = {each.pid for each in psutil.Process().children(recursive=True)}
    result = session.submit("var kept = 41; kept + 1", "c", Collected()).result(SECONDS)
    assert result.status == "ok" and result.data and ">42<" in result.data["text/html"]
    started = [p for p in psutil.Process().children(recursive=True) if p.pid not in before]
    open_ = [c.laddr.ip for p in started for c in p.connections("inet") if c.status == "LISTEN"]
    assert len(open_) > 5 and set(open_) == {"127.0.0.1"}  # five are Jupyter's
