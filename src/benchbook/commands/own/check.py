"""`./bench check`: is an experiment ready for others? What a contributor's CI asks."""

import sys

import click

from benchbook.commands.options import in_folder


@click.command("check")
@click.argument("experiment")
@click.option("--no-start", is_flag=True, help="Don't start the programs to compare their answers.")
@in_folder
def command(experiment: str, no_start: bool) -> None:
    """Check that an experiment is ready for others.

    EXPERIMENT is a number, a name, or the path of a folder. Checked are: the form of its files;
    that its statements can be decided and say where they stand; that its programs differ and answer
    alike; that its notebook is in order and without outputs, and that solutions solve exercises.

    Exits with 1 where something is wrong, and names all of it, with file and line.
    """
    from benchbook.model import experiments  # here: help needs none of it
    from benchbook.model.naming import home
    from benchbook.notebook.checking import check
    from benchbook_kernels.base.words import counted
    from benchbook_kernels.commands.options import say

    folders = experiments.called(experiment)
    if len(set(map(home, folders))) > 1:
        raise experiments.several(experiment, folders)
    report = check.check(folders, say, start=not no_start)
    for line in report.checked:
        click.echo(f"checked  {line}")
    for note in report.notes:
        click.echo(f"note     {note}")
    for problem in report.problems:
        click.echo(problem.text, err=True)
    if report.problems:
        click.echo(f"bench: {counted(len(report.problems), 'problem')}", err=True)
        sys.exit(1)
    click.echo("all of it is in order")
