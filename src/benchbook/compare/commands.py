"""Commands as they were typed, as what is compared: a variant each, and how they are run.

What the options mean is what hyperfine's users know (https://github.com/sharkdp/hyperfine), but
commands are interleaved: all are set up before the first run, and cleaned up after the last.
"""

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from benchbook.compare import parameters
from benchbook.compare.parameters import LIST, MOST, SCAN, STEP, Values
from benchbook.model import results
from benchbook.model.kinds.commands import (
    INHERIT,
    NULL,
    PIPE,
    Around,
    RunCount,
    WholeProcesses,
    Words,
)
from benchbook.model.plan import COPY
from benchbook.model.runs import Run
from benchbook.model.variants import Variant
from benchbook.programs import runners
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.files import write_atomically

DEFAULT, NONE = "default", "none"  # of shells
LONGEST_NAME = 32  # in tables
LONGEST_SECONDS = 24 * 3600.0  # of a run: whoever types a long command waits for it
FEWEST_RUNS, MOST_RUNS = 10, 1_000_000
CLEANUP_FAILED = "--cleanup failed: it "  # as the executor says it


@dataclass(frozen=True)
class CommandOptions:
    """What may be said of commands; the names are hyperfine's.

    warmup: runs of each before the first that is timed; runs: exactly so many of each, else
    min_runs at least and max_runs at most; prepare, conclude: before and after each run, one for
    all or one for each; setup, cleanup: before the first and after the last run of each; shell:
    what commands are started by: "default", "none" or a command line; input: a file; output:
    "null", "pipe", "inherit" or a file; names: one for each command, or one with parameters in
    braces; reference: a further command, with which all are compared; parameter_scan: (name,
    smallest, largest); parameter_lists: (name, "a,b,c") each; exports: the formats that are wanted.
    """

    warmup: int = 0
    min_runs: int | None = None
    max_runs: int | None = None
    runs: int | None = None
    prepare: tuple[str, ...] = ()
    conclude: tuple[str, ...] = ()
    setup: str = ""
    cleanup: str = ""
    shell: str = DEFAULT
    ignore_failure: bool = False
    input: str = NULL
    output: str = NULL
    names: tuple[str, ...] = ()
    reference: str = ""
    reference_name: str = ""
    parameter_scan: tuple[str, str, str] | None = None
    parameter_step_size: str | None = None
    parameter_lists: tuple[tuple[str, str], ...] = ()
    exports: tuple[str, ...] = ()

    @property
    def keywords(self) -> list[str]:
        """What a Python program may say of commands."""
        return [field.name for field in fields(self) if field.name != "exports"]

    @property
    def is_sweep(self) -> bool:
        """Do parameters make several commands of one?"""
        return bool(self.parameter_scan or self.parameter_lists)

    def given_flags(self) -> list[str]:
        """The flags of what differs from what it is where nobody says anything."""
        differing = [f.name for f in fields(self) if getattr(self, f.name) != f.default]
        flags = {"names": "command-name", "parameter_lists": "parameter-list"}
        flags |= {"exports": f"export-{next(iter(self.exports), '')}"}
        return [f"--{flags.get(name, name.replace('_', '-'))}" for name in differing]


@dataclass(frozen=True)
class Typed:
    """A command as it was typed, with the values of its parameters and the name given to it."""

    text: str
    values: Values
    given: str = ""

    @property
    def line(self) -> str:
        return parameters.replaced(self.text, self.values)

    @property
    def title(self) -> str:
        return parameters.replaced(self.given, self.values) or self.line

    @property
    def series(self) -> str:
        """Its line in a plot over the parameters: what all its cases have in common; '' without."""
        if not self.values:
            return ""
        named = any(parameters.stands_in(name, self.given) for name in self.values)
        return self.given if named else self.text

    @property
    def case(self) -> str:
        """Where it stands in a plot over the parameters."""
        return ", ".join(f"{name}={value}" for name, value in self.values.items())


def variants(
    commands: Sequence[str], options: CommandOptions, folder: Path | None = None
) -> list[Variant]:
    """What is compared, the baseline first. folder: where commands run, None for this one; the name
    of a file in it that Benchbook can run stands for its command.

    Raises InputError for what makes no sense.
    """
    found, where = list(typed(commands, options)), folder or Path.cwd()
    if len(found) > MOST:
        problem = f"makes {len(found)} commands, of which {MOST} can be compared at once"
        raise InputError(LIST, "", problem, "give fewer values")
    kept = paths.scratch() / f"commands-{results.stamp()}"
    made: list[Variant] = []
    for number, each in enumerate(found):
        file = program(each.line, where)
        title = file.name if file and each.title == str(file) else each.title
        name = unlike(short(title), [variant.name for variant in made])
        whole = Variant(
            name=name,
            title=title,
            path=file or kept / f"{number + 1}.command",
            number=number,
            folder=where,
            parameters=dict(each.values),
            series=each.series,
            case=each.case,
        )
        if file:
            whole = replace(whole, executable=runners.by_system(file))
        else:
            write_atomically(whole.path, each.line + "\n")
            whole = replace(whole, words=words(each.line, options.shell, "the command"))
        made.append(whole)
    return made


