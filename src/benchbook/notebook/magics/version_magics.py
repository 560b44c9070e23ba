"""%versions: is that still so? The claim's statements, asked of several versions.

What it shares with `bench race`: compare/versions.
"""

from collections.abc import Callable
from typing import Any

from IPython.display import display

from benchbook.compare.versions import racing
from benchbook.compare.versions.options import VERSION_OPTIONS, is_asked, request
from benchbook.compare.versions.racing import VersionsStopped
from benchbook.model.experiments import Experiment
from benchbook.model.profiles import versions_files
from benchbook.model.profiles.by_version import ByVersion
from benchbook.notebook.magics.experiment_offers import experiment_of
from benchbook.notebook.progress import ProgressBlock
from benchbook.notebook.workbench import Workbench
from benchbook.race import options
from benchbook.race.options import OPTIONS
from benchbook.show import markup
from benchbook.show.versions import shown
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

OF_RACE = ("quick", "full", "connections", "tool", "seed", "port", "no_pin", "in_turns", "anyway")


def statements(asked: Asked) -> list[str]:
    """The ids of the statements, where one may stand."""
    experiment = experiment_of(asked)
    if asked.option != "statement" or not experiment:
        return []
    return [each.id for each in experiment.claim.statements]


@magics_class
class VersionMagics(Magics):
    """bench: asks for the workbench of the experiment that %experiment chose."""

    def __init__(self, shell: Any, bench: Callable[[], Workbench]) -> None:
        super().__init__(shell)
        self.bench = bench

    @options_of(*VERSION_OPTIONS, *(option for option in OPTIONS if option.name in OF_RACE))
    @line_magic
    @offers(statements)
    def versions(self, line: str) -> None:
        """Is that still so? Ask the claim's statements of several versions, with your edits.

        `%versions --node 20,22,24,26` (also 16..26), `--npm NAME=3,4,5`, `--nuget NAME=2.5,3.1`,
        `--dotnet 8,9,10`; without one it shows the last answers, or those that were recorded. The
        figure has each statement's ratio by version, and the version that the article names.
        Versions that are missing are got with --yes only. Four minutes at most (--for 10: ten).
        """
        given = parsed(self.versions, line)
        experiment = self.bench().raced_experiment
        if not is_asked(given):
            show(known(experiment))
            return
        wanted = request(given, options.request(given), racing.SECONDS)
        block = ProgressBlock()
        try:
            record = racing.race(experiment, wanted, block)
        except VersionsStopped as stopped:
            block.finish(shown.answer(stopped.record))
            raise Interrupted("interrupted: this is what there is") from None
        except BenchError:
            block.stop()
            raise
        block.finish(markup.paragraph(shown.headline(record)))
        show(record)


def show(record: ByVersion) -> None:
    """The figure, whose numbers are below it."""
    display(shown.versions_figure(record))


def known(experiment: Experiment) -> ByVersion:
    """The last answers of an experiment, else those that were recorded. Raises InputError where
    there are none."""
    if own := racing.last(experiment):
        return own
    for recorded in versions_files.recorded():
        if recorded.experiment == experiment.name and recorded.path:
            display(markup.note(f"recorded: {paths.relative(recorded.path)}"))
            return recorded
    problem = "no versions are named, and nothing is known of any"
    raise InputError("%versions", "", problem, "name some: %versions --node 20,22,24")
