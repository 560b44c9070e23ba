"""`./bench list`: the experiments or the variants of one, and whether they can run here."""

import sys

import click

from benchbook.commands.options import in_folder
from benchbook.model import experiments
from benchbook.model.experiments import Experiment
from benchbook.programs import readiness
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, printable


@click.command("list")
@click.argument("experiment", required=False)
@in_folder
def command(experiment: str | None) -> None:
    """List the experiments, or the variants of one.

    Of each experiment: number, question, and how many of its variants can run here. Of EXPERIMENT,
    part by part: its variants with their files, and why one of them can't run here.

    Exits with 2 where an experiment is wrong; the others are listed all the same.
    """
    if experiment is not None:
        click.echo("\n\n".join(map(in_full, experiments.find_all(experiment))))
        return
    paths.need_place()
    wrong = list[BenchError]()
    for folder in experiments.folders():
        try:
            click.echo(in_short(experiments.load(folder)))
        except BenchError as problem:
            wrong.append(problem)
    if not any(experiments.folders()):
        click.echo(f"no experiments in {' or '.join(map(str, paths.places()))}")
    try:
        experiments.check_clashes(experiments.folders())
    except BenchError as problem:
        wrong.append(problem)
    for error in wrong:
        click.echo(f"bench: {error}", err=True)
    if wrong:
        sys.exit(wrong[0].exit_code)


def in_short(experiment: Experiment) -> str:
    """Its title, how many variants are ready, its question."""
    ready = [not readiness.unavailable(variant) for variant in experiment.variants]
    count = f"{sum(ready)} of {len(ready)} variants ready"
    title = printable(experiment.title)
    return f"{experiment.number}  {title} ({count})\n    {printable(experiment.question)}"


def in_full(experiment: Experiment) -> str:
    """Its title and question, and a line for each variant; below it why it can't run here."""
    home = experiment.home.resolve()
    names = max(len(variant.name) for variant in experiment.variants)
    files = {v.name: v.path.relative_to(home).as_posix() for v in experiment.variants}
    width = max(map(len, files.values()))
    lines = [in_short(experiment), f"    in {paths.relative(home)}:", ""]
    for variant in experiment.variants:
        reason = readiness.unavailable(variant)
        mark = "✗" if reason else "✓"
        name, file = f"{variant.name:<{names}}", f"{files[variant.name]:<{width}}"
        lines.append(printable(f" {mark} {name}  {file}  {variant.title}"))
        lines += [f"   {' ' * names}  {line}" for line in reason.splitlines()]
    return "\n".join(lines)
