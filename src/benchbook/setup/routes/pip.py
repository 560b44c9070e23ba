"""The pip route: a virtual environment with what requirements.txt names."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook.setup.routes.apt import apt_install, apt_sections, has_apt, not_installed
from benchbook.setup.routes.pythons import (
    SYSTEM_PYTHON,
    candidate_pythons,
    modules_missing,
    python_of,
)
from benchbook.setup.routes.venv import (
    check_place,
    finish_venv,
    finished_venv,
    keep_modules_apart,
    make_venv,
    recipe_of,
)
from benchbook.setup.steps import Environment, RouteUnavailable, Setup, SetupError
from benchbook_kernels.base import platforms
from benchbook_kernels.base.running import output_of

# Two packages that tell whether pip finds wheels for this Python: one pure, one compiled.
PIP_PROBE = ("click", "pyzmq")
FROM_SYSTEM = ("numpy", "scipy")


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
    check_place(setup)
    python = python_of(setup.venv)
    made = finished_venv(setup)
    base = Path(made.get("python", ""))
    if not made or made.get("recipe") != recipe_of(setup.root, "pip", base):
        choice = choose_pip_python(setup, asked)
        arguments = ["--system-site-packages"] if choice.system_packages else []
        make_venv(setup, choice.python, arguments)
        python = python_of(setup.venv)  # on Windows it is elsewhere as long as there is none
        with setup.step("Python packages from requirements.txt, with pip"):
            command: list[str | Path] = [python, "-m", "pip", "install", "--upgrade"]
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
    keep_modules_apart(setup)
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
            and (platforms.is_root() or asked)
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
