"""The package as a wheel: installed alone, in an empty folder, with no checkout in sight."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import tomllib

from benchbook.setup import jupyter_server, wheel
from benchbook.setup.pip import bundled_pip
from benchbook.setup.pythons import modules_missing
from benchbook_kernels.install import kernelspecs

pytestmark = pytest.mark.slow("builds a wheel and installs it into an environment of its own")

ROOT = Path(__file__).resolve().parents[2]
RUN_A_CELL = """
import os, sys
from benchbook.system import kernels

with kernels.started(sys.argv[1], 120) as (manager, client):
    told = []
    answer = client.execute_interactive(
        sys.argv[2], timeout=400, output_hook=lambda message: told.append(message["content"])
    )
    shown = [each["data"]["text/plain"] for each in told if "data" in each]
    print(answer["content"]["status"], *shown)
    if answer["content"]["status"] != "ok":
        print(told)
"""
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=400).execute()
print(*(output["data"]["text/plain"] for cell in notebook.cells for output in cell.outputs))
"""


class Installed:
    """A wheel in an environment of its own, which sees the packages of the tests' environment."""

    def __init__(self, folder: Path):
        self.empty, self.state = folder / "empty", folder / "state"
        self.empty.mkdir()
        venv = folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
        self.bin = venv / "bin"
        self.python = self.bin / "python"
        pip = ["-m", "pip"]
        if modules_missing(Path(sys.executable), ["pip"]):
            pip = [str(bundled_pip(Path(sys.executable)))]
        options = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
        run = [sys.executable, *pip]
        subprocess.run([*run, "wheel", *options, "--wheel-dir", folder, ROOT], check=True)
        (self.file,) = folder.glob("*.whl")
        run += ["--python", str(self.python), "install"]
        subprocess.run([*run, *options, self.file], check=True)
        (site,) = venv.glob("lib/python3*/site-packages")
        others = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
        (site / "others.pth").write_text("".join(f"{path}\n" for path in others))

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        without = ("BENCHBOOK_ROOT", "PYTHONPATH", "JUPYTER_PATH")
        env = {name: value for name, value in os.environ.items() if name not in without}
        env |= {"XDG_STATE_HOME": str(self.state), "JUPYTER_DATA_DIR": str(self.state / "jupyter")}
        env["npm_config_offline"] = "true"  # the packages of imports in cells are left out
        return subprocess.run(
            list(map(str, command)),
            cwd=self.empty,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=500,
        )

    def benchbook(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(self.bin / "benchbook", *arguments)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("installed"))


def test_the_command_line_works_from_a_wheel(installed):
    helped = installed.benchbook("--help")
    assert helped.returncode == 0 and "doctor" in helped.stdout, helped.stderr
    version = wheel.project()["version"]
    assert version in installed.benchbook("--version").stdout
    assert list(installed.empty.iterdir()) == []


@pytest.mark.parametrize("command", [["list"], ["race", "04"], ["run"], ["test"], ["lab"]])
def test_commands_that_need_experiments_say_how_to_get_them(installed, command):
    done = installed.benchbook(*command)
    assert done.returncode == 1, done.stderr
    assert "needs a checkout" in done.stderr and "BENCHBOOK_ROOT" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_checkout_can_be_named(installed):
    named = installed.run(
        "env", f"BENCHBOOK_ROOT={ROOT}", installed.bin / "benchbook", "race", "04", "--help"
    )
    assert named.returncode == 0, named.stderr
    found = installed.run("env", f"BENCHBOOK_ROOT={ROOT}", installed.bin / "benchbook", "list")
    assert found.returncode == 0 and "04" in found.stdout, found.stderr


def test_doctor_knows_that_there_is_no_checkout(installed):
    done = installed.benchbook("doctor", "--json")
    told = json.loads(done.stdout)
    assert "without experiments" in told["why"]
    checks = {check["name"]: check for check in told["checks"]}
    assert "set-up" not in checks and checks["kernels"]["status"] == "ok", checks["kernels"]
    assert not [check for check in told["checks"] if "./bench" in check["remedy"]]


