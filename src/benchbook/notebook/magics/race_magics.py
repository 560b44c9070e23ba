"""%race: a race of the chosen experiment, or a replay of its article's own method.

What it shares with `bench race`, and its way to the figures: race/service.py.
"""

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import click
from IPython.display import display

from benchbook.analysis.judging.judge import Results
from benchbook.analysis.judging.so_far import SoFar
from benchbook.compare import service as comparing
from benchbook.compare.service import ComparisonRequest
from benchbook.model.runs import Run
from benchbook.notebook.magics.experiment_offers import experiment_of
from benchbook.notebook.own.question import OF_COMPARISONS, OwnQuestion
from benchbook.notebook.progress import ProgressBlock, saved_message
from benchbook.notebook.session_values import hand_over
from benchbook.notebook.workbench import Workbench
from benchbook.race import limits, options, service, turn
from benchbook.race.options import OPTIONS, RaceRequest
from benchbook.race.record import RaceProgress
from benchbook.race.service import Raceable
from benchbook.show import compare_page, finding, markup
from benchbook.show.cards import compare_cards, guess_cards, live_cards, race_cards, replay_cards
from benchbook.show.embed import Figure, Still
from benchbook.show.figures import growth
from benchbook.show.figures.base import be_quick
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.figures.steady import Steady
from benchbook.show.markup import Output
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.notebook.offers import Asked, offers
from benchbook_kernels.notebook.typed import (
    Interrupted,
    Magics,
    line_magic,
    magics_class,
    options_of,
    parsed,
)


class RaceBlock(ProgressBlock):
    """Progress of a race, which becomes the one that the other magics speak of.

    With it goes a line for each statement, and below them the plot, so that one sees the intervals
    shrink. Where nobody looks on, as in `bench run`, there is neither before the end.
    """

    hint = "If this stands still, %race --last shows the race."

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.bench = bench
        self.plotted: Any = None
        self.steady = Steady()
        self.so_far = None if turn.NOTEBOOK in os.environ else SoFar(bench.judged)

    def follow(self, race: Raceable, kept: Callable[[], Output] | None = None) -> None:
        self.bench.run = self.bench.raced_here = race.run
        super().follow(race, kept)

    def look(self, race: Raceable, event: RaceProgress) -> None:
        if self.so_far:
            show = partial(self.tell, race.run, event)
            self.so_far.look(race.run, show, event.landed, event.between)

    def tell(self, run: Run, event: RaceProgress, found: Results) -> None:
        """Show what the race says so far."""
        self.lines, self.drawn_at = live_cards.statements(found), 0.0
        launches = finding.launches_of(run)
        if not launches:
            be_quick()
            return
        if event.landed:
            self.steady.sort_anew()
        self.steady.title = f"Launch {launches} of {run.plan.launches} · "
        shown = found if launches > 1 else nothing_known_of_launches(found)
        self.show(Still(figure_of(self.bench, run, shown, self.steady)))

    def plot(self, run: Run, found: Results) -> None:
        """Show the plot of the whole race, in the place of those before."""
        self.show(figure_of(self.bench, run, found))

    def show(self, figure: Figure | Still) -> None:
        if self.plotted:
            self.plotted.update(figure)
        else:
            self.plotted = display(figure, display_id=True)


def nothing_known_of_launches(found: Results) -> Results:
    """Results of one launch, as a plot should show them that others will follow: by how much these
    will differ is not known, so the intervals have no end."""
    ends = {"low": 0.0, "high": math.inf}
    ratios = {name: replace(each, **ends) for name, each in found.ratios.items()}
    return replace(found, ratios=ratios)


def figure_of(bench: Workbench, run: Run, found: Results, steady: Steady | None = None) -> Figure:
    """The figure that answers what was asked. steady: while the race goes on."""
    if run.experiment.delta is not None:
        return compare_page.plot(run, found, steady)
    if growth.suits(run):
        return growth.growth_figure(run)
    return ratios_figure(run, found, bench.experiment.claim, steady)


LAST = click.Option(
    ["--last"],
    is_flag=True,
    help="Show the last race of this experiment again, also one that was cut short.",
)


def option_values(asked: Asked) -> Iterable[str]:
    """What an option of a race takes in the experiment that is chosen."""
    return next((o.choices(experiment_of(asked)) for o in OPTIONS if o.name == asked.option), ())


@magics_class
class RaceMagics(Magics):
    """bench: asks for the workbench of the experiment that %experiment chose."""

    def __init__(self, shell: Any, bench: Callable[[], Workbench]) -> None:
        super().__init__(shell)
        self.bench = bench

    @options_of(*OPTIONS, *OF_COMPARISONS, LAST)
    @line_magic
    @offers(lambda asked: option_values(asked))
    def race(self, line: str) -> None:
        """Race the variants of the chosen experiment, with your edits, and plot the ratios.

        Without an experiment: compare the programs of your own %%variant cells with the first of
        them (--for, --delta, --path and --answers are for these).

        Every program is started anew for each launch, never inside this kernel. Programs that
        answer requests are all loaded at once, and compared by the CPU time of a request; what is
        no server, and with --in-turns servers too, is measured in turns, in random order.
        Interrupt the kernel to stop: what was measured is kept, and shown. Its samples are then
        `run`, in cells of every language: rows with name, launch, block, speed and more.
        """
        given = parsed(self.race, line)
        last = given.pop("last")
        bench = self.bench()
        if unguessed := guess_cards.unguessed(bench.unguessed):
            display(markup.note(unguessed))
        if isinstance(bench, OwnQuestion) and not last:
            compare(bench, bench.request(given))
            return
        for option in OF_COMPARISONS:
            if given[str(option.name)] is not None:
                problem = "is for programs of your own, without %experiment"
                raise InputError(option.opts[0], "", problem)
        asked = options.request(given)
        if last:
            show_last(bench, given)
        elif asked.as_published:
            replay(bench, asked)
        else:
            race(bench, asked)


