"""Methods of C# projects in .NET processes that time them: Slices.cs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchbook.model.variants import Variant
from benchbook.programs import app_builds
from benchbook.race.kinds.functions.dotnet_project import Project, explain
from benchbook.race.kinds.functions.executor import Harness


@dataclass(frozen=True)
class DotnetHarness(Harness):
    """projects: built, with the harness in them, by the versions of packages that they have."""

    projects: Mapping[tuple[str, ...], Project]

    def command(self, variant: Variant) -> list[str]:
        case = [variant.case] if variant.case else []
        library = self.projects[app_builds.versions(variant.needs)].library
        return ["dotnet", str(library), "--slices", variant.benchmark, *case]

    def explained(self, lines: Sequence[str], variant: Variant) -> Sequence[str]:
        return [line.strip() for line in explain(lines).splitlines()]
