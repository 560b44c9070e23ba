"""A web page that is open in a browser, whose clients measure."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.model.kinds.kind import Inside, Kind, Raced, in_processes

LOADS = "loads/s"
BROWSER = "Chromium"  # what measured


@dataclass(frozen=True)
class Page(Kind):
    """A web page loads data in a browser, with one client for each variant.

    server: the project of ASP.NET Core that gives the page and the data; packages: of npm, which
    clients in JavaScript import.
    """

    name = "page"
    table = "page"
    unit = LOADS
    thing = "load"
    needs = ("browser:chromium",)

    server: Path
    packages: tuple[str, ...] = ()

    @classmethod
    def parse(cls, table: Mapping[str, Any], where: str, inside: Inside) -> "Page":
        server = inside(table["server"], "page.server")
        return cls(server, tuple(table.get("packages", ())))

    @property
    def published(self) -> tuple[Path, ...]:
        return (self.server,)

    @classmethod
    def wrote(cls, unit: str | None, tool: str) -> bool:
        return unit == LOADS and tool == BROWSER

    @classmethod
    def placed(cls, run: Raced) -> str:
        return in_processes("page", run.plan)
