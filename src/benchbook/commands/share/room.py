"""`./bench room`: many machines on one figure, and what their readers guessed."""

from collections.abc import Callable
from pathlib import Path

import click

from benchbook.commands.options import in_folder
from benchbook_kernels.commands.options import NamedPlace, Subcommands


def of_many(page: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Lets a command take the files of many machines, and say where the page of them goes."""

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        out = click.option(
            "--out",
            type=NamedPlace("file"),
            default=Path(page),
            show_default=True,
            help="The page with the plots.",
        )
        many = NamedPlace(anyhow=True)
        places = click.argument("places", nargs=-1, required=True, metavar="DIR|FILE…", type=many)
        return places(in_folder(out(function)))

    return decorated


@click.group("room", cls=Subcommands)
def command() -> None:
    """Pool the run files of many machines on one figure."""


@command.command()
@of_many("room.html")
def merge(places: tuple[Path, ...], out: Path) -> None:
    """Pool run files (or files of `bench share`): everyone's ratios, and does the room agree?

    With --in, those of the experiments in that folder. Files that can't be used are named and
    skipped; the exit code is 1 only where none is left, and 2 where nothing that was named exists.
    """
    from benchbook.show import room_page  # here: help needs none of it

    raise SystemExit(room_page.merge(places, out))


@command.command()
@of_many("guesses.html")
def guesses(places: tuple[Path, ...], out: Path) -> None:
    """Draw a room's guesses (files of `bench share`), before it raced and after.

    Files that can't be used are named and skipped; the exit code is 1 only where none is left, and
    2 where nothing that was named exists.
    """
    from benchbook.notebook.quiz import room_guesses  # here: help needs none of it

    raise SystemExit(room_guesses.write(places, out))
