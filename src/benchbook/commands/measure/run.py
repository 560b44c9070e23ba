"""`./bench run`: execute notebooks and print the scoreboard."""

from pathlib import Path

import click

from benchbook.commands.options import Finite, in_folder, mend_kernels
from benchbook.system import paths
from benchbook_kernels.commands.options import NamedPlace


@click.command("run")
@click.argument("experiments", nargs=-1)
@in_folder
@click.option("--quick", "mode", flag_value="quick", default=True, help="Up to two minutes a race.")
@click.option("--full", "mode", flag_value="full", help="About ten minutes each.")
@click.option(
    "--out",
    type=NamedPlace("folder"),
    default=None,
    help="Where executed notebooks and the page go (default: .benchbook/report).",
)
@click.option(
    "--minutes",
    type=Finite(1),
    metavar="M",
    help="Shorten quick races towards M minutes in all (all notebooks: 30), but to no less than a "
    "quarter of their samples: what it will take is said before it begins.",
)
def command(
    experiments: tuple[str, ...], mode: str, out: Path | None, minutes: float | None
) -> None:
    """Execute notebooks and print the scoreboard.

    Those of EXPERIMENTS; all where none is named.
    """
    from benchbook.model.experiments import of_notebook  # here: help needs none of it
    from benchbook.notebook.headless import batch, choosing
    from benchbook.programs import browser

    if minutes and mode != "quick":
        raise click.UsageError("--minutes goes with --quick: leave one of the two out")
    if paths.checkout():
        mend_kernels()
    chosen = choosing.choose(experiments)
    browser.ask_for(each for path in chosen for each in of_notebook(path))  # read without one only
    raise SystemExit(batch.run(experiments, mode, out or paths.state() / "report", minutes))
