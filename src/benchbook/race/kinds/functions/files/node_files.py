"""Functions of JavaScript and TypeScript files: which there are, and what they answer."""

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.model.variants import Variant
from benchbook.programs import given_environment, node_versions
from benchbook.race.kinds.functions.executor import LAST_LINES
from benchbook.race.kinds.functions.files.answers import FunctionAnswer, alike
from benchbook.race.kinds.functions.files.asking import asked
from benchbook.system import paths
from benchbook_kernels.base import running
from benchbook_kernels.base.errors import BenchError, InputError

FOLDER = paths.PACKAGE / "race" / "kinds" / "functions" / "files"
ADAPTER = FOLDER / "adapter.mjs"
ANSWERS = FOLDER / "answers.mjs"
SUFFIXES = (".mjs", ".js", ".cjs", ".ts", ".mts", ".cts")
INPUTS = "BENCHBOOK_INPUTS"  # the variable that names the file of inputs


@dataclass(frozen=True)
class Exported:
    """The names of a file's functions and of the inputs, in the file's order where it is known."""

    functions: tuple[str, ...]
    inputs: tuple[str, ...] = ()


def exported(file: Path, inputs: Path | None = None, node: str = "node") -> Exported:
    """What a file exports, and an inputs' file beside it. Raises BenchError where one can't be
    loaded."""
    env = {INPUTS: str(inputs)} if inputs else {}
    [told] = asked_of([node, str(ANSWERS), str(file)], file, env, f"{paths.near(file)}")
    functions, cases = in_order(told["functions"], file), told["inputs"]
    return Exported(functions, in_order(cases, inputs) if inputs else ())


def in_order(names: Sequence[str], file: Path) -> tuple[str, ...]:
    """Names as a file exports them, which modules tell in the alphabet's order."""
    return tuple(sorted(names, key=lambda name: position(file, name)))


def position(file: Path, name: str) -> int:
    """Where a name is exported in a file."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(paths.near(file), "", "is not UTF-8", "save it as UTF-8") from None
    word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    declared = rf"^\s*export\s+(?:async\s+)?(?:function\s*\*?|const|let|var)\s*{word}"
    for pattern in (declared, rf"(?m)^\s*export\b[^;]*?{word}", rf"exports\b[^;]*?{word}"):
        if match := re.search(pattern, text, re.MULTILINE):
            return match.end()
    return len(text)


def answers(variant: Variant, cases: Sequence[str]) -> dict[str, FunctionAnswer]:
    """What a variant's function answers in each case, by case.

    Raises BenchError where it can't be loaded, throws, does not end, has done no work when it
    returns, or changes an input that later calls get, too.
    """
    node = node_versions.command(variant.needs)
    command = [node, str(ANSWERS), str(variant.path), variant.benchmark, *cases]
    found = {}
    what = f"'{variant.title}' in {paths.near(variant.path)}"
    for told in asked_of(command, variant.path, variant.env, what, len(cases)):
        found[told["case"]] = answer(told, variant)
    return found


def answer(told: Mapping[str, Any], variant: Variant) -> FunctionAnswer:
    """What is told of one case. Raises BenchError where that can't be raced."""
    if told["lazy"]:
        raise BenchError(
            f"'{variant.title}' returns an iterator, whose work is done when somebody asks for it, "
            "and nobody does",
            "return what comes out of it: [...iterator]",
        )
    leaves, second = ([(place, text) for place, text in told[key]] for key in ("first", "second"))
    if told["changed"]:
        raise BenchError(
            f"'{variant.title}' changes the input '{told['case']}', so its next call would get "
            "another one",
            f"make a fresh one for each call: export const {told['case']} = () => …",
        )
    rest, again = told["rest"]
    opaque = f"it holds {told['opaque']} whose content can't be seen" if told["opaque"] else ""
    steady = alike(leaves, second) and rest == again
    return FunctionAnswer(tuple(leaves), rest, steady, opaque)


def asked_of(
    command: Sequence[str], file: Path, env: Mapping[str, str], what: str, count: int = 1
) -> list[dict[str, Any]]:
    """What answers.mjs prints. Raises BenchError where it fails, or does not end."""
    if not shutil.which(command[0]):
        raise BenchError("Node.js is not installed", "./bench doctor says how to get it")
    files = [file, *([Path(env[INPUTS])] if INPUTS in env else [])]
    given = {**given_environment.environment(), **env}
    told = lambda done, what: failed(done, what, files)  # noqa: E731
    return asked(command, given, file.parent, what, told, count)


def failed(done: subprocess.CompletedProcess[str], what: str, files: Sequence[Path]) -> BenchError:
    """The error of a file that can't be loaded, or of a function that throws."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    if any("ERR_UNKNOWN_FILE_EXTENSION" in line for line in lines):
        version = (running.output_of([done.args[0], "--version"]) or "").removeprefix("v")
        return BenchError(
            f"{files[0].name} is TypeScript, whose types Node.js leaves out from 22.18 on; "
            f"here is {version}",
            "take a newer one (npm brings it: ./bench doctor), or compile it to JavaScript",
        )
    error = next((line for line in lines if re.match(r"[\w$]*(Error|Exception)\b", line)), "")
    error = re.sub(r"^Error: it threw ", "it threw ", error)
    told = error or "\n    ".join(lines[-LAST_LINES:]) or f"exit code {done.returncode}"
    for path in files:
        if row := line_in(path, lines):
            return BenchError(f"{what} fails: {paths.near(path)}, line {row}: {told}")
    return BenchError(f"{what} fails: {told}")


def line_in(file: Path, lines: Sequence[str]) -> str:
    """The number of the line of a file that a stack names first, '' where it names none."""
    names = "|".join(re.escape(each) for each in (file.as_uri(), str(file)))
    found = (re.search(rf"(?:{names}):(\d+)", line) for line in lines)
    return next((match[1] for match in found if match), "")
