"""The magics that look at many runs: the scoreboard of all statements, and a room of machines."""

import shlex
from collections.abc import Callable
from pathlib import Path

from IPython.display import display

from benchbook.analysis import scoreboard
from benchbook.show import room_page
from benchbook.show.cards import scoreboard_cards
from benchbook.show.figures.scoreboard import scoreboard_figure
from benchbook.system import paths
from benchbook_kernels.base import nearest
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.notebook.offers import files, first, offers
from benchbook_kernels.notebook.typed import Magics, line_magic, magics_class

VIEWS: dict[str, Callable[[scoreboard.Board], object]] = {
    "table": scoreboard_cards.table,
    "plot": scoreboard_figure,
}


@magics_class
class RoomMagics(Magics):
    """Nothing is kept from one to the next."""

    @line_magic
    @offers(first(lambda _: VIEWS))
    def scoreboard(self, line: str) -> object:
        """Every statement of every claim: published, measured here, verdict, reference run.

        Usage: %scoreboard          (a table, which filters and sorts)
               %scoreboard plot     (published and measured ratios)
        """
        kind = line.strip() or "table"
        if kind not in VIEWS:
            raise InputError("%scoreboard", "", nearest.unknown("view", kind, list(VIEWS)))
        return VIEWS[kind](scoreboard.board())

    @line_magic
    @offers(lambda asked: files(asked.word, paths.root()))
    def room(self, line: str) -> None:
        """Pool the run files of many machines: everyone's ratios, and does the room agree?

        Usage: %room DIR|FILE…      (run files, or files of ./bench share; from the checkout)
               %room                (the reference runs and your newest ones)
        """
        places = [paths.root() / Path(word).expanduser() for word in shlex.split(line)]
        if not places:
            board = scoreboard.board()
            runs = [*board.references.values(), *board.own.values()]
            places = [run.path for run in runs if run.path]
        rooms, skipped = room_page.gather_rooms(places)
        for part in room_page.outputs(rooms, skipped):
            display(part)
