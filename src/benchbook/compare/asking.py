"""What may be asked of a comparison: the options of the command and of %compare, and Python's
keywords; all become one request."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.compare import detect, words
from benchbook.compare.command_options import COMMAND_OPTIONS, command_options
from benchbook.compare.commands import CommandOptions
from benchbook.compare.given.asked import GIVEN_OPTIONS, Given
from benchbook.compare.given.asked import given as given_of
from benchbook.model.kinds.commands import NULL
from benchbook.model.kinds.http import ANSWERS
from benchbook.race.options import OPTIONS, Options, request
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.files import check_folder
from benchbook_kernels.base.nearest import unknown
from benchbook_kernels.commands.options import NamedPlace

if TYPE_CHECKING:  # help needs none of it
    from benchbook.compare.service import ComparisonRequest

OF_RACE = (
    *("launches", "blocks", "connections", "tool", "seed", "port"),
    *("no_pin", "anyway", "in_turns", "until"),
)
SHARED = tuple(option for option in OPTIONS if option.name in OF_RACE)
FOR = click.Option(["--for", "time"], metavar="30s", help="How long to race (default: 15 to 30 s).")
DELTA = click.Option(
    ["--delta"], metavar="2%", help="The smallest difference that matters (default: 2%)."
)
OF_ANSWERS = (
    click.Option(["--path"], metavar="PATH", help="What servers are asked (default: /)."),
    click.Option(
        ["--answers"],
        type=click.Choice(ANSWERS),
        help="How far answers of servers must be alike (default: body, and the status).",
    ),
)
ASKED = (
    click.Option(
        ["--kind"], type=click.Choice(detect.KINDS), help="What they are, if not as they seem."
    ),
    FOR,
    DELTA,
    *OF_ANSWERS,
    click.Option(
        ["--with", "inputs"],
        type=NamedPlace("file", exists=True),
        help="A module of functions' inputs.",
    ),
    click.Option(
        ["--pid", "pids"],
        metavar="N,N",
        help="The processes of servers that run already (addresses), for their CPU time.",
    ),
)
GROUPS: Mapping[str, Sequence[click.Parameter]] = {
    "What programs are given": GIVEN_OPTIONS,
    "Commands, as hyperfine has them": COMMAND_OPTIONS,
    "The race": SHARED,
}
COMPARE_OPTIONS = (*ASKED, *(option for group in GROUPS.values() for option in group))
# Of Python programs: fields of ComparisonRequest, and names of fields of Options.
OWN_KEYWORDS = ("kind", "delta", "seconds", "path", "answers", "anyway", "inputs", "folder", "pids")
RACE_KEYWORDS = {
    **{name: name for name in ("launches", "blocks", "connections", "tool", "warmup", "seed")},
    **{name: name for name in ("until", "pin", "port", "together")},
    "run_path": "path",
}
# of commands; a set-up is one of Given's, which knows it, too
COMMAND_KEYWORDS = {
    **{name: name for name in CommandOptions().keywords if name != "warmup"},
    "warmup_runs": "warmup",
}
NEEDED = "two servers, a.mjs b.mjs; or two commands, 'sleep 0.1' 'sleep 0.2'"


def request_of(
    things: Sequence[str], values: Mapping[str, Any], folder: Path, path: Path | None = None
) -> ComparisonRequest:
    """What was asked for, from the values of COMPARE_OPTIONS by name; those that are missing were
    not given. path: of the run file. Raises InputError for values that make no sense."""
    from benchbook.compare.service import ComparisonRequest

    if not things:
        raise InputError("compare", "", "needs something to compare", NEEDED)
    given: dict[str, Any] = {"things": tuple(things), "folder": folder}
    for name in ("kind", "path", "answers"):
        if values.get(name):
            given[name] = values[name]
    given["given"], given["inputs"] = given_of(values), values.get("inputs")
    given["typed_as"] = command_options(values)
    if values.get("time"):
        given["seconds"] = words.seconds(values["time"], "--for")
    if values.get("pids"):
        given["pids"] = words.numbers(values["pids"], "--pid")
    if values.get("delta"):
        given["delta"] = words.share(values["delta"], "--delta")
    if not given.get("path", "/").startswith("/"):
        raise InputError("--path", "", f"'{given['path']}' does not begin with /")
    asked = request({option.name: values.get(option.name) for option in SHARED})
    fields: dict[str, Any] = {**asked.fields, "path": path}
    if values.get("until") and "seconds" in given:
        fields["minutes"] = given["seconds"] / 60
    return ComparisonRequest(**given, options=Options(**fields), anyway=asked.anyway)


def request_by_keywords(things: Sequence[str | Path], **keywords: Any) -> ComparisonRequest:
    """What a Python program asks for: fields of ComparisonRequest, of Given and of Options by their
    names. Raises InputError for a name that is none, and for values that make no sense."""
    from benchbook.compare.service import ComparisonRequest

    if not things:
        raise InputError("compare", "", "needs something to compare", 'compare("a.mjs", "b.mjs")')
    known = [*OWN_KEYWORDS, *RACE_KEYWORDS, *COMMAND_KEYWORDS, *Given.__dataclass_fields__]
    if wrong := [name for name in keywords if name not in known]:
        raise InputError("compare", wrong[0], unknown("option", wrong[0], known))
    check_values(keywords)
    given = {name: keywords[name] for name in OWN_KEYWORDS if name in keywords}
    of_programs = {name: keywords[name] for name in Given.__dataclass_fields__ if name in keywords}
    options = {field: keywords[n] for n, field in RACE_KEYWORDS.items() if n in keywords}
    for fields, name in ((given, "inputs"), (given, "folder"), (options, "path")):
        if fields.get(name) is not None:
            fields[name] = Path(fields[name])
    if keywords.get("inputs") and keywords.get("folder"):
        given["inputs"] = given["folder"] / given["inputs"]
    check_run_file(options.get("path"))
    given["pids"] = tuple(given.get("pids", ()))
    if options.get("until") and "seconds" in given:
        options["minutes"] = given["seconds"] / 60
    return ComparisonRequest(
        things=tuple(map(str, things)),
        given=given_of(of_programs),
        options=Options(**options),
        typed_as=typed_as(keywords, given.get("folder")),
        **given,
    )


def typed_as(keywords: Mapping[str, Any], folder: Path | None) -> CommandOptions:
    """How commands are run, by keywords. folder: where the paths of files begin that they read and
    write, None for this one."""
    found = {f: keywords[name] for name, f in COMMAND_KEYWORDS.items() if name in keywords}
    if found.get("input", NULL) != NULL:
        found["input"] = str((folder or Path()) / found["input"])
    # a bare word is none of the places that there are, and refused as such
    if os.path.dirname(found.get("output", "")):
        found["output"] = os.path.join(folder or "", found["output"])
    return CommandOptions(**found)


def check_run_file(path: Path | None) -> None:
    """Raises InputError where the run could not be written when it is over."""
    if path is None:
        return
    problem = "is a folder" if path.is_dir() else ""
    try:
        check_folder(path.absolute().parent)
    except OSError as error:
        problem = f"can't be written: {error.strerror or error}"
    if problem:
        raise InputError("compare", "run_path", f"{path} {problem}", "give a file")


def check_values(keywords: Mapping[str, Any]) -> None:
    """Raises InputError for a value that no race can have."""
    if keywords.get("kind") and keywords["kind"] not in detect.KINDS:
        problem = unknown("kind", str(keywords["kind"]), list(detect.KINDS))
        raise InputError("compare", "kind", problem)
    if "answers" in keywords and keywords["answers"] not in ANSWERS:
        problem = unknown("way to compare answers", str(keywords["answers"]), ANSWERS)
        raise InputError("compare", "answers", problem)
    for name, most in (("delta", 1.0), ("seconds", words.LONGEST_SECONDS)):
        value = keywords.get(name, most / 2)
        if not isinstance(value, int | float) or not 0 < value < most:
            problem, remedy = f"is {value!r}", f"a number above 0 and below {most:g}"
            raise InputError("compare", name, problem, remedy)
    if not str(keywords.get("path", "/")).startswith("/"):
        raise InputError("compare", "path", f"'{keywords['path']}' does not begin with /")
