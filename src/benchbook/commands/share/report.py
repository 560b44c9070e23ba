"""`./bench report`: a static site of what was run."""

from pathlib import Path

import click

from benchbook.commands.options import in_folder
from benchbook.system import paths
from benchbook_kernels.commands.options import NamedPlace


@click.command("report")
@in_folder
@click.option(
    "--out",
    type=NamedPlace("folder"),
    help="The folder of the site (default: .benchbook/site).",
)
@click.option(
    "--executed",
    type=NamedPlace("folder", exists=True),
    help="Where `bench run` wrote executed notebooks (default: .benchbook/report).",
)
def command(out: Path | None, executed: Path | None) -> None:
    """Write a static site of what was run.

    It has the scoreboard, the executed notebooks, the run files and the machine, and opens from
    disk with no network. It executes nothing: `bench run` does that before.
    """
    from benchbook.notebook import site  # here: help needs none of it

    state = paths.state()
    site.write(out or state / "site", executed or state / "report")
