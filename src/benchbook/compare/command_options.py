"""The options of `compare` that are about commands: click's, with hyperfine's flags.

COMMAND_OPTIONS are the options, OF_FILES those of them that are about hyperfine's files;
`command_options` and `exports` read what was given.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

from benchbook.compare.commands import MOST_RUNS, NONE, CommandOptions
from benchbook.compare.parameters import LIST
from benchbook.model.kinds.commands import INHERIT, NULL, PIPE
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.files import check_folder

AUTO, BY_COMMAND, BY_TIME = "auto", "command", "mean-time"  # of --sort
SORTS = (AUTO, BY_COMMAND, BY_TIME)
UNITS = ("microsecond", "millisecond", "second")
STYLES = ("auto", "basic", "full", "nocolor", "color", "none")
NO_FILES = (NULL, PIPE, INHERIT)  # where output goes besides
FORMATS = ("json", "csv", "markdown", "orgmode", "asciidoc")
RUNS = click.IntRange(1, MOST_RUNS)


def option(*flags: str, help: str, **more: Any) -> click.Option:
    return click.Option(flags, help=help, **more)


OF_FILES = (
    option(
        "--sort",
        help="The order of tables: command, or mean-time.",
        type=click.Choice(SORTS),
        default=AUTO,
    ),
    option(
        "--time-unit",
        "-u",
        help="The unit of exported tables.",
        type=click.Choice(UNITS),
    ),
    option(
        "--style", help="Accepted, as hyperfine has it.", type=click.Choice(STYLES), hidden=True
    ),
    *(
        option(
            f"--export-{each}",
            help=f"Write hyperfine's {each} to FILE (- shows it).",
            metavar="FILE",
        )
        for each in FORMATS
    ),
)
COMMAND_OPTIONS: tuple[click.Option, ...] = (
    option(
        "--warmup",
        "-w",
        help="Runs of each command that are not timed, in all (default: 1, up to 3 of short ones).",
        type=click.IntRange(0, MOST_RUNS),
        metavar="NUM",
        default=0,
    ),
    option(
        "--min-runs",
        "-m",
        help="Time so many runs of each command at least (default: 10).",
        type=RUNS,
        metavar="NUM",
    ),
    option("--max-runs", "-M", help="Time so many at most.", type=RUNS, metavar="NUM"),
    option("--runs", "-r", help="Time exactly so many.", type=RUNS, metavar="NUM"),
    option(
        "--setup",
        "-s",
        help="Run CMD once for each command, before all runs.",
        default="",
        metavar="CMD",
    ),
    option(
        "--prepare",
        "-p",
        help="Run CMD before each run; once for all, or once for each command.",
        multiple=True,
        metavar="CMD",
    ),
    option(
        "--conclude",
        "-C",
        help="Run CMD after each run; once for all, or once for each command.",
        multiple=True,
        metavar="CMD",
    ),
    option(
        "--cleanup",
        "-c",
        help="Run CMD once for each command, after all runs.",
        default="",
        metavar="CMD",
    ),
    option(
        "--parameter-scan",
        "-P",
        help="A command for each value from MIN to MAX, for {VAR} in it.",
        type=(str, str, str),
        default=None,
        metavar="VAR MIN MAX",
    ),
    option(
        "--parameter-step-size",
        "-D",
        help="With --parameter-scan: the step.",
        metavar="DELTA",
    ),
    option(
        LIST,
        "-L",
        "parameter_lists",
        help="A command for each of the VALUES (a,b,c), for {VAR} in it.",
        type=(str, str),
        multiple=True,
        metavar="VAR VALUES",
    ),
    option(
        "--shell",
        "-S",
        help="What starts commands: default, none, or a shell's command line.",
        default="default",
        metavar="SHELL",
    ),
    option("-N", "no_shell", help="The same as --shell none.", is_flag=True),
    option("--ignore-failure", "-i", help="Accept any exit code.", is_flag=True),
    option(
        "--command-name",
        "-n",
        "names",
        help="A name for a command, in their order.",
        multiple=True,
        metavar="NAME",
    ),
    option(
        "--reference",
        help="A further command, with which all others are compared.",
        default="",
        metavar="CMD",
    ),
    option("--reference-name", help="Its name.", default="", metavar="NAME"),
    option(
        "--input", help="A file that commands read (default: null).", default=NULL, metavar="WHERE"
    ),
    option(
        "--output",
        help="Where what they write goes: null (default), pipe, inherit, or a file.",
        default=NULL,
        metavar="WHERE",
    ),
    option("--show-output", help="The same as --output inherit.", is_flag=True),
    *OF_FILES,
)


@dataclass(frozen=True)
class Exports:
    """Which of hyperfine's files to write, by format; sort and unit: of their tables."""

    files: Mapping[str, str]
    sort: str = AUTO
    unit: str | None = None


def command_options(values: Mapping[str, Any]) -> CommandOptions:
    """What was said of commands, from the values of COMMAND_OPTIONS by name. Raises InputError for
    options that don't go together."""
    known = {field.name for field in fields(CommandOptions)}
    given = {name: value for name, value in values.items() if name in known and value is not None}
    for name in ("prepare", "conclude", "names", "parameter_lists"):
        given[name] = tuple(given.get(name, ()))
    given["exports"] = tuple(form for form in FORMATS if values.get(f"export_{form}"))
    if values.get("no_shell"):
        if given.get("shell", "default") not in ("default", NONE):
            raise InputError("-N", "", "goes against --shell", "leave one of them out")
        given["shell"] = NONE
    if values.get("show_output"):
        if given.get("output", NULL) not in (NULL, INHERIT):
            raise InputError("--show-output", "", "goes against --output", "leave one of them out")
        given["output"] = INHERIT
    return CommandOptions(**given)


def exports(values: Mapping[str, Any]) -> Exports:
    """The files to write. Raises InputError where one can't be written, before anything is run."""
    files = {form: values[f"export_{form}"] for form in FORMATS if values.get(f"export_{form}")}
    for form, file in files.items():
        if file == "-":
            continue
        if not Path(file).absolute().parent.is_dir():
            problem = f"can't write {file}: there is no folder {Path(file).parent}"
            raise InputError(f"--export-{form}", "", problem, "make it, or give another file")
        try:
            check_folder(Path(file).absolute().parent)
        except OSError as error:
            problem = f"can't write {file}: {error.strerror or error}"
            raise InputError(f"--export-{form}", "", problem, "give another file") from None
        if Path(file).is_dir():
            raise InputError(f"--export-{form}", "", f"{file} is a folder", "give a file")
    return Exports(files, values.get("sort") or AUTO, values.get("time_unit"))
