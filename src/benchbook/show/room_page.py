"""`./bench room merge`: reads attendees' files, prints what they say together, writes one page."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from benchbook.analysis import room
from benchbook.analysis.gathering import Skipped, gather
from benchbook.analysis.room import Room
from benchbook.setup.files import write_atomically
from benchbook.show import page, room_cards
from benchbook.show.figures.room import room_figure
from benchbook.system import paths
from benchbook.system.errors import printable


def merge(places: Sequence[Path], out: Path) -> int:
    """Merge run files; returns the exit code: 0, or 1 where not a single run could be used.

    What is skipped is named with its reason, on stderr and in the page. Raises InputError for a
    path that does not exist.
    """
    rooms, skipped = gather_rooms(places)
    for each in skipped:
        click.echo(f"bench: skipped: {each.file}: {each.reason}", err=True)
    if not rooms:
        named = printable(", ".join(map(str, places)))
        click.echo(f"bench: {named}: none of the files could be used", err=True)
        click.echo("  → give run files of complete races", err=True)
        return 1
    for found in rooms:
        click.echo(f"{room_cards.summary(found).text}\n")
    write_atomically(out, render(rooms, skipped))
    click.echo(f"page: {paths.relative(out)}")
    return 0


def gather_rooms(places: Sequence[Path]) -> tuple[list[Room], list[Skipped]]:
    """The rooms in files and folders, one for each experiment, and what was skipped."""
    machines, skipped = gather(places)
    rooms, foreign = room.rooms(machines)
    return rooms, skipped + foreign


def outputs(rooms: Sequence[Room], skipped: Sequence[Skipped]) -> list[object]:
    """All that a notebook shows of rooms: plots and tables in turn."""
    parts: list[object] = []
    for found in rooms:
        parts += [room_figure(found), room_cards.summary(found)]
    return [*parts, room_cards.skipped_table(skipped)]


def render(rooms: Sequence[Room], skipped: Sequence[Skipped]) -> str:
    """The page of these rooms, as HTML."""
    sections = [
        (found.title, [room_figure(found).html(), room_cards.summary(found).html])
        for found in rooms
    ]
    files = ("Files", [room_cards.skipped_table(skipped).html])
    date = f"{datetime.now(UTC).astimezone():%d %B %Y, %H:%M %Z}"
    return page.render_room("Benchbook: the room", date, [*sections, files])
