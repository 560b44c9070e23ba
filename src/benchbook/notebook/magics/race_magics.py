"""%race: a race of the chosen experiment, or a replay of its article's own method.

What it shares with `bench race`, and its way to the figures: race/service.py.
"""

from collections.abc import Callable
from typing import Any

from IPython.display import display

from benchbook.analysis import judge
from benchbook.analysis.judge import Results
from benchbook.model.runs import Run
from benchbook.notebook.magics.typed import (
    Magics,
    argument,
    arguments,
    line_magic,
    magics_class,
    parsed,
)
from benchbook.notebook.progress import ProgressBlock
from benchbook.notebook.workbench import Workbench
from benchbook.race import limits, options, service
from benchbook.race.options import OPTIONS, Request
from benchbook.race.service import Raceable
from benchbook.show import cards, markup, replay_cards
from benchbook.show.embed import Figure, Still
from benchbook.show.figures import growth
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.markup import Output


class RaceBlock(ProgressBlock):
    """Progress of a race, which becomes the one that the other magics speak of.

    Its plot stands below, from the second launch on, so that one sees the intervals shrink.
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.bench = bench
        self.plotted: Any = None

    def follow(self, race: Raceable, kept: Callable[[], Output] | None = None) -> None:
        self.bench.run = self.bench.raced_here = race.run
        super().follow(race, kept)

    def between(self, race: Raceable) -> None:
        found = judge.judge(race.run, self.bench.experiment.claim)
        self.show(Still(self.figure_of(race.run, found)))

    def plot(self, run: Run, found: Results) -> None:
        """Show the plot of the whole race, in the place of those before."""
        self.show(self.figure_of(run, found))

    def figure_of(self, run: Run, found: Results) -> Figure:
        if growth.suits(run):
            return growth.growth_figure(run)
        return ratios_figure(run, found, self.bench.experiment.claim)

    def show(self, figure: Figure | Still) -> None:
        if self.plotted:
            self.plotted.update(figure)
        else:
            self.plotted = display(figure, display_id=True)


def race_arguments(method: Callable[..., None]) -> Callable[..., None]:
    """An argument of the magic for each option that a race has."""
    for option in reversed(OPTIONS):
        given: dict[str, Any] = {"action": "store_true"}
        if option.convert:
            given = {"type": option.parse, "metavar": option.metavar}
        text = option.help.replace("%", "%%")
        method = argument(option.flag, dest=option.name, help=text, **given)(method)
    return arguments(method)


@magics_class
class RaceMagics(Magics):
    """bench: asks for the workbench of the experiment that %experiment chose."""

    def __init__(self, shell: Any, bench: Callable[[], Workbench]) -> None:
        super().__init__(shell)
        self.bench = bench

    @race_arguments
    @line_magic
    def race(self, line: str) -> None:
        """Race the variants of the chosen experiment, with your edits, and plot the ratios.

        Every program is started anew for each launch and measured in random order, never inside
        this kernel. Interrupt the kernel to stop: what was measured is kept.
        """
        asked = options.request(parsed(self.race, line))
        bench = self.bench()
        if asked.as_published:
            replay(bench, asked)
        else:
            race(bench, asked)


def race(bench: Workbench, asked: Request) -> None:
    """Race, and show the ratios beside the guesses."""
    chosen = bench.options(**asked.fields)
    block = RaceBlock(bench)
    run, found = service.race(bench.raced_experiment, asked, chosen, block)
    notes = [markup.note(message) for message in run.messages]
    block.finish(markup.total([cards.race_description(run), *notes, cards.control(found)]))
    block.plot(run, found)
    display(cards.ratios(run, found, bench.guesses))
    if problem := bench.settle(found):
        display(markup.note(problem))


def replay(bench: Workbench, asked: Request) -> None:
    """%race --as-published. The last race stays the one that %verdict and %plot speak of."""
    block = ProgressBlock()
    shorten = max(asked.shorten or 1, limits.read().shorten)
    run = service.as_published(bench.raced_experiment, shorten, block, anyway=asked.anyway)
    block.finish(replay_cards.summary(run))
