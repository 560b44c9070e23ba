"""Both packages as sdists and wheels: installed in an empty folder, with no checkout in sight."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from functools import cache
from pathlib import Path

import pytest
import tomllib

import benchbook
from benchbook.setup import jupyter_server
from benchbook.setup.routes.pip import bundled_pip
from benchbook.setup.routes.pythons import modules_missing
from benchbook_kernels.install import kernelspecs
from benchbook_kernels.notebook.sessions import csharp
from made import SERVER

pytestmark = pytest.mark.slow("builds wheels and installs them into environments of their own")

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {"benchbook": ROOT, "benchbook_kernels": ROOT / "packages" / "benchbook-kernels"}
RUN_A_CELL = """
import sys
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(startup_timeout=300, kernel_name=sys.argv[1])
try:
    told = []
    answer = client.execute_interactive(
        sys.argv[2], timeout=400, output_hook=lambda message: told.append(message["content"])
    )
    shown = [each["data"]["text/plain"] for each in told if "data" in each]
    print(answer["content"]["status"], *shown)
    if answer["content"]["status"] != "ok":
        print(told)
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
"""
BUILD_EDITABLE = "import sys, hatchling.build; hatchling.build.build_editable(sys.argv[1])"
WHERE = """
import benchbook, benchbook_kernels
from benchbook_kernels.base import paths

print(benchbook.__file__, benchbook_kernels.__file__, paths.beside_bench("package.json"))
"""
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=400).execute()
print(*(output["data"]["text/plain"] for cell in notebook.cells for output in cell.outputs))
"""


@cache
def builder() -> str:
    """A Python that has hatchling: the tests' own or, where that is a virtual environment without
    it, the system's. Fails where there is none."""
    for python in dict.fromkeys([sys.executable, "/usr/bin/python3"]):
        if Path(python).exists() and not modules_missing(Path(python), ["hatchling"]):
            return python
    pytest.fail("hatchling is missing: pip install hatchling, on Debian ./bench setup --with-tests")


def build(source: Path, folder: Path, *options: str) -> None:
    """Build a package into a folder, without a network."""
    hatchling(source, "-m", "hatchling", "build", *options, "-d", folder)


