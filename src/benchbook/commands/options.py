"""What several commands take alike: numbers, and the notebooks' kernels."""

import math
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


def mend_kernels() -> None:
    """Install the notebooks' kernels again where they were removed, and say so."""
    from benchbook_kernels.install import kernelspecs  # here: few commands need it

    if kernelspecs.mend():
        say("the notebooks' kernels were gone; they are installed again")
