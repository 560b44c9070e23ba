"""Set-up: makes the environment that Benchbook runs in. Only Python's standard library is needed.

`bench` calls this file before anything is installed. Three routes lead to an environment: conda,
pip and Debian packages; the first that works is taken. Every step may be repeated: it looks at
what is there and does what is missing, and `.benchbook/ready` is written as the very last act, so
an interrupted set-up is finished by the next call.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROUTES = ("conda", "pip", "debian")
WINDOWS = sys.platform == "win32"
MINIMUM_PYTHON = (3, 11)
MINIMUM_NODE = 20
MINIMUM_DOTNET = 10
SYSTEM_PYTHON = "/usr/bin/python3"

# A change of any of these means that set-up has to look again (kernel/spec.py writes kernelspecs).
INPUTS = (
    "requirements.txt",
    "requirements-apt.txt",
    "environment.yml",
    "package.json",
    "package-lock.json",
    "global.json",
    "src/benchbook/bootstrap.py",
    "src/benchbook/kernel/spec.py",
)

# What has to be importable; the route decides which versions, and JupyterLab or Notebook.
MODULES = (
    "click",
    "ipykernel",
    "jsonschema",
    "nbclient",
    "nbconvert",
    "nbformat",
    "numpy",
    "plotly",
    "psutil",
    "pytest",
    "scipy",
)
FRONT_ENDS = {"conda": "jupyterlab", "pip": "jupyterlab", "debian": "notebook"}

# Two packages that tell whether pip finds wheels for this Python: one pure, one compiled.
PIP_PROBE = ("click", "pyzmq")
FROM_SYSTEM = ("numpy", "scipy")

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "chrome",
    "msedge",
)
MAC_BROWSERS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)


class SetupError(Exception):
    """Set-up cannot go on; the remedy is what to do, in words or as a command."""

    def __init__(self, message: str, remedy: str = ""):
        super().__init__(message)
        self.remedy = remedy


class RouteUnavailable(SetupError):
    """This route does not lead anywhere on this machine; another one may."""


@dataclass(frozen=True)
class Environment:
    """Where Benchbook's Python is, and what must be on PATH beside it."""

    route: str
    python: Path
    why: str
    path: tuple[Path, ...] = ()
    dotnet_root: str = ""


@dataclass
class Options:
    """What the caller of set-up asked for."""

    route: str = ""  # empty: the route taken before, else the first that works
    yes: bool = False
    with_browser: bool = False
    with_lint: bool = False
    verbose: bool = False
    quiet: bool = False


@dataclass
class Setup:
    """One set-up under way: its options, its log and what it has to say at the end."""

    root: Path
    options: Options
    notes: list[str] = field(default_factory=list)
    lock_fd: int | None = None

    @property
    def state(self) -> Path:
        return self.root / ".benchbook"

    @property
    def venv(self) -> Path:
        return self.state / "venv"

    @property
    def log(self) -> Path:
        return self.state / "setup.log"

    def say(self, text: str) -> None:
        if not self.options.quiet:
            print(text, file=sys.stderr, flush=True)

    def write_log(self, text: str) -> None:
        with self.log.open("a", encoding="utf-8") as log:
            log.write(text.rstrip("\n") + "\n")

    @contextlib.contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Show what is being done, and how long it took; on a terminal the seconds run."""
        self.write_log(f"\n== {title}")
        start = time.monotonic()
        running = sys.stderr.isatty() and not self.options.quiet and not self.options.verbose
        done = threading.Event()

        def tick() -> None:
            while not done.wait(1):
                seconds = time.monotonic() - start
                print(f"\r  {title} … {seconds:.0f} s", end="", file=sys.stderr, flush=True)

        if running:
            print(f"  {title} …", end="", file=sys.stderr, flush=True)
            ticker = threading.Thread(target=tick, daemon=True)
            ticker.start()
        else:
            self.say(f"  {title} …")
        outcome = "failed"
        try:
            yield
            outcome = "done"
        finally:
            seconds = time.monotonic() - start
            self.write_log(f"== {title}: {outcome} after {seconds:.1f} s")
            if running:
                done.set()
                ticker.join()
                print(f"\r  {title} … {outcome}, {seconds:.0f} s", file=sys.stderr, flush=True)
            elif outcome == "done" and seconds >= 1:
                self.say(f"  {title}: done, {seconds:.0f} s")

    def run(
        self,
        command: Sequence[str | Path],
        *,
        remedy: str = "",
        timeout: float = 1800,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        check: bool = True,
        own_group: bool = False,
        stdin: int | None = subprocess.DEVNULL,
        hold_lock: bool = True,
    ) -> int:
        """Run a command with its output in the log; a failure shows the last lines of it.

        The command inherits the set-up lock: should this process be killed, the next set-up waits
        until what it started has ended, instead of working on the same folder beside it.
        own_group keeps Ctrl-C from reaching it directly (dpkg must not be stopped half-way).
        """
        words = [str(word) for word in command]
        self.write_log(f"$ {shlex.join(words)}")
        began = self.log.stat().st_size
        options: dict[str, object] = {}
        if not WINDOWS:
            options["process_group"] = 0 if own_group else None
            if hold_lock and self.lock_fd is not None:
                options["pass_fds"] = (self.lock_fd,)
        with self.log.open("ab") as log:
            output = None if self.options.verbose else log
            try:
                with held_signals() as pending:
                    process = subprocess.Popen(
                        words,
                        stdin=stdin,
                        stdout=sys.stderr if output is None else output,
                        stderr=sys.stderr if output is None else output,
                        env=env,
                        cwd=cwd,
                        **options,  # type: ignore[call-overload]
                    )
            except OSError as error:
                raise SetupError(f"{words[0]} cannot be started: {error}", remedy) from error
            patience = (300 if own_group else 10) if not WINDOWS else 5
            try:
                if pending:
                    raise KeyboardInterrupt
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                stop(process, patience)
                raise SetupError(f"{shlex.join(words)} took over {timeout:.0f} s", remedy) from None
            except BaseException:
                if own_group:
                    self.say("\n  stopping; waiting until the package in hand is finished …")
                stop(process, patience)
                raise
        if code and check:
            with self.log.open("rb") as log:
                log.seek(began)
                tail = last_lines(log.read().decode("utf-8", "replace"))
            where = "" if self.options.verbose else f"\n{tail}"
            raise SetupError(f"{shlex.join(words)} failed with exit code {code}{where}", remedy)
        return code


@contextlib.contextmanager
def held_signals() -> Iterator[list[int]]:
    """Collect Ctrl-C and SIGTERM while a command starts, so that none is started and then lost."""
    pending: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: pending.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield pending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def stop(process: subprocess.Popen[bytes], patience_seconds: float) -> None:
    """End a command that we started: politely first."""
    polite = signal.SIGTERM if WINDOWS else signal.SIGINT
    for number, seconds in ((polite, patience_seconds), (signal.SIGTERM, 5)):
        with contextlib.suppress(OSError):
            process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(seconds)
            return
    process.kill()
    process.wait()


def last_lines(text: str, count: int = 12) -> str:
    """The end of a command's output, without empty lines, indented to stand out."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return "\n".join(f"    {line}" for line in lines[-count:])


