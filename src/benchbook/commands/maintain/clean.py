"""`./bench clean`: removes what can be made again."""

import click

from benchbook.system import tidying


@click.command("clean")
@click.option("--versions", is_flag=True, help="Also the versions that were got from npm.")
def command(versions: bool) -> None:
    """Remove what can be made again.

    That is compiled programs and scratch copies; the next race makes what it needs. Runs, reports,
    logs and the environment stay. Not while a race or a notebook is running.
    """
    removed = tidying.remove_made() + (tidying.remove_versions() if versions else 0)
    click.echo(f"removed {removed / 1e6:,.0f} MB")
