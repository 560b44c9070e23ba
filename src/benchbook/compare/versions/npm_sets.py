"""Versions of npm packages, each in a folder of its own, and copies of programs that find them.

A copy lies below its version's node_modules, so a program finds that package there, and all others
where Node.js looks next (https://nodejs.org/api/esm.html#resolution-algorithm): in the checkout.
What the package itself needs is nested in it and is not taken by the program.
"""

import os
import secrets
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import psutil

from benchbook.compare.given.choice import Change
from benchbook.model.experiments import Experiment
from benchbook.model.variants import Variant
from benchbook.programs import npm, readiness
from benchbook.programs.readiness import Say
from benchbook.system import paths
from benchbook_kernels.base import files
from benchbook_kernels.base.errors import BenchError

PATIENCE_SECONDS = 900.0  # for another process that gets one
NESTED = ("--install-strategy=nested",)


def folder(specs: Sequence[str]) -> Path:
    """Where packages ("fastify@4.29.1") are kept that are installed together."""
    return paths.versions() / "npm" / "+".join(specs).replace("/", "+")


def is_there(place: Path) -> bool:
    return (place / "node_modules").is_dir()


def get(specs: Sequence[str], place: Path, say: Say) -> None:
    """Have npm install packages: beside their place, then moved into it, so that there is no half
    of them. Raises BenchError."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with files.lock(place.parent / "getting.lock", PATIENCE_SECONDS):
        if is_there(place):
            return
        say(f"getting {' and '.join(specs)} from npm")
        for left in place.parent.glob("getting-*"):  # of one that was killed
            shutil.rmtree(left)
        with tempfile.TemporaryDirectory(prefix="getting-", dir=place.parent) as scratch:
            npm.install(specs, Path(scratch), NESTED)
            for spec in specs:
                name = spec.rpartition("@")[0]
                if not (Path(scratch) / "node_modules" / name / "package.json").is_file():
                    raise BenchError(f"npm says that it installed {spec}, but it is not there")
            place.mkdir(exist_ok=True)
            os.replace(Path(scratch) / "node_modules", place / "node_modules")


def change(experiment: Experiment, place: Path, names: Sequence[str], stack: ExitStack) -> Change:
    """What makes a program one that finds the packages of a place; its copy goes with the stack."""

    for left in place.glob("programs-*"):  # of one that was killed
        if not psutil.pid_exists(int(left.name.split("-")[1])):
            shutil.rmtree(left, ignore_errors=True)

    given = {f"npm:{name}" for name in names}
    others = tuple(
        replace(each, needs=tuple(need for need in each.needs if need not in given))
        for each in experiment.variants
    )

    @cache
    def copied(source: Path) -> Path:
        copy = place / f"programs-{os.getpid()}-{secrets.token_hex(4)}"
        stack.callback(shutil.rmtree, copy, ignore_errors=True)
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("node_modules", "bin", "obj"))
        readiness.link_packages(replace(experiment, variants=others), copy)
        return copy

    def changed(variant: Variant) -> Variant:
        if not given & set(variant.needs):
            return variant
        home = experiment.home.resolve()
        source = home if variant.path.resolve().is_relative_to(home) else variant.path.parent
        copy = copied(source.resolve())
        moved = partial(within, source.resolve(), copy)
        return replace(
            variant,
            path=moved(variant.path),
            backend=variant.backend and moved(variant.backend),
            folder=variant.folder and moved(variant.folder),
        )

    return changed


def within(old: Path, new: Path, path: Path) -> Path:
    return new / path.resolve().relative_to(old)
