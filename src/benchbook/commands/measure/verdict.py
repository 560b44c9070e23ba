"""`bench verdict`: what the race that counts says of each statement, without racing again."""

from pathlib import Path

import click

from benchbook.commands.options import in_folder
from benchbook.model import experiments
from benchbook.model.experiments import Experiment
from benchbook.system import paths
from benchbook_kernels.commands.options import NamedPlace


@click.command("verdict")
@click.argument("experiment")
@in_folder
@click.option("--recorded", is_flag=True, help="Judge the race that Benchbook brings along.")
@click.option(
    "--run",
    "file",
    type=NamedPlace("file", exists=True),
    help="Judge this run file.",
)
def command(experiment: str, recorded: bool, file: Path | None) -> None:
    """Say what the last race that counts says of each statement.

    Of all parts of EXPERIMENT, where it has some. Where there is no race of yours, the recorded
    one is judged, and that is said.
    """
    if recorded and file:
        raise click.UsageError("--recorded and --run name a race each: give one of them")
    told = [one(each, recorded, file) for each in experiments.find_all(experiment)]
    click.echo("\n\n".join(told))


def one(experiment: Experiment, recorded: bool, file: Path | None) -> str:
    """The verdicts of one experiment, and on which run they stand. Raises InputError."""
    from benchbook.analysis.judging import judge  # here: help needs none of it
    from benchbook.model import picker, results
    from benchbook.show.cards import race_cards
    from benchbook_kernels.base.errors import InputError

    number = experiment.number
    run = results.load(file) if file else None if recorded else picker.own_run(experiment)
    whose = f"{number} · {paths.relative(run.path)}" if run and run.path else ""
    if run is None:
        whose = f"{number} · the recorded race; yours: ./bench race {experiment.typed}"
        run = picker.reference_runs().get(experiment.name)
    if run is None:
        raise InputError(
            "experiment", number, "was not raced yet", f"./bench race {experiment.typed}"
        )
    if run.experiment.name != experiment.name:
        raise InputError(str(file), "experiment", f"is of {run.experiment.name}", "name that one")
    if run.replay is not None:
        raise InputError(str(file), "", "is a replay, which has no verdicts", "name a race's file")
    found = judge.judge(run, experiment.claim)
    return f"{whose}, {run.started}\n\n{race_cards.judged(run, found).text}"
