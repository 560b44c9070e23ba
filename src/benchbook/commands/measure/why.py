"""`bench why`: which functions cost the microseconds by which two programs differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from benchbook.commands.options import in_folder
from benchbook.profiling.options import ATTACK_SECONDS, RECORDED, WHY_OPTIONS, why_options
from benchbook.race.options import DAY_MINUTES
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError, code_after
from benchbook_kernels.base.words import counted

if TYPE_CHECKING:  # help needs none of it
    from benchbook.model.experiments import Experiment
    from benchbook.model.profiles.comparison import ProfileComparison
    from benchbook.model.profiles.layers import Layers
    from benchbook.profiling.options import WhyOptions


@click.command("why", params=[*WHY_OPTIONS, RECORDED])
@click.argument("experiment")
@click.argument("names", nargs=-1, metavar="[A] [B] [...]")
@in_folder
@click.option(
    "--attack",
    is_flag=True,
    help="Race the two under changes that should not matter: where does the verdict turn?",
)
@click.option(
    "--for",
    "length",
    type=click.FloatRange(1, DAY_MINUTES),
    metavar="MIN",
    help=f"How long --attack may take, in minutes (default {ATTACK_SECONDS / 60:g}).",
)
@click.option("--afresh", is_flag=True, help="Do not continue an --attack that was interrupted.")
@click.option(
    "--cost", is_flag=True, help="What a request costs beside time: memory, calls, bytes."
)
@click.option("--layers", is_flag=True, help="What two or more programs spend by layer, as bars.")
def command(
    experiment: str,
    names: tuple[str, ...],
    cost: bool,
    layers: bool,
    attack: bool,
    length: float | None,
    afresh: bool,
    **values: Any,
) -> None:
    """Say which functions cost the microseconds by which B differs from A.

    EXPERIMENT is a number (04), a part (05/http), a name, or the path of a folder; A and B are two
    of its variants. Both are profiled under the load of their race, beside copies without a
    profiler, in several launches. Without B: where A spends its CPU time. With --layers, of more.
    """
    from benchbook.model import experiments  # here: help needs none of it

    chosen = experiments.find(experiment)
    flags = {"--attack": attack, "--cost": cost, "--layers": layers}
    check(names, [flag for flag, given in flags.items() if given])
    if attack:
        assault(chosen, names, length, afresh, why_options(values))
    elif not names:
        raise InputError("why", "", "names no variant", "name one, or two to compare")
    elif length or afresh:
        flag = "--for" if length else "--afresh"
        raise InputError(flag, "", "goes with --attack", "add it, or leave this out")
    elif layers:
        bars(chosen, names, why_options(values))
    elif cost:
        count(chosen, names, why_options(values))
    else:
        why(chosen, names, why_options(values))


def check(names: tuple[str, ...], flags: list[str]) -> None:
    """Raises InputError where names and flags don't go together."""
    if len(flags) > 1:
        raise InputError(flags[1], "", f"does not go with {flags[0]}", "leave one of them out")
    if "--layers" in flags and len(names) < 2:
        raise InputError("--layers", "", "needs two variants or more", "name them")
    if "--layers" not in flags and len(names) > 2:
        raise InputError(names[2], "", "is one variant too many", "--layers tells of several")


def assault(
    experiment: Experiment,
    names: tuple[str, ...],
    minutes: float | None,
    afresh: bool,
    options: WhyOptions,
) -> None:
    """Race a pair under many conditions, and print where its verdict holds."""
    from benchbook.commands.measure.terminal import Terminal  # here: help needs none of it
    from benchbook.compare.attack import attacking
    from benchbook.show.attack import shown

    seconds = 60 * minutes if minutes else ATTACK_SECONDS
    try:
        found = attacking.attack(experiment, names, Terminal(), options.race, seconds, afresh)
    except attacking.AttackStopped as stopped:
        click.echo("interrupted: asked again, it goes on", err=True)
        click.echo(shown.answer(stopped.attack).text)
        raise SystemExit(code_after(stopped)) from None
    assert found.path
    click.echo(f"{shown.answer(found).text}\n\nkept: {paths.relative(found.path)}")


def count(experiment: Experiment, names: tuple[str, ...], options: WhyOptions) -> None:
    """Count what a request costs, and print it."""
    from benchbook.commands.measure.terminal import Terminal  # here: help needs none of it
    from benchbook.profiling import service
    from benchbook.show.why import cost_cards

    click.echo(cost_cards.summary(service.counted(experiment, names, options, Terminal())).text)


def bars(experiment: Experiment, names: tuple[str, ...], options: WhyOptions) -> None:
    """Profile several programs, and print what each spends by layer; of interrupted ones, which
    were complete."""
    from benchbook.commands.measure.terminal import Terminal  # here: help needs none of it
    from benchbook.profiling import service

    try:
        found = service.layered(experiment, names, options, Terminal())
    except service.LayersStopped as stopped:
        click.echo("interrupted: these are complete" if stopped.found else "interrupted", err=True)
        if stopped.found:
            tell_layers(stopped.found)
        raise SystemExit(code_after(stopped)) from None
    tell_layers(found)


def tell_layers(found: Layers) -> None:
    """Print what several programs spend by layer."""
    from benchbook.show.why import layer_bars, layer_cards

    click.echo(layer_cards.answer(found).text)
    click.echo(f"\n{layer_bars.layer_bars(found).numbers.text}")
    click.echo(f"\n{layer_cards.details(found).text}")


def why(experiment: Experiment, names: tuple[str, ...], options: WhyOptions) -> None:
    """Profile, and print what came of it; of an interrupted one, what was complete."""
    from benchbook.commands.measure.terminal import Terminal  # here: help needs none of it
    from benchbook.profiling import service

    try:
        found = service.profiled(experiment, names, options, Terminal())
    except service.ProfilingStopped as stopped:
        launches = counted(len(stopped.comparison.launches), "launch")
        click.echo(f"interrupted: {launches} kept", err=True)
        if stopped.comparison.launches:
            tell(stopped.comparison)
        raise SystemExit(code_after(stopped)) from None
    tell(found)


def tell(found: ProfileComparison) -> None:
    """Print what a profile says, and where it is."""
    from benchbook.show.why.shown import ShownProfile

    shown = ShownProfile(found)
    click.echo(f"{shown.answer.text}\n\n{shown.details.text}")
    click.echo(f"\n{shown.figure.numbers.text}")
    if found.path:
        files = ", ".join(file.name for file in shown.write())
        click.echo(f"\nprofiles: {paths.relative(found.path)}")
        click.echo(f"for other tools: {files} beside it")
