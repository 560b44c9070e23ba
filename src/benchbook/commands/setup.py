"""`./bench setup`: install what is missing."""

import click

from benchbook.commands import without_checkout
from benchbook.setup import bootstrap
from benchbook.system import paths


@click.command(
    "setup",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    add_help_option=False,
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Install what is missing (the first call of any command does it, too)."""
    if paths.checkout() is None:
        raise SystemExit(without_checkout.set_up(arguments))
    raise SystemExit(bootstrap.main(list(arguments)))
