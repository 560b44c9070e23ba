"""Methods of C# projects in .NET processes that time them: Slices.cs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchbook.model.variants import Variant
from benchbook.programs import app_builds, dotnet_versions
from benchbook.race.kinds.functions.dotnet_project import Project, explain
from benchbook.race.kinds.functions.executor import Harness


@dataclass(frozen=True)
class DotnetHarness(Harness):
    """projects: built, with the harness in them, by what their builds are given."""

    projects: Mapping[tuple[str, ...], Project]

    def command(self, variant: Variant) -> list[str]:
        case = [variant.case] if variant.case else []
        library = self.projects[app_builds.chosen(variant)].library
        alone = [str(library.with_suffix(""))]
        brought = dotnet_versions.brings_runtime(variant.needs)
        program = alone if brought else ["dotnet", str(library)]
        return [*program, "--slices", variant.benchmark, *case]

    def explained(self, lines: Sequence[str], variant: Variant) -> Sequence[str]:
        return [line.strip() for line in explain(lines).splitlines()]
