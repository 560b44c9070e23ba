"""How each kind of experiment is measured, a file for each kind; `of` finds an experiment's."""

from benchbook.model import kinds
from benchbook.model.experiments import Experiment
from benchbook.model.kinds import Kind
from benchbook.race.kinds.client import ClientMeasuring
from benchbook.race.kinds.http import HttpMeasuring
from benchbook.race.kinds.measuring import Measuring
from benchbook.race.kinds.micro_dotnet import DotnetMeasuring
from benchbook.race.kinds.micro_node import NodeMeasuring
from benchbook.race.kinds.page import PageMeasuring

MEASURING: dict[type[Kind], Measuring] = {
    kinds.Http: HttpMeasuring(),
    kinds.DotnetBenchmarks: DotnetMeasuring(),
    kinds.NodeFunctions: NodeMeasuring(),
    kinds.Page: PageMeasuring(),
    kinds.Client: ClientMeasuring(),
}


def of(experiment: Experiment) -> Measuring:
    """How the variants of an experiment are measured."""
    return MEASURING[type(experiment.kind)]
