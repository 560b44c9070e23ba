"""`./bench lab`: JupyterLab or Notebook, on the notebooks."""

import sys
from importlib.util import find_spec

import click

from benchbook.setup import running
from benchbook.system import paths
from benchbook.system.errors import BenchError


@click.command("lab", context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Open the notebooks in JupyterLab, or in Notebook."""
    paths.need_checkout()
    for module, name in (("jupyterlab", "lab"), ("notebook", "notebook")):
        if find_spec(module):
            break
    else:
        raise BenchError("neither JupyterLab nor Notebook is installed", "./bench setup")
    words = [sys.executable, "-m", module, *arguments]
    if not any("notebook-dir" in a or "root-dir" in a or not a.startswith("-") for a in arguments):
        words.append(f"--notebook-dir={paths.root()}")
    click.echo(f"opening {name} on {paths.root()}; end it with Ctrl-C", err=True)
    running.become(words)  # signals then reach Jupyter, which ends its kernels
