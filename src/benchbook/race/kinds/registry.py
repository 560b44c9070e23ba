"""Which kind of experiment is measured how; `of` finds an experiment's."""

from benchbook.model import kinds
from benchbook.model.experiments import Experiment
from benchbook.model.kinds import Kind
from benchbook.race.kinds.client.measuring import ClientMeasuring
from benchbook.race.kinds.functions.dotnet import DotnetMeasuring
from benchbook.race.kinds.functions.node import NodeMeasuring
from benchbook.race.kinds.http.measuring import HttpMeasuring
from benchbook.race.kinds.measuring import Measuring
from benchbook.race.kinds.page.measuring import PageMeasuring

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
