"""The declared load generators on this machine: which are there, their versions, how they start."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from benchbook.loadtools.tool import LoadTool
from benchbook.system import paths, versions


def npm_script(tool: LoadTool) -> Path:
    """The script of a tool that is an npm package of this project."""
    return paths.root() / "node_modules" / tool.npm / tool.npm_script


def missing(tool: LoadTool) -> bool:
    """Is it not installed?"""
    if tool.npm:
        return not (npm_script(tool).is_file() and shutil.which("node"))
    return not shutil.which(tool.program or tool.name)


def version(tool: LoadTool) -> str:
    """Its version, '' where it is missing, 'unknown' where it does not say."""
    if tool.npm:
        return versions.node_package_versions().get(tool.npm) or ""
    return versions.probed_version(tool.program or tool.name, tool.probe) or ""


def started_here(tool: LoadTool, words: Sequence[str]) -> list[str]:
    """A tool's command line as it runs here: Node.js runs an npm package of this project, and a
    script of ours from where it finds that package above it."""
    command, *rest = words
    if tool.npm and command == tool.name:
        return ["node", str(npm_script(tool)), *rest]
    if tool.npm and rest:
        script = Path(rest[0]).relative_to(paths.PACKAGE)
        return [command, str(paths.script(script.as_posix())), *rest[1:]]
    return list(words)
