"""Methods of a C# project, timed in slices in .NET processes."""

from dataclasses import replace

from benchbook.model.experiments import Experiment
from benchbook.model.kinds.functions import DotnetFunctions
from benchbook.model.variants import Variant
from benchbook.programs import app_builds, dotnet_versions, readiness
from benchbook.race import job
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.functions import dotnet_project
from benchbook.race.kinds.functions.dotnet_harness import DotnetHarness
from benchbook.race.kinds.functions.sliced import Sliced
from benchbook.race.race import Race
from benchbook.system import paths


class DotnetMeasuring(Sliced):
    """Samples are made of slices of milliseconds."""

    def reasons(self, asked: Job) -> Reasons:
        return {variant.name: readiness.lacking(variant) for variant in asked.chosen}

    def make(self, asked: Job, reasons: Reasons) -> Race:
        projects = build(asked, reasons)
        job.check_baseline(asked.experiment, reasons)
        return self.sliced(asked, reasons, DotnetHarness(projects))

    def by_hand(self, experiment: Experiment, variant: Variant) -> str:
        folder = paths.relative(experiment.kind_as(DotnetFunctions).project.parent)
        return f"cd {folder} && dotnet run -c Release -- --filter '*{variant.benchmark}'"


def build(asked: Job, reasons: Reasons) -> dict[tuple[str, ...], dotnet_project.Project]:
    """The project, staged with the reader's edits and without packages that are missing, built:
    once, and once more for every other choice of versions that an available variant is given.

    Where NuGet does not have a runtime that a build is to bring, its variants are unavailable.
    """
    experiment = asked.experiment
    edits = {v.path.name: v.path for v in experiment.variants if v.edited}
    without = app_builds.without(readiness.lacking_packages(experiment.variants))
    projects = {}
    variants = {app_builds.chosen(v): v for v in asked.chosen if not reasons[v.name]}
    for properties, variant in variants.items():
        versions = app_builds.versions(variant.needs)
        there = {f"Without{each.partition('Version=')[0]}=true" for each in versions}
        given = [*versions, *(each for each in without if each not in there)]
        project = dotnet_project.stage_folder(
            experiment.kind_as(DotnetFunctions).project, edits, given
        )
        project = replace(project, properties=tuple(p for p in properties if p not in versions))
        try:
            dotnet_project.build(project, asked.say)
        except dotnet_project.MicroError as error:
            if not dotnet_versions.brings_runtime(variant.needs):
                raise
            same = (v.name for v in asked.chosen if app_builds.chosen(v) == properties)
            reasons.update(dict.fromkeys(same, error.message))
            continue
        projects[properties] = project
    return projects