def hatchling(source: Path, *command: str | Path) -> None:
    """Run the Python that has hatchling in a package's folder."""
    done = subprocess.run(
        [builder(), "-P", *command], cwd=source, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder with the sdists and wheels of both packages."""
    folder = tmp_path_factory.mktemp("built")
    for source in SOURCES.values():
        build(source, folder)
    return folder


def wheel_of(folder: Path, package: str) -> Path:
    (found,) = folder.glob(f"{package}-*.whl")
    return found


class Installed:
    """Wheels in an environment of their own, which sees the packages of the tests' environment."""

    def __init__(self, folder: Path, built: Path, *packages: str):
        self.empty, self.state = folder / "empty", folder / "state"
        self.empty.mkdir()
        venv = folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
        self.bin = venv / "bin"
        self.python = self.bin / "python"
        (site,) = venv.glob("lib/python3*/site-packages")
        others = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
        (site / "others.pth").write_text("".join(f"{path}\n" for path in others))
        pip = ["-m", "pip"]
        if modules_missing(Path(sys.executable), ["pip"]):
            pip = [str(bundled_pip(Path(sys.executable)))]
        run = [sys.executable, *pip, "--python", str(self.python), "install"]
        options = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
        wheels = [wheel_of(built, package) for package in packages]
        subprocess.run([*run, *options, *wheels], check=True)

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        without = ("BENCHBOOK_ROOT", "PYTHONPATH", "JUPYTER_PATH")
        env = {name: value for name, value in os.environ.items() if name not in without}
        env |= {"XDG_STATE_HOME": str(self.state), "JUPYTER_DATA_DIR": str(self.state / "jupyter")}
        env |= {"npm_config_offline": "true", csharp.NOT_AHEAD: "0"}  # no packages for imports
        return subprocess.run(
            list(map(str, command)),
            cwd=self.empty,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=800,
        )

    def benchbook(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(self.bin / "benchbook", *arguments)


@pytest.fixture(scope="module")
def kernels_alone(tmp_path_factory, built):
    """Its files can't be written, as where somebody else has installed them."""
    alone = Installed(tmp_path_factory.mktemp("alone"), built, "benchbook_kernels")
    csharp_host(alone).chmod(0o555)
    return alone


@pytest.fixture(scope="module")
def session_built(kernels_alone):
    """A C# cell ran, for which the C# session was built. The cell's answer."""
    before = sorted(csharp_host(kernels_alone).iterdir())
    done = kernels_alone.run(kernels_alone.python, "-c", RUN_A_CELL, "benchbook-csharp", "1+1")
    assert sorted(csharp_host(kernels_alone).iterdir()) == before
    return done


@pytest.fixture(scope="module")
def installed(tmp_path_factory, built, kernels_alone):
    """It shares the other one's builds: the C# session is built once."""
    both = Installed(tmp_path_factory.mktemp("installed"), built, *SOURCES)
    (kernels_alone.state / "benchbook" / "builds").mkdir(parents=True, exist_ok=True)
    (both.state / "benchbook").mkdir(parents=True)
    builds = both.state / "benchbook" / "builds"
    builds.symlink_to(kernels_alone.state / "benchbook" / "builds")
    return both


def csharp_host(installed: Installed) -> Path:
    (kernels,) = installed.bin.parent.glob("lib/*/site-packages/benchbook_kernels")
    return kernels / "notebook" / "sessions" / "csharp_host"


@pytest.mark.parametrize("package", SOURCES)
def test_an_sdist_builds_the_same_wheel_bit_by_bit(built, package, tmp_path):
    (sdist,) = built.glob(f"{package}-*.tar.gz")
    with tarfile.open(sdist) as packed:
        packed.extractall(tmp_path)
    build(next(tmp_path.glob(f"{package}-*")), tmp_path / "again", "-t", "wheel")
    made = wheel_of(tmp_path / "again", package).read_bytes()
    assert made == wheel_of(built, package).read_bytes()


def test_an_editable_install_imports_and_reads_from_the_checkout(tmp_path):
    """As `pip install -e` builds it, without a network."""
    for source in SOURCES.values():
        hatchling(source, "-c", BUILD_EDITABLE, tmp_path)
    with zipfile.ZipFile(wheel_of(tmp_path, "benchbook_kernels")) as packed:
        assert not [name for name in packed.namelist() if "shipped" in name]
    editable = Installed(tmp_path, tmp_path, *SOURCES)
    done = editable.run(editable.python, "-c", WHERE)
    initial = [SOURCES[name] / "src" / name / "__init__.py" for name in SOURCES]
    found = [*initial, ROOT / "package.json"]
    assert done.stdout.split() == list(map(str, found)), done.stdout + done.stderr


def test_the_kernels_alone_run_cells_without_benchbook_and_write_nothing_there(
    kernels_alone, session_built
):
    found = kernels_alone.run(kernels_alone.python, "-c", "import benchbook")
    assert found.returncode == 1 and "No module named 'benchbook'" in found.stderr
    node = kernels_alone.run(kernels_alone.python, "-c", RUN_A_CELL, "benchbook-node", "1+1")
    for done in (node, session_built):
        assert done.stdout.split() == ["ok", "2"], done.stdout + done.stderr
    assert list((kernels_alone.state / "benchbook" / "builds").iterdir())
    magic = kernels_alone.run(
        kernels_alone.python, "-c", RUN_A_CELL, "benchbook-node", "%experiment 04"
    )
    assert "no magic '%experiment'" in magic.stdout, magic.stdout + magic.stderr


def test_the_kernels_alone_are_installed_listed_removed_and_convert_notebooks(kernels_alone):
    tool = kernels_alone.bin / "benchbook-kernels"
    installed = kernels_alone.run(tool, "install", "--user", "--as", ".net-csharp")
    assert installed.returncode == 0, installed.stderr
    kernels = kernels_alone.state / "jupyter" / "kernels"
    listed = kernels_alone.run(tool, "list").stdout.splitlines()
    assert [line.split()[0] for line in listed] == [".net-csharp", *kernelspecs.KERNELS]
    assert str(kernels / ".net-csharp") in listed[0]
    removed = kernels_alone.run(tool, "uninstall", "--user")
    assert removed.returncode == 0 and list(kernels.iterdir()) == [], removed.stderr
    dib = kernels_alone.state / "tea.dib"
    dib.write_text("#!csharp\n\n6 * 7\n")
    converted = kernels_alone.run(tool, "convert", dib)
    assert converted.returncode == 0 and "1 code cell for the kernel" in converted.stdout
    ran = kernels_alone.run(kernels_alone.python, "-c", EXECUTE, dib.with_suffix(".ipynb"))
    assert ran.stdout.split() == ["42"], ran.stdout + ran.stderr
    wrong = kernels_alone.run(tool, "convert", dib)
    assert wrong.returncode == 2 and "is there already" in wrong.stderr


def test_the_command_line_works_from_a_wheel(installed):
    helped = installed.benchbook("--help")
    assert helped.returncode == 0 and "doctor" in helped.stdout, helped.stderr
    assert benchbook.__version__ in installed.benchbook("--version").stdout
    done = installed.benchbook("setup")
    assert done.returncode == 1 and "benchbook kernels install" in done.stderr
    assert list(installed.empty.iterdir()) == []


@pytest.mark.parametrize("command", [["list"], ["race", "04"], ["run"], ["test"], ["lab"]])
def test_commands_that_need_experiments_say_how_to_get_them(installed, command):
    done = installed.benchbook(*command)
    assert done.returncode == 1, done.stderr
    told = "a checkout of Benchbook" if command == ["test"] else "experiments, which"
    assert f"this needs {told}" in done.stderr and "./bench " not in done.stderr
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


def test_a_kernel_of_the_wheels_has_the_magics_of_benchbook(installed):
    done = installed.run(installed.python, "-c", RUN_A_CELL, "benchbook-node", "%experiment 04")
    assert "needs experiments" in done.stdout, done.stdout + done.stderr


def test_an_experiments_folder_is_raced_from_the_wheel(installed, two_servers):
    race = ["race", two_servers, "--quick", "--launches", "1", "--blocks", "2", "--warmup", "0.1"]
    done = installed.benchbook(*map(str, race))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "made for a test" in done.stdout
    assert list((installed.state / "benchbook" / "runs").rglob("*.json"))


FEW = "BENCHBOOK_RACE=launches=2 blocks=2 seconds=0.2 warmup=0.1"
FUNCTION = "export const f = () => Array.from({ length: 100 }, (_, i) => i).join();\n"


@pytest.mark.parametrize("code", [SERVER, FUNCTION], ids=["servers", "functions"])
def test_two_files_are_compared_in_an_empty_folder_where_only_node_is(installed, tmp_path, code):
    """No checkout, no node_modules, no load generator: nothing on PATH but Node.js."""
    commands, page = tmp_path / "commands", tmp_path / "page.html"
    commands.mkdir()
    (commands / "node").symlink_to(shutil.which("node"))
    for name in ("a.mjs", "b.mjs"):
        (tmp_path / name).write_text(code)
    words = [tmp_path / "a.mjs", tmp_path / "b.mjs", "--for", "3s", "--html", page]
    alone = [f"PATH={commands}", f"HOME={tmp_path}", FEW]
    done = installed.run("/usr/bin/env", *alone, installed.bin / "benchbook", "compare", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "A copy of a: " in done.stdout and "./bench" not in done.stdout + done.stderr
    assert ("python-load" in done.stdout) is (code == SERVER)
    assert "<svg" in page.read_text() or "benchbookPlotlyPacked = 'H4" in page.read_text()
    (run,) = (installed.state / "benchbook" / "runs").rglob("compare/*.json")
    assert str(run) in done.stdout
    run.unlink()
    assert list(installed.empty.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["a.mjs", "a.mjs", "--tool", "autocannon"], "leave --tool out"),
        (["c.cs", "c.cs"], "benchbook doctor says how"),
        (["http://127.0.0.1:1"], "nobody listens"),
    ],
)
def test_what_is_missing_is_told_as_it_is_typed_there(installed, tmp_path, words, told):
    (tmp_path / "a.mjs").write_text(SERVER)
    (tmp_path / "c.cs").write_text("public class C { public int Sum() => 1; }\n")
    words = [tmp_path / word if "." in word and "://" not in word else word for word in words]
    (tmp_path / "nothing").mkdir()
    alone = ["/usr/bin/env", f"PATH={tmp_path / 'nothing'}", installed.bin / "benchbook"]
    done = installed.run(*alone, "compare", *words)
    assert done.returncode in (1, 2) and told in done.stderr and "./bench" not in done.stderr


def test_an_experiment_is_made_checked_listed_and_run_from_the_wheel(installed, tmp_path):
    alone = [f"BENCHBOOK_PATH={tmp_path}", FEW]
    for words, told in (
        (["new", "mine", "--in", tmp_path], "benchbook race"),
        (["check", "mine"], "all of it is in order"),
        (["list"], "mine  mine (2 of 2 variants ready)"),
        (["run", "mine"], "text to stringify"),
    ):
        done = installed.run("/usr/bin/env", *alone, installed.bin / "benchbook", *words)
        assert done.returncode == 0 and told in done.stdout, done.stdout + done.stderr


def old_notebook(folder: Path) -> Path:
    """As .NET Interactive saved it."""
    own = {"display_name": ".NET (C#)", "language": "C#", "name": ".net-csharp"}
    kind = {"cell_type": "code", "execution_count": None, "outputs": []}
    kind["metadata"] = {"dotnet_interactive": {"language": "csharp"}}
    sources = ["record Tea(int Cups);\n", "var tea = new Tea(6);"], ["tea.Cups * 7"]
    cells = [{**kind, "source": source} for source in sources]
    notebook = {"cells": cells, "metadata": {"kernelspec": own}, "nbformat": 4, "nbformat_minor": 2}
    (path := folder / "old.ipynb").write_text(json.dumps(notebook))
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


def files_of(package: str) -> set[str]:
    """What lies beside the Python files of a package in this checkout, and is of git."""
    source = "src/" if package == "benchbook" else "packages/benchbook-kernels/src/"
    listed = subprocess.run(
        ["git", "ls-files", f"{source}{package}"], cwd=ROOT, capture_output=True, text=True
    )
    return {line.removeprefix(source) for line in listed.stdout.splitlines()}


@pytest.mark.parametrize("package", SOURCES)
def test_a_wheel_has_all_of_its_package_and_nothing_that_was_made(built, package):
    with zipfile.ZipFile(wheel_of(built, package)) as packed:
        names = set(packed.namelist())
    assert files_of(package) <= names and f"{package}/py.typed" in names
    assert not [name for name in names if {"__pycache__", "bin", "obj"} & set(name.split("/"))]
    others = {name.split("/")[1] for name in names - files_of(package) if "dist-info" not in name}
    assert others == ({"data"} if package == "benchbook" else {"data", "shipped"})


def test_jupyter_finds_the_kernels_and_the_save_hook_of_a_wheel(installed):
    prefix = installed.bin.parent
    assert (prefix / jupyter_server.FILE).read_text() == jupyter_server.SOURCE.read_text()
    for kernel in kernelspecs.KERNELS:
        folder = prefix / "share" / "jupyter" / "kernels" / kernel
        spec = json.loads((folder / "kernel.json").read_text())
        portable = kernelspecs.portable(kernel)
        assert Path(spec["argv"][0]).stem.startswith("python")
        assert {**spec, "argv": portable["argv"]} == portable
        assert spec["argv"][1:] == portable["argv"][1:]
        assert (folder / "logo-svg.svg").read_text() == kernelspecs.LOGO


def test_a_version_stands_in_one_place():
    for package, source in SOURCES.items():
        about = tomllib.loads((source / "pyproject.toml").read_text())
        assert "version" in about["project"]["dynamic"]
        assert about["tool"]["hatch"]["version"]["path"] == f"src/{package}/__init__.py"
