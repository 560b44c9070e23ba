"""`./bench room merge`: read attendees' files, print what they say together, write one page."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from benchbook import page, paths, results, room, room_cards
from benchbook.cards import Output
from benchbook.room import Room, Skipped


def merge(places: Sequence[Path], out: Path) -> int:
    """Merge run files; returns the exit code: 0, or 1 where not a single run could be used.

    What is skipped is named with its reason, on stderr and in the page. Raises InputError for a
    path that does not exist.
    """
    rooms, skipped = read(places)
    for each in skipped:
        click.echo(f"bench: skipped: {each.file}: {each.reason}", err=True)
    if not rooms:
        click.echo("bench: no file could be used\n  → give run files of complete races", err=True)
        return 1
    for found in rooms:
        click.echo(f"{room_cards.summary(found).text}\n")
    results.write_atomically(out, render(rooms, skipped))
    click.echo(f"page: {paths.relative(out)}")
    return 0


def read(places: Sequence[Path]) -> tuple[list[Room], list[Skipped]]:
    """The rooms in files and folders, one an experiment, and what was skipped."""
    machines, skipped = room.gather(places)
    rooms, foreign = room.rooms(machines)
    return rooms, skipped + foreign


def shown(rooms: Sequence[Room], skipped: Sequence[Skipped]) -> list[object]:
    """All that a notebook shows of rooms: plots and tables in turn."""
    parts: list[object] = []
    for found in rooms:
        parts += [room_cards.plot(found), room_cards.summary(found)]
    return [*parts, room_cards.skipped(skipped)]


def render(rooms: Sequence[Room], skipped: Sequence[Skipped]) -> str:
    sections = [
        (found.title, [room_cards.plot(found).html(library=False), room_cards.summary(found).html])
        for found in rooms
    ]
    rest: Output = room_cards.skipped(skipped)
    date = f"{datetime.now(UTC).astimezone():%d %B %Y, %H:%M %Z}"
    return page.render_room("Benchbook: the room", date, [*sections, ("Files", [rest.html])])
