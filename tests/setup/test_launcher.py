"""The launcher as a user meets it: a copy of it in a folder with spaces, with fake npm and apt."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNELS = "packages/benchbook-kernels/src/benchbook_kernels"
COPIED = (
    "bench",
    "requirements.txt",
    "requirements-apt.txt",
    "environment.yml",
    "package.json",
    "package-lock.json",
    "global.json",
    "src/benchbook/__init__.py",
    "src/benchbook/setup/jupyter_server.json",
    *(
        str(path.relative_to(ROOT))
        # what sets up, and which load generators there are
        for layer in (
            "setup",
            "setup/routes",
            "setup/tools",
            "loadtools",
            "loadtools/tools",
            "system",
        )
        for path in (ROOT / "src" / "benchbook" / layer).glob("*.py")
    ),
    *(
        str(path.relative_to(ROOT))
        for layer in (".", "base", "install", "notebook", "notebook/sessions")
        for path in (ROOT / KERNELS / layer).glob("*.py")
    ),
)
COMMAND = """import json, os, sys
print(json.dumps([sys.argv[1:], os.getcwd(), sys.prefix, os.environ["PATH"].split(os.pathsep)[0]]))
sys.exit(int(os.environ.get("EXIT", "0")))
"""


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


class Checkout:
    """A copy of the launcher whose system Python, npm, node and apt are fakes."""

    def __init__(self, folder: Path):
        self.folder = folder / "a check out"
        self.bin = folder / "bin"
        self.npm_calls = folder / "npm-calls"
        self.npm_calls.write_text("")
        for name in COPIED:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, self.folder / name)
        package = self.folder / "src" / "benchbook"
        (package / "__init__.py").write_text("")
        (package / "__main__.py").write_text(COMMAND)
        system = folder / "system" / "python3"
        script(
            system,
            'case "$*" in *find_spec*) exit 0 ;; esac\n' f'exec "{sys.executable}" "$@"',
        )
        pythons = package / "setup" / "routes" / "pythons.py"
        text = pythons.read_text()
        assert text.count('SYSTEM_PYTHON = "/usr/bin/python3"') == 1
        pythons.write_text(text.replace('"/usr/bin/python3"', f'"{system}"', 1))
        installed = 'for p in "$@"; do echo "installed $p"; done'
        script(self.bin / "dpkg-query", installed)
        script(self.bin / "apt-get", "echo apt-get must not be called; exit 1")
        script(self.bin / "apt-cache", "exit 1")
        script(self.bin / "node", "echo v22.0.0")
        script(self.bin / "dotnet", "echo '10.0.100 [/sdk]'")
        for tool in ("wrk", "ab", "nginx"):
            script(self.bin / tool, "true")
        self.npm()

    def npm(self, before: str = "") -> None:
        script(
            self.bin / "npm",
            f'echo "$$" >>"{self.npm_calls}"\n{before}\n'
            "rm -rf node_modules; mkdir node_modules; : >node_modules/.package-lock.json",
        )

    @property
    def ready(self) -> Path:
        return self.folder / ".benchbook" / "ready"

    def env(self, **more: str) -> dict[str, str]:
        # Only the launcher's own Python search is fixed: which Python runs the tests may vary.
        return {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "HOME": str(self.folder.parent),
            "BENCHBOOK_PYTHON": sys.executable,
            **more,
        }

    def bench(self, *arguments: str, command: Path | None = None, cwd=None, **more: str):
        return subprocess.run(
            [command or self.folder / "bench", *arguments],
            env=self.env(**more),
            cwd=cwd or self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def start(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen(
            [self.folder / "bench", *arguments],
            env=self.env(),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def await_npm(self) -> int:
        """Wait until npm runs; its process number."""
        deadline = time.monotonic() + 30
        while not self.npm_calls.read_text().strip():
            assert time.monotonic() < deadline, "npm was never started"
            time.sleep(0.05)
        return int(self.npm_calls.read_text().split()[-1])


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def set_up(checkout: Checkout) -> None:
    done = checkout.bench("setup", "--route", "debian")
    assert done.returncode == 0, done.stderr


def test_help_works_before_set_up_and_installs_nothing(checkout):
    done = checkout.bench("--help")
    assert done.returncode == 0 and "  doctor " in done.stdout
    assert "Nothing is set up here yet" in done.stdout
    misspelt = checkout.bench("rnu", "04")
    assert misspelt.returncode == 2 and "did you mean 'run'?" in misspelt.stderr
    helped = checkout.bench("setup", "--help")
    assert helped.returncode == 0 and "--with-browser" in helped.stdout
    assert not (checkout.folder / ".benchbook").exists()


def test_a_wrong_option_is_a_wrong_call(checkout):
    done = checkout.bench("setup", "--route", "cargo")
    assert done.returncode == 2 and "cargo" in done.stderr
    near = checkout.bench("setup", "--route", "debain")
    assert near.returncode == 2 and "did you mean 'debian'?" in near.stderr


def test_set_up_speaks_on_stderr_only_and_keeps_a_log(checkout):
    done = checkout.bench("setup", "--route", "debian")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "Set up by route debian" in done.stderr
    assert "npm ci" in (checkout.folder / ".benchbook" / "setup.log").read_text()


def test_the_environment_lies_where_editors_look_for_it(checkout):
    set_up(checkout)
    venv = checkout.folder / ".venv"
    assert os.access(venv / "bin" / "python", os.X_OK)
    kernels = {path.parent.name for path in venv.glob("share/jupyter/kernels/*/kernel.json")}
    assert kernels == {"benchbook-csharp", "benchbook-node"}
    for path in venv.glob("share/jupyter/kernels/*/kernel.json"):
        assert json.loads(path.read_text())["argv"][0] == str(venv / "bin" / "python")
    settings = json.loads((ROOT / ".vscode" / "settings.json").read_text())
    found = settings["python.defaultInterpreterPath"]
    assert found == "${workspaceFolder}/.venv/bin/python"


def test_the_environment_in_its_old_place_is_removed(checkout):
    old = checkout.folder / ".benchbook" / "venv"
    old.mkdir(parents=True)
    set_up(checkout)
    assert not old.exists()


def test_an_environment_of_somebodys_own_is_named_and_kept(checkout):
    own = checkout.folder / ".venv" / "pyvenv.cfg"
    own.parent.mkdir()
    own.write_text("home = /usr/bin")
    done = checkout.bench("setup", "--route", "debian")
    assert done.returncode == 1
    assert ".venv is there already and was not made by this set-up" in done.stderr
    assert "mv .venv" in done.stderr
    assert os.listdir(own.parent) == ["pyvenv.cfg"]
    own.unlink()  # an empty folder is nobody's
    set_up(checkout)


def test_an_environment_that_was_never_finished_is_made_anew(checkout):
    set_up(checkout)
    (checkout.folder / ".venv" / "benchbook.json").write_text("{}")
    (checkout.folder / ".venv" / "half").touch()
    set_up(checkout)
    assert not (checkout.folder / ".venv" / "half").exists()


def test_later_calls_run_the_command_line_in_the_environment(checkout, tmp_path):
    set_up(checkout)
    link = tmp_path / "shortcut"
    link.symlink_to(checkout.folder / "bench")
    done = checkout.bench("race", "04", "two words", command=link, cwd=tmp_path)
    arguments, cwd, prefix, path = eval(done.stdout)
    assert arguments == ["race", "04", "two words"]
    assert cwd == str(tmp_path)
    assert prefix == str(checkout.folder / ".venv")
    assert path == f"{prefix}/bin"
    assert done.stderr == ""


def test_the_exit_code_is_the_commands_own(checkout):
    set_up(checkout)
    assert checkout.bench("race", EXIT="2").returncode == 2


def test_modules_in_the_users_folder_are_not_imported(checkout, tmp_path):
    set_up(checkout)
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    done = checkout.bench("list", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_first_call_of_any_command_sets_up_and_then_runs_it(checkout):
    set_up(checkout)  # the route is remembered; what it made is taken away
    checkout.ready.unlink()
    shutil.rmtree(checkout.folder / "node_modules")
    done = checkout.bench("list")
    assert done.returncode == 0, done.stderr
    assert "Setting up" in done.stderr and '["list"]' in done.stdout


def test_nothing_is_set_up_again_while_nothing_changed(checkout):
    set_up(checkout)
    stamp = checkout.ready.stat().st_mtime_ns
    checkout.bench("list")
    os.utime(checkout.folder / "requirements.txt")  # touched, as by git, but the same
    assert "Setting up" not in checkout.bench("list").stderr
    assert checkout.ready.stat().st_mtime_ns == stamp


def test_a_changed_lock_file_is_noticed(checkout):
    set_up(checkout)
    before = len(checkout.npm_calls.read_text().split())
    with (checkout.folder / "package-lock.json").open("a") as lock:
        lock.write("\n")
    assert checkout.bench("list").returncode == 0
    assert len(checkout.npm_calls.read_text().split()) == before + 1


@pytest.mark.parametrize("change", ["a constant", "a new file"])
def test_a_change_of_set_up_itself_is_noticed(checkout, change):
    set_up(checkout)
    folder = checkout.folder / KERNELS / "install"
    if change == "a constant":
        text = (folder / "remedies.py").read_text()
        changed = text.replace("MINIMUM_NODE = 20", "MINIMUM_NODE = 21")
        assert changed != text
        (folder / "remedies.py").write_text(changed)
    else:
        file = folder / "kernelspecs.py"
        file.write_text(file.read_text() + "from .more import x\n")
        (folder / "more.py").write_text("x = 1\n")
    done = checkout.bench("list")
    assert done.returncode == 0 and "Setting up" in done.stderr, done.stderr
    ready = checkout.ready.read_text()
    assert "setup/tools/remedies.py" in ready and "install/remedies.py" in ready


def test_a_moved_checkout_gets_an_environment_of_its_own(checkout, tmp_path):
    set_up(checkout)
    moved = tmp_path / "moved"
    checkout.folder.rename(moved)
    checkout.folder = moved
    done = checkout.bench("list")
    assert done.returncode == 0, done.stderr
    assert str(moved / ".venv") in done.stdout


def test_a_failed_set_up_says_what_to_do_and_the_next_call_finishes_it(checkout):
    checkout.npm("echo the network is down; exit 1")
    done = checkout.bench("setup", "--route", "debian")
    assert done.returncode == 1
    assert "the network is down" in done.stderr
    assert "what to do:" in done.stderr and "setup.log" in done.stderr
    assert not checkout.ready.exists()
    checkout.npm()
    again = checkout.bench("setup", "--route", "debian")
    assert again.returncode == 0, again.stderr
    assert checkout.ready.exists()


def test_a_state_folder_that_cannot_be_written_is_named_with_the_remedy(checkout):
    (checkout.folder / ".benchbook").write_text("in the way")
    done = checkout.bench("setup", "--route", "debian")
    assert done.returncode == 1
    assert ".benchbook cannot be written" in done.stderr and "chown" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow("sets a checkout up several times")
def test_an_interrupted_set_up_is_finished_by_the_next_call(checkout, number):
    checkout.npm("mkdir -p node_modules/half; exec sleep 60")
    process = checkout.start("setup", "--route", "debian")
    npm = checkout.await_npm()
    process.send_signal(number)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130, errors
    assert "interrupted" in errors
    assert not is_running(npm)
    assert not checkout.ready.exists()
    checkout.npm()
    set_up(checkout)
    assert not (checkout.folder / "node_modules" / "half").exists()


def is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow("sets a checkout up several times")
def test_after_a_kill_the_next_call_waits_for_what_is_left_and_finishes(checkout):
    checkout.npm("sleep 1.5")
    process = checkout.start("setup", "--route", "debian")
    checkout.await_npm()
    process.kill()
    process.communicate(timeout=120)
    checkout.npm()
    done = checkout.bench("setup", "--route", "debian")
    assert done.returncode == 0, done.stderr
    assert "waiting" in done.stderr
    assert checkout.ready.exists()


@pytest.mark.slow("sets a checkout up several times")
def test_two_set_ups_at_once_do_the_work_once(checkout):
    checkout.npm("sleep 1")
    first = checkout.start("setup", "--route", "debian")
    checkout.await_npm()
    second = checkout.bench("setup")
    _, errors = first.communicate(timeout=300)
    assert (first.returncode, second.returncode) == (0, 0), errors + second.stderr
    assert "waiting" in second.stderr
    assert len(checkout.npm_calls.read_text().split()) == 1


def test_doctor_runs_before_set_up_and_installs_nothing(checkout):
    package = checkout.folder / "src" / "benchbook"
    shutil.rmtree(package)
    shutil.copytree(ROOT / "src" / "benchbook", package)
    done = checkout.bench("doctor")
    assert done.returncode == 1, done.stderr
    assert "Not set up yet" in done.stdout and "./bench setup" in done.stdout
    assert not (checkout.folder / ".benchbook").exists()
