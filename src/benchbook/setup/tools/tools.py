"""Load generators, nginx, a browser and linters: nothing here stops a set-up."""

from __future__ import annotations

import contextlib
import os
import shutil

from benchbook import loadtools
from benchbook.setup.routes.apt import apt_install, apt_sections, has_apt
from benchbook.setup.routes.pip import pip_environment
from benchbook.setup.steps import Environment, RouteUnavailable, Setup, SetupError, search_path
from benchbook.setup.tools.remedies import (
    NO_SERVICE,
    PLAYWRIGHT,
    SBIN,
    find_browser,
    has_systemd,
    remedy,
)
from benchbook_kernels.base import platforms


def install_tools(setup: Setup, environment: Environment) -> None:
    """Load generators, nginx, and on request a browser and the linters. Never stops the set-up."""
    sections = apt_sections(setup.root)
    loads = loadtools.declared().values()
    tools = {
        **{tool.name: tool.packages["apt"] for tool in loads if "apt" in tool.packages},
        "nginx": "nginx-light",
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
            no_service = NO_SERVICE.split()[1:] if platforms.is_root() else NO_SERVICE.split()
            setup.run(no_service, check=False)
        if no_sshd and shutil.which("sshd", path=search) and has_systemd():
            no_service = [] if platforms.is_root() else ["sudo"]
            setup.run([*no_service, "systemctl", "disable", "--now", "ssh"], check=False)
    else:
        for name in missing:
            hint = remedy(name, environment.route)
            if not hint.startswith("nothing to do"):
                setup.notes.append(f"optional: {name} is missing; to get it: {hint}")
        if setup.options.with_lint:
            install_linters(setup, environment)
    if setup.options.with_browser and not find_browser():
        install_browser(setup, environment)


def first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def install_linters(setup: Setup, environment: Environment) -> None:
    """Those that pyproject.toml names, into the environment: where there is no apt."""
    import tomllib  # here: an older Python is told to be too old before

    about = tomllib.loads((setup.root / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = about["project"]["optional-dependencies"]["lint"]
    with setup.step("the linters, with pip"):
        command = [environment.python, "-m", "pip", "install", *wanted]
        try:
            setup.run(command, env=pip_environment(), cwd=setup.state)
        except SetupError as error:
            setup.notes.append(f"the linters: {first_line(error)}; .benchbook/setup.log says more")


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
            node = shutil.which("node", path=env["PATH"]) or "node"
            setup.run([node, *PLAYWRIGHT], cwd=setup.root, env=env, check=False, timeout=900)
    if not find_browser():
        reason = f" ({failed})" if failed else ""
        setup.notes.append(f"Chromium is missing{reason}; to get it: {remedy('chromium')}")
