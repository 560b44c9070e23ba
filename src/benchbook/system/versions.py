"""The versions of what takes part in a measurement: tools, Node.js and Python packages."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import platform
import re
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from benchbook import loadtools
from benchbook.system import paths, probe
from benchbook_kernels.base import dotnet
from benchbook_kernels.base.running import run

CHECKOUT = paths.PACKAGE.parents[1]

# How a tool gives its version: the arguments, and where in its output (some exit with an error).
TOOLS: dict[str, tuple[Sequence[str], str]] = {
    "node": (["--version"], r"v(\d\S*)"),
    "deno": (["--version"], r"deno (\d\S*)"),
    "bun": (["--version"], r"(\d\S*)"),
    "gerbil": (["-v"], r"Gerbil v(\d\S*)"),
    "dotnet-sdk": (["--list-sdks"], r"(?m)\A(?:.*\n)*(\d\S+) \["),
    "mono": (["--version"], r"compiler version (\d\S*)"),
    "nginx": (["-v"], r"nginx/(\d\S*)"),
    "git": (["--version"], r"(\d+\.\d\S*)"),
}
COMMANDS = {"dotnet-sdk": "dotnet", "gerbil": "gxi"}
SBIN = "/usr/local/sbin:/usr/sbin"  # where nginx is, and what Debian leaves out of a user's PATH
PYTHON_PACKAGES = (
    "numpy",
    "scipy",
    "plotly",
    "psutil",
    "ipykernel",
    "ipython",
    "jupyterlab",
    "notebook",
    "nbclient",
    "nbconvert",
)


def command_output(command: Sequence[str], timeout: float = 10) -> str:
    """What a command says about itself, on either stream; empty where it is missing or hangs."""
    try:
        done = run(command, timeout=timeout, env={**dotnet.QUIET, "LC_ALL": "C"})
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return f"{done.stdout}\n{done.stderr}".strip()


def find_command(name: str) -> str | None:
    """The path of a command, on PATH or where a system keeps its servers; None where absent."""
    return shutil.which(name) or shutil.which(name, path=SBIN)


def tool_version(tool: str) -> str | None:
    """The version of a tool on PATH; None where it is absent, "unknown" where it does not tell."""
    programs = {load.name: load.program for load in loadtools.declared().values() if load.program}
    command = {**COMMANDS, **programs}.get(tool, tool)
    version = probed_version(command, probes()[tool])
    if tool == "dotnet-sdk" and version == "unknown":  # a runtime without an SDK lists none
        return None
    return version


def probed_version(command: str, how: tuple[Sequence[str], str]) -> str | None:
    """The version that a command gives; how: its arguments, and where in the output it stands.

    None where it is absent, "unknown" where it does not say.
    """
    path = find_command(command)
    if not path:
        return None
    arguments, pattern = how
    match = re.search(pattern, command_output([path, *arguments]))
    return match[1] if match else "unknown"


def probes() -> dict[str, tuple[Sequence[str], str]]:
    """How each tool gives its version: TOOLS, and the load generators that are commands."""
    loads = loadtools.declared().values()
    return {**TOOLS, **{tool.name: tool.probe for tool in loads if not tool.npm}}


def node_package_versions() -> dict[str, str | None]:
    """The installed versions of the Node.js packages that package.json asks for."""
    found: dict[str, str | None] = {}
    package = json.loads(probe.read(CHECKOUT / "package.json") or "{}")
    wanted = {**package.get("dependencies", {}), **package.get("optionalDependencies", {})}
    for name in sorted(wanted):
        text = probe.read(CHECKOUT / "node_modules" / name / "package.json")
        found[name] = json.loads(text).get("version") if text else None
    return found


def python_package_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


@functools.cache
def all_versions() -> dict[str, Any]:
    """Versions of what takes part in a measurement; asked for once a process, all at once."""
    names = list(probes())
    with ThreadPoolExecutor(len(names)) as pool:
        tools = dict(zip(names, pool.map(tool_version, names), strict=True))
    return {
        "python": platform.python_version(),
        **tools,
        "node_packages": node_package_versions(),
        "python_packages": {name: python_package_version(name) for name in PYTHON_PACKAGES},
    }
