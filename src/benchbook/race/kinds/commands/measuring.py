"""Whole processes, which a small program starts that tells what each took."""

import shlex
from dataclasses import replace

import benchbook
from benchbook.model import results
from benchbook.model.experiments import FILE, Experiment
from benchbook.model.kinds.commands import WholeProcesses
from benchbook.model.variants import Variant
from benchbook.programs import readiness
from benchbook.race import job
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.commands.executor import CommandsExecutor
from benchbook.race.kinds.measuring import SelfTimed
from benchbook.race.race import Race
from benchbook.system import paths, pinning
from benchbook_kernels.base.errors import InputError

TOOL = "Benchbook's timer"
PORT = "PORT=8080 "  # a server's, in the command for a reader


class CommandsMeasuring(SelfTimed):
    """A sample is as many runs as begin within its time, one at least."""

    def make(self, asked: Job, reasons: Reasons) -> Race:
        check_prepare(asked.experiment)
        folder = paths.scratch() / f"{asked.experiment.name}-{results.stamp()}"
        asked = replace(asked, experiment=readiness.stage(asked.experiment, folder))
        variants, entries = job.enter(asked.experiment, asked.chosen, reasons)
        cpus = pinning.split().server if asked.options.pin else None
        executor = CommandsExecutor(asked.experiment, variants, cpus)
        drawn, version = asked.plan(entries, TOOL), benchbook.__version__
        return self.race(asked, drawn, entries, version, executor, cpus=cpus)

    def by_hand(self, experiment: Experiment, variant: Variant) -> str:
        kind = experiment.kind_as(WholeProcesses)
        words = [super().by_hand(experiment, variant).replace(PORT, "", 1)]
        words += map(shlex.quote, kind.arguments)
        return " ".join(words + (["<", paths.relative(kind.input)] if kind.input else []))


def check_prepare(experiment: Experiment) -> None:
    """Raises InputError where what is to be run before each run can't be run here."""
    if not (prepared := experiment.kind_as(WholeProcesses).prepared):
        return
    if reason := readiness.lacking(prepared):
        raise InputError(paths.relative(experiment.folder / FILE), "commands.prepare", reason)


MEASURING = CommandsMeasuring()
