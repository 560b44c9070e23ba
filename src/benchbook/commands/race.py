"""`bench race`: race the variants of an experiment, or replay its article's own method."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from benchbook.commands.terminal import Terminal
from benchbook.model import experiments
from benchbook.model.experiments import Experiment
from benchbook.race import options, service, web_page
from benchbook.race.options import OPTIONS, Option, Options, Request
from benchbook.show import cards, replay_cards
from benchbook.system import paths


class Word(click.ParamType):
    """An option's word, read as its declaration says."""

    def __init__(self, option: Option) -> None:
        self.option = option
        self.name = option.metavar

    def convert(self, value: Any, param: object, ctx: object) -> Any:
        return self.option.parse(value) if isinstance(value, str) else value


def race_options(command: Callable[..., None]) -> Callable[..., None]:
    """A click option for each that a race has."""
    for option in reversed(OPTIONS):
        given: dict[str, Any] = {"is_flag": True}
        if option.convert:
            given = {"type": Word(option), "metavar": option.metavar}
        command = click.option(option.flag, option.name, help=option.help, **given)(command)
    return command


@click.command("race")
@click.argument("experiment")
@race_options
@click.option(
    "--json",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the run to this file (default: a new file in .benchbook/runs).",
)
def command(experiment: str, path: Path | None, **values: Any) -> None:
    """Race the variants of EXPERIMENT (a number, a name, or the path of a folder)."""
    found = experiments.find(experiment)
    asked = options.request(values)
    if asked.as_published:
        replay(found, asked, path)
        return
    if found.kind.has_page:
        web_page.ask_for_browser([found.number])
    terminal = Terminal()
    try:
        fields: dict[str, Any] = {**asked.fields, "path": path}
        run, results = service.race(found, asked, Options(**fields), terminal)
    except KeyboardInterrupt:
        if terminal.run is None:
            raise
        kept = f"{len(terminal.run.samples)} samples kept in {place(terminal.run.path)}"
        click.echo(f"interrupted: {kept}", err=True)
        raise SystemExit(1) from None
    click.echo(cards.summary(run, results).text)
    click.echo(f"\nrun file: {place(run.path)}")


def replay(found: Experiment, asked: Request, path: Path | None) -> None:
    """Replay the article's own method and print its table and the comparison."""
    terminal = Terminal()
    try:
        run = service.as_published(found, asked.shorten or 1, terminal, path, asked.anyway)
    except KeyboardInterrupt:
        if terminal.run is None:
            raise
        kept = f"what was measured is kept in {place(terminal.run.path)}"
        click.echo(f"interrupted: {kept}", err=True)
        raise SystemExit(1) from None
    click.echo(replay_cards.summary(run).text)
    click.echo(f"\nrun file: {place(run.path)}")


def place(path: Path | None) -> str:
    return paths.relative(path) if path else ""
