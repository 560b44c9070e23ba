"""The magics that look at many runs: the scoreboard of all statements, and a room of machines."""

import shlex
from pathlib import Path

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.display import display

from benchbook import experiments, paths, room_report, scoreboard, scoreboard_cards
from benchbook.errors import InputError
from benchbook.kernel.plainly import plainly


@magics_class
class RoomMagics(Magics):
    """Nothing is kept from one to the next."""

    @line_magic
    @plainly
    def scoreboard(self, line: str) -> object:
        """Every statement of every claim: published, measured here, verdict, reference run.

        Usage: %scoreboard          (a table, which filters and sorts)
               %scoreboard plot     (published and measured ratios)
        """
        kinds = {"table": scoreboard_cards.table, "plot": scoreboard_cards.plot}
        kind = line.strip() or "table"
        if kind not in kinds:
            raise InputError("%scoreboard", "", experiments.unknown("view", kind, list(kinds)))
        return kinds[kind](scoreboard.board())

    @line_magic
    @plainly
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
        rooms, skipped = room_report.read(places)
        for part in room_report.shown(rooms, skipped):
            display(part)
