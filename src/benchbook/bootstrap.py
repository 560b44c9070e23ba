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
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

if not __package__:  # run as a file, by the launcher: the package is not installed yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchbook import setup_bundle, setup_steps  # noqa: E402
from benchbook.setup_apt import apt_install, apt_sections, has_apt  # noqa: E402
from benchbook.setup_remedies import (  # noqa: E402
    MINIMUM_DOTNET,
    MINIMUM_NODE,
    NO_SERVICE,
    PLAYWRIGHT,
    SBIN,
    apt_version,
    find_browser,
    has_systemd,
    remedy,
)
from benchbook.setup_routes import ROUTES, choose_route, route_taken, search_path  # noqa: E402
from benchbook.setup_steps import (  # noqa: E402
    WINDOWS,
    Environment,
    Options,
    RouteUnavailable,
    Setup,
    SetupError,
    major,
    output_of,
    write_atomically,
)

ROOT = Path(__file__).resolve().parents[2]

# A change of any of these means that set-up has to look again (kernel/spec.py writes kernelspecs).
INPUTS = (
    "requirements.txt",
    "requirements-apt.txt",
    "environment.yml",
    "package.json",
    "package-lock.json",
    "global.json",
    "src/benchbook/bootstrap.py",
    "src/benchbook/setup_apt.py",
    "src/benchbook/setup_bundle.py",
    "src/benchbook/setup_routes.py",
    "src/benchbook/setup_steps.py",
    "src/benchbook/kernel/spec.py",
)


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


# ── What every route needs ───────────────────────────────────────────────────────────────────────


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
    """Load generators, nginx, and on request a browser and the linters. Never stops the set-up."""
    sections = apt_sections(setup.root)
    tools = {
        "wrk": "wrk",
        "ab": "apache2-utils",
        "nginx": "nginx-light",
        "taskset": "util-linux",
    }
    search = os.pathsep.join([search_path(environment), SBIN])
    missing = [name for name in tools if not shutil.which(name, path=search)]
    no_sshd = setup.options.with_tests and not shutil.which("sshd", path=search)
    if has_apt():
        optional = [tools[name] for name in missing if tools[name] in sections["tools"]]
        if setup.options.with_lint:
            optional += sections["lint"]
        if setup.options.with_tests:
            optional += sections["tests"]
        with contextlib.suppress(RouteUnavailable):
            try:
                apt_install(setup, (), optional)
            except SetupError as error:
                setup.notes.append(f"load tools: {first_line(error)}; autocannon serves instead")
        if "nginx" in missing and shutil.which("nginx", path=search) and has_systemd():
            no_service = NO_SERVICE.split()[1:] if setup_steps.is_root() else NO_SERVICE.split()
            setup.run(no_service, check=False)
        if no_sshd and shutil.which("sshd", path=search) and has_systemd():
            no_service = [] if setup_steps.is_root() else ["sudo"]
            setup.run([*no_service, "systemctl", "disable", "--now", "ssh"], check=False)
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
    """Chromium from the system's packages, or else the one that Playwright downloads.

    Where neither can be had that is a note: all but what needs a browser works without.
    """
    failed = ""
    if has_apt():
        try:
            apt_install(setup, apt_sections(setup.root)["browser"])
        except SetupError as error:  # no root, no network, or Ubuntu, which has none
            failed = first_line(error)
    if not find_browser() and (setup.root / PLAYWRIGHT[0]).is_file():
        env = {**os.environ, "PATH": search_path(environment)}
        with setup.step("Chromium, with Playwright"):
            setup.run(["node", *PLAYWRIGHT], cwd=setup.root, env=env, check=False, timeout=900)
    if not find_browser():
        reason = f" ({failed})" if failed else ""
        setup.notes.append(f"Chromium is missing{reason}; to get it: {remedy('chromium')}")


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
        env=package_variables(environment),
        remedy=f"{environment.python} -m benchbook.kernel.spec shows the whole error",
        timeout=120,
    )


def package_variables(environment: Environment) -> dict[str, str]:
    """The environment variables with which the package itself runs."""
    variables = {**os.environ, "PATH": search_path(environment), "PYTHONNOUSERSITE": "1"}
    if environment.dotnet_root:
        variables["DOTNET_ROOT"] = environment.dotnet_root
    return variables


def build_csharp(setup: Setup, environment: Environment) -> None:
    """Build the notebooks' C# session, once; where that fails, Node.js cells still run."""
    code = (
        "import sys\n"
        "from benchbook.kernel import csharp\n"
        "sys.exit(0 if csharp.built() or csharp.build() else 1)\n"
    )
    with setup.step("the C# session of the notebooks, with dotnet build"):
        failed = setup.run(
            [environment.python, "-P", "-c", code],
            cwd=setup.state,
            env=package_variables(environment),
            timeout=900,
            check=False,
        )
    if failed:
        setup.notes.append(
            "C# cells can't run: their session was not built (is NuGet in reach?); "
            f"the reason is at the end of {setup.log}, and ./bench setup tries again"
        )


def check_dotnet(setup: Setup, environment: Environment) -> bool:
    """Is the SDK there? Without it the Node.js experiments still run, so it is only a note."""
    dotnet = shutil.which("dotnet", path=search_path(environment))
    listed = output_of([dotnet, "--list-sdks"]) if dotnet else None
    newest = max((major(line) for line in (listed or "").splitlines()), default=0)
    if newest < MINIMUM_DOTNET:
        what = f".NET SDK {newest} is too old" if newest else "the .NET SDK is missing"
        setup.notes.append(
            f"{what}: C# experiments need {MINIMUM_DOTNET} or newer. To get it: "
            f"{remedy('dotnet', environment.route)}"
        )
    return newest >= MINIMUM_DOTNET


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
        bundle = None
        if options.bundle:
            setup.say("Checking the bundle …")
            bundle = setup_bundle.open_bundle(Path(options.bundle), lock_digest(root))
        setup.log.write_text(time.strftime("Set-up of %Y-%m-%d %H:%M:%S\n"), encoding="utf-8")
        made_from = checksums(root)
        setup.say(f"Setting up Benchbook (log: {setup.log})")
        start = time.monotonic()
        try:
            if bundle:
                options.route = options.route or bundle.route
                with setup_bundle.in_use(setup, bundle):
                    environment = make_environment(setup, bundle)
            else:
                environment = make_environment(setup)
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


def make_environment(setup: Setup, bundle: setup_bundle.Bundle | None = None) -> Environment:
    """Every step, by the route that was asked for or the first that works."""
    environment = choose_route(setup)
    link_package(setup, environment)
    ensure_node(setup, environment)
    install_node_packages(setup, environment)
    install_tools(setup, environment)
    install_kernelspecs(setup, environment)
    if check_dotnet(setup, environment):
        if bundle:
            dotnet = shutil.which("dotnet", path=search_path(environment))
            setup_bundle.unpack_nuget(setup, bundle, dotnet or "dotnet")
        build_csharp(setup, environment)
    return environment


def wants_more(options: Options) -> bool:
    return options.with_browser or options.with_lint or options.with_tests or bool(options.bundle)


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
    parser.add_argument("--with-browser", action="store_true", help="Chromium, for 07 and tests")
    parser.add_argument("--with-lint", action="store_true", help="linters by apt, for .ci/run")
    parser.add_argument("--with-tests", action="store_true", help="sshd by apt, for tests of races")
    parser.add_argument(
        "--from", dest="bundle", metavar="DIR", help="a folder that ./bench bundle made: no network"
    )
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
  page     open an experiment's web page (07)
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
        with_tests=parsed.with_tests,
        bundle=parsed.bundle or "",
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
