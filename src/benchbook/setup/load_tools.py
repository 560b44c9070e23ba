"""The load generators, each declared by its file in load/tools/, and nowhere else.

Set-up needs their packages, the schemas their names: rooms that may not import `load` ask here. A
file there that says `TOOL = …` declares a load generator; it needs the standard library only.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from typing import Protocol

FOLDER = "benchbook.load.tools"


class LoadToolFacts(Protocol):
    """What every room may ask of a load generator; load/tool.py says what each fact means."""

    @property
    def name(self) -> str:
        ...

    @property
    def preference(self) -> int:
        ...

    @property
    def purpose(self) -> str:
        ...

    @property
    def install(self) -> str:
        ...

    @property
    def packages(self) -> Mapping[str, str]:
        ...

    @property
    def npm(self) -> str:
        ...

    @property
    def probe(self) -> tuple[Sequence[str], str]:
        ...

    @property
    def published_options(self) -> frozenset[str]:
        ...


def declared() -> dict[str, LoadToolFacts]:
    """The load generators by name, the preferred one first."""
    folder = importlib.import_module(FOLDER).__path__
    names = sorted(module.name for module in pkgutil.iter_modules(folder))
    modules = [importlib.import_module(f"{FOLDER}.{name}") for name in names]
    tools: list[LoadToolFacts] = [module.TOOL for module in modules if hasattr(module, "TOOL")]
    return {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.preference)}
