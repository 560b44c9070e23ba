"""What may be written after the magics of an experiment: its variants, its series, experiments."""

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from benchbook.model import experiments, naming
from benchbook.model.experiments import Experiment
from benchbook.notebook.workbench import Workbench
from benchbook.race import turn
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook.offers import Asked, Context, files

CHOOSES = re.compile(r"(?m)^\s*%experiment[ \t]+(\S+)(?:[ \t]+--show)?[ \t]*$")


def experiment_of(asked: Asked) -> Experiment | None:
    """The experiment that is chosen there, None where none is."""
    return asked.chosen if isinstance(asked.chosen, Experiment) else None


def variants(asked: Asked) -> list[str]:
    """The names of the variants of the experiment that is chosen."""
    experiment = experiment_of(asked)
    return [each.name for each in experiment.variants] if experiment else []


def series(asked: Asked) -> list[str]:
    """The series that the variants belong to."""
    experiment = experiment_of(asked)
    found = experiment.variants if experiment else ()
    return list(dict.fromkeys(each.series for each in found if each.series))


def experiment_names(asked: Asked) -> Iterable[str]:
    """Every experiment by its name; folders, where the word is the beginning of a path."""
    if re.match(r"[./~]", asked.word):
        return files(asked.word, Path.cwd(), folders=True)
    return [naming.name_of(folder) for folder in experiments.folders()]


class ExperimentContext(Context):
    """Tells Tab of the experiment. bench: the workbench of the one that %experiment chose;
    language: of the notebook's plain cells."""

    def __init__(self, bench: Callable[[], Workbench | None], language: Callable[[], str]) -> None:
        self.bench, self.language = bench, language

    def chosen(self, above: str) -> Experiment | None:
        """The experiment that the lines above choose, or that was chosen before; else that of the
        notebook, whose name Jupyter's server tells."""
        bench = self.bench()
        chosen = bench.experiment if bench else None
        named = CHOOSES.findall(above)
        if chosen and (not named or naming.is_called(named[-1], chosen.folder)):
            return chosen
        which = named[-1] if named else Path(os.environ.get(turn.JUPYTER, "")).stem
        try:
            return experiments.find(which) if which else None
        except BenchError:
            return None

    def language_below(self, line: str, above: str) -> str | None:
        match = re.match(r"\s*%%(variant|benchmark)\b[ \t]*(\S*)", line)
        if match is None:
            return None
        if match[1] == "benchmark":
            return "csharp"
        told = [each for each in declared() if f"--{each}" in line.split()]
        return told[0] if told else self.language_of(match[2], above)

    def language_of(self, variant: str, above: str) -> str:
        """The language of a variant's file, "" where no session knows it."""
        experiment = self.chosen(above)
        for each in experiment.variants if experiment else ():
            if each.name == variant:
                suffix = each.path.suffix
                return next((n for n, lang in declared().items() if suffix in lang.suffixes), "")
        return "" if experiment and not experiment.in_place else self.language()
