"""`./bench new`: an experiment of one's own in a folder, which runs at once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.commands.options import NamedPlace

if TYPE_CHECKING:  # help needs none of it
    from benchbook.compare.own.drafting import Draft

SCHEMAS = ".schemas"  # the folder with what editors complete by


@click.command("new")
@click.argument("name")
@click.option("--from", "first", metavar="A B…", help="Copy these programs, the baseline first.")
@click.argument("files", nargs=-1, metavar="")
@click.option(
    "--in",
    "folder",
    type=NamedPlace("folder", exists=True),
    default=Path("."),
    metavar="FOLDER",
    help="Make it in this folder (default: here).",
)
@click.option("--kind", default="", help="What the programs are, where that is not found out.")
def command(name: str, first: str | None, files: tuple[str, ...], folder: Path, kind: str) -> None:
    """Make an experiment of your own, which runs at once.

    It is a folder NAME with a question, a claim with one statement, two programs, and a notebook:
    two small servers that differ in one line, or those that --from names, servers, JavaScript
    functions or commands.
    """
    from benchbook.compare import detect  # here: help needs none of it
    from benchbook.compare.own import drafting

    if files and first is None:
        raise click.UsageError(f"one name only; files follow --from: --from {' '.join(files)}")
    if kind and kind not in detect.KINDS:
        raise click.BadParameter(
            f"'{kind}' is none of {', '.join(detect.KINDS)}", None, None, "--kind"
        )
    if first is None:
        draft = drafting.small(name)
    else:
        draft = drafting.of(name, (first, *files), kind)
    made = write(draft, folder)
    for path in sorted(made.iterdir()):
        if not path.name.startswith("."):
            click.echo(os.path.join(made, path.name))
    click.echo(paths.typed(f"\n{draft.question}  ./bench race {made} tells."))
    told = f"The notebook: ./bench lab {made}; before others see it: ./bench check {made}"
    click.echo(paths.typed(told))


def write(draft: Draft, folder: Path) -> Path:
    """Write all files of a draft, or none; returns their folder.

    Raises InputError where there is something of that name, or where it would be taken for a part
    of another experiment.
    """
    from benchbook.model.naming import home

    made = folder / draft.name
    if home(made.absolute()) != made.absolute():
        problem = (
            f"would be a part of {made.absolute().parent.name}, whose name begins with a number"
        )
        raise InputError(str(made), "", problem, "make it in another folder: --in FOLDER")
    if os.path.lexists(made):
        raise InputError(str(made), "", "is there already", "choose another name, or remove it")
    fresh = folder / f".{draft.name}.{os.getpid()}.new"
    try:
        fresh.mkdir()
        for file, content in texts(draft).items():
            path = fresh / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            if content.startswith(b"#!"):
                path.chmod(0o755)
        os.rename(fresh, made)  # all of it appears at once
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return made


def texts(draft: Draft) -> dict[str, bytes]:
    """Every file, by its path in the folder."""
    import json

    from benchbook.model import documents
    from benchbook.notebook import own_notebook

    language = "csharp" if all(v.file.endswith(".cs") for v in draft.variants) else "node"
    schemas = {name: f"{SCHEMAS}/{name}.schema.json" for name in ("experiment", "claim")}
    found = {
        "experiment.toml": draft.experiment(f"./{schemas['experiment']}"),
        "claim.toml": draft.claim(f"./{schemas['claim']}"),
        f"{draft.name}.ipynb": own_notebook.text(draft, language),
        **{path: json.dumps(documents.whole(each), indent=2) for each, path in schemas.items()},
    }
    if draft.made:
        found["exercises.py"] = own_notebook.exercises(draft)
    return {**{name: text.encode("utf-8") for name, text in found.items()}, **draft.files}
