"""The Debian and Ubuntu route: the system's Python with the system's packages."""

from __future__ import annotations

from pathlib import Path

from benchbook.setup.routes.apt import apt_install, apt_sections, has_apt, summary
from benchbook.setup.routes.pythons import (
    FRONT_ENDS,
    MODULES,
    SYSTEM_PYTHON,
    base_python,
    modules_missing,
    python_of,
)
from benchbook.setup.routes.venv import (
    check_place,
    finish_venv,
    finished_venv,
    make_venv,
    recipe_of,
)
from benchbook.setup.steps import Environment, RouteUnavailable, Setup, SetupError


def route_debian(setup: Setup, asked: bool) -> Environment:
    """Raises RouteUnavailable where this is not Debian, SetupError where packages can't be had."""
    if not has_apt():
        raise RouteUnavailable("this is not Debian or Ubuntu: apt-get or dpkg-query is not on PATH")
    check_place(setup)
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
