"""`./bench test`: the project's own tests, at once where pytest-xdist is there."""

import os
import re
import signal
import subprocess
import sys
from importlib.util import find_spec

import click

from benchbook.setup import bootstrap
from benchbook.system import paths, versions
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.processes import Keeper

FAULTS = 500
FAULTS_VARIABLE = "BENCHBOOK_FAULTS"  # read by tests/faults/conftest.py
GOODBYE_SECONDS = 60  # what pytest gets to end its tests and to print its summary
WRONG_CALL = 4  # as pytest has it
HANGS_SECONDS = 900  # a test that takes longer than this never ends
# With these a person looks at one test, or at none: no workers.
ALONE = (
    *("-n", "--numprocesses", "--dist", "-s", "--capture", "--pdb", "--trace"),
    *("--co", "-h", "--help", "--version", "--markers", "--fixtures"),
)


@click.command(
    "test",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    add_help_option=False,
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Run the project's own tests.

    --fast leaves out what is slow; other options go to pytest.
    --faults instead: 500 things that go wrong (--faults=N: so many), and a table of what happened.
    Gets a browser, sshd and pytest-xdist where they are missing and can be had.
    """
    paths.need_checkout()
    get_missing(fast="--fast" in arguments)
    arguments = campaign(arguments)
    code = run([sys.executable, "-m", "pytest", *options(arguments), *arguments])
    raise SystemExit(2 if code == WRONG_CALL else code)


def campaign(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments of pytest, and its environment, where --faults is among them."""
    asked = [each for each in arguments if re.fullmatch(r"--faults(=\d+)?", each)]
    if not asked:
        return arguments
    if not find_spec("hypothesis") and bootstrap.main(["--with-tests"]):
        raise BenchError("the faults need Hypothesis", "pip install hypothesis")
    os.environ[FAULTS_VARIABLE] = asked[-1].partition("=")[2] or str(FAULTS)
    return ("tests/faults", *(each for each in arguments if each not in asked))


def get_missing(fast: bool) -> None:
    """Install what tests need and this machine lacks; the fast ones need no browser."""
    from benchbook.programs import browser  # here: help needs none of it

    wanted = [] if fast or browser.find() else ["--with-browser"]
    if sys.platform == "linux" and not versions.find_command("sshd"):
        wanted.append("--with-tests")
    if wanted and bootstrap.main(wanted):
        click.echo("bench: tests that need what is missing will fail and say so", err=True)


def options(arguments: tuple[str, ...]) -> list[str]:
    """pytest's options that nobody gave: how many workers, and when a test hangs."""
    made = []
    if find_spec("pytest_timeout") and not any(a.startswith("--timeout") for a in arguments):
        made.append(f"--timeout={HANGS_SECONDS}")
    alone = any(a.startswith(ALONE) or "::" in a for a in arguments)
    if find_spec("xdist") and not alone:
        workers = max(2, min(os.cpu_count() or 2, 4))
        made += ["-n", str(workers), "--dist", "loadgroup"]
    return made


def run(arguments: list[str]) -> int:
    """Run pytest until it ends, or is interrupted; the exit code. No process of it stays."""
    # a shell that runs this in the background has it ignored, and all that tests start as well
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with Keeper() as keeper:
        process = keeper.start(arguments, cwd=paths.root(), stdin=0, stdout=1, stderr=2)
        try:
            return process.wait()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGINT)
            try:
                process.wait(GOODBYE_SECONDS)
            except subprocess.TimeoutExpired:
                click.echo("bench: pytest does not end, so it is ended", err=True)
            return 130
