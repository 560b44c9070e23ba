"""`bench race`: race the variants of an experiment, or replay its article's own method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.commands.options import in_folder
from benchbook.compare.versions.options import VERSION_OPTIONS, is_asked
from benchbook.race import options
from benchbook.race.options import OPTIONS, Options, RaceRequest
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError, code_after
from benchbook_kernels.base.words import counted
from benchbook_kernels.commands.options import NamedPlace

if TYPE_CHECKING:  # help needs none of it
    from benchbook.commands.measure.terminal import Terminal
    from benchbook.model.experiments import Experiment


@click.command("race", params=[*OPTIONS, *VERSION_OPTIONS])
@click.argument("experiment")
@in_folder
@click.option("--all", "every", is_flag=True, help="All parts of EXPERIMENT, one after the other.")
@click.option(
    "--json",
    "path",
    type=NamedPlace("file"),
    help="Write the run to this file (default: a new file in .benchbook/runs).",
)
def command(experiment: str, every: bool, path: Path | None, **values: Any) -> None:
    """Race the variants of an experiment and judge its claim.

    EXPERIMENT is a number (04), a part (05/http), a name, or the path of a folder. With --node,
    --npm, --nuget or --dotnet its statements are asked of each of these versions.
    """
    from benchbook.programs import browser  # here: help needs none of it
    from benchbook.race.turn import StoppedWaiting

    chosen = parts(experiment, every)
    if path and len(chosen) > 1:
        raise InputError("--json", "", "names one file", "race one part at a time with it")
    asked, by_version = options.request(values), is_asked(values)
    if not asked.as_published:
        browser.ask_for(chosen)
    failed: list[BenchError] = []
    for each in chosen:
        if len(chosen) > 1:
            click.echo(f"{each.number} · {each.question}\n")
        try:
            if by_version:
                over_versions(each, asked, path, values)
            else:
                one(each, asked, path)
        except BenchError as error:
            if len(chosen) == 1 or isinstance(error, StoppedWaiting):
                raise
            failed.append(error)  # the other parts are raced all the same
            click.echo(f"bench: {each.number}: {error}", err=True)
    if failed:
        raise SystemExit(failed[0].exit_code)


def parts(which: str, every: bool) -> list[Experiment]:
    """What is meant by a name; all parts of it where every one is asked for.

    Raises InputError where there are several, and one is asked for.
    """
    from benchbook.model import experiments  # here: help needs none of it
    from benchbook.model.naming import home

    found = experiments.called(which)
    if len(set(map(home, found))) == 1 < len(found) and not every:
        example = experiments.number_of(found[0])
        remedy = f"name one, as {example}; or race them one after the other: {which} --all"
        raise experiments.several(which, found, remedy)
    return experiments.find_all(which)


def one(experiment: Experiment, asked: RaceRequest, path: Path | None) -> None:
    """Race one experiment, or replay its article's method; print what came out."""
    from benchbook.analysis.judging import judge
    from benchbook.commands.measure.terminal import Terminal
    from benchbook.race import service
    from benchbook.show.cards import race_cards, replay_cards

    judged = None if asked.as_published else lambda run: judge.judge(run, experiment.claim)
    terminal = Terminal(judged)
    try:
        if asked.as_published:
            shorten = asked.shorten or 1
            run = service.as_published(experiment, shorten, terminal, path, asked.anyway)
            click.echo(replay_cards.summary(run).text)
        else:
            fields: dict[str, Any] = {**asked.fields, "path": path}
            run, results = service.race(experiment, asked, Options(**fields), terminal)
            click.echo(race_cards.summary(run, results).text)
    except KeyboardInterrupt as interrupt:
        if terminal.run is None:
            raise
        saved_message(terminal, experiment)
        raise SystemExit(code_after(interrupt)) from None
    click.echo(f"\nrun file: {place(run.path)}")


def over_versions(
    experiment: Experiment, asked: RaceRequest, path: Path | None, values: dict[str, Any]
) -> None:
    """Ask the statements of an experiment of several versions; print where they turn."""
    from benchbook.commands.measure import versions
    from benchbook.compare.versions import racing

    wanted = versions.request_of(values, asked, racing.SECONDS, path)
    versions.told(lambda audience: racing.race(experiment, wanted, audience))


def saved_message(terminal: Terminal, experiment: Experiment) -> None:
    """After an interruption: how much was measured, where it is, and what it says so far."""
    from benchbook.analysis.judging import judge
    from benchbook.show.cards import race_cards

    run = terminal.run
    assert run
    if run.replay is not None:
        click.echo(f"interrupted: what was measured is kept in {place(run.path)}", err=True)
        return
    what = f"{counted(len(run.samples), 'sample')} kept in {place(run.path)}"
    click.echo(f"interrupted: {what}", err=True)
    if len({sample.variant for sample in run.samples}) > 1:
        click.echo(race_cards.ratios(run, judge.judge(run, experiment.claim)).text)


def place(path: Path | None) -> str:
    return paths.relative(path) if path else ""
