"""What may be chosen where statements are asked of versions: click's options, for `bench race`,
`bench bisect` and %versions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.compare.given.asked import given, option
from benchbook.race.options import DAY_MINUTES, Options, RaceRequest
from benchbook_kernels.base.errors import BenchError, InputError

if TYPE_CHECKING:  # help needs none of it
    from benchbook.compare.versions.racing import VersionRequest

FULL = 5.0  # times as long, with --full
AXIS_OPTIONS = (
    option("--node", "16,20,24", "Ask the claim of these versions of Node.js (also 16..26)."),
    option("--npm", "NAME=3,4,5", "Ask it of these versions of an npm package."),
    option("--nuget", "NAME=2.5,3.1", "Ask it of these versions of a NuGet package."),
    option("--dotnet", "8,9,10", "Ask it of these versions of .NET."),
)
VERSION_OPTIONS = (
    *AXIS_OPTIONS,
    option(
        "--statement",
        "ID",
        "With versions: only this statement of the claim; may be given again.",
        multiple=True,
    ),
    click.Option(
        ["--for", "length"],
        type=click.FloatRange(1, DAY_MINUTES),
        metavar="MIN",
        help="With versions: how long all races may take, in minutes.",
    ),
    click.Option(["--yes"], is_flag=True, help="Get versions that are missing without asking."),
)
OF_VERSIONS = {"statement": "--statement", "length": "--for", "yes": "--yes"}


def is_asked(values: Mapping[str, Any]) -> bool:
    """Is an axis named? Raises InputError for an option that goes with one, without one."""
    if any(values.get(str(each.name)) for each in AXIS_OPTIONS):
        return True
    for name, flag in OF_VERSIONS.items():
        if values.get(name):
            remedy = "name some: --node 20,22,24"
            raise InputError(flag, "", "goes with versions, and none are named", remedy)
    return False


def request(
    values: Mapping[str, Any],
    race: RaceRequest,
    usual: float,
    path: Path | None = None,
    asking: Callable[[str], bool] | None = None,
) -> VersionRequest:
    """What was asked for. race: what was asked of each race; usual: seconds of all; asking: puts a
    question to who is there, None for nobody.

    Raises BenchError, when something is missing, where nobody can be asked and --yes is not given.
    """
    from benchbook.compare.versions.racing import VersionRequest

    def allow(question: str) -> bool:
        if values.get("yes"):
            return True
        if asking:
            return asking(question)
        raise BenchError(question, "say --yes to get them, or leave them out")

    options = Options(**race.fields)
    seconds = 60 * values["length"] if values.get("length") else usual
    if not values.get("length") and options.mode == "full":
        seconds *= FULL
    names = {str(each.name): values.get(str(each.name)) for each in AXIS_OPTIONS}
    return VersionRequest(
        given=given(names),
        statements=tuple(values.get("statement") or ()),
        seconds=seconds,
        path=path,
        race=race,
        options=options,
        allow=allow,
    )
