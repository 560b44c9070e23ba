"""`./bench list`: the experiments, and whether their variants can run here."""

import sys

import click

from benchbook.model import experiments
from benchbook.programs import readiness
from benchbook.system import paths
from benchbook.system.errors import BenchError, printable


@click.command("list")
def command() -> None:
    """The experiments: number, question, and whether their variants can run here.

    Exits with 2 where one of them is wrong; the others are listed all the same.
    """
    paths.need_checkout()
    wrong = []
    for folder in experiments.folders():
        try:
            experiment = experiments.load(folder)
        except BenchError as problem:
            wrong.append(problem)
            continue
        reasons = [reason for v in experiment.variants if (reason := readiness.unavailable(v))]
        count = len(experiment.variants)
        ready = f"{count - len(reasons)} of {count} variants ready"
        click.echo(f"{experiment.number}  {printable(experiment.title)} ({ready})")
        click.echo(f"    {experiment.question}")
    if not any(experiments.folders()):
        click.echo(f"no experiments in {paths.snippets()}")
    for error in wrong:
        click.echo(f"bench: {error}", err=True)
    if wrong:
        sys.exit(wrong[0].exit_code)
