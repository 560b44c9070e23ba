"""`./bench doctor`: what is there, what is missing, what disturbs measurements."""

import click

from benchbook.commands import doctor


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--csharp", is_flag=True, help="Count what C# needs as required, too.")
def command(as_json: bool, csharp: bool) -> None:
    """What is there, what is missing and how to get it, what disturbs measurements.

    Exits with 1 where a workshop would fail; one that uses C# asks with --csharp.
    """
    report = doctor.report(csharp=csharp)
    click.echo(report.to_json() if as_json else report.text())
    if not report.ok:
        raise SystemExit(1)
