"""`./bench room`: many machines on one figure, what their readers guessed, a page that grows."""

from collections.abc import Callable
from pathlib import Path

import click

from benchbook.commands.options import in_folder
from benchbook_kernels.base.words import counted
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


@command.command()
@click.argument("folder", type=NamedPlace("folder"))
@in_folder
@click.option(
    "--listen",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="This machine's address in the class's network; without it nobody else gets in.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=8899, show_default=True)
@click.option("--code", default="", help="The room code (default: last time's, or a new one).")
def serve(folder: Path, listen: str, port: int, code: str) -> None:
    """Take what a class shares (`bench share --to`), and show its page, which grows.

    Files go to FOLDER, where the other `bench room` commands find them. It is served until Ctrl-C.
    """
    import asyncio

    from benchbook.load import load_from
    from benchbook.notebook.classroom import members, serving  # here: help needs none of it
    from benchbook.notebook.classroom.sending import RoomAddress

    with members.opened(folder, code) as room:

        def ready(bound: int) -> None:
            hosts = load_from.own_addresses() if listen in ("0.0.0.0", "::") else [listen]
            for address in (RoomAddress(host, bound, room.code).text for host in hosts):
                click.echo(f"page: {address}  (end it with Ctrl-C)")
                click.echo(f"each attendee: ./bench share --to {address}")
            if listen == "127.0.0.1":
                click.echo("only this machine gets in: --listen ADDRESS lets the class in")

        try:
            asyncio.run(serving.serve(room, listen, port, ready, click.echo))
        except KeyboardInterrupt:  # where the system has no better way to end
            pass
        click.echo(f"ended: {counted(sum(room.files.values()), 'file')} in {folder}", err=True)
