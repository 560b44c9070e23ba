"""Whole processes, which a small program starts that tells what each took."""

import shlex

import benchbook
from benchbook.model.experiments import FILE, Experiment
from benchbook.model.kinds.commands import WholeProcesses
from benchbook.model.variants import Variant
from benchbook.programs import readiness
from benchbook.race import job
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.commands.executor import CommandsExecutor
from benchbook.race.kinds.measuring import SelfTimed
from benchbook.race.race import Race
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

TOOL = "Benchbook's timer"
PORT = "PORT=8080 "  # a server's, in the command for a reader


class CommandsMeasuring(SelfTimed):
    """A sample is as many runs as begin within its time, one at least."""

    def prepare(self, asked: Job) -> Race:
        return super().prepare(asked.staged())

    def make(self, asked: Job, reasons: Reasons) -> Race:
        make_prepare(asked)
        variants, entries = job.enter(asked.experiment, asked.chosen, reasons)
        executor = CommandsExecutor(asked.experiment, variants, asked.cpus)
        # a sample is a run at least, so the plan must know how long one takes
        seconds = max(asked.options.seconds or asked.mode.sample_seconds, executor.try_baseline())
        drawn, version = asked.plan(entries, TOOL, seconds), benchbook.__version__
        return self.race(asked, drawn, entries, version, executor, cpus=executor.cpus)

    def by_hand(self, experiment: Experiment, variant: Variant) -> str:
        kind = experiment.kind_as(WholeProcesses)
        words = [super().by_hand(experiment, variant).replace(PORT, "", 1)]
        words += map(shlex.quote, kind.arguments)
        return " ".join(words + (["<", paths.relative(kind.input)] if kind.input else []))


def make_prepare(asked: Job) -> None:
    """Build what is to be run before each run. Raises InputError where it can't be run here."""
    if not (prepared := asked.experiment.kind_as(WholeProcesses).prepared):
        return
    if reason := readiness.make_ready([prepared], asked.say)[prepared.name]:
        raise InputError(paths.relative(asked.experiment.folder / FILE), "commands.prepare", reason)


MEASURING = CommandsMeasuring()