def program(line: str, folder: Path) -> Path | None:
    """The file that a command is the name of, where Benchbook runs it without a shell."""
    file = (folder / line).resolve()
    if not os.path.isfile(file):  # the line may be longer than a name can be
        return None
    return file if runners.find(file) or runners.by_system(file) else None


def kind(found: Sequence[Variant], options: CommandOptions) -> WholeProcesses:
    """How they are run. Raises InputError for what makes no sense."""
    typed_ones = 1 + max(variant.number for variant in found)  # before what each is given
    around = {
        variant.name: Around(
            *(
                words(parameters.replaced(text, variant.parameters), options.shell, flag)
                if text
                else ()
                for flag, text in (
                    ("--setup", options.setup),
                    ("--prepare", one_of(options.prepare, variant, typed_ones, "--prepare")),
                    ("--conclude", one_of(options.conclude, variant, typed_ones, "--conclude")),
                    ("--cleanup", options.cleanup),
                )
            )
        )
        for variant in found
    }
    check_setups(found, around)
    return WholeProcesses(
        input=input_file(options.input),
        exit_code=None if options.ignore_failure else 0,
        same_output=False,
        around=around,
        shell=shell(options.shell) if any(variant.words for variant in found) else (),
        output=output(options.output),
        count=count(options),
        longest_seconds=LONGEST_SECONDS,
    )


# ── Which commands ───────────────────────────────────────────────────────────────────────────────


def typed(commands: Sequence[str], options: CommandOptions) -> Iterator[Typed]:
    """The commands with the values of a sweep, in hyperfine's order, after the reference."""
    if options.reference:
        check_command(options.reference)
        yield Typed(options.reference, {}, options.reference_name)
    elif options.reference_name:
        raise InputError("--reference-name", "", "needs --reference", "leave it out")
    for command in commands:
        check_command(command)
    values = swept(options)
    check_use(values, commands, options)
    whole = [Typed(c, v) for v in values or [{}] for c in commands]
    names = options.names
    if values and len(names) not in (0, 1, len(whole)):
        problem = f"is given {len(names)} times, but there are {len(whole)} commands"
        raise InputError("--command-name", "", problem, "give it once, or for each of them")
    if not values and len(names) > len(whole):
        problem = f"is given {len(names)} times, but there are only {len(whole)} commands"
        raise InputError("--command-name", "", problem, "leave some out")
    if values and len(names) == 1:
        names *= len(whole)
    for each, name in zip(whole, [*names, *[""] * len(whole)]):
        yield replace(each, given=name)


def swept(options: CommandOptions) -> list[Values]:
    """The values of parameters, one set for each command that is made; [] without a sweep."""
    if options.parameter_scan and options.parameter_lists:
        raise InputError(SCAN, "", f"goes against {LIST}", "leave one of them out")
    if options.parameter_step_size is not None and not options.parameter_scan:
        raise InputError(STEP, "", f"needs {SCAN}", "as in: -P size 0 1 -D 0.25")
    if options.parameter_scan:
        return list(parameters.scan(*options.parameter_scan, options.parameter_step_size))
    return list(parameters.product(options.parameter_lists)) if options.parameter_lists else []


def check_use(values: Sequence[Values], commands: Sequence[str], options: CommandOptions) -> None:
    """Raises InputError for a parameter that stands nowhere."""
    beside = (*options.prepare, *options.conclude, options.setup, options.cleanup)
    for name in values[0] if values else ():
        if not any(parameters.stands_in(name, text) for text in (*commands, *beside)):
            problem = "stands in no command, so all would be the same"
            raise InputError("parameter", name, problem, "write {%s} where its value goes" % name)


def check_command(command: str) -> None:
    """Raises InputError for one that is empty."""
    if not command.strip():
        raise InputError("a command", "", "is empty", "write the command in quotes: 'sleep 0.1'")
    if "\0" in command:
        raise InputError("a command", "", "holds a null character", "leave it out")


def short(title: str) -> str:
    """A title as tables take it."""
    line = " ".join(title.split())
    if len(line) <= LONGEST_NAME:
        return line
    end = LONGEST_NAME // 3
    return f"{line[: LONGEST_NAME - end - 1].rstrip()}…{line[-end:].lstrip()}"


