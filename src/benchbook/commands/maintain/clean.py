"""`./bench clean`: removes what can be made again."""

import click

from benchbook.system import tidying


@click.command("clean")
def command() -> None:
    """Remove what can be made again.

    That is compiled programs and scratch copies; the next race makes what it needs. Runs, reports,
    logs and the environment stay. Not while a race or a notebook is running.
    """
    click.echo(f"removed {tidying.remove_made() / 1e6:,.0f} MB")
