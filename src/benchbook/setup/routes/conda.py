"""The conda route: the active environment, one named benchbook, or a new one."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from benchbook.setup.routes.apt import summary
from benchbook.setup.routes.pythons import (
    FRONT_ENDS,
    MODULES,
    base_python,
    modules_missing,
    python_of,
)
from benchbook.setup.steps import Environment, RouteUnavailable, Setup, SetupError
from benchbook_kernels.base.platforms import WINDOWS


def conda_environments() -> list[Path]:
    """conda environments to look at: the active one, then those named benchbook."""
    found: list[Path] = []
    if active := os.environ.get("CONDA_PREFIX"):
        found.append(Path(active))
    bases: list[Path] = []
    python = 1 if WINDOWS else 2  # how far above it the installation is
    for variable, levels in (("CONDA_EXE", 2), ("MAMBA_EXE", 2), ("CONDA_PYTHON_EXE", python)):
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
    path: tuple[Path, ...] = (prefix / "bin",)
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
    tool = conda_tool()
    if not asked:
        none = "no conda environment is active or named benchbook"
        raise RouteUnavailable("; ".join(reasons) or none)
    if tool is None:
        raise SetupError(
            "neither mamba, conda nor micromamba is on PATH",
            "install Miniforge (conda-forge.org/download), or: ./bench setup --route auto",
        )
    name = tool.stem
    with setup.step(f"the conda environment benchbook, with {name} (this takes some minutes)"):
        create_conda(setup, tool)
    for prefix in conda_environments():
        missing = modules_missing(python_of(prefix), wanted)
        if prefix.name == "benchbook" and not missing:
            return conda_environment(prefix, f"made from environment.yml with {name}")
    raise SetupError(
        f"{name} made no environment named benchbook with all that is needed",
        f"{name} env create -f environment.yml, then conda activate benchbook and ./bench setup",
    )


def conda_tool() -> Path | None:
    """What makes conda environments; on Windows a .bat file, which is not started by its name."""
    found = [path for name in ("mamba", "conda", "micromamba") if (path := shutil.which(name))]
    return Path(found[0]) if found else None


def create_conda(setup: Setup, tool: Path) -> None:
    """Make the environment, or bring an existing one in step with environment.yml."""
    file = setup.root / "environment.yml"
    exists = any(prefix.name == "benchbook" for prefix in conda_environments())
    if tool.stem == "micromamba":
        verb = ["install" if exists else "create", "--yes", "--name", "benchbook"]
    elif exists:
        verb = ["env", "update", "--prune", "--name", "benchbook"]
    else:
        verb = ["env", "create", "--name", "benchbook"]
    setup.run([tool, *verb, "--file", file], timeout=3600)
