"""A pytest plugin: .NET programs are compiled by one server for the whole run; and when a whole run
begins, those of all experiments are built.

A compiler that has just begun takes two seconds of CPU time for each program, as much as all else
of its build. One after the other, each for the first test that needs it, the experiments' programs
take six times as long as at once.
"""

import os
import secrets
import shutil
import sys
from pathlib import Path

import pytest

import leftovers
from benchbook_kernels.base import builds, kept_builds
from benchbook_kernels.base.processes import Keeper, Process

BUILD = """
from benchbook.model import experiments
from benchbook.programs import readiness

every = [variant for each in experiments.load_all() for variant in each.variants]
readiness.look_for_packages(every)
readiness.build_together([v for v in every if not readiness.lacking(v)], lambda _: None)
"""
SERVE = 'while :; do dotnet "$1" "-pipename:$2"; sleep 1; done'  # it ends by itself after a while
COMPILER = pytest.StashKey[Process]()


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    if leftovers.KEEPER not in config.stash or config.getoption("collectonly"):
        return
    if not config.getoption("fast"):
        keeper = config.stash[leftovers.KEEPER]
        serve_compiler(config, keeper)
        if config.args == config.getini("testpaths"):
            nowhere = {kept_builds.VARIABLE: ""}
            keeper.start([sys.executable, "-c", BUILD], env=nowhere, stderr=2)


def serve_compiler(config: pytest.Config, keeper: Keeper) -> None:
    """Start a compiler server, which all builds of the run will use. Where there is none, each
    compiles for itself, as it does for people."""
    dotnet, shell = shutil.which("dotnet"), shutil.which("sh")
    if not dotnet or not shell:
        return
    sdk = Path(dotnet).resolve().parent / "sdk" / builds.dotnet_version()
    server = sdk / "Roslyn" / "bincore" / "VBCSCompiler.dll"
    if server.is_file():
        name = f"benchbook-tests-{secrets.token_hex(8)}"
        keeper.remove(builds.compiler_socket(name))
        config.stash[COMPILER] = keeper.start(
            [shell, "-c", SERVE, shell, str(server), name],
            env=builds.SHORT_LIVED | {"DOTNET_EnableDiagnostics": "0"},
        )
        os.environ[builds.COMPILER] = name


def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if COMPILER in config.stash:
        keeper = config.stash[leftovers.KEEPER]
        keeper.end(config.stash[COMPILER])
        shutil.rmtree(keeper.folder / "VBCSCompiler", ignore_errors=True)
