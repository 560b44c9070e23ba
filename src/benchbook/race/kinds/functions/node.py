"""Functions of JavaScript files, timed in slices in Node.js processes."""

from dataclasses import replace

from benchbook.model import results
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.functions import NodeFunctions
from benchbook.model.variants import Variant
from benchbook.programs import readiness
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.functions import node_harness
from benchbook.race.kinds.functions.sliced import Sliced
from benchbook.race.race import Race
from benchbook.system import paths


class NodeMeasuring(Sliced):
    """Samples are made of slices of milliseconds."""

    def reasons(self, asked: Job) -> Reasons:
        return {variant.name: node_harness.lacking(variant) for variant in asked.chosen}

    def make(self, asked: Job, reasons: Reasons) -> Race:
        folder = paths.scratch() / f"{asked.experiment.name}-{results.stamp()}"
        asked = replace(asked, experiment=readiness.stage(asked.experiment, folder))
        module = asked.experiment.kind_as(NodeFunctions).module
        return self.sliced(asked, reasons, node_harness.NodeHarness(module))

    def by_hand(self, experiment: Experiment, variant: Variant) -> str:
        return node_harness.by_hand(experiment.kind_as(NodeFunctions).module, variant)
