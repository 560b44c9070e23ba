"""`./bench room`: many machines on one figure, and what their readers guessed."""

from pathlib import Path

import click

from benchbook.commands.options import in_folder
from benchbook_kernels.commands.options import NamedPlace, Subcommands


@click.group("room", cls=Subcommands)
def command() -> None:
    """Pool the run files of many machines on one figure."""


@command.command()
@click.argument(
    "places", nargs=-1, required=True, metavar="DIR|FILE…", type=NamedPlace(anyhow=True)
)
@in_folder
@click.option(
    "--out",
    type=NamedPlace("file"),
    default=Path("room.html"),
    show_default=True,
    help="The page with the plots.",
)
def merge(places: tuple[Path, ...], out: Path) -> None:
    """Pool run files (or files of `bench share`): everyone's ratios, and does the room agree?

    With --in, those of the experiments in that folder. Files that can't be used are named and
    skipped; the exit code is 1 only where none is left, and 2 where nothing that was named exists.
    """
    from benchbook.show import room_page  # here: help needs none of it

    raise SystemExit(room_page.merge(places, out))


@command.command()
@click.argument(
    "places", nargs=-1, required=True, metavar="DIR|FILE…", type=NamedPlace(anyhow=True)
)
@in_folder
@click.option(
    "--out",
    type=NamedPlace("file"),
    default=Path("guesses.html"),
    show_default=True,
    help="The page with the plots.",
)
def guesses(places: tuple[Path, ...], out: Path) -> None:
    """Draw a room's guesses (files of `bench share`), before it raced and after.

    Files that can't be used are named and skipped; the exit code is 1 only where none is left, and
    2 where nothing that was named exists.
    """
    from benchbook.notebook.quiz import room_guesses  # here: help needs none of it

    raise SystemExit(room_guesses.write(places, out))
