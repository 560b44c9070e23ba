"""Functions, in slices that take turns: which language they are of says how they are built."""

from benchbook.model.experiments import Experiment
from benchbook.model.kinds.functions import DotnetFiles, NodeFunctions
from benchbook.model.variants import Variant
from benchbook.race.job import Job
from benchbook.race.kinds.functions.dotnet import DotnetMeasuring
from benchbook.race.kinds.functions.files.dotnet_measuring import DotnetFilesMeasuring
from benchbook.race.kinds.functions.node import NodeMeasuring
from benchbook.race.kinds.functions.sliced import Sliced
from benchbook.race.kinds.measuring import Measuring
from benchbook.race.race import Race


class FunctionsMeasuring(Measuring):
    """Samples are made of slices of milliseconds."""

    def prepare(self, asked: Job) -> Race:
        return language(asked.experiment).prepare(asked)

    def by_hand(self, experiment: Experiment, variant: Variant) -> str:
        return language(experiment).by_hand(experiment, variant)


def language(experiment: Experiment) -> Sliced:
    """How functions of an experiment's language are measured."""
    if isinstance(experiment.kind, NodeFunctions):
        return NodeMeasuring()
    return DotnetFilesMeasuring() if isinstance(experiment.kind, DotnetFiles) else DotnetMeasuring()


MEASURING = FunctionsMeasuring()
