"""`./bench selfcheck`: does Benchbook keep its promises?"""

from pathlib import Path

import click

from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.commands.options import NamedPlace, say


@click.command("selfcheck")
@click.option(
    "--full",
    is_flag=True,
    help="5,000 simulated races a cell and 20 real ones in each order (2 h).",
)
@click.option(
    "--modes",
    is_flag=True,
    help="Instead: races together and in turns, in alternation, with their errors (6 min a race).",
)
@click.option("--races", type=click.IntRange(0), help="Real races in each order (default 1).")
@click.option("--simulated", type=click.IntRange(50), help="Simulated races a cell (default 200).")
@click.option("--json", "path", type=NamedPlace("file"), help="Write it here.")
def command(
    full: bool, modes: bool, races: int | None, simulated: int | None, path: Path | None
) -> None:
    """Check that Benchbook keeps its promises.

    By simulated races, races with known differences, and its own speed.
    """
    from benchbook.race.checks import selfcheck  # here: help needs none of it
    from benchbook.show.cards import selfcheck_cards

    counts = (20, 5000) if full else (1, 200)
    races = counts[0] if races is None else races
    report = selfcheck.SelfcheckReport()
    if modes:
        parts = selfcheck.compare_modes(report, races, say)
    else:
        parts = selfcheck.check(report, races, simulated or counts[1], say)
    for part in parts:
        if table := selfcheck_cards.table(report, part):
            click.echo(table.text + "\n")
        if path:
            write_atomically(path, report.to_json())
    for promise in report.broken:
        click.echo(f"broken: {promise}", err=True)
    raise SystemExit(bool(report.broken))