def test_a_javascript_cell_runs_from_a_wheel(installed):
    done = installed.run(installed.python, "-c", RUN_A_CELL, "benchbook-node", "1+1")
    assert done.stdout.split() == ["ok", "2"], done.stdout + done.stderr


def test_a_csharp_cell_runs_from_a_wheel_whose_files_can_not_be_written(installed):
    """It builds the C# session: some 20 s."""
    host = next(installed.bin.parent.glob("lib/*/site-packages/benchbook")) / "notebook"
    host = host / "sessions" / "csharp_host"
    before = sorted(host.iterdir())
    host.chmod(0o555)
    done = installed.run(installed.python, "-c", RUN_A_CELL, "benchbook-csharp", "1+1")
    assert done.stdout.split() == ["ok", "2"], done.stdout + done.stderr
    assert sorted(host.iterdir()) == before
    assert (installed.state / "benchbook" / "builds").is_dir()


def old_notebook(folder: Path) -> Path:
    """As .NET Interactive saved it."""
    own = {"display_name": ".NET (C#)", "language": "C#", "name": ".net-csharp"}
    cells = [
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {"dotnet_interactive": {"language": "csharp"}},
            "outputs": [],
            "source": source,
        }
        for source in (["record Tea(int Cups);\n", "var tea = new Tea(6);"], ["tea.Cups * 7"])
    ]
    notebook = {"cells": cells, "metadata": {"kernelspec": own}, "nbformat": 4, "nbformat_minor": 2}
    path = folder / "old.ipynb"
    path.write_text(json.dumps(notebook))
    return path


def test_a_notebook_of_net_interactive_runs_as_it_is(installed, tmp_path):
    """In a new environment, from the wheel alone, by nbclient; it may build the C# session."""
    path = old_notebook(tmp_path)
    before = path.read_bytes()
    done = installed.benchbook("kernels", "install", "--user", "--as", ".net-csharp")
    assert done.returncode == 0, done.stderr
    assert "the C# session is built" in done.stdout
    kernels = installed.state / "jupyter" / "kernels"
    names = [".net-csharp", "benchbook-csharp", "benchbook-node"]
    assert sorted(each.name for each in kernels.iterdir()) == names
    ran = installed.run(installed.python, "-c", EXECUTE, path)
    assert ran.stdout.split() == ["42"], ran.stdout + ran.stderr
    assert path.read_bytes() == before and list(installed.empty.iterdir()) == []
    removed = installed.benchbook("kernels", "remove", "--user")
    assert removed.returncode == 0 and list(kernels.iterdir()) == [], removed.stderr


def test_set_up_of_a_wheel_names_the_command_that_it_has(installed):
    done = installed.benchbook("setup")
    assert done.returncode == 1 and "benchbook kernels install" in done.stderr


def test_the_wheel_has_what_the_package_reads_and_nothing_that_was_made(installed):
    names = zipfile.ZipFile(installed.file).namelist()
    wanted = [
        "model/schemas/run.schema.json",
        "loadtools/tools/wrk.lua",
        "race/kinds/functions/Slices.cs",
        "race/kinds/page/pages.mjs",
    ]
    wanted += ["notebook/sessions/csharp_host/benchbook-csharp.csproj", "shipped/package.json"]
    wanted += ["notebook/sessions/node_host/host.mjs", "show/templates/page.html.j2"]
    assert {f"benchbook/{name}" for name in wanted} <= set(names)
    assert not [name for name in names if {"__pycache__", "bin", "obj"} & set(name.split("/"))]


def test_jupyter_finds_the_kernels_and_the_save_hook_of_a_wheel(installed):
    prefix = installed.bin.parent
    assert (prefix / jupyter_server.FILE).read_text() == jupyter_server.TEXT
    for kernel in kernelspecs.KERNELS:
        assert (prefix / "share" / "jupyter" / "kernels" / kernel / "kernel.json").is_file()


def test_an_editable_install_imports_from_the_checkout(tmp_path):
    name = wheel.build_editable(str(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as packed:
        assert packed.read("benchbook.pth").decode().strip() == str(ROOT / "src")


def test_the_settings_of_the_build_are_those_of_pyproject():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]
    assert (build["requires"], build["build-backend"]) == ([], "benchbook.setup.wheel")
