"""The load generator that is asked for, or the best of those that are installed: python-load always
is."""

from __future__ import annotations

from collections.abc import Sequence

from benchbook import loadtools
from benchbook.load import installed
from benchbook.load.errors import LoadError
from benchbook.loadtools.tool import LoadTool, Paths, ReplayableTool
from benchbook.system import paths as places
from benchbook_kernels.base.nearest import did_you_mean

AUTO = "auto"  # the preferred tool among those that are installed


def choices() -> tuple[str, ...]:
    """What --tool takes."""
    return (AUTO, *loadtools.declared())


def get(name: str) -> LoadTool:
    """The tool of that name. Raises LoadError where there is none."""
    tools = loadtools.declared()
    if name not in tools:
        hint = did_you_mean(name, tools)
        raise LoadError(f"no load generator '{name}'{hint}", f"there are: {any_of(list(tools))}")
    return tools[name]


def replayable(name: str) -> ReplayableTool:
    """The tool of that name, which can run as an article ran it. Raises LoadError otherwise."""
    tool = get(name)
    if not isinstance(tool, ReplayableTool):
        raise LoadError(f"{name} can't be run with an article's options")
    return tool


def choose(name: str = AUTO) -> LoadTool:
    """The tool of that name; `auto` is the preferred one of those that are installed.

    Raises LoadError with the way to get it where it is missing.
    """
    if name != AUTO:
        tool = get(name)
        if installed.missing(tool):
            leave = "leave --tool out and take what is there"
            how = f"{tool.install}; or {leave}" if places.checkout() or not tool.npm else leave
            raise LoadError(f"the load generator {name} is not installed", how)
        return tool
    return next(tool for tool in loadtools.declared().values() if not installed.missing(tool))


def refuses(tool: LoadTool, paths: Paths | None) -> str:
    """Why a tool can't ask these paths, '' where it can."""
    if tool.many_paths or paths is None or paths.count == 1:
        return ""
    able = any_of([each.name for each in loadtools.declared().values() if each.many_paths])
    return f"{tool.name} can ask one path only, and not {paths.count:,} at random as {able} can"


def any_of(names: Sequence[str]) -> str:
    """`wrk, autocannon or ab`."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


PAGE = """# Load generators

`--tool` (and `%race --tool`) takes one of these. Without it, the first in the table that is
installed runs. `./bench doctor` says which are installed, and how to get the others here.

{table}
Each is a file in [src/benchbook/loadtools/tools/](../src/benchbook/loadtools/tools/), from which
`python tools/make_load_tools.py` makes this page. How to add one:
[CONTRIBUTING.md](../CONTRIBUTING.md).
"""


def page() -> str:
    """docs/load-tools.md, in Markdown."""
    lines = ["| `--tool` | what it is good for | many paths | how to get it |", "|---|---|---|---|"]
    for tool in loadtools.declared().values():
        many = "yes" if tool.many_paths else "no"
        lines.append(f"| `{tool.name}` | {tool.purpose} | {many} | {tool.install} |")
    return PAGE.format(table="\n".join(lines) + "\n")
