"""`./bench page`: serve an experiment's web page, or measure how it is loaded itself."""

import statistics
import time
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from benchbook.race.kinds.page import web_page
from benchbook.race.kinds.page.web_page import Site
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.words import counted
from benchbook_kernels.commands.options import say


@click.command("page")
@click.argument("experiment")
@click.option("--port", type=click.IntRange(1, 65535), default=None, help="The port to use.")
@click.option("--open", "open_it", is_flag=True, help="Open it in this system's browser.")
@click.option(
    "--loads",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Load the page itself N times in Chromium, with an empty cache and again, and end.",
)
def command(experiment: str, port: int | None, open_it: bool, loads: int | None) -> None:
    """Serve the web page of experiment 07, or load it itself.

    It is served until Ctrl-C, to be opened by hand.
    """
    try:
        with web_page.served(web_page.find(experiment), say, port or 0) as site:
            if loads:
                click.echo("\n".join(messages_of(web_page.visits(site, loads))))
            else:
                serve(site, open_it)
    except KeyboardInterrupt:
        click.echo("ended", err=True)


def serve(site: Site, open_it: bool) -> None:
    """As long as the server lives. Raises BenchError when it ends."""
    click.echo(f"{site.address}  (end it with Ctrl-C)")
    if open_it:
        webbrowser.open(site.address)
    while site.program.alive:
        time.sleep(0.2)
    raise BenchError(f"the page's server has ended\n{site.program.last_words()}".rstrip())


def messages_of(visits: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Each file of the first load, and what first and later loads are in all."""
    files = [(file["sent"], file["bytes"], file["name"]) for file in visits[0]["first"]["files"]]
    yield f"{'bytes sent':>12} {'unpacked':>12}  file"
    for sent, size, name in sorted(files, reverse=True):
        yield f"{sent:12,} {size:12,}  {name}"
    yield ""
    for kind, words in (("first", "with an empty cache"), ("later", "again")):
        count = len(visits[0][kind]["files"])
        kilobytes = sum(file["sent"] for file in visits[0][kind]["files"]) / 1000
        times = [visit[kind]["ms"] for visit in visits]
        yield (
            f"{words + ':':20} {counted(count, 'file')}, {kilobytes:,.0f} kB sent; "
            "data shown after "
            f"{statistics.median(times):,.0f} ms (median of {len(times)}: {min(times):,.0f} to "
            f"{max(times):,.0f})"
        )
