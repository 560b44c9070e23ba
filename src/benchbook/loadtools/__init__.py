"""Load generators as they are declared: what each is called, how it is got, told and read.

A file in tools/ that says `TOOL = …` declares one, and nothing else names it. Standard library
only, and nothing of Benchbook: set-up asks for their packages before anything is installed, the
schemas for their names. Running them is the business of `load`.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from benchbook.loadtools import tools
from benchbook.loadtools.tool import LoadTool


def declared() -> dict[str, LoadTool]:
    """The load generators by name, the preferred one first."""
    names = sorted(module.name for module in pkgutil.iter_modules(tools.__path__))
    modules = [import_module(f"benchbook.loadtools.tools.{name}") for name in names]
    found: list[LoadTool] = [module.TOOL for module in modules if hasattr(module, "TOOL")]
    return {tool.name: tool for tool in sorted(found, key=lambda tool: tool.preference)}