def output_of(command: Sequence[str | Path], timeout: float = 20) -> str | None:
    """What a command prints, or None where it is missing, fails or hangs."""
    try:
        done = subprocess.run(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def major(version: str | None) -> int:
    """The major number of a version such as v20.11.0; 0 where there is none."""
    digits = (version or "").strip().lstrip("v").split(".")[0]
    return int(digits) if digits.isdigit() else 0


# ── What to type on which platform ───────────────────────────────────────────────────────────────

INSTALL = {
    "apt": "sudo apt-get install",
    "dnf": "sudo dnf install",
    "pacman": "sudo pacman -S",
    "zypper": "sudo zypper install",
    "apk": "sudo apk add",
    "brew": "brew install",
    "winget": "winget install",
}
PACKAGES = {
    "wrk": {"apt": "wrk", "dnf": "wrk", "pacman": "wrk", "apk": "wrk", "brew": "wrk"},
    "ab": {
        "apt": "apache2-utils",
        "dnf": "httpd-tools",
        "pacman": "apache",
        "zypper": "apache2-utils",
        "apk": "apache2-utils",
        "brew": "httpd",
    },
    "taskset": {
        "apt": "util-linux",
        "dnf": "util-linux",
        "pacman": "util-linux",
        "zypper": "util-linux",
        "apk": "util-linux-misc",
    },
    "node": {
        "apt": "nodejs npm",
        "dnf": "nodejs npm",
        "pacman": "nodejs npm",
        "zypper": "nodejs22 npm22",
        "apk": "nodejs npm",
        "brew": "node",
        "winget": "OpenJS.NodeJS.LTS",
    },
    "dotnet": {
        "apt": "dotnet-sdk-10.0",
        "dnf": "dotnet-sdk-10.0",
        "pacman": "dotnet-sdk aspnet-runtime",
        "apk": "dotnet10-sdk",
        "brew": "--cask dotnet-sdk",
        "winget": "Microsoft.DotNet.SDK.10",
    },
    "chromium": {
        "apt": "chromium fonts-dejavu-core",
        "dnf": "chromium",
        "pacman": "chromium",
        "zypper": "chromium",
        "apk": "chromium",
        "brew": "--cask google-chrome",
        "winget": "Google.Chrome",
    },
}
CONDA_PACKAGES = {"node": "'nodejs>=20'", "dotnet": "'dotnet-sdk>=10' 'dotnet-aspnetcore>=10'"}
OTHERWISE = {
    "wrk": "nothing to do: autocannon (npm) serves where wrk is absent",
    "ab": "nothing to do: autocannon (npm) serves where ab is absent",
    "taskset": "nothing to do: this system has no CPU pinning by command",
    "node": "install Node.js 20 or newer: nodejs.org/en/download",
    "dotnet": "install the .NET 10 SDK: dotnet.microsoft.com/download",
    "chromium": "node_modules/.bin/playwright-core install chromium",
}


def package_manager() -> str:
    """The package manager of this machine, by our short name; empty where we know none."""
    commands = {"apt": "apt-get", "brew": "brew", "winget": "winget"}
    order = (
        ("brew",) if sys.platform == "darwin" else ("winget",) if WINDOWS else tuple(INSTALL)[:5]
    )
    for name in order:
        if shutil.which(commands.get(name, name)):
            return name
    return ""


def apt_candidate(package: str) -> str:
    """The version that apt would install; empty where it knows none."""
    for line in (output_of(["apt-cache", "policy", package]) or "").splitlines():
        if line.strip().startswith("Candidate:"):
            version = line.split(":", 1)[1].strip()
            return "" if version == "(none)" else version
    return ""


def apt_version(package: str) -> str:
    """The upstream part of apt's candidate, without Debian's epoch."""
    return apt_candidate(package).split(":")[-1]


def remedy(tool: str, route: str = "", manager: str | None = None) -> str:
    """The command that gets a tool on this machine."""
    manager = package_manager() if manager is None else manager
    if route == "conda" and tool in CONDA_PACKAGES:
        return f"conda install --name benchbook --channel conda-forge {CONDA_PACKAGES[tool]}"
    package = PACKAGES.get(tool, {}).get(manager, "")
    if manager == "apt" and tool == "node":
        version = apt_version("nodejs")
        if "nodesource" in version:
            package = "nodejs"  # brings npm, and conflicts with Debian's
        if major(version) < MINIMUM_NODE:
            package = ""
    if manager == "apt" and tool == "dotnet" and not apt_candidate(package):
        return (
            "curl -fsSL https://dot.net/v1/dotnet-install.sh | bash -s -- --channel 10.0, "
            'then export PATH="$HOME/.dotnet:$PATH"'
        )
    if not package:
        return OTHERWISE.get(tool, f"install {tool}")
    command = INSTALL[manager]
    if is_root():
        command = command.removeprefix("sudo ")
    return f"{command} {package}"


def find_browser() -> str:
    """A Chromium-family browser on this machine; empty where there is none."""
    for name in BROWSERS:
        if found := shutil.which(name):
            return found
    for path in MAC_BROWSERS:
        if Path(path).exists():
            return path
    if WINDOWS:
        for base in ("ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"):
            for tail in (
                r"Google\Chrome\Application\chrome.exe",
                r"Microsoft\Edge\Application\msedge.exe",
            ):
                path = Path(os.environ.get(base, "C:\\")) / tail
                if path.exists():
                    return str(path)
    return ""


# ── The record of a finished set-up ──────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Ready:
    """What .benchbook/ready says."""

    root: str
    python: str
    path: str
    dotnet_root: str
    inputs: str
    made_from: str


def checksums(root: Path) -> str:
    """cksum of the inputs, as the launcher computes it; on Windows, where it is not, SHA-256."""
    if shutil.which("cksum"):
        done = subprocess.run(
            ["cksum", *INPUTS], cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        return done.stdout.rstrip("\n")
    return "\n".join(
        f"{hashlib.sha256((root / name).read_bytes()).hexdigest()} {name}"
        for name in INPUTS
        if (root / name).exists()
    )


def read_ready(root: Path) -> Ready | None:
    """The record of the last finished set-up, if there is one and it is whole."""
    try:
        lines = (root / ".benchbook" / "ready").read_text(encoding="utf-8").split("\n")
    except OSError:
        return None
    if len(lines) < 6:
        return None
    return Ready(*lines[:5], "\n".join(lines[5:]).rstrip("\n"))


def is_ready(root: Path) -> bool:
    """Whether a finished set-up is there and nothing that it was made from has changed."""
    ready = read_ready(root)
    return (
        ready is not None
        and ready.root == str(root)
        and os.access(ready.python, os.X_OK)
        and (root / "node_modules" / ".benchbook").exists()
        and ready.made_from == checksums(root)
    )


def route_taken(root: Path) -> tuple[str, str]:
    """The route of the last finished set-up and why it was taken; empty strings before that."""
    try:
        record = json.loads((root / ".benchbook" / "route.json").read_text(encoding="utf-8"))
        return record["route"], record["why"]
    except (OSError, ValueError, KeyError, TypeError):
        return "", ""


def write_atomically(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


# ── Debian and Ubuntu packages ───────────────────────────────────────────────────────────────────


def apt_sections(root: Path) -> dict[str, list[str]]:
    """requirements-apt.txt: packages by purpose."""
    sections: dict[str, list[str]] = {}
    name = ""
    for line in (root / "requirements-apt.txt").read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            name = line.strip("[]")
            sections[name] = []
        elif line:
            sections[name].append(line)
    return sections


def has_apt() -> bool:
    return bool(shutil.which("apt-get") and shutil.which("dpkg-query"))


def not_installed(packages: Sequence[str]) -> list[str]:
    """Which of these Debian packages are not fully installed."""
    try:
        listed = subprocess.run(
            ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n", *packages],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        ).stdout
    except OSError:
        return list(packages)
    there = {
        line.split()[1]
        for line in listed.splitlines()
        if len(line.split()) == 2 and line.split()[0] == "installed"
    }
    return [package for package in packages if package not in there]


def apt_install(setup: Setup, required: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Install what is missing of these; only the required ones may stop the set-up."""
    missing = not_installed(list(dict.fromkeys([*required, *optional])))
    if not missing:
        return
    needed = [package for package in missing if package in required]
    command = f"sudo apt-get install --no-install-recommends {' '.join(missing)}"
    root = is_root()
    if not root and not may_use_sudo(setup, missing, command):
        if needed:
            offer = "\n  or let set-up do it: ./bench setup --yes (uses sudo)"
            raise SetupError(
                f"Debian packages are missing: {' '.join(needed)}",
                command + (offer if shutil.which("sudo") and not setup.options.yes else ""),
            )
        setup.notes.append(f"optional, not installed: {' '.join(missing)}; to get it: {command}")
        return
    sudo: list[str] = [] if root else ["sudo"]
    apt = Apt(setup, sudo)
    with setup.step(f"Debian packages: {summary(missing)}"):
        unknown = [package for package in missing if not apt_candidate(package)]
        if unknown:
            apt.update()
            unknown = [package for package in missing if not apt_candidate(package)]
        if lacking := [package for package in needed if package in unknown]:
            raise SetupError(
                f"apt knows no package {' '.join(lacking)}",
                "check the apt sources (Debian 12 or Ubuntu 24.04 and newer have them), "
                "or take another route: ./bench setup --route pip",
            )
        wanted = [package for package in missing if package not in unknown]
        try:
            if wanted:
                apt.install(wanted)
        except SetupError:
            if not needed:
                raise
            apt.install(needed)
    if left := not_installed([package for package in missing if package not in needed]):
        setup.notes.append(f"optional, could not be installed: {' '.join(left)}")


def summary(packages: Sequence[str]) -> str:
    shown = " ".join(packages[:4])
    return shown if len(packages) <= 4 else f"{shown} and {len(packages) - 4} more"


def may_use_sudo(setup: Setup, missing: Sequence[str], command: str) -> bool:
    """Whether to go on as root: never without having been told so."""
    if not shutil.which("sudo"):
        return False
    if setup.options.yes:
        return True
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        return False
    print(f"These packages are missing: {' '.join(missing)}", file=sys.stderr)
    print(f"Run this now?  {command}  [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


@dataclass
class Apt:
    """apt-get, made to work unattended and to wait for another apt to end."""

    setup: Setup
    sudo: list[str]

    def get(self, *arguments: str) -> None:
        interactive = bool(self.sudo) and sys.stdin.isatty()
        sudo = self.sudo if interactive or not self.sudo else ["sudo", "-n"]
        environment = ["env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"]
        self.setup.run(
            [
                *sudo,
                *environment,
                "apt-get",
                "-q",
                "-y",
                "-o",
                "DPkg::Lock::Timeout=600",
                *arguments,
            ],
            remedy="read .benchbook/setup.log, mend the apt sources, then call ./bench setup again",
            own_group=not self.sudo,
            stdin=None if interactive else subprocess.DEVNULL,
            hold_lock=False,
        )

    def update(self) -> None:
        """Fetch the package lists; a source that does not answer need not be the one we want."""
        with contextlib.suppress(SetupError):
            self.get("update")

    def install(self, packages: Sequence[str]) -> None:
        if interrupted_dpkg():
            self.setup.run([*self.sudo, "dpkg", "--configure", "-a"], check=False)
        arguments = ("install", "--no-install-recommends", *packages)
        try:
            self.get(*arguments)
        except SetupError:
            self.update()  # lists that are too old name files that are gone
            self.get(*arguments)


def interrupted_dpkg() -> bool:
    """Whether an earlier dpkg was stopped half-way."""
    updates = Path("/var/lib/dpkg/updates")
    try:
        return any(updates.iterdir())
    except OSError:
        return False


# ── Virtual environments ─────────────────────────────────────────────────────────────────────────


def python_of(prefix: Path) -> Path:
    """The interpreter of a virtual environment or a conda environment."""
    if not WINDOWS:
        return prefix / "bin" / "python"
    inside = prefix / "Scripts" / "python.exe"
    return inside if inside.exists() else prefix / "python.exe"


def base_python(command: str | Path) -> Path | None:
    """The interpreter behind a command (a shim, a virtual environment's), if it is new enough."""
    code = (
        "import sys; print(getattr(sys, '_base_executable', '') or sys.executable);"
        "sys.exit(sys.version_info < (3, 11))"
    )
    found = output_of([command, "-c", code])
    return Path(found) if found else None


def candidate_pythons() -> list[Path]:
    """Interpreters to make an environment with, the caller's choice first."""
    names = [
        os.environ.get("BENCHBOOK_PYTHON", ""),
        sys.executable,
        "python3",
        "python3.14",
        "python3.13",
        "python3.12",
        "python3.11",
        SYSTEM_PYTHON,
    ]
    found: list[Path] = []
    for name in names:
        if name and shutil.which(name):
            python = base_python(name)
            if python and python.resolve() not in [other.resolve() for other in found]:
                found.append(python)
    return found


def modules_missing(python: Path, modules: Sequence[str]) -> list[str]:
    """Which modules an interpreter cannot find (nothing is imported, so it is quick)."""
    code = (
        "import importlib.util as u, sys\n"
        "print(' '.join(m for m in sys.argv[1:] if not u.find_spec(m)))"
    )
    found = output_of([python, "-P", "-c", code, *modules])
    return list(modules) if found is None else found.split()


def finished_venv(setup: Setup) -> dict[str, str]:
    """How the virtual environment was made; empty where none was finished or it does not run."""
    with contextlib.suppress(OSError, ValueError):
        made = json.loads((setup.venv / "benchbook.json").read_text(encoding="utf-8"))
        if isinstance(made, dict) and output_of([python_of(setup.venv), "-c", "print(1)"]):
            return made
    return {}


def make_venv(setup: Setup, python: Path, arguments: Sequence[str]) -> None:
    """Make .benchbook/venv anew; it counts only once finish_venv has marked it."""
    (setup.state / "ready").unlink(missing_ok=True)
    if setup.venv.exists():
        shutil.rmtree(setup.venv)
    with setup.step(f"a virtual environment from {python}"):
        setup.run([python, "-m", "venv", *arguments, setup.venv], timeout=300)


def finish_venv(setup: Setup, made: dict[str, str]) -> None:
    write_atomically(setup.venv / "benchbook.json", json.dumps(made))


def recipe_of(root: Path, route: str, python: Path) -> str:
    """What a virtual environment is made from: if it changes, the environment is made anew."""
    requirements = (root / "requirements.txt").read_bytes() if route == "pip" else b""
    digest = hashlib.sha256(requirements).hexdigest()[:12]
    version = output_of([python, "-c", "import sys; print(sys.version_info[:2])"])
    return " ".join([route, str(root), str(python), str(version), digest])


# ── The three routes ─────────────────────────────────────────────────────────────────────────────


def conda_environments() -> list[Path]:
    """conda environments to look at: the active one, then those named benchbook."""
    found: list[Path] = []
    if active := os.environ.get("CONDA_PREFIX"):
        found.append(Path(active))
    bases: list[Path] = []
    for variable, levels in (("CONDA_EXE", 2), ("MAMBA_EXE", 2), ("CONDA_PYTHON_EXE", 2)):
        if os.environ.get(variable):
            bases.append(Path(os.environ[variable]).parents[levels - 1])
    if os.environ.get("MAMBA_ROOT_PREFIX"):
        bases.append(Path(os.environ["MAMBA_ROOT_PREFIX"]))
    home = Path.home()
    for name in ("miniforge3", "mambaforge", "miniconda3", "anaconda3", "micromamba", ".conda"):
        bases.append(home / name)
        if WINDOWS:
            bases.append(Path(os.environ.get("LOCALAPPDATA", home)) / name)
            bases.append(Path(os.environ.get("ProgramData", home)) / name)
    found += [base / "envs" / "benchbook" for base in bases]
    with contextlib.suppress(OSError):
        listed = (home / ".conda" / "environments.txt").read_text(encoding="utf-8").splitlines()
        found += [Path(line) for line in listed if Path(line).name == "benchbook"]
    return [path for path in dict.fromkeys(found) if python_of(path).exists()]


def conda_environment(prefix: Path, why: str) -> Environment:
    """A conda environment as one that is used without having been activated."""
    path = (prefix / "bin",)
    dotnet = prefix / "lib" / "dotnet"
    if WINDOWS:
        path = (prefix, prefix / "Library" / "bin", prefix / "Scripts", prefix / "dotnet")
        dotnet = prefix / "dotnet"
    root = str(dotnet) if dotnet.exists() else ""
    return Environment("conda", python_of(prefix), why, path, root)


def route_conda(setup: Setup, asked: bool) -> Environment:
    wanted = (*MODULES, FRONT_ENDS["conda"])
    reasons: list[str] = []
    for prefix in conda_environments():
        if not base_python(python_of(prefix)):
            reasons.append(f"{prefix.name} has a Python older than 3.11")
        elif missing := modules_missing(python_of(prefix), wanted):
            reasons.append(f"{prefix.name} lacks {summary(missing)}")
        else:
            active = os.environ.get("CONDA_PREFIX") == str(prefix)
            kind = "the active conda environment" if active else "the conda environment"
            return conda_environment(prefix, f"{kind} {prefix.name} has what is needed")
    tool = next((name for name in ("mamba", "conda", "micromamba") if shutil.which(name)), "")
    if not asked:
        none = "no conda environment is active or named benchbook"
        raise RouteUnavailable("; ".join(reasons) or none)
    if not tool:
        raise SetupError(
            "neither mamba, conda nor micromamba is on PATH",
            "install Miniforge (conda-forge.org/download), or: ./bench setup --route auto",
        )
    with setup.step(f"the conda environment benchbook, with {tool} (this takes some minutes)"):
        create_conda(setup, tool)
    for prefix in conda_environments():
        missing = modules_missing(python_of(prefix), wanted)
        if prefix.name == "benchbook" and not missing:
            return conda_environment(prefix, f"made from environment.yml with {tool}")
    raise SetupError(
        f"{tool} made no environment named benchbook with all that is needed",
        f"{tool} env create -f environment.yml, then conda activate benchbook and ./bench setup",
    )


def create_conda(setup: Setup, tool: str) -> None:
    """Make the environment, or bring an existing one in step with environment.yml."""
    file = setup.root / "environment.yml"
    exists = any(prefix.name == "benchbook" for prefix in conda_environments())
    if tool == "micromamba":
        verb = ["install" if exists else "create", "--yes", "--name", "benchbook"]
    elif exists:
        verb = ["env", "update", "--prune", "--name", "benchbook"]
    else:
        verb = ["env", "create", "--name", "benchbook"]
    setup.run([tool, *verb, "--file", file], timeout=3600)


def pip_environment() -> dict[str, str]:
    """The environment for pip: folders of wheels that are named from here work from anywhere."""
    env = dict(os.environ)
    links = env.get("PIP_FIND_LINKS", "").split()
    absolute = []
    for link in links:
        if "://" not in link:
            path = Path(link).expanduser().absolute()
            link = path.as_uri() if " " in str(path) else str(path)
        absolute.append(link)
    if absolute:
        env["PIP_FIND_LINKS"] = " ".join(absolute)
    env["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    env["PIP_NO_INPUT"] = "1"
    env.pop("PIP_REQUIRE_VIRTUALENV", None)
    env.pop("PIP_USER", None)
    return env


def pip_finds(setup: Setup, pip: Sequence[str | Path], packages: Sequence[str], wait: int) -> bool:
    """Whether pip can get these packages, as wheels, for its Python."""
    with tempfile.TemporaryDirectory(prefix="benchbook-") as folder:
        command = [*pip, "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        command += ["--retries", "0", "--timeout", str(wait), "--dest", folder, *packages]
        try:
            code = setup.run(
                command, env=pip_environment(), cwd=Path(folder), check=False, timeout=300
            )
        except SetupError:
            return False
        return code == 0


def requirement(root: Path, name: str) -> str:
    """A package's line of requirements.txt, with its lower bound."""
    for line in (root / "requirements.txt").read_text(encoding="utf-8").splitlines():
        if line.split("#")[0].strip().startswith(f"{name}>"):
            return line.split("#")[0].strip()
    return name


@dataclass(frozen=True)
class PipChoice:
    """With which Python to take the pip route, and whether numpy and scipy come from its system."""

    python: Path
    system_packages: bool


def route_pip(setup: Setup, asked: bool) -> Environment:
    python = python_of(setup.venv)
    made = finished_venv(setup)
    base = Path(made.get("python", ""))
    if not made or made.get("recipe") != recipe_of(setup.root, "pip", base):
        choice = choose_pip_python(setup, asked)
        arguments = ["--system-site-packages"] if choice.system_packages else []
        make_venv(setup, choice.python, arguments)
        with setup.step("Python packages from requirements.txt, with pip"):
            command = [python, "-m", "pip", "install", "--upgrade"]
            command += ["--upgrade-strategy", "eager", "--requirement"]
            setup.run(
                [*command, setup.root / "requirements.txt"],
                env=pip_environment(),
                cwd=setup.state,
                remedy="check PIP_FIND_LINKS and the network, or: ./bench setup --route debian",
            )
        wheels = (
            "the folder that PIP_FIND_LINKS names" if os.environ.get("PIP_NO_INDEX") else "an index"
        )
        why = f"pip finds the packages in {wheels}"
        if choice.system_packages:
            why += f"; numpy and scipy are those of {choice.python}"
        recipe = recipe_of(setup.root, "pip", choice.python)
        made = {"recipe": recipe, "python": str(choice.python), "why": why}
        finish_venv(setup, made)
    return Environment("pip", python, made.get("why", ""), (python.parent,))


def choose_pip_python(setup: Setup, asked: bool) -> PipChoice:
    """The first Python that pip finds our packages for; says why where there is none."""
    reasons: list[str] = []
    suitable: list[tuple[Path, list[str | Path]]] = []
    with setup.step("looking for wheels"):
        for python in candidate_pythons():
            if modules_missing(python, ["venv", "ensurepip"]):
                reasons.append(f"{python} has no ensurepip (Debian: python3-venv)")
                continue
            pip: list[str | Path] = [python, "-m", "pip"]
            if modules_missing(python, ["pip"]):
                bundled = bundled_pip(python)
                if bundled is None:
                    reasons.append(f"{python} has no pip")
                    continue
                pip = [python, bundled]
            if pip_finds(setup, pip, PIP_PROBE, 8):
                suitable.append((python, pip))
            else:
                reasons.append(f"pip finds no wheels for {python}")
        numbers = [requirement(setup.root, name) for name in FROM_SYSTEM]
        for python, pip in suitable:
            if pip_finds(setup, pip, numbers, 60):
                return PipChoice(python, False)
        for python, _ in suitable:
            if not modules_missing(python, FROM_SYSTEM):
                return PipChoice(python, True)
    for python, _ in suitable:
        if python.resolve() == Path(SYSTEM_PYTHON).resolve() and has_apt() and (is_root() or asked):
            apt_install(setup, apt_sections(setup.root)["pip"])
            return PipChoice(python, True)
    if suitable:
        reasons.append("pip finds neither numpy nor scipy")
    if asked and any("ensurepip" in reason for reason in reasons) and has_apt():
        if not_installed(["python3-venv"]):
            apt_install(setup, ["python3-venv"])
            return choose_pip_python(setup, asked)
    raise RouteUnavailable("; ".join(reasons) or "there is no Python 3.11 or newer")


def bundled_pip(python: Path) -> Path | None:
    """The pip inside the wheel that ensurepip brings, which runs without being installed."""
    code = (
        "import ensurepip, pathlib, sysconfig\n"
        "folders = [pathlib.Path(ensurepip.__file__).parent / '_bundled']\n"
        "extra = sysconfig.get_config_var('WHEEL_PKG_DIR')\n"
        "folders += [pathlib.Path(extra)] if extra else []\n"
        "wheels = [w for f in folders for w in f.glob('pip-*.whl')]\n"
        "print(wheels[0] / 'pip')"
    )
    found = output_of([python, "-c", code])
    return Path(found) if found else None


def route_debian(setup: Setup, asked: bool) -> Environment:
    if not has_apt():
        raise RouteUnavailable("this is no Debian or Ubuntu: apt-get or dpkg-query is not on PATH")
    apt_install(setup, apt_sections(setup.root)["python"])
    system = Path(SYSTEM_PYTHON)
    if not base_python(system):
        raise RouteUnavailable(f"{system} is older than 3.11: Debian 12 or Ubuntu 24.04 is needed")
    if missing := modules_missing(system, (*MODULES, FRONT_ENDS["debian"])):
        raise SetupError(
            f"{system} cannot find {summary(missing)} although the Debian packages are installed",
            f"{system} -c 'import {missing[0]}' says why; or: ./bench setup --route pip",
        )
    arguments = ["--system-site-packages", "--without-pip"]
    recipe = recipe_of(setup.root, "debian", system)
    if finished_venv(setup).get("recipe") != recipe:
        make_venv(setup, system, arguments)
        finish_venv(setup, {"recipe": recipe})
    python = python_of(setup.venv)
    why = "Debian packages with the system's Python"
    return Environment("debian", python, why, (python.parent,))


ROUTE: dict[str, Callable[[Setup, bool], Environment]] = {
    "conda": route_conda,
    "pip": route_pip,
    "debian": route_debian,
}


def choose_route(setup: Setup) -> Environment:
    """Take the route that was asked for, else the one taken before, else the first that works."""
    taken, why = route_taken(setup.root)
    asked = setup.options.route or taken
    if asked in ROUTES:
        environment = ROUTE[asked](setup, True)
        if not setup.options.route and why:
            return Environment(asked, environment.python, why, *environment_tail(environment))
        return environment
    reasons: list[str] = []
    for name in ROUTES:
        try:
            environment = ROUTE[name](setup, False)
        except RouteUnavailable as reason:
            reasons.append(f"not {name}: {reason}")
            setup.write_log(reasons[-1])
            setup.say(f"  {reasons[-1]}")
            continue
        why = "; ".join([environment.why, *reasons])
        return Environment(name, environment.python, why, *environment_tail(environment))
    raise SetupError(
        "no route leads to an environment here:\n    " + "\n    ".join(reasons),
        "conda env create -f environment.yml && conda activate benchbook, then ./bench setup",
    )


def environment_tail(environment: Environment) -> tuple[tuple[Path, ...], str]:
    return environment.path, environment.dotnet_root


# ── What every route needs ───────────────────────────────────────────────────────────────────────


def search_path(environment: Environment) -> str:
    """PATH as it will be when Benchbook runs."""
    return os.pathsep.join([*map(str, environment.path), os.environ.get("PATH", "")])


def link_package(setup: Setup, environment: Environment) -> None:
    """Make src/ importable from the environment, by a .pth file in its site-packages."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    folder = output_of([environment.python, "-P", "-c", code])
    if not folder:
        raise SetupError(f"{environment.python} does not run", "./bench setup --route auto")
    link = Path(folder) / "benchbook.pth"
    text = f"{setup.root / 'src'}\n"
    if not link.exists() or link.read_text(encoding="utf-8") != text:
        write_atomically(link, text)


def ensure_node(setup: Setup, environment: Environment) -> None:
    """Node.js and npm are needed by most experiments; apt may have a version that is new enough."""
    search = search_path(environment)
    if node_problem(search) and environment.route != "conda" and has_apt():
        # one after the other: some sources' nodejs brings npm and conflicts with Debian's
        for package in ("nodejs", "npm"):
            if node_problem(search) and major(apt_version("nodejs")) >= MINIMUM_NODE:
                with contextlib.suppress(SetupError):
                    apt_install(setup, [package])
    if problem := node_problem(search):
        raise SetupError(problem, remedy("node", environment.route))


def node_problem(search: str) -> str:
    """What is wrong with Node.js on this PATH; empty where nothing is."""
    node = shutil.which("node", path=search)
    if not node:
        return f"Node.js is missing (version {MINIMUM_NODE} or newer is needed)"
    version = output_of([node, "--version"])
    if major(version) < MINIMUM_NODE:
        return f"Node.js {version or '?'} is too old: {MINIMUM_NODE} or newer is needed"
    return "" if shutil.which("npm", path=search) else "npm is missing (it comes with Node.js)"


def lock_digest(root: Path) -> str:
    both = (root / "package.json").read_bytes() + (root / "package-lock.json").read_bytes()
    return hashlib.sha256(both).hexdigest()


def node_modules_in_step(root: Path) -> bool:
    """Whether node_modules was finished from this very package-lock.json."""
    try:
        mark = (root / "node_modules" / ".benchbook").read_text(encoding="utf-8").strip()
    except OSError:
        return False
    return mark == lock_digest(root) and (root / "node_modules" / ".package-lock.json").exists()


def install_node_packages(setup: Setup, environment: Environment) -> None:
    if node_modules_in_step(setup.root):
        return
    (setup.root / "node_modules" / ".benchbook").unlink(missing_ok=True)
    env = {**os.environ, "PATH": search_path(environment)}
    cache = Path(env.get("npm_config_cache") or Path.home() / ".npm")
    home = next(path for path in (cache, *cache.parents) if path.exists())
    if not os.access(home, os.W_OK):
        env["npm_config_cache"] = str(setup.state / "npm-cache")
    npm = shutil.which("npm", path=env["PATH"]) or "npm"
    with setup.step("Node.js packages from package-lock.json, with npm"):
        quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
        setup.run(
            [npm, "ci", "--include=dev", "--ignore-scripts", *quiet],
            env=env,
            cwd=setup.root,
            remedy="check the network and npm's settings (npm config list), then ./bench setup",
        )
    write_atomically(setup.root / "node_modules" / ".benchbook", lock_digest(setup.root) + "\n")


def install_tools(setup: Setup, environment: Environment) -> None:
    """Load generators, and on request a browser and the linters. Never stops the set-up but for
    a browser that was asked for."""
    sections = apt_sections(setup.root)
    tools = {"wrk": "wrk", "ab": "apache2-utils", "taskset": "util-linux"}
    search = search_path(environment)
    missing = [name for name in tools if not shutil.which(name, path=search)]
    if has_apt():
        optional = [tools[name] for name in missing if tools[name] in sections["tools"]]
        if setup.options.with_lint:
            optional += sections["lint"]
        with contextlib.suppress(RouteUnavailable):
            try:
                apt_install(setup, (), optional)
            except SetupError as error:
                setup.notes.append(f"load tools: {first_line(error)}; autocannon serves instead")
    else:
        for name in missing:
            hint = remedy(name, environment.route)
            if not hint.startswith("nothing to do"):
                setup.notes.append(f"optional: {name} is missing; to get it: {hint}")
    if setup.options.with_browser and not find_browser():
        install_browser(setup, environment)


def first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def install_browser(setup: Setup, environment: Environment) -> None:
    if has_apt():
        apt_install(setup, apt_sections(setup.root)["browser"])
    if not find_browser():
        raise SetupError("there is no Chromium, and set-up cannot install it", remedy("chromium"))


def install_kernelspecs(setup: Setup, environment: Environment) -> None:
    """Ask the package itself to install its kernelspecs into the environment."""
    code = (
        "import importlib.util as u, sys\n"
        "if u.find_spec('benchbook.kernel') and u.find_spec('benchbook.kernel.spec'):\n"
        "    from benchbook.kernel import spec\n"
        "    spec.install(sys.prefix)\n"
    )
    setup.run(
        [environment.python, "-P", "-c", code],
        cwd=setup.state,
        env={**os.environ, "PATH": search_path(environment), "PYTHONNOUSERSITE": "1"},
        remedy=f"{environment.python} -m benchbook.kernel.spec shows the whole error",
        timeout=120,
    )


def check_dotnet(setup: Setup, environment: Environment) -> None:
    """C# experiments need the SDK; without it the Node.js ones still run, so it is only a note."""
    dotnet = shutil.which("dotnet", path=search_path(environment))
    listed = output_of([dotnet, "--list-sdks"]) if dotnet else None
    newest = max((major(line) for line in (listed or "").splitlines()), default=0)
    if newest < MINIMUM_DOTNET:
        what = f".NET SDK {newest} is too old" if newest else "the .NET SDK is missing"
        setup.notes.append(
            f"{what}: C# experiments need {MINIMUM_DOTNET} or newer. To get it: "
            f"{remedy('dotnet', environment.route)}"
        )


# ── One set-up from start to end ─────────────────────────────────────────────────────────────────


@contextlib.contextmanager
def locked(setup: Setup, patience_seconds: float = 1800) -> Iterator[bool]:
    """Only one set-up at a time in a checkout; another one waits. Yields whether it had to."""
    path = setup.state / "setup.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    deadline = time.monotonic() + patience_seconds
    told = False
    try:
        while not try_lock(descriptor):
            if not told:
                setup.say("another set-up is running here (or what it started); waiting for it …")
                told = True
            if time.monotonic() > deadline:
                raise SetupError(
                    f"another set-up has held {path} for {patience_seconds / 60:.0f} minutes",
                    "end it, then call ./bench setup again",
                )
            time.sleep(0.2)
        setup.lock_fd = descriptor
        yield told
    finally:
        setup.lock_fd = None
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    try:
        if WINDOWS:
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def set_up(root: Path, options: Options) -> Environment:
    """Bring the environment into being, or in step with what it is made from."""
    setup = Setup(root, options)
    try:
        setup.state.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=setup.state), (setup.state / "setup.lock").open("a"):
            pass
    except OSError as error:
        raise SetupError(
            f"{setup.state} cannot be written: {error.strerror}",
            f"sudo chown -R $(id -un) {shlex.quote(str(root))}",
        ) from error
    with locked(setup) as waited:
        ready = read_ready(root) if waited and is_ready(root) else None
        if ready and not options.route and not wants_more(options):
            return Environment(route_taken(root)[0], Path(ready.python), "")
        setup.log.write_text(time.strftime("Set-up of %Y-%m-%d %H:%M:%S\n"), encoding="utf-8")
        made_from = checksums(root)
        setup.say(f"Setting up Benchbook (log: {setup.log})")
        start = time.monotonic()
        try:
            environment = choose_route(setup)
            link_package(setup, environment)
            ensure_node(setup, environment)
            install_node_packages(setup, environment)
            install_tools(setup, environment)
            install_kernelspecs(setup, environment)
            check_dotnet(setup, environment)
        except BaseException as error:
            (setup.state / "ready").unlink(missing_ok=True)
            setup.write_log(f"stopped: {type(error).__name__}: {error}")
            raise
        record = {"route": environment.route, "why": environment.why}
        write_atomically(setup.state / "route.json", json.dumps(record, indent=2) + "\n")
        lines = [
            str(root),
            str(environment.python),
            os.pathsep.join(map(str, environment.path)),
            environment.dotnet_root,
            " ".join(INPUTS),
            made_from,
        ]
        write_atomically(setup.state / "ready", "\n".join(lines) + "\n")
        for note in setup.notes:
            setup.say(f"  note: {note}")
        setup.say(f"Set up by route {environment.route} in {time.monotonic() - start:.0f} s.")
        return environment


def wants_more(options: Options) -> bool:
    return options.with_browser or options.with_lint


# ── The command line ─────────────────────────────────────────────────────────────────────────────


def setup_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bench setup",
        description="Make the environment that Benchbook runs in, or mend it. May be repeated.",
        epilog="Without --route the route taken before is kept; at first, the first that works of "
        "conda, pip and debian is taken. PIP_FIND_LINKS and PIP_NO_INDEX are honoured.",
    )
    parser.add_argument("--route", choices=("auto", *ROUTES), help="how to get Python packages")
    parser.add_argument("--yes", "-y", action="store_true", help="use sudo without asking")
    parser.add_argument("--with-browser", action="store_true", help="Chromium, for browser tests")
    parser.add_argument("--with-lint", action="store_true", help="linters by apt, for .ci/run")
    parser.add_argument("--verbose", "-v", action="store_true", help="show what the tools print")
    parser.add_argument("--quiet", "-q", action="store_true", help="say nothing but errors")
    return parser


OVERVIEW = """\
usage: ./bench COMMAND [ARGS]

Benchbook tests published benchmark findings on your own machine.

  setup    make or mend the environment (./bench setup --help)
  doctor   what is there, what is missing, what disturbs measurements
  list     the experiments
  race     measure one experiment
  run      execute notebooks, print the scoreboard, write HTML
  lab      open the notebooks in JupyterLab (or Notebook)
  test     run Benchbook's own tests

Nothing is set up here yet: the first command does that.
"""


def options_from(arguments: Sequence[str]) -> Options:
    parsed = setup_parser().parse_args(arguments)
    return Options(
        route=parsed.route or "",
        yes=parsed.yes,
        with_browser=parsed.with_browser,
        with_lint=parsed.with_lint,
        verbose=parsed.verbose,
        quiet=parsed.quiet,
    )


def launch(root: Path, arguments: Sequence[str]) -> int:
    """What `bench` does when its quick path does not apply."""
    command = arguments[0] if arguments else ""
    if command == "setup":
        set_up(root, options_from(arguments[1:]))
        return 0
    if not is_ready(root):
        if command in ("", "-h", "--help"):
            print(OVERVIEW, end="")
            return 0
        if command == "doctor":  # a diagnosis must not install anything
            ready = read_ready(root)
            python = ready.python if ready and os.access(ready.python, os.X_OK) else sys.executable
            env = {**os.environ, "PYTHONPATH": str(root / "src")}
            return run_python(Path(python), ["-m", "benchbook.doctor", *arguments[1:]], env)
        set_up(root, Options())
    ready = read_ready(root)
    if ready is None:
        raise SetupError(f"{root / '.benchbook' / 'ready'} has disappeared", "./bench setup")
    env = {**os.environ, "PATH": ready.path + os.pathsep + os.environ.get("PATH", "")}
    if ready.dotnet_root:
        env["DOTNET_ROOT"] = ready.dotnet_root
    return run_python(Path(ready.python), ["-P", "-m", "benchbook", *arguments], env)


def run_python(python: Path, arguments: Sequence[str], env: dict[str, str]) -> int:
    """Become that Python, or on Windows, where a process cannot, wait for it."""
    sys.stdout.flush()
    sys.stderr.flush()
    if WINDOWS:
        return subprocess.call([str(python), *arguments], env=env)
    os.execve(python, [str(python), *arguments], env)


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments[:1] == ["--launch"]:
        arguments = arguments[1:]
    else:
        arguments = ["setup", *arguments]

    def interrupted(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, interrupted)
    try:
        return launch(root, arguments)
    except SetupError as error:
        print(f"\nbench: set-up failed: {error}", file=sys.stderr)
        if error.remedy:
            print(f"  what to do: {error.remedy}", file=sys.stderr)
        log = root / ".benchbook" / "setup.log"
        if log.exists():
            print(f"  the whole log: {log}", file=sys.stderr)
        return 1
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        print(f"\nbench: set-up failed: {error.strerror}{where}", file=sys.stderr)
        print("  what to do: mend that, then call ./bench setup again", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nbench: interrupted; the next call finishes the set-up", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
