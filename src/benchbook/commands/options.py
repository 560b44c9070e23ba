"""What several commands take alike: numbers, folders of experiments, and the notebooks' kernels."""

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.commands.options import NamedPlace, say


class Finite(click.FloatRange):
    """A number in a range; "nan" and "inf" are in none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class GroupedCommand(click.Command):
    """A command whose options its help tells in groups.

    groups: by title, the options of a group; those of no group come first.
    """

    def __init__(
        self, *args: Any, groups: Mapping[str, Sequence[click.Parameter]] = {}, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        told = {title: {each.name for each in group} for title, group in self.groups.items()}
        grouped = set().union(*told.values())
        shown = {"Options": {each.name for each in self.get_params(ctx)} - grouped, **told}
        for title, names in shown.items():
            records = [each.get_help_record(ctx) for each in self.get_params(ctx)]
            kept = [
                record
                for each, record in zip(self.get_params(ctx), records, strict=True)
                if record and each.name in names
            ]
            with formatter.section(title):
                formatter.write_dl(kept)


def look_in(context: click.Context, _option: click.Parameter, place: Path | None) -> None:
    """From here on, and in kernels that are started, only this folder's experiments are known.

    Raises InputError where it holds none.
    """
    if place is None:
        return
    from benchbook.model import experiments  # here: help needs none of it

    if not experiments.folders_in(place.absolute()):
        problem = f"holds no {experiments.FILE}, nor does a folder in it"
        remedy = f"./bench new NAME --in {place} makes one there"
        raise InputError(f"--in {place}", "", problem, remedy)
    before = os.environ.get(paths.ONLY)
    os.environ[paths.ONLY] = str(place.absolute())
    context.find_root().call_on_close(lambda: set_again(before))  # however the command ends


def set_again(before: str | None) -> None:
    if before is None:
        os.environ.pop(paths.ONLY, None)
    else:
        os.environ[paths.ONLY] = before


in_folder = click.option(
    "--in",
    "place",
    type=NamedPlace("folder", exists=True),
    metavar="FOLDER",
    is_eager=True,
    expose_value=False,
    callback=look_in,
    help="The experiments in this folder, or the one that it is, and no others.",
)


def mend_kernels() -> None:
    """Install the notebooks' kernels again where they were removed, and say so."""
    from benchbook_kernels.install import kernelspecs  # here: few commands need it

    if kernelspecs.mend():
        say("the notebooks' kernels were gone; they are installed again")
