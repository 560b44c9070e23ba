"""`./bench setup`: install what is missing."""

import click

from benchbook.setup import bootstrap
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError


@click.command(
    "setup",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    add_help_option=False,
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Install what is missing; any first command does it, too."""
    if paths.checkout() is None:
        problem = "set-up is of a checkout, and this is an installed package, whose Python has all"
        raise BenchError(problem, "benchbook kernels install makes its kernels ready")
    raise SystemExit(bootstrap.main(list(arguments)))
