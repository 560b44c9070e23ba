"""%explore: a figure to be moved, of the last race or of a law."""

from typing import Any

from benchbook.notebook.workbench import Workbench
from benchbook.show.embed import Figure
from benchbook.show.figures import explored
from benchbook_kernels.base import nearest
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.notebook.offers import first, offers
from benchbook_kernels.notebook.typed import Magics, line_magic, magics_class

OF_A_RACE = ("delta", "level")


@magics_class
class ExploreMagics(Magics):
    """They look at what the magics of experiments hold."""

    @line_magic
    @offers(first(lambda _: [*OF_A_RACE, *explored.LAWS]))
    def explore(self, line: str) -> Figure:
        """Show a figure with a slider: move it, and see what changes.

        Usage: %explore delta     (the last race: the smallest difference that matters)
               %explore level     (the last race: how sure the intervals are)
               %explore amdahl    (a part of the time made faster, and the whole)
               %explore little    (requests on the way, requests a second, and latency)
               %explore scanner   (what stands before both programs hides their difference)
               %explore room      (how many machines: their mean, and the next one)
        """
        name = line.strip()
        if name in explored.LAWS:
            return explored.LAWS[name]()
        if name not in OF_A_RACE:
            known = [*OF_A_RACE, *explored.LAWS]
            raise InputError("%explore", "", nearest.unknown("figure", name, known))
        chosen: Any = self.shell.magics_manager.registry["ExperimentMagics"]
        bench: Workbench = chosen.bench
        found = bench.results()
        if name == "delta":
            return explored.delta_figure(bench.last_run, bench.experiment.claim)
        return explored.level_figure(bench.last_run, found)
