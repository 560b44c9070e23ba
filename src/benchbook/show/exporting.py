"""Writes what was compared as files that other tools read; each format has a file in exports/."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchbook.analysis.judging.judge import Results
from benchbook.compare.gate import Gated
from benchbook.model.runs import Run
from benchbook.show.exports import action, bdn, bencher, junit, markdown, mitata
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.files import check_folder, write_atomically
from benchbook_kernels.base.nearest import unknown
from benchbook_kernels.commands.options import NamedPlace

Format = Callable[[Run, Results, Gated | None], str]

FORMATS: Mapping[str, Format] = {
    "action": action.text,
    "bdn": bdn.text,
    "bencher": bencher.text,
    "junit": junit.text,
    "markdown": markdown.text,
    "mitata": mitata.text,
}
NAMES = sorted([*FORMATS, "hyperfine"])  # that one is an option of commands, compare/


@dataclass(frozen=True)
class Export:
    """A file that is to be written: in which format, and where."""

    format: str
    path: Path

    def write(self, run: Run, results: Results, gated: Gated | None = None) -> None:
        """Replace the file, or show it. Raises OSError where it can't be written."""
        text = FORMATS[self.format](run, results, gated)
        if str(self.path) == "-":
            click.echo(text, nl=False)
        else:
            write_atomically(self.path, text)


def parse(given: Sequence[str]) -> tuple[Export, ...]:
    """What `--export FORMAT=FILE` asks for, so that all that is wrong is told before a race; - is
    standard output. Raises InputError."""
    return tuple(map(one, given))


def one(words: str) -> Export:
    """The export in FORMAT=FILE. Raises InputError."""
    name, equals, file = words.partition("=")
    if not equals or not file:
        problem = f"'{words}' is not FORMAT=FILE"
        raise InputError("--export", "", problem, f"formats: {', '.join(NAMES)}")
    if name not in FORMATS:
        raise InputError("--export", "", unknown("format", name, NAMES))
    try:
        path = NamedPlace("file").convert(file, None, None)
    except click.BadParameter as error:
        raise InputError("--export", name, error.message) from None
    try:
        check_folder(path.resolve().parent)
    except OSError as error:
        problem = f"'{path}' can't be written: {error.strerror}"
        raise InputError("--export", name, problem, "name another place") from None
    return Export(name, path)
