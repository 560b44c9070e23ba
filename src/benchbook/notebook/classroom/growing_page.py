"""The page of a class's results: what is there so far, with no script in it.

It loads itself again by its head, and draws with pictures, so that the policy that it is served
with need not allow a single script: what came over the network is data, whatever it says.
"""

from datetime import UTC, datetime

from benchbook.notebook.classroom.members import ClassRoom
from benchbook.notebook.quiz import room_guesses
from benchbook.show import markup, page, room_page
from benchbook.show.cards import room_cards
from benchbook.show.figures.guesses import guesses_figure
from benchbook.show.figures.room import room_figure
from benchbook_kernels.base.words import counted

EVERY_SECONDS = 2


def render(found: ClassRoom, refused: int = 0) -> str:
    """The page of a room. refused: how many files were not taken."""
    rooms = found.rooms()
    sections = [
        (each.title, [room_figure(each).still_html(), room_cards.summary(each).html])
        for each in room_page.pooled(rooms)
    ]
    for guessed in found.guesses():
        parts = [guesses_figure(guessed).still_html()] if guessed.pairs else []
        parts += [room_guesses.in_words(words, guessed.experiment).html for words in guessed.words]
        sections.append((f"Guesses: {titled(found, guessed.experiment)}", parts))
    told = [markup.paragraph(told_of(found, refused)), *room_page.ends(rooms)]
    sections.append(("Who has shared", [part.html for part in told]))
    date = f"{datetime.now(UTC).astimezone():%d %B %Y, %H:%M:%S %Z}"
    return page.render_room("Benchbook: the class", date, sections, EVERY_SECONDS)


def titled(found: ClassRoom, experiment: str) -> str:
    """How an experiment is called."""
    return found.known[experiment].title


def told_of(found: ClassRoom, refused: int) -> str:
    """How many have shared, and by which codes they find themselves."""
    codes = ", ".join(sorted(found.files))
    text = f"{counted(len(found.files), 'attendee')}: {codes}." if codes else "Nobody yet."
    return f"{text} {counted(refused, 'file')} refused." if refused else text
