"""Python interpreters: which are here, how old they are, and which modules they find."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from benchbook_kernels.base.platforms import WINDOWS
from benchbook_kernels.base.running import output_of

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