def compare(bench: OwnQuestion, asked: ComparisonRequest) -> None:
    """Race programs of the reader's own, and show the answer; an interrupt shows that so far."""
    block = RaceBlock(bench)
    try:
        outcome = comparing.compare(asked, block)
    except KeyboardInterrupt:
        raise Interrupted(show_saved(bench, block)) from None
    except BenchError:
        block.stop()
        raise
    bench.keep_outcome(outcome)
    show(bench, block, outcome.run, outcome.results)
    if problem := bench.settle(outcome.results):
        display(markup.note(problem))


def show_answer(bench: Workbench, block: RaceBlock, run: Run, found: Results) -> None:
    """What a comparison says: the answer, its plot, the guesses, and the details, folded."""
    block.finish(compare_cards.answer(run, found))
    block.plot(run, found)
    ratios = race_cards.ratios(run, found, bench.guesses)
    notes = [markup.note(message) for message in run.messages]
    rest = [race_cards.race_description(run), *notes, *race_cards.remark_notes(found.remarks)]
    if bench.guesses:
        display(ratios)
    else:
        rest.insert(0, ratios)
    display(markup.folded("Details", markup.total(rest)))


def race(bench: Workbench, asked: RaceRequest) -> None:
    """Race, and show the ratios beside the guesses; what was raced also where that is cut short."""
    chosen = bench.options(**asked.fields)
    if refused := bench.refusals():
        display(markup.note(refused))
    block = RaceBlock(bench)
    try:
        run, found = service.race(bench.raced_experiment, asked, chosen, block)
    except KeyboardInterrupt:
        raise Interrupted(show_saved(bench, block)) from None
    except BenchError:
        block.stop()
        raise
    show(bench, block, run, found)
    if problem := bench.settle(found):
        display(markup.note(problem))


def show(bench: Workbench, block: RaceBlock, run: Run, found: Results) -> None:
    """What a race says; then cells get its samples."""
    try:
        if run.experiment.delta is not None:
            show_answer(bench, block, run, found)
        else:
            show_ratios(bench, block, run, found)
    finally:  # of an interrupted race there may be too little for a plot
        hand_over(run, found)


def show_ratios(bench: Workbench, block: RaceBlock, run: Run, found: Results) -> None:
    """How a race was made, its plot, and its ratios beside the guesses."""
    notes = [markup.note(message) for message in run.messages]
    followed = block.lines is not None
    lines = [live_cards.statements(found)] if followed else []  # in the place where they stood
    parts = [race_cards.race_description(run), *notes, *lines, race_cards.control(found)]
    block.finish(markup.total(parts))
    block.plot(run, found)
    display(race_cards.ratios(run, found, bench.guesses))


def show_saved(bench: Workbench, block: RaceBlock) -> str:
    """Show what there is of an interrupted race; returns a sentence of what is kept."""
    run = block.race.run if block.race else None
    if run is None or not run.samples:
        block.finish(markup.note("interrupted before the first sample"))
        return "the race was interrupted before its first sample: nothing of it is kept"
    try:
        show(bench, block, run, bench.judged(run))
    except BenchError as error:  # too little for a plot
        display(markup.note(str(error)))
    return f"the race was interrupted: {saved_message(run)}, and %race --last shows them again"


def show_last(bench: Workbench, given: Mapping[str, Any]) -> None:
    """%race --last: the last race of the experiment, or its last replay, as it was shown.

    It becomes the race that the other magics speak of. Raises InputError where there is none.
    """
    others = [o for o in OPTIONS if given.get(o.name) not in (None, False) and not o.of_replay]
    if others:
        raise InputError(others[0].flag, "", "is of a new race", "leave it or --last out")
    run = bench.newest(replay=bool(given.get("as_published")))
    if run.replay:
        display(replay_cards.summary(run) if run.complete else replay_cards.headline(run))
        return
    bench.run = run
    found = bench.judged(run)
    show(bench, RaceBlock(bench), run, found)
    if run.experiment.delta is None:
        display(race_cards.verdicts(found))


def replay(bench: Workbench, asked: RaceRequest) -> None:
    """%race --as-published. The last race stays the one that %verdict and %plot speak of."""
    block = ProgressBlock()
    block.hint = "If this stands still, %race --last --as-published shows what there is."
    shorten = max(asked.shorten or 1, limits.read().shorten)
    try:
        run = service.as_published(bench.raced_experiment, shorten, block, anyway=asked.anyway)
    except KeyboardInterrupt:
        kept = "nothing of it is kept"
        if block.race and block.race.run.path:
            kept = f"what was measured is kept in {paths.relative(block.race.run.path)}"
        raise Interrupted(f"the replay was interrupted: {kept}") from None
    except BenchError:
        block.stop()
        raise
    block.finish(replay_cards.summary(run))
