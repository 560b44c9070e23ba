"""One set-up from start to end, of which only one at a time runs in a checkout."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from benchbook.setup import bundle, git_filter, steps
from benchbook.setup.package import (
    build_csharp,
    check_dotnet,
    install_kernelspecs,
    link_package,
    restore_interactive,
)
from benchbook.setup.record import checksums, inputs, is_ready, read_ready, route_taken
from benchbook.setup.routes.routes import choose_route
from benchbook.setup.routes.venv import link_conda
from benchbook.setup.steps import Environment, Setup, SetupError, SetupOptions, search_path
from benchbook.setup.tools.node import ensure_node, install_node_packages, lock_digest
from benchbook.setup.tools.tools import install_tools
from benchbook_kernels.base.files import check_folder, lock, write_atomically
from benchbook_kernels.base.platforms import WINDOWS


@contextlib.contextmanager
def locked(setup: Setup, patience_seconds: float = 1800) -> Iterator[bool]:
    """Only one set-up at a time in a checkout; another one waits. Yields whether it had to."""
    waited = False

    def waiting() -> None:
        nonlocal waited
        waited = True
        setup.say("another set-up is running here (or what it started); waiting for it …")

    path = setup.state / "setup.lock"
    with contextlib.ExitStack() as held:
        try:
            setup.lock_fd = held.enter_context(lock(path, patience_seconds, waiting))
        except TimeoutError:
            raise SetupError(
                f"another set-up has held {path} for {patience_seconds / 60:.0f} minutes",
                "end it, then call ./bench setup again",
            ) from None
        try:
            yield waited
        finally:
            setup.lock_fd = None


def set_up(root: Path, options: SetupOptions) -> Environment:
    """Bring the environment into being, or in step with what it is made from."""
    setup = Setup(root, options)
    try:
        check_folder(setup.state)
        with (setup.state / "setup.lock").open("a"):
            pass
    except OSError as error:
        raise SetupError(
            f"{setup.state} cannot be written: {error.strerror}",
            steps.to_write_there(error, root),
        ) from error
    with locked(setup) as waited:
        ready = read_ready(root) if waited and is_ready(root) else None
        if ready and not options.route and not wants_more(options):
            return Environment(route_taken(root)[0], Path(ready.python), "")
        stick = None
        if options.bundle:
            setup.say("Checking the bundle …")
            stick = bundle.open_bundle(Path(options.bundle), lock_digest(root))
        setup.log.write_text(time.strftime("Set-up of %Y-%m-%d %H:%M:%S\n"), encoding="utf-8")
        made_from = checksums(root)
        setup.say(f"Setting up Benchbook (log: {setup.log})")
        start = time.monotonic()
        try:
            if stick:
                options.route = options.route or stick.route
                with bundle.in_use(setup, stick):
                    environment = make_environment(setup, stick)
            else:
                environment = make_environment(setup)
        except BaseException as error:
            (setup.state / "ready").unlink(missing_ok=True)
            setup.write_log(f"stopped: {type(error).__name__}: {error}")
            raise
        write_record(setup, environment, made_from)
        shutil.rmtree(setup.state / "venv", ignore_errors=True)  # where it was before .venv
        for note in setup.notes:
            setup.say(f"  note: {note}")
        setup.say(f"Set up by route {environment.route} in {time.monotonic() - start:.0f} s.")
        return environment


def write_record(setup: Setup, environment: Environment, made_from: str) -> None:
    """Keep what was made and from what, for the launcher and the next set-up: the very last act."""
    record = {"route": environment.route, "why": environment.why}
    write_atomically(setup.state / "route.json", json.dumps(record, indent=2) + "\n")
    lines = [
        str(setup.root),
        str(environment.python),
        os.pathsep.join(map(str, environment.path)),
        environment.dotnet_root,
        " ".join(inputs()),
        made_from,
    ]
    write_atomically(setup.state / "ready", "\n".join(lines) + "\n")


def make_environment(setup: Setup, stick: bundle.Bundle | None = None) -> Environment:
    """Every step, by the route that was asked for or the first that works."""
    environment = choose_route(setup)
    if environment.route == "conda" and not WINDOWS:
        link_conda(setup, environment.python.parents[1])
    link_package(setup, environment)
    ensure_node(setup, environment)
    install_node_packages(setup, environment)
    install_tools(setup, environment)
    install_kernelspecs(setup, environment)
    if setup.options.git_filter is not None:
        git_filter.switch(setup, environment, setup.options.git_filter)
    if check_dotnet(setup, environment):
        if stick:
            dotnet = shutil.which("dotnet", path=search_path(environment))
            bundle.unpack_nuget(setup, stick, dotnet or "dotnet")
        build_csharp(setup, environment)
        restore_interactive(setup, environment)
    return environment


def wants_more(options: SetupOptions) -> bool:
    extra = (options.with_browser, options.with_lint, options.with_tests, bool(options.bundle))
    return any(extra) or options.git_filter is not None
