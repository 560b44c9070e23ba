"""A race in a notebook: one output that updates in place, and ends as a summary."""

import html
import time
from collections.abc import Callable
from contextlib import closing

from IPython.display import display

from benchbook.model.runs import Run
from benchbook.race import turn
from benchbook.race.record import Note, RaceProgress
from benchbook.race.service import Raceable
from benchbook.show import markup
from benchbook.show.cards import race_cards, replay_cards
from benchbook.show.markup import Output
from benchbook.system import paths
from benchbook_kernels.base.words import counted

EVERY_SECONDS = 0.3  # front ends redraw no faster than this


class ProgressBlock:
    """Follows a race's events and shows them in a single updatable display.

    hint: what to do where this stands still, because the page was loaded anew or the kernel ended.
    """

    hint = ""

    def __init__(self) -> None:
        self.race: Raceable | None = None  # once it goes on
        self.notes: list[str] = []
        self.lines: Output | None = None  # what the race says so far
        self.drawn_at = 0.0
        self.handle = display(self.drawn(0, 1, "starting"), display_id=True)

    def say(self, text: str) -> None:
        """What is going on before the race can start."""
        self.handle.update(self.drawn(0, 1, text))

    wait = say  # for whom the race waits, again and again with the time left

    def follow(self, race: Raceable, kept: Callable[[], Output] | None = None) -> None:
        """Run the race; an interrupt leaves in the block's place what `kept` gives.

        That is the race's headline where it is not given.

        Raises what its events raise.
        """
        self.race = race
        try:
            # closed at once on an interrupt: a traceback that IPython keeps would keep it running
            with closing(race.events()) as events:
                for event in events:
                    if isinstance(event, Note):
                        self.notes.append(event.text)
                        continue
                    self.look(race, event)
                    turn.expect(event.seconds_left)
                    if time.monotonic() - self.drawn_at > EVERY_SECONDS:
                        self.drawn_at = time.monotonic()
                        self.handle.update(self.drawn(event.done, event.total, event.line))
        except KeyboardInterrupt:
            self.finish(kept() if kept else headline(race.run))
            raise

    def look(self, race: Raceable, event: RaceProgress) -> None:
        """Called before the race goes on, again and again: what does it say so far?"""

    def finish(self, output: Output) -> None:
        """Put this in the block's place."""
        self.handle.update(output)

    def stop(self) -> None:
        """Say that nothing goes on here any more; an error says why."""
        self.finish(markup.note("stopped"))

    def drawn(self, done: int, total: int, text: str) -> Output:
        notes = "".join(f"<div>{html.escape(note)}</div>" for note in self.notes)
        bar = f'<progress value="{done}" max="{total}" aria-label="race"></progress>'
        hint = f"<div><small>{html.escape(self.hint)}</small></div>" if self.hint else ""
        lines = self.lines or Output("", "")
        return Output(
            "\n".join(filter(None, [*self.notes, text, lines.text, self.hint])),
            f"{notes}<div>{bar} {html.escape(text)}</div>{lines.html}{hint}",
        )


def headline(run: Run) -> Output:
    """What is known of a race or a replay that was cut short."""
    return replay_cards.headline(run) if run.replay else race_cards.race_description(run)


def saved_message(run: Run) -> str:
    """How much of an interrupted race is kept, and where."""
    where = paths.relative(run.path) if run.path else "this notebook"
    verb = "is" if len(run.samples) == 1 else "are"
    return f"{counted(len(run.samples), 'sample')} {verb} kept in {where}"
