"""`benchbook convert`: notebooks of .NET Interactive and Polyglot Notebooks, for our C# kernel."""

from pathlib import Path
from typing import Any

import click
import nbformat

from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.base.words import counted
from benchbook_kernels.commands.options import NamedPlace
from benchbook_kernels.notebook.interactive import conversion
from benchbook_kernels.notebook.interactive.conversion import Converted

untyped: Any = nbformat


@click.command("convert")
@click.argument("files", nargs=-1, required=True, type=NamedPlace())
@click.option("--out", type=NamedPlace("file"), metavar="FILE", help="Write there instead.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def command(files: tuple[Path, ...], out: Path | None, force: bool) -> None:
    """Make notebooks of .NET Interactive run in Benchbook.

    X.dib becomes X.ipynb, and X.ipynb becomes X-benchbook.ipynb. Cells in a language that can't run
    here are kept as text, and named.
    """
    if out and len(files) > 1:
        raise click.UsageError("--out names one file: convert one notebook at a time with it")
    converted: dict[Path, Converted] = {}
    for file in files:  # all of them before the first is written
        made = conversion.convert(file)
        target = out or beside(file)
        if target.exists() and not force:
            remedy = "--force overwrites it, --out FILE writes another"
            raise InputError(target, "", "is there already", remedy)
        converted[target] = made
    for target, made in converted.items():
        write_atomically(target, str(untyped.writes(made.notebook)) + "\n")
        click.echo(message(target, made))


def beside(file: Path) -> Path:
    if file.suffix.lower() == ".ipynb":
        return file.with_name(f"{file.stem}-benchbook.ipynb")
    return file.with_suffix(".ipynb")


def message(target: Path, made: Converted) -> str:
    """What was written, and which cells of the old notebook can't run."""
    lines = [f"{target}: {counted(made.running, 'code cell')} for the kernel Benchbook (C#)"]
    by_title: dict[str, list[int]] = {}
    for number, titles in made.kept.items():
        for title in dict.fromkeys(titles):
            by_title.setdefault(title, []).append(number)
    for title, numbers in by_title.items():
        cells = "cell" if len(numbers) == 1 else "cells"
        listed = ", ".join(map(str, numbers))
        lines.append(f"  kept as text, can't run here: {title} in {cells} {listed}")
    return "\n".join(lines)