def unlike(name: str, others: Sequence[str]) -> str:
    """The name, or one like it, so that it is no other's; the baseline's copy has its own, too."""
    number, made = 1, name
    while made in others or made.endswith(COPY):
        number += 1
        made = f"{name} ({number})"
    return made


# ── How they are run ─────────────────────────────────────────────────────────────────────────────


def shell(asked: str) -> Words:
    """The shell's words, which a command follows; () for none. Raises InputError."""
    if asked == NONE:
        return ()
    if asked == DEFAULT:
        return ("cmd.exe", "/C") if sys.platform == "win32" else ("sh", "-c")
    return (*split(asked, "--shell"), "-c")


def words(line: str, asked_shell: str, where: str) -> Words:
    """A command line as the system takes it. Raises InputError."""
    by = shell(asked_shell)
    return (*by, line) if by else split(line, where)


def split(line: str, where: str) -> Words:
    """A line in words, by the rules of a POSIX shell. Raises InputError."""
    try:
        found = tuple(shlex.split(line))
    except ValueError as error:
        problem = f"can't be split into words: {str(error).lower()} in {line}"
        raise InputError(where, "", problem, "close the quotes") from None
    if not found or not found[0]:
        raise InputError(where, "", "is empty", "give a command, or leave it out")
    return found


def one_of(given: Sequence[str], variant: Variant, commands: int, flag: str) -> str:
    """The one for a command. Raises InputError where there is not one for all or one for each."""
    if len(given) not in (0, 1, commands):
        problem = f"is given {len(given)} times, but there are {commands} commands"
        raise InputError(flag, "", problem, "give it once for all, or once for each")
    return given[variant.number if len(given) > 1 else 0] if given else ""


def check_setups(found: Sequence[Variant], around: dict[str, Around]) -> None:
    """Raises InputError where the same command is set up in two ways: all are set up before the
    first run, so both would run what the last one left."""
    known: dict[tuple[object, ...], Variant] = {}
    for variant in found:
        env, prepare = tuple(sorted(variant.env.items())), around[variant.name].prepare
        what = variant.words or (str(variant.path),)
        key = (what, variant.folder, env, prepare)
        other = known.setdefault(key, variant)
        if around[other.name].setup != around[variant.name].setup:
            problem = (
                "would be undone: commands are interleaved, so all are set up before the first "
                f"run, and '{variant.title}' would always run what the last setup left"
            )
            remedy = "set each up in a place of its own ({name} in the command), or use --prepare"
            raise InputError("--setup", "", problem, remedy)


def count(options: CommandOptions) -> RunCount:
    """How often each is run. Raises InputError for numbers that go against each other."""
    for name, fewest in (("warmup", 0), ("min_runs", 1), ("max_runs", 1), ("runs", 1)):
        value = getattr(options, name)
        if value is not None and (type(value) is not int or not fewest <= value <= MOST_RUNS):
            problem, remedy = f"is {value!r}", f"a whole number from {fewest} to {MOST_RUNS}"
            raise InputError(f"--{name.replace('_', '-')}", "", problem, remedy)
    least, most = options.min_runs, options.max_runs
    if options.runs is not None:
        if least is not None or most is not None:
            problem = "goes against --min-runs and --max-runs"
            raise InputError("--runs", "", problem, "leave it out, or them")
        least = most = options.runs
    elif least is None:
        least = FEWEST_RUNS if most is None else min(FEWEST_RUNS, most)
    if most is not None and least is not None and least > most:
        problem = f"is {least}, more than --max-runs, which is {most}"
        raise InputError("--min-runs", "", problem, "give a smaller one")
    return RunCount(least or FEWEST_RUNS, most, options.warmup)


def input_file(asked: str) -> Path | None:
    """The file that each command reads; None for nothing. Raises InputError."""
    if asked == NULL:
        return None
    path = Path(asked)
    if not path.is_file():
        raise InputError("--input", "", f"there is no file {asked}", "give a file, or null")
    return path.absolute()


def output(asked: str) -> str:
    """Where what they write goes. Raises InputError."""
    if asked in (NULL, PIPE, INHERIT):
        return asked
    path = Path(asked)
    if os.path.dirname(asked) == "":
        problem = f"there is no '{asked}'"
        remedy = f"{NULL}, {PIPE}, {INHERIT}, or a file with its folder: ./{asked}"
        raise InputError("--output", "", problem, remedy)
    if path.is_dir() or not path.parent.is_dir():
        problem = f"{asked} is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise InputError("--output", "", problem, "give a file in a folder that exists")
    return str(path.absolute())


def failed_cleanups(run: Run) -> list[str]:
    """What a race says of cleanups that failed."""
    return [message for message in run.messages if CLEANUP_FAILED in message]
