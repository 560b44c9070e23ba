"""`./bench page`: serve an experiment's web page, to be opened by hand."""

import time
import webbrowser

import click

from benchbook.commands.options import say
from benchbook.race import web_page
from benchbook.system.errors import BenchError


@click.command("page")
@click.argument("experiment")
@click.option("--port", type=click.IntRange(1, 65535), default=None, help="The port to use.")
@click.option("--open", "open_it", is_flag=True, help="Open it in this system's browser.")
def command(experiment: str, port: int | None, open_it: bool) -> None:
    """Serve the web page of EXPERIMENT (07), to be opened by hand, until Ctrl-C."""
    try:
        with web_page.served(web_page.find(experiment), say, port or 0) as server:
            click.echo(f"{web_page.address(server)}  (end it with Ctrl-C)")
            if open_it:
                webbrowser.open(web_page.address(server))
            while server.alive:
                time.sleep(0.2)
            raise BenchError(f"the page's server has ended\n{server.last_words()}".rstrip())
    except KeyboardInterrupt:
        click.echo("ended", err=True)
