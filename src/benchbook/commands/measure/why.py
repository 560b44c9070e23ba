"""`bench why`: which functions cost the microseconds by which two programs differ."""

from __future__ import annotations

from typing import Any

import click

from benchbook.commands.options import in_folder
from benchbook.profiling.options import WHY_OPTIONS, why_options
from benchbook.system import paths


@click.command("why", params=[*WHY_OPTIONS])
@click.argument("experiment")
@click.argument("a")
@click.argument("b")
@in_folder
def command(experiment: str, a: str, b: str, **values: Any) -> None:
    """Say which functions cost the microseconds by which B differs from A.

    EXPERIMENT is a number (04), a part (05/http), a name, or the path of a folder; A and B are two
    of its variants. Both are profiled under the load of a race, beside copies without a profiler,
    in several launches.
    """
    from benchbook.commands.measure.terminal import Terminal  # here: help needs none of it
    from benchbook.model import experiments
    from benchbook.profiling import differences, service
    from benchbook.show.cards import why_cards

    options = why_options(values)
    found = service.profiled(experiments.find(experiment), (a, b), options, Terminal())
    click.echo(why_cards.summary(differences.why(found), found).text)
    click.echo(f"\nprofiles: {paths.relative(found.path) if found.path else ''}")
