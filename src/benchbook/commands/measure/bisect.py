"""`bench bisect`: with which version does a statement turn?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from benchbook.commands.measure import versions
from benchbook.commands.options import in_folder
from benchbook.compare.versions.options import VERSION_OPTIONS, is_asked
from benchbook.race import options
from benchbook.race.options import OPTIONS
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.commands.options import NamedPlace

OF_RACE = ("connections", "tool", "seed", "port", "no_pin", "in_turns", "anyway")


@click.command(
    "bisect", params=[*VERSION_OPTIONS, *(each for each in OPTIONS if each.name in OF_RACE)]
)
@click.argument("experiment")
@in_folder
@click.option(
    "--json",
    "path",
    type=NamedPlace("file"),
    help="Write the answers to this file (default: a new file in .benchbook/runs).",
)
def command(experiment: str, path: Path | None, **values: Any) -> None:
    """Find the version with which a statement of a claim turns.

    EXPERIMENT is a number (04), a part (05/memory), a name, or the path of a folder; --statement
    names the statement, and --node 12..26 (or --npm NAME=3..5, …) the range. The oldest and the
    newest version are raced, then that in the middle, until two neighbours are left. What is too
    close to call is raced once more, for longer, and then told so.
    """
    from benchbook.compare.versions import bisecting  # here: help needs none of it
    from benchbook.model import experiments

    chosen = experiments.find(experiment)
    if not is_asked(values):
        raise InputError("bisect", "", "no range of versions is named", "name one: --node 12..26")
    wanted = versions.request_of(values, options.request(values), bisecting.SECONDS, path)
    versions.told(lambda audience: bisecting.bisect(chosen, wanted, audience))
