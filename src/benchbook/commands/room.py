"""`./bench room merge`: many machines on one figure."""

from pathlib import Path

import click

from benchbook.show import room_page


@click.group("room")
def command() -> None:
    """Many machines together: attendees' run files on one figure."""


@command.command()
@click.argument(
    "places", nargs=-1, required=True, metavar="DIR|FILE…", type=click.Path(path_type=Path)
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("room.html"),
    show_default=True,
    help="The page with the plots.",
)
def merge(places: tuple[Path, ...], out: Path) -> None:
    """Pool run files (or files of `bench share`): everyone's ratios, and does the room agree?

    Files that can't be used are named and skipped; the exit code is 1 only where none is left.
    """
    raise SystemExit(room_page.merge(places, out))
