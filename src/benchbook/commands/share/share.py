"""`./bench share`: your newest races in one file that names nobody."""

from pathlib import Path

import click

from benchbook.commands.options import in_folder
from benchbook_kernels.base.words import counted
from benchbook_kernels.commands.options import NamedPlace


@click.command("share")
@click.argument("experiment", required=False)
@in_folder
@click.option(
    "--out",
    type=NamedPlace("file"),
    help="The file to write (default: benchbook-share-CODE.json here).",
)
@click.option("--to", metavar="ADDRESS", help="Send it to this room (`bench room serve`), too.")
def command(experiment: str | None, out: Path | None, to: str | None) -> None:
    """Write your newest races to one file that names nobody.

    Your guesses are in it, too. Those of EXPERIMENT where it is given. The file holds no user's,
    host's or folder's name; you are in it as a random code of six digits. `bench room merge` takes
    it; `bench room guesses` takes it before anything was raced, too. The leader shows the ADDRESS
    of a room that takes it over the network.
    """
    from benchbook.analysis.judging.doubts import doubt  # here: help needs none of it
    from benchbook.notebook import predictions
    from benchbook.notebook.classroom import sending
    from benchbook.show import sharing

    room = sending.parse(to) if to else None
    written = sharing.write(experiment, out, predictions.shared())
    click.echo(f"{written.path}: you are {sharing.code()} in it")
    if written.guesses:
        click.echo(f"  {counted(written.guesses, 'guess')}, without your reasons")
    for run in written.runs:
        click.echo(f"  {run.experiment.name}, {run.plan.mode}, {run.started}")
        if found := doubt(run):
            click.echo(f"    ! {found}")
    click.echo("It tells the CPU's and the system's model, versions, and the samples; no names.")
    if room:
        told = sending.send(
            written.path, room, sending.own_key(room.code), lambda line: click.echo(line, err=True)
        )
        races, guesses = counted(told.races, "race"), counted(told.guesses, "guess")
        click.echo(f"{room.text} has it: {races}, {guesses}")
