"""%why, %profile, %cost and %attack: which functions cost the microseconds, what else a request
costs, and whether a verdict holds under changes.

What they share with `bench why`: profiling/service.py.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from IPython.display import display

from benchbook.compare.attack import attacking
from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.model.profiles.layers import Layers
from benchbook.notebook.magics.experiment_offers import variants
from benchbook.notebook.progress import ProgressBlock
from benchbook.notebook.workbench import Workbench
from benchbook.profiling import service
from benchbook.profiling.options import ATTACK_SECONDS, OF_RACE, RECORDED, WHY_OPTIONS, why_options
from benchbook.profiling.service import LayersStopped, NotRecordedError, ProfilingStopped
from benchbook.race.options import DAY_MINUTES
from benchbook.show import markup
from benchbook.show.attack import shown as attacked
from benchbook.show.why import cost_cards, layer_cards
from benchbook.show.why.layer_bars import layer_bars
from benchbook.show.why.shown import ShownProfile
from benchbook.system import paths
from benchbook_kernels.base import words
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.notebook.offers import Asked, offers
from benchbook_kernels.notebook.typed import (
    Interrupted,
    Magics,
    line_magic,
    magics_class,
    options_of,
    parsed,
)


def others(asked: Asked) -> list[str]:
    """The variants that are not named yet, where one may stand."""
    return [] if asked.option else [name for name in variants(asked) if name not in asked.words]


@magics_class
class WhyMagics(Magics):
    """bench: asks for the workbench of the experiment that %experiment chose."""

    def __init__(self, shell: Any, bench: Callable[[], Workbench]) -> None:
        super().__init__(shell)
        self.bench = bench

    @options_of(click.Argument(["a"]), click.Argument(["b"]), *WHY_OPTIONS, RECORDED)
    @line_magic
    @offers(others)
    def why(self, line: str) -> None:
        """Which functions cost the microseconds by which variant B differs from variant A?

        Both run under their race's load, with a profiler and beside copies without one, in several
        launches; your edits count. Functions that differ for sure are marked ≠; the figure has A's
        and B's stacks over each other. Interrupt the kernel to stop: complete launches are shown.
        Where they can't be profiled here, or with --recorded, it is what another machine told.
        """
        given = parsed(self.why, line)
        show(self.bench(), (given.pop("a"), given.pop("b")), given)

    @options_of(click.Argument(["names"], nargs=-1, required=True), *WHY_OPTIONS, RECORDED)
    @line_magic
    @offers(others)
    def profile(self, line: str) -> None:
        """Where does a variant spend its CPU time, by function and by layer?

        It runs under its race's load, with a profiler and beside a copy without one. The profile is
        kept for speedscope, as .cpuprofile, and as folded stacks. Of several variants: what each
        spends by layer, as a bar; a minute for each, which is profiled beside the baseline.
        """
        given = parsed(self.profile, line)
        names = given.pop("names")
        (show_layers if len(names) > 1 else show)(self.bench(), names, given)

    @options_of(
        click.Argument(["a"]), click.Argument(["b"], required=False), *WHY_OPTIONS, RECORDED
    )
    @line_magic
    @offers(others)
    def cost(self, line: str) -> None:
        """What does a request cost beside time: memory, collections, system calls, bytes, packets?

        Of one variant, or of two, whose differences are marked.
        """
        given = parsed(self.cost, line)
        names: list[str] = [name for name in (given.pop("a"), given.pop("b")) if name]
        block = ProgressBlock()
        with ended_by_errors(block):
            experiment, options = self.bench().raced_experiment, why_options(given)
            block.finish(cost_cards.summary(service.counted(experiment, names, options, block)))

    @options_of(
        click.Argument(["a"], required=False),
        click.Argument(["b"], required=False),
        click.Option(["--for", "minutes"], type=click.FloatRange(1, DAY_MINUTES), default=None),
        click.Option(["--afresh"], is_flag=True),
        *(option for option in WHY_OPTIONS if option.name in OF_RACE),
    )
    @line_magic
    @offers(others)
    def attack(self, line: str) -> None:
        """Where does the verdict on two variants turn, under changes that should not matter?

        They race again with other numbers of connections, the other one as baseline, other versions
        of the runtime, other heaps; without names those of the first statement. It takes six
        minutes at most (--for 10: ten); interrupted, and asked again, it goes on.
        """
        given = parsed(self.attack, line)
        names = [name for name in (given.pop("a"), given.pop("b")) if name]
        minutes, afresh = given.pop("minutes"), given.pop("afresh")
        seconds, block = 60 * minutes if minutes else ATTACK_SECONDS, ProgressBlock()
        options, experiment = why_options(given).race, self.bench().raced_experiment
        try:
            found = attacking.attack(experiment, names, block, options, seconds, afresh)
        except attacking.AttackStopped as stopped:
            block.finish(attacked.answer(stopped.attack))
            raise Interrupted("interrupted: asked again, it goes on") from None
        except BenchError:
            block.stop()
            raise
        block.finish(markup.paragraph(attacked.headline(found)))
        display(attacked.attack_figure(found))


@contextmanager
def ended_by_errors(block: ProgressBlock) -> Iterator[None]:
    """An error ends the block; that nothing is recorded is told there, and is none: whoever runs a
    whole notebook wants the rest of it."""
    try:
        yield
    except NotRecordedError as error:
        block.finish(markup.note(str(error)))
    except BenchError:
        block.stop()
        raise


def show(bench: Workbench, names: tuple[str, ...], given: dict[str, Any]) -> None:
    """Profile variants, with the reader's edits, and show what came of it."""
    options, block = why_options(given), ProgressBlock()
    try:
        with ended_by_errors(block):
            tell(block, service.profiled(bench.raced_experiment, names, options, block))
    except ProfilingStopped as stopped:
        if not stopped.comparison.launches:
            raise Interrupted("interrupted before a launch was complete: nothing is kept") from None
        tell(block, stopped.comparison)
        launches = words.counted(len(stopped.comparison.launches), "launch")
        raise Interrupted(f"interrupted: this is what {launches} say") from None


def show_layers(bench: Workbench, names: tuple[str, ...], given: dict[str, Any]) -> None:
    """Profile several variants, with the reader's edits, and show what each spends by layer."""
    options, block = why_options(given), ProgressBlock()
    try:
        with ended_by_errors(block):
            tell_layers(block, service.layered(bench.raced_experiment, names, options, block))
    except LayersStopped as stopped:
        if not stopped.found:
            raise Interrupted("interrupted before two programs were complete") from None
        tell_layers(block, stopped.found)
        raise Interrupted("interrupted: these are complete") from None


def tell_layers(block: ProgressBlock, found: Layers) -> None:
    """The table in the place of the progress, and the bars below it."""
    block.finish(layer_cards.answer(found))
    display(layer_bars(found))
    display(markup.folded("Details", layer_cards.details(found)))


def tell(block: ProgressBlock, found: ProfileComparison) -> None:
    """The answer in the place of the progress, the figure below it, and the rest folded."""
    shown = ShownProfile(found)
    block.finish(shown.answer)
    display(shown.figure)
    parts = [shown.details]
    if files := shown.write():
        names, where = ", ".join(each.name for each in files), paths.relative(files[0].parent)
        parts.append(markup.note(f"for other tools: {names} in {where}"))
    display(markup.folded("Details", markup.total(parts)))
