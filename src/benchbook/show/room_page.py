"""`./bench room merge`: reads attendees' files, prints what they say together, writes one page."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from benchbook.analysis.pooled import room
from benchbook.analysis.pooled.gathering import Skipped, gather
from benchbook.analysis.pooled.room import Room
from benchbook.model import experiments
from benchbook.model.naming import name_of
from benchbook.show import markup, page
from benchbook.show.cards import room_cards
from benchbook.show.figures.room import room_figure
from benchbook.show.markup import Output
from benchbook.system import paths
from benchbook_kernels.base.errors import printable
from benchbook_kernels.base.files import write_atomically


def merge(places: Sequence[Path], out: Path) -> int:
    """Merge run files; returns the exit code: 0, or 1 where not a single run could be used.

    What is skipped is named with its reason, on stderr and in the page. Raises InputError
    where nothing that is named exists.
    """
    rooms, skipped = gather_rooms(places)
    for each in skipped:
        click.echo(f"bench: skipped: {each.file}: {each.reason}", err=True)
    if not rooms:
        named = printable(", ".join(map(str, places)))
        click.echo(f"bench: {named}: none of the files could be used", err=True)
        click.echo("  → give run files of complete races", err=True)
        return 1
    for part in summaries(rooms):
        click.echo(f"{part.text}\n")
    write_atomically(out, render(rooms, skipped))
    click.echo(f"page: {paths.relative(out)}")
    return 0


def gather_rooms(places: Sequence[Path]) -> tuple[list[Room], list[Skipped]]:
    """The rooms in files and folders, one for each experiment, and what was skipped."""
    machines, skipped = gather(places)
    if folder := paths.only():
        known = {name_of(each.resolve()) for each in experiments.folders()}
        why = f"is of no experiment in {paths.relative(folder)}"
        others = [each for each in machines if each.run.experiment.name not in known]
        machines = [each for each in machines if each.run.experiment.name in known]
        skipped += [Skipped(each.file, why) for each in others]
    rooms, foreign = room.rooms(machines)
    return rooms, skipped + foreign


def pooled(rooms: Sequence[Room]) -> list[Room]:
    """Those of several machines: one has nothing to be drawn beside it."""
    return [found for found in rooms if len(found.machines) > 1]


def summaries(rooms: Sequence[Room]) -> list[Output]:
    """What there is to read: the rooms, how they were pooled, and what is no room."""
    several = pooled(rooms)
    return [*map(room_cards.summary, several), *ends(rooms)]


def ends(rooms: Sequence[Room]) -> list[Output]:
    """What is told once, after all rooms."""
    single = [found for found in rooms if len(found.machines) == 1]
    method = [markup.paragraph(room_cards.METHOD)] if len(single) < len(rooms) else []
    return [*method, *([room_cards.alone(single)] if single else [])]


def outputs(rooms: Sequence[Room], skipped: Sequence[Skipped]) -> list[object]:
    """All that a notebook shows of rooms: plots and tables in turn."""
    parts: list[object] = []
    for found in pooled(rooms):
        parts += [room_figure(found), room_cards.summary(found)]
    return [*parts, *ends(rooms), room_cards.skipped_table(skipped)]


def render(rooms: Sequence[Room], skipped: Sequence[Skipped]) -> str:
    """The page of these rooms, as HTML."""
    sections = [
        (found.title, [room_figure(found).html(), room_cards.summary(found).html])
        for found in pooled(rooms)
    ]
    told = [*ends(rooms), room_cards.skipped_table(skipped)]
    files = ("Files", [part.html for part in told])
    date = f"{datetime.now(UTC).astimezone():%d %B %Y, %H:%M %Z}"
    return page.render_room("Benchbook: the room", date, [*sections, files])
