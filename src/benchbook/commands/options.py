"""What the commands say and take alike: progress on stderr, kinds of numbers."""

import math
from typing import Any

import click


def say(text: str) -> None:
    """Report progress."""
    click.echo(f"… {text}", err=True)


class Finite(click.FloatRange):
    """A number in a range; "nan" and "inf" are in none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number
