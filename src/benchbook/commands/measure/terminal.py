"""A race in the terminal: one line that updates with the time left, and notes above it."""

import shutil
import sys
import time
from collections.abc import Callable
from contextlib import closing

import click

from benchbook.model.runs import Run
from benchbook.race import turn
from benchbook.race.record import Note, RaceProgress
from benchbook.race.service import Raceable

WIDTH = 24
LOOK_SECONDS = 5.0  # at what the samples say, at most so often
EVERY_SECONDS = 1.0  # a line at most so often where it can't be drawn over


class Terminal:
    """Shows how far a race is. run: the one that was followed last, None before; so_far: what it
    says after a launch, from the second on."""

    def __init__(self, so_far: Callable[[Run], str] | None = None) -> None:
        self.so_far, self.answer, self.looked_at = so_far, "", 0.0
        self.run: Run | None = None
        self.tty = sys.stderr.isatty()
        self.last, self.shown_at = "", 0.0
        self.log = turn.calmly(self.say)

    def say(self, text: str) -> None:
        """What is going on before the race starts."""
        self.clear()
        click.echo(f"… {text}", err=True)

    def wait(self, text: str) -> None:
        """For whom the race waits: in a line that counts down, or in a log once a minute."""
        if self.tty:
            self.draw(text)
        else:
            self.log(text)

    def draw(self, text: str) -> None:
        """A line in the place of the last one."""
        sys.stderr.write(f"\r\x1b[K{text[: shutil.get_terminal_size().columns - 1]}")
        sys.stderr.flush()

    def follow(self, race: Raceable) -> None:
        """Run the race to its end and show how far it is. Raises what its events raise."""
        self.run = race.run
        try:
            # closed at once on Ctrl-C, wherever that strikes: closing ends what the race started
            with closing(race.events()) as events:
                for event in events:
                    if isinstance(event, RaceProgress):
                        turn.expect(event.seconds_left)
                        self.look(race, event.landed)
                    self.show(event)
        finally:
            self.clear()

    def look(self, race: Raceable, landed: int) -> None:
        """From the second launch on, what they say so far goes with the progress."""
        now, samples = time.monotonic(), race.run.samples
        if not self.so_far or not samples or not samples[-1].launch:
            return
        if landed or now - self.looked_at > LOOK_SECONDS:
            self.answer, self.looked_at = self.so_far(race.run), now

    def show(self, event: Note | RaceProgress) -> None:
        if isinstance(event, Note):
            self.clear()
            click.echo(event.text, err=True)
        elif self.tty:
            done = int(WIDTH * event.done / event.total)
            told = f" {event.left}: {self.answer}" if self.answer else f" {event.line}"
            self.draw("█" * done + "░" * (WIDTH - done) + told)
        elif event.doing != self.last and time.monotonic() - self.shown_at > EVERY_SECONDS:
            self.last, self.shown_at = event.doing, time.monotonic()
            click.echo(event.line + (f": {self.answer}" if self.answer else ""), err=True)

    def clear(self) -> None:
        if self.tty:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
