"""The three routes to an environment: conda, pip and Debian packages. Standard library only."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook import setup_steps
from benchbook.setup_apt import apt_install, apt_sections, has_apt, not_installed, summary
from benchbook.setup_steps import (
    WINDOWS,
    Environment,
    RouteUnavailable,
    Setup,
    SetupError,
    output_of,
    write_atomically,
)

ROUTES = ("conda", "pip", "debian")
MINIMUM_PYTHON = (3, 11)
SYSTEM_PYTHON = "/usr/bin/python3"

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


def version_of(python: Path) -> str:
    """An interpreter's version, as 3.13."""
    return output_of([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]) or ""


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
        python = python_of(setup.venv)  # on Windows it is elsewhere as long as there is none
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
        if (
            python.resolve() == Path(SYSTEM_PYTHON).resolve()
            and has_apt()
            and (setup_steps.is_root() or asked)
        ):
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


def route_taken(root: Path) -> tuple[str, str]:
    """The route of the last finished set-up and why it was taken; empty strings before that."""
    try:
        record = json.loads((root / ".benchbook" / "route.json").read_text(encoding="utf-8"))
        return record["route"], record["why"]
    except (OSError, ValueError, KeyError, TypeError):
        return "", ""


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


def search_path(environment: Environment) -> str:
    """PATH as it will be when Benchbook runs."""
    return os.pathsep.join([*map(str, environment.path), os.environ.get("PATH", "")])
