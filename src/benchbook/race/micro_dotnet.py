"""Methods of C# projects in .NET processes that time them: Slices.cs."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchbook.model.variants import Variant
from benchbook.race.micro_events import explain
from benchbook.race.micro_project import Project
from benchbook.race.sliced_executor import Harness


@dataclass(frozen=True)
class DotnetHarness(Harness):
    """project: built, with the harness in it."""

    project: Project

    def command(self, variant: Variant) -> list[str]:
        case = [variant.case] if variant.case else []
        return ["dotnet", str(self.project.library), "--slices", variant.benchmark, *case]

    def explained(self, lines: Sequence[str], variant: Variant) -> Sequence[str]:
        return [line.strip() for line in explain(lines).splitlines()]
