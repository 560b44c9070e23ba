"""What the commands say and take alike: progress, misspelt commands, numbers, how they end."""

import math
import signal
from typing import Any

import click

from benchbook.setup.nearest import did_you_mean


def say(text: str) -> None:
    """Report progress."""
    click.echo(f"… {text}", err=True)


class Subcommands(click.Group):
    """Commands in a command; a misspelt one is told which was meant."""

    def unknown(self, word: str) -> str:
        return f"no command '{word}'{did_you_mean(word, self.commands)}"

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            ctx.fail(self.unknown(args[0]))
        return super().resolve_command(ctx, args)


class Finite(click.FloatRange):
    """A number in a range; "nan" and "inf" are in none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """As a shell has it: 130 after Ctrl-C, 143 after SIGTERM."""
    number = next(iter(interrupt.args), signal.SIGINT)
    return 128 + (number if isinstance(number, int) else signal.SIGINT)
