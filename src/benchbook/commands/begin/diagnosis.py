"""`./bench doctor`: what is there, what is missing, what disturbs measurements."""

from dataclasses import replace

import click

from benchbook.commands.begin import doctor
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--csharp", is_flag=True, help="Count what C# needs as required, too.")
@click.option("--pilot", is_flag=True, help="Race for ten seconds: what can this machine see?")
def command(as_json: bool, csharp: bool, pilot: bool) -> None:
    """Say what is there, what is missing, what disturbs a race.

    Exits with 1 where a workshop would fail; one that uses C# asks with --csharp.
    """
    report = doctor.report(csharp=csharp)
    if report.ok and paths.checkout():
        report = replace(report, effect=detectable_here(pilot))
    click.echo(report.to_json() if as_json else report.text())
    if not report.ok:
        raise SystemExit(1)


def detectable_here(pilot: bool) -> str:
    """What this machine can see, in a sentence."""
    from benchbook.race.checks import pilot as piloting

    if not pilot:
        known = piloting.by_races()
        unknown = "What a race sees here is not known before the first one"
        return known.text if known else f"{unknown}; ./bench doctor --pilot tells in ten seconds."
    try:
        found = piloting.by_pilot(lambda text: click.echo(f"… {text}", err=True))
    except BenchError as error:
        return f"The pilot failed: {error}"
    return found.text if found else "The pilot was too short to tell what a race sees here."
