"""`./bench lab`: JupyterLab or Notebook, on the notebooks. It prints the address, then errors."""

import os
import secrets
import socket
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import click

from benchbook.commands.options import in_folder, mend_kernels
from benchbook.system import paths
from benchbook_kernels.base import running
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.platforms import is_root

PAGES = {"jupyterlab": "lab", "notebook": "tree"}  # what a front end's address ends with
HOST, PORT, PORTS = "127.0.0.1", 8888, 50
# Jupyter's options: those that start no server, and those with which it is as its user says.
ANSWERS = ("--help", "--help-all", "--version", "--generate-config", "--show-config")
FOLDER = ("--notebook-dir", "--root-dir", "--preferred-dir", "--ServerApp.root_dir")
PORT_OPTIONS = ("--port", "--ServerApp.port", "--NotebookApp.port")
VALUED = (*PORT_OPTIONS, "--ip", "--browser", "--config", *FOLDER, "--log-level", "--sock")
ADDRESS = ("--ip", "--ServerApp.ip", "--sock", "--ServerApp.sock")
LOG = ("--debug", "--log-level", "--Application.log_level")


@click.command("lab", context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@in_folder
def command(arguments: tuple[str, ...]) -> None:
    """Open the notebooks in JupyterLab, or in Notebook.

    ARGUMENTS are Jupyter's own: --no-browser, --port 8890, a notebook, a folder. The server
    listens on 127.0.0.1 only, unless --ip says otherwise. With --in, that folder is opened, or its
    notebook where it is an experiment.
    """
    if not named(arguments):
        paths.need_place()
    module = next((each for each in PAGES if find_spec(each)), "")
    if not module:
        raise BenchError("neither JupyterLab nor Notebook is installed", "./bench setup")
    words = [sys.executable, "-m", module, *arguments]
    if has(arguments, *ANSWERS):
        running.become(words)
    check_place(arguments)
    if paths.checkout():
        mend_kernels()
    if not has(arguments, *FOLDER) and not named(arguments):
        words += opened()
    if has(arguments, *ADDRESS):
        running.become(words)
    words.append(f"--ip={HOST}")
    if is_root():  # Jupyter refuses root, lest a network gets root's cells: here it gets none
        words.append("--allow-root")
    if has(arguments, *LOG):
        running.become(words)
    named_ports = filter(None, (value(arguments, option) for option in PORT_OPTIONS))
    port = next(named_ports, "") or str(free_port())
    token = os.environ.get("JUPYTER_TOKEN") or secrets.token_hex(16)
    click.echo(f"http://{HOST}:{port}/{PAGES[module]}?token={token}")
    # a token that is given is not printed by Jupyter once more
    words = without(words, *PORT_OPTIONS)  # Jupyter takes a port once
    running.become([*words, "--log-level=ERROR", f"--port={port}"], {"JUPYTER_TOKEN": token})


def opened() -> list[str]:
    """What is opened where nobody names it: the folder of --in, with the notebook of the experiment
    that it is; the checkout; or the first folder of BENCHBOOK_PATH."""
    folder = paths.only() or paths.checkout() or paths.outside()[0]
    notebook = folder / f"{folder.name}.ipynb"
    return [f"--notebook-dir={folder}", *([str(notebook)] if notebook.is_file() else [])]


def has(arguments: tuple[str, ...], *options: str) -> bool:
    """Is one of these options given?"""
    return any(each.partition("=")[0] in options for each in arguments)


def named(arguments: tuple[str, ...]) -> str:
    """The notebook or folder that is named, '' where none is: a word that is no option's value."""
    before = ("", *arguments)
    for previous, word in zip(before, arguments, strict=False):
        if not word.startswith("-") and previous not in VALUED:
            return word
    return ""


def check_place(arguments: tuple[str, ...]) -> None:
    """Raises InputError for a notebook or folder that is not there; Jupyter would open anything."""
    place = named(arguments)
    if place and not os.path.exists(place):
        remedy = "name a notebook or a folder, or nothing: the checkout's are then opened"
        raise InputError(place, "", "does not exist", remedy)
    if place and os.path.isfile(place) and Path(place).suffix != ".ipynb":
        raise InputError(place, "", "is not a notebook", "name a file .ipynb, or a folder")


def value(arguments: tuple[str, ...], option: str) -> str:
    """What an option is given, as --port 8890 or --port=8890; '' where it is not."""
    for word, following in zip(arguments, (*arguments[1:], ""), strict=False):
        if word.partition("=")[0] == option:
            return word.partition("=")[2] or following
    return ""


def without(words: Sequence[str], *options: str) -> list[str]:
    """The words without these options and what they are given."""
    kept = list[str]()
    for previous, word in zip(("", *words), words, strict=False):
        if word.partition("=")[0] not in options and previous not in options:
            kept.append(word)
    return kept


def free_port() -> int:
    """The first free port from Jupyter's usual one on."""
    for port in range(PORT, PORT + PORTS):
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((HOST, port))
                return port
            except OSError:
                continue
    raise BenchError(f"no port from {PORT} to {PORT + PORTS - 1} is free", "--port N names another")
