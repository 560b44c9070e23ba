"""Methods of C# files, timed in slices in .NET processes."""

import shlex

from benchbook.model.experiments import Experiment
from benchbook.model.variants import Variant
from benchbook.programs import readiness
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.functions.files import dotnet_build
from benchbook.race.kinds.functions.files.dotnet_build import MethodsFile
from benchbook.race.kinds.functions.files.dotnet_files import FilesHarness
from benchbook.race.kinds.functions.sliced import Sliced
from benchbook.race.race import Race
from benchbook.system import paths


class DotnetFilesMeasuring(Sliced):
    """Samples are made of slices of milliseconds."""

    def reasons(self, asked: Job) -> Reasons:
        return {variant.name: readiness.lacking(variant) for variant in asked.chosen}

    def make(self, asked: Job, reasons: Reasons) -> Race:
        there = [v for v in asked.chosen if not reasons[v.name]]
        dotnet_build.build(list({MethodsFile.of(v): None for v in there}), asked.say)
        return self.sliced(asked, reasons, FilesHarness())

    def by_hand(self, experiment: Experiment, variant: Variant) -> str:
        if not experiment.in_place:  # a file that prints what its methods answer
            return f"dotnet run -c Release --file {paths.relative(variant.path)}"
        harness = FilesHarness()
        env = {**harness.environment(variant), **variant.env}
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
        return f"echo 0.5 | {settings} {shlex.join(harness.command(variant))}"
