"""Functions of JavaScript files, timed by mitata in Node.js processes."""

from dataclasses import replace

from benchbook.model.experiments import Experiment
from benchbook.model.kinds import NodeFunctions
from benchbook.model.variants import Variant
from benchbook.programs import programs, runners
from benchbook.race import job, micro_node
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.measuring import SelfTimed
from benchbook.race.micro_node import NodeExecutor
from benchbook.race.race import Race, stamp
from benchbook.system import paths


class NodeMeasuring(SelfTimed):
    """Samples are mitata's measurements."""

    def reasons(self, asked: Job) -> Reasons:
        return {variant.name: micro_node.lacking(variant) for variant in asked.chosen}

    def make(self, asked: Job, reasons: Reasons) -> Race:
        folder = paths.scratch() / f"{asked.experiment.name}-{stamp()}"
        staged = programs.stage(asked.experiment, folder)
        variants, entries = job.enter(staged, asked.chosen, reasons)
        drawn = asked.plan(entries, micro_node.TOOL)
        executor = NodeExecutor(variants, staged.kind_as(NodeFunctions).module)
        version = runners.npm_version(micro_node.TOOL)
        asked = replace(asked, experiment=staged)
        return self.race(asked, drawn, entries, version, executor, executor.allocated)

    def by_hand(self, experiment: Experiment, variant: Variant) -> str:
        return micro_node.by_hand(experiment.kind_as(NodeFunctions).module, variant)
