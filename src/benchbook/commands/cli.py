"""The command line, `./bench COMMAND`: exit code 0 done, 1 the work failed, 2 a wrong call."""

import errno
import importlib
import os
import shutil
import signal
import sys
from typing import Any, TextIO, cast

import click

import benchbook
from benchbook.system.errors import BenchError, InputError, printable

# The commands in the order in which people meet them, each with the module that has it as its
# `command`. A module is imported only when its command is called or listed.
COMMANDS = {
    "setup": "setup",
    "doctor": "diagnosis",
    "list": "listing",
    "lab": "lab",
    "race": "race",
    "run": "run",
    "report": "report",
    "page": "page",
    "share": "share",
    "room": "room",
    "export": "export",
    "export-crank": "crank",
    "kernels": "kernels",
    "convert": "convert",
    "bundle": "bundle",
    "selfcheck": "selfcheck",
    "clean": "clean",
    "test": "test",
}

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # a full disk, /dev/full


class Commands(click.Group):
    """Finds a command in the module that has it; turns our errors into a message and exit code."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"benchbook.commands.{COMMANDS[name]}")
        return cast(click.Command, module.command)

    def invoke(self, context: click.Context) -> Any:
        try:
            found = super().invoke(context)
            sys.stdout.flush()
            return found
        except BenchError as error:
            click.echo(f"bench: {error}", err=True)
            context.exit(error.exit_code)
        except BrokenPipeError:
            leave_unwritten(sys.stdout)
            context.exit(1)
        except shutil.Error as error:  # of a copied folder: a tuple for each file that wasn't
            *_, target, why = error.args[0][0]
            click.echo(f"bench: {printable(f'{target}: {why}')}", err=True)
            context.exit(1)
        except OSError as error:
            if not error.filename and error.errno not in NO_ROOM:
                raise
            what = error.filename or "the output can't be written"
            if not error.filename:
                leave_unwritten(sys.stdout)
            click.echo(f"bench: {printable(str(what))}: {error.strerror}", err=True)
            context.exit(1)


def leave_unwritten(stream: TextIO) -> None:
    """What is still in a stream's buffer goes nowhere, without a complaint at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(benchbook.__version__, prog_name="bench")
def main() -> None:
    """Benchbook: take a benchmark finding from a blog, run its code, get an honest verdict."""
    try:
        os.getcwd()
    except OSError:
        raise InputError("the current folder", "", "is gone", "cd to one that is there") from None
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), interrupt)


def interrupt(_number: int, _frame: object) -> None:
    """Being asked to end is treated as Ctrl-C: what is there is kept, what runs is ended."""
    raise KeyboardInterrupt
