"""npm: which packages are there, which versions are meant, and how they are installed."""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.running import run

ASK_SECONDS = 60.0
INSTALL_SECONDS = 900.0
LAST_LINES = 4
EXACT = re.compile(r"\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?")


@cache
def versions(package: str) -> tuple[str, ...]:
    """The versions of a package that the registry has, in no order. Raises BenchError where it has
    none, or npm can't say."""
    return asked_for(package, "versions")


def newest(package: str, wanted: str) -> str:
    """The newest version of a package that is meant by a version, a range or a tag ("4", "^4.2",
    "latest"), as the registry has it. Raises BenchError where there is none, or npm can't say."""
    if EXACT.fullmatch(wanted):
        return wanted
    return max(asked_for(f"{package}@{wanted}" if wanted else package, "version"), key=order)


def asked_for(asked: str, field: str) -> tuple[str, ...]:
    """What `npm view` says, as texts. Raises BenchError where it says nothing."""
    code, output, said = npm(["view", asked, field, "--json"], Path.cwd(), ASK_SECONDS)
    try:
        told: Any = json.loads(output)
    except ValueError:
        told = None
    if code or not told or isinstance(told, dict):
        summary = told.get("error", {}).get("summary", "") if isinstance(told, dict) else ""
        raise BenchError(f"npm has no {asked}: {summary or last(said) or 'it did not say why'}")
    return tuple(map(str, [told] if isinstance(told, str) else told))


def order(version: str) -> tuple[bool, list[int], str]:
    """By what versions are put in order; one that is not released yet comes before all that are."""
    numbers, _, before = version.partition("+")[0].partition("-")
    return not before, [int(part) for part in re.findall(r"\d+", numbers)], before


def install(specs: Sequence[str], folder: Path, more: Sequence[str] = ()) -> None:
    """Install packages ("fastify@4.29.1", a .tgz) into folder/node_modules, beside what its
    package.json asks for. more: options of npm's. Raises BenchError with what npm said."""
    options = ["--no-save", "--install-links", "--prefer-offline", "--no-audit", "--no-fund", *more]
    words = ["install", "--prefix", str(folder), *options, "--loglevel=error", *specs]
    code, output, said = npm(words, folder, INSTALL_SECONDS)
    if code:
        told = [line.removeprefix("npm error ") for line in said.splitlines()]
        kept = [line for line in told if line.strip() and "complete log" not in line]
        reason = "\n    ".join(["", *kept[:LAST_LINES]]) if kept else last(output)
        raise BenchError(f"npm can't install {' and '.join(specs)}:{reason}")


def npm(words: Sequence[str], folder: Path, seconds: float) -> tuple[int, str, str]:
    """Exit code, output and errors of npm. Raises BenchError where it is missing, or takes longer
    than so many seconds."""
    command = shutil.which("npm")
    if not command:
        raise BenchError("npm is not installed", "it comes with Node.js; ./bench doctor says how")
    try:
        done = run([command, *words], timeout=seconds, cwd=folder)
    except subprocess.TimeoutExpired:
        raise BenchError(f"npm {words[0]} did not end within {seconds:g} s") from None
    return done.returncode, done.stdout, done.stderr


def last(text: str) -> str:
    """The last line of a text that is not empty, '' where there is none."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


@cache
def installed(package: str, folder: Path | None = None) -> str:
    """The version of an npm package that a program in a folder has, as Node.js finds it, else of
    the checkout's; '' where it is missing."""
    place = own(package, folder) if folder else None
    try:
        path = (place or paths.root() / "node_modules" / package) / "package.json"
        return str(json.loads(path.read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError):
        return ""


def own(package: str, folder: Path) -> Path | None:
    """The folder of an npm package that a program in a folder finds: in node_modules beside it or
    above."""
    start = folder.resolve()
    places = (above / "node_modules" / package for above in (start, *start.parents))
    return next((place for place in places if (place / "package.json").is_file()), None)
