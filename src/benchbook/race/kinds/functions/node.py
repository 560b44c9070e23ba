"""Functions of JavaScript files, timed in slices in Node.js processes."""


from benchbook.model.experiments import Experiment
from benchbook.model.kinds.functions import NodeFunctions
from benchbook.model.variants import Variant
from benchbook.programs import readiness
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.functions import node_harness
from benchbook.race.kinds.functions.sliced import Sliced
from benchbook.race.race import Race


class NodeMeasuring(Sliced):
    """Samples are made of slices of milliseconds."""

    def reasons(self, asked: Job) -> Reasons:
        return {variant.name: readiness.lacking(variant) for variant in asked.chosen}

    def make(self, asked: Job, reasons: Reasons) -> Race:
        asked = asked.staged()
        module = asked.experiment.kind_as(NodeFunctions).module
        return self.sliced(asked, reasons, node_harness.NodeHarness(module))

    def by_hand(self, experiment: Experiment, variant: Variant) -> str:
        return node_harness.by_hand(experiment.kind_as(NodeFunctions).module, variant)
