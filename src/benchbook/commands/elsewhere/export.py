"""`./bench export`: notebooks for a workshop (`--student`, `--leader`) and slides, from one source.

DIR gets notebooks only. They find experiments through their kernel, which knows its checkout, and
other files of the checkout by paths from DIR.
"""

from pathlib import Path

import click
import nbformat

from benchbook.commands.options import in_folder
from benchbook.notebook import editions
from benchbook.notebook.headless import choosing, execute
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.base.words import counted
from benchbook_kernels.commands.options import NamedPlace

NOTES = "leader"  # the folder in docs/ with a page of notes an experiment


def write(student: Path | None, leader: Path | None, names: tuple[str, ...]) -> list[Path]:
    """Write the editions of these notebooks (all where none is named); returns their files.

    Raises InputError for a folder that is not empty, or a notebook whose exercises are incomplete.
    """
    chosen = choosing.choose(names)
    texts: dict[Path, str] = {}
    for folder in filter(None, (student, leader)):
        check_empty(folder)
    if student and leader and nested(student.resolve(), leader.resolve()):
        problem = (
            "and that of the student edition lie in one another: solutions would be handed out"
        )
        raise InputError(leader, "", problem, "name two folders beside each other")
    for path in chosen:
        notebook, where = execute.cleared(execute.read(path)), paths.relative(path)
        if student:
            made = editions.student(notebook, where)
            texts[student / path.name] = text(editions.moved(made, student, path.parent))
        if leader:
            made = editions.leader(notebook, where, notes(path.stem))
            texts[leader / path.name] = text(editions.moved(made, leader, path.parent))
    for path, content in texts.items():
        write_atomically(path, content)
    return list(texts)


def nested(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def text(notebook: nbformat.NotebookNode) -> str:
    return str(execute.untyped.writes(notebook)) + "\n"


def notes(name: str) -> str:
    """The leader's notes on a notebook, '' where there are none."""
    path = paths.root() / "docs" / NOTES / f"{name}.md"
    return path.read_text(encoding="utf-8").rstrip() if path.is_file() else ""


def check_empty(folder: Path) -> None:
    """Raises InputError for what is no empty or new folder: somebody may have worked in it."""
    if folder.is_file():
        raise InputError(folder, "", "is a file", "name a new folder")
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(folder, "", "is not empty", "name a new folder")


@click.command("export")
@click.argument("experiments", nargs=-1)
@in_folder
@click.option("--student", type=NamedPlace("folder"), metavar="DIR", help="Without the solutions.")
@click.option(
    "--leader",
    type=NamedPlace("folder"),
    metavar="DIR",
    help="With solved exercises and the leader's notes.",
)
@click.option(
    "--slides",
    type=NamedPlace("file"),
    metavar="FILE",
    help="A page of slides: question, claim, guess, plot, verdict of recorded races.",
)
def command(
    experiments: tuple[str, ...], student: Path | None, leader: Path | None, slides: Path | None
) -> None:
    """Write the notebooks without solutions, solved, or as slides.

    Those of EXPERIMENTS; all where none is named. The solved ones come with the leader's notes.
    Slides are one file, which opens from disk with no network.
    """
    if not student and not leader and not slides:
        raise click.UsageError("name --student DIR, --leader DIR, --slides FILE, or several")
    written = write(student, leader, experiments) if student or leader else []
    for folder, what in ((student, "student"), (leader, "leader")):
        if folder:
            count = sum(path.parent == folder for path in written)
            click.echo(
                f"{folder}: {counted(count, 'notebook')}, {what} edition; ./bench lab {folder}"
            )
    if slides:
        from benchbook.notebook.talks import deck  # here: editions need none of it

        click.echo(f"{slides}: {counted(deck.write(slides, experiments), 'slide')}")
