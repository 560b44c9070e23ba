"""experiment.toml and claim.toml: do they have the right form, and do they fit one another? Every
problem with its line, not only the first."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomllib

from benchbook.model import claims, documents, experiment_file, experiments
from benchbook.model.experiments import FILE, Experiment
from benchbook.model.schemas import formats
from benchbook.notebook.checking import toml_lines
from benchbook.notebook.checking.findings import Problem
from benchbook.system import paths
from benchbook_kernels.base import untrusted
from benchbook_kernels.base.errors import InputError


def read(folder: Path) -> tuple[Experiment | None, list[Problem]]:
    """The experiment in a folder, None where it can't be read; everything that is wrong with it."""
    problems = list(wrong_form(folder))
    if problems:
        return None, problems
    told: list[InputError] = []
    try:
        found = experiments.load(folder, told.append)
    except InputError as error:
        told.append(error)
        found = None
    lines = {paths.relative(path): path for path in files(folder)}
    return found, [placed(Problem.of(each), lines) for each in told]


def files(folder: Path) -> list[Path]:
    """The experiment's file, and that of its claim, where it names one."""
    found = [folder / FILE]
    try:
        name = document(found[0]).get("claim")
    except InputError:
        return found
    return [*found, claims.place(name, folder)] if isinstance(name, str) else found


def wrong_form(folder: Path) -> Iterator[Problem]:
    """Where the files don't fit their schemas."""
    for path, schema in zip(files(folder), ("experiment", "claim"), strict=False):
        where = paths.relative(path)
        try:
            if schema == "claim":
                named = document(folder / FILE)["claim"]
                experiment_file.check_claim_name(named, paths.relative(folder / FILE))
            known = formats.current(document(path), schema, where)
            told = documents.problems(known, schema, where)
        except InputError as error:
            told = [error]
        for each in told:
            yield placed(Problem.of(each), {paths.relative(p): p for p in files(folder)})


def document(path: Path) -> dict[str, Any]:
    """The document in a file, unchecked. Raises InputError where it is no TOML."""
    found: dict[str, Any] = untrusted.read(path, paths.relative(path), "TOML", tomllib.loads)
    return found


def placed(problem: Problem, known: dict[str, Path]) -> Problem:
    """The same with the line of its field."""
    if problem.line or not problem.field or problem.where not in known:
        return problem
    try:
        text = known[problem.where].read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return problem
    return replace(problem, line=toml_lines.line_of(text, problem.field))
