"""The command line, `./bench COMMAND`. Exit codes: 0 done, 1 failed, 2 a wrong call, 130 Ctrl-C.

What there is and what it does in a sentence: setup/overview.py. A module of this layer is imported
only when its command is called.
"""

import errno
import importlib
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO, cast

import click

import benchbook
from benchbook.setup import overview
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError, code_after, printable
from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.commands.options import Subcommands

FAULT = "fault.txt"  # the traceback of the last fault of our own
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # a full disk, /dev/full
LIMITS = {
    errno.EMFILE: ("too many open files", "raise the limit: ulimit -n 4096"),
    errno.ENFILE: ("too many open files on this machine", "close other programs"),
    errno.EAGAIN: ("no more processes or threads may be started", "raise the limit: ulimit -u"),
    errno.ENOMEM: ("memory is short", "raise the limit (ulimit -v unlimited), or close programs"),
}


class CommandGroup(Subcommands):
    """Finds a command in the module that has it; turns our errors into a message and exit code."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(overview.COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in overview.COMMANDS:
            return None
        module = importlib.import_module(f"benchbook.commands.{overview.COMMANDS[name][0]}")
        return cast(click.Command, module.command)

    def unknown(self, word: str) -> str:
        return overview.unknown(word)

    def get_help(self, context: click.Context) -> str:
        return overview.text().rstrip()

    def main(self, *args: Any, **more: Any) -> Any:
        with errors_as_messages():
            try:
                return super().main(*args, **more)
            finally:
                sys.stdout.flush()

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except KeyboardInterrupt as interrupt:
            click.echo("interrupted", err=True)
            context.exit(code_after(interrupt))


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Our errors, and those of the system that name a file or a limit, as a message; then exit."""
    try:
        yield
    except BenchError as error:
        leave(str(error), error.exit_code)
    except BrokenPipeError:
        leave_unwritten(sys.stdout)
        sys.exit(1)
    except shutil.Error as error:  # of a copied folder: a tuple for each file that wasn't
        *_, target, why = error.args[0][0]
        leave(printable(f"{target}: {why}"))
    except MemoryError:
        leave("{}\n  → {}".format(*LIMITS[errno.ENOMEM]))
    except OSError as error:
        if error.errno in LIMITS:
            leave("{}\n  → {}".format(*LIMITS[error.errno]))
        if error.filename is not None:
            leave(printable(f"{error.filename}: {error.strerror}"))
        if error.errno not in NO_ROOM:
            leave(our_fault(error))
        leave_unwritten(sys.stdout)
        leave(f"the output can't be written: {error.strerror}")
    except Exception as error:
        if str(error) == "can't start new thread":
            leave("{}\n  → {}".format(*LIMITS[errno.EAGAIN]))
        leave(our_fault(error))


def our_fault(error: Exception) -> str:
    """What nobody foresaw: said in a sentence, and kept whole in a file for whoever mends it."""
    what = printable(f"{type(error).__name__}: {error}".splitlines()[0])
    log = paths.state() / FAULT
    try:
        write_atomically(log, traceback.format_exc())
        remedy = f"report it, with {paths.relative(log)}"
    except OSError:
        remedy = "report it"
    return f"a fault of Benchbook's own ({what})\n  → {remedy}"


def leave(message: str, code: int = 1) -> NoReturn:
    click.echo(f"bench: {message}", err=True)
    sys.exit(code)


def leave_unwritten(stream: TextIO) -> None:
    """What is still in a stream's buffer goes nowhere, without a complaint at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(benchbook.__version__, prog_name="bench")
def main() -> None:
    """Benchbook: take a benchmark finding from a blog, run its code, get an honest verdict."""
    try:
        os.getcwd()
    except OSError:
        raise InputError("the current folder", "", "is gone", "cd to one that is there") from None
    if paths.outside():  # kernels run in other folders
        os.environ[paths.PATH] = os.pathsep.join(map(str, paths.outside()))
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), interrupt)


def interrupt(number: int, _frame: object) -> None:
    """Being asked to end is treated as Ctrl-C: what is there is kept, what runs is ended."""
    raise KeyboardInterrupt(number)
