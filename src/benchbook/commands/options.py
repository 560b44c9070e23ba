"""What several commands take alike: numbers, and the notebooks' kernels."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import click

from benchbook_kernels.commands.options import say


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


def mend_kernels() -> None:
    """Install the notebooks' kernels again where they were removed, and say so."""
    from benchbook_kernels.install import kernelspecs  # here: few commands need it

    if kernelspecs.mend():
        say("the notebooks' kernels were gone; they are installed again")
