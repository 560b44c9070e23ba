"""A race in the terminal: a line with the time left, one for each statement, and notes above them.

Where lines can't be drawn over, as in a log, a statement has its line when it gets a verdict.
"""

import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing

import click

from benchbook.analysis.judging import verdicts
from benchbook.analysis.judging.judge import Results
from benchbook.analysis.judging.so_far import SoFar
from benchbook.model.runs import Run
from benchbook.race import turn
from benchbook.race.record import Note, RaceProgress
from benchbook.race.service import Raceable
from benchbook.show.cards.live_cards import StatementLine, statement_lines, texts
from benchbook.show.wording import marked

WIDTH = 24
EVERY_SECONDS = 1.0  # a line at most so often where it can't be drawn over
REDRAWN_SECONDS = 0.1  # at most so often where it can
NOT_SAID = marked(verdicts.NOT_YET)


class Terminal:
    """Shows how far a race is. run: the one that was followed last, None before; judged: what it
    says, None where it has no statements; height: lines that are drawn over next, below the first.
    """

    def __init__(self, judged: Callable[[Run], Results] | None = None) -> None:
        self.so_far = SoFar(judged) if judged else None
        self.lines: Mapping[str, StatementLine] = {}
        self.run: Run | None = None
        self.tty = sys.stderr.isatty()
        self.last, self.shown_at, self.height = "", 0.0, 0
        self.log = turn.calmly(self.say)

    def say(self, text: str) -> None:
        """What is going on before the race starts."""
        self.clear()
        click.echo(f"… {text}", err=True)

    def wait(self, text: str) -> None:
        """For whom the race waits: in a line that counts down, or in a log once a minute."""
        if self.tty:
            self.draw([text])
        else:
            self.log(text)

    def draw(self, lines: Sequence[str]) -> None:
        """Lines in the place of the last ones, each cut where the terminal ends."""
        size = shutil.get_terminal_size()
        room = max(2, size.lines - 2)
        if len(lines) > room:
            lines = [*lines[: room - 1], f"and {len(lines) - room + 1} more"]
        self.erase()
        sys.stderr.write("\n".join(line[: size.columns - 1] for line in lines))
        sys.stderr.flush()
        self.height = len(lines) - 1

    def erase(self) -> None:
        up = f"\x1b[{self.height}A\x1b[J" if self.height else "\x1b[K"
        sys.stderr.write(f"\r{up}")
        self.height = 0

    def follow(self, race: Raceable) -> None:
        """Run the race to its end and show how far it is. Raises what its events raise."""
        self.run = race.run
        try:
            # closed at once on Ctrl-C, wherever that strikes: closing ends what the race started
            with closing(race.events()) as events:
                for event in events:
                    if isinstance(event, RaceProgress):
                        turn.expect(event.seconds_left)
                        if self.so_far:
                            self.so_far.look(race.run, self.tell, event.landed, event.between)
                    self.show(event)
        finally:
            self.clear()

    def tell(self, found: Results) -> None:
        """What the race says so far: with the next line, or what is decided now."""
        before, self.lines = self.lines, statement_lines(found)
        self.shown_at = 0.0
        if self.tty:
            return
        for name, line in self.lines.items():
            said = before[name].word if name in before else NOT_SAID
            if line.word not in (said, NOT_SAID):
                click.echo(texts([line])[0], err=True)

    def show(self, event: Note | RaceProgress) -> None:
        now = time.monotonic()
        if isinstance(event, Note):
            self.clear()
            click.echo(event.text, err=True)
        elif self.tty and now - self.shown_at > REDRAWN_SECONDS:
            self.shown_at = now
            done = int(WIDTH * event.done / event.total)
            bar = "█" * done + "░" * (WIDTH - done) + f" {event.line}"
            self.draw([bar, *texts(list(self.lines.values()))])
        elif not self.tty and event.doing != self.last and now - self.shown_at > EVERY_SECONDS:
            self.last, self.shown_at = event.doing, now
            click.echo(event.line, err=True)

    def clear(self) -> None:
        if self.tty:
            self.erase()
            sys.stderr.flush()
