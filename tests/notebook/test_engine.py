"""`%engine node jslab`: the notebook's cells in tslab, a Jupyter kernel of other people's."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchbook.system import paths

pytestmark = pytest.mark.slow("starts the tslab kernel of Node.js, built for the test")

HERE = Path(__file__).parent
TIMEOUT_SECONDS = 300


@pytest.fixture(scope="module")
def jslab(tmp_path_factory) -> Path:
    """The prefix of an installed tslab, whose kernelspecs are called jslab and tslab."""
    folder = paths.scratch() / "tslab"
    lock = HERE / "tslab" / "package-lock.json"
    installed = folder / "installed.json"
    if not installed.is_file() or installed.read_bytes() != lock.read_bytes():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(HERE / "tslab", folder)
        quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        run(["npm", "ci", *quiet], folder)
        shutil.copy(lock, installed)
    prefix = tmp_path_factory.mktemp("tslab-prefix")
    tslab = folder / "node_modules" / ".bin" / "tslab"
    # its installer is a Python program, which needs jupyter_client
    python = f"--python={sys.executable}"
    run([str(tslab), "install", python, f"--prefix={prefix}", f"--binary={tslab}"], folder)
    return prefix


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def kernel(jslab, open_kernel):
    """A benchbook-node kernel that finds jslab."""
    places = [str(jslab / "share" / "jupyter"), os.environ.get("JUPYTER_PATH", "")]
    kernel = open_kernel(env={**os.environ, "JUPYTER_PATH": os.pathsep.join(filter(None, places))})
    assert kernel.run("%engine node jslab").reply["status"] == "ok"
    return kernel


def test_values_are_shared_with_it(kernel):
    assert kernel.run("const x = { answer: [41, 'two'] }").reply["status"] == "ok"
    shared = kernel.run("#!csharp\n#!share --from node x")
    assert shared.reply["status"] == "ok", shared.messages
    shown = kernel.run('%%csharp\nx.RootElement.GetProperty("answer")[1]')
    assert shown.value == "two", shown.messages


def test_the_cells_run_in_tslab_with_its_state_and_outputs(kernel):
    assert kernel.run("const x = await Promise.resolve(41)").reply["status"] == "ok"
    # tslab prints a cell's value
    assert kernel.run("x + 1").text() == "42\n"
    assert kernel.run("[x, x + 1]").text() == "[ 41, 42 ]\n"


def test_what_tslab_displays_is_relayed_in_full(kernel):
    cell = kernel.run(
        "const { display } = require('tslab');\n"
        "display.html('<b>bold</b>');\n"
        "display.raw('application/json', JSON.stringify({ a: 1 }));"
    )
    assert cell.reply["status"] == "ok", cell.messages
    shown = [content["data"] for content in cell.of("display_data")]
    assert shown[0]["text/html"] == "<b>bold</b>"
    assert "application/json" in shown[1]


def test_an_error_of_tslab_is_an_error_of_the_cell(kernel):
    cell = kernel.run("throw new TypeError('from there')")
    assert cell.reply["status"] == "error", cell.text("stderr")
    assert "from there" in "".join(cell.reply["traceback"]) + cell.text("stderr")
    # at once, while tslab aborts what is asked of it for 200 ms after an error
    assert kernel.run("1 + 1").text() == "2\n"


def test_one_goes_back_to_the_own_session(kernel):
    kernel.run("const there = 1")
    assert kernel.run("%engine node benchbook").reply["status"] == "ok"
    assert kernel.run("typeof there").value == "'undefined'"
