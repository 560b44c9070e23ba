"""`benchbook-kernels`, the command line of the kernels where they are installed alone."""

import sys

import click

import benchbook_kernels
from benchbook_kernels.base.errors import BenchError, printable
from benchbook_kernels.commands import convert, kernels
from benchbook_kernels.commands.options import Subcommands


@click.group(cls=Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(benchbook_kernels.__version__, prog_name="benchbook-kernels")
def group() -> None:
    """Jupyter kernels for C# and Node.js, and for notebooks of .NET Interactive."""


group.add_command(kernels.install)
group.add_command(kernels.remove, "uninstall")
group.add_command(kernels.listing)
group.add_command(convert.command)


def main() -> None:
    """The console script: an error is a message and an exit code, 1 or 2, and no traceback."""
    try:
        group.main(prog_name="benchbook-kernels")
    except BenchError as error:
        click.echo(f"benchbook-kernels: {error}", err=True)
        sys.exit(error.exit_code)
    except OSError as error:
        if error.filename is None:
            raise
        click.echo(printable(f"benchbook-kernels: {error.filename}: {error.strerror}"), err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
