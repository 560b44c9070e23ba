"""A race in the terminal: one line that updates with the time left, and notes above it."""

import sys
import time
from collections.abc import Iterator
from contextlib import closing

import click

from benchbook.race import Event, Note, Progress, Race

WIDTH = 24


def show(race: Race) -> None:
    """Run the race to its end and show how far it is. Raises what Race.events raises."""
    tty = sys.stderr.isatty()
    try:
        # closed at once on Ctrl-C, wherever that strikes: closing ends what the race started
        with closing(race.events()) as events:
            follow(events, tty)
    finally:
        clear(tty)


def follow(events: Iterator[Event], tty: bool) -> None:
    last, shown_at = "", 0.0
    for event in events:
        if isinstance(event, Note):
            clear(tty)
            click.echo(event.text, err=True)
        elif tty:
            draw(event)
        elif event.doing != last and time.monotonic() - shown_at > 1:
            last, shown_at = event.doing, time.monotonic()
            click.echo(f"{event.done}/{event.total} {event.doing}, {left(event)}", err=True)


def draw(event: Progress) -> None:
    done = int(WIDTH * event.done / event.total)
    bar = "█" * done + "░" * (WIDTH - done)
    sys.stderr.write(f"\r\x1b[K{bar} {event.done}/{event.total} {event.doing}, {left(event)}")
    sys.stderr.flush()


def clear(tty: bool) -> None:
    if tty:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def left(event: Progress) -> str:
    """The time left in words: about 1 min 20 s."""
    minutes, seconds = divmod(round(event.seconds_left), 60)
    return f"about {minutes} min {seconds} s left" if minutes else f"about {seconds} s left"
