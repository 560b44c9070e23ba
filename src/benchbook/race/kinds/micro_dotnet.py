"""Methods of a C# project, timed by BenchmarkDotNet."""

from dataclasses import replace

from benchbook.model.experiments import Experiment
from benchbook.model.kinds import DotnetBenchmarks
from benchbook.model.runs import BENCHMARK_DOT_NET
from benchbook.model.variants import Variant
from benchbook.programs import programs
from benchbook.race import job, micro_project
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.measuring import SelfTimed
from benchbook.race.micro_executor import MicroExecutor
from benchbook.race.race import Race, stamp
from benchbook.system import paths


class DotnetMeasuring(SelfTimed):
    """Samples are BenchmarkDotNet's iterations."""

    def reasons(self, asked: Job) -> Reasons:
        return {variant.name: programs.lacking(variant) for variant in asked.chosen}

    def make(self, asked: Job, reasons: Reasons) -> Race:
        experiment = asked.experiment
        project = build(asked)
        variants, entries = job.enter(experiment, asked.chosen, reasons)
        # BenchmarkDotNet warms up by itself, and runs an entry's iterations in one process
        alone = replace(asked, options=replace(asked.options, warmup=0.0, interleaved=False))
        drawn = alone.plan(entries, BENCHMARK_DOT_NET)
        given = asked.options.warmup
        warmup = asked.mode.warmup_seconds if given is None else given
        executor = MicroExecutor(
            variants,
            project,
            warmups=max(1, round(warmup / drawn.sample_seconds)),
            folder=paths.scratch() / f"{experiment.name}-{stamp()}",
        )
        version = micro_project.version(project)
        race = self.race(asked, drawn, entries, version, executor, executor.allocated)
        executor.plan = lambda: race.plan
        return race

    def by_hand(self, experiment: Experiment, variant: Variant) -> str:
        folder = paths.relative(experiment.kind_as(DotnetBenchmarks).project.parent)
        return f"cd {folder} && dotnet run -c Release -- --filter '*{variant.benchmark}'"


def build(asked: Job) -> micro_project.Project:
    """The project, staged with the reader's edits and without packages that are missing, built."""
    experiment = asked.experiment
    edits = {v.path.name: v.path for v in experiment.variants if v.edited}
    needs = {need for v in experiment.variants for need in v.needs if need.startswith("nuget:")}
    without = [need.partition(":")[2] for need in needs if programs.lacks(need)]
    project = micro_project.stage_folder(
        experiment.kind_as(DotnetBenchmarks).project, edits, without
    )
    micro_project.build(project, asked.say)
    return project
