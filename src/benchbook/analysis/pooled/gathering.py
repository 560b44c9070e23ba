"""Finds the machines in a folder of run files and of files of `./bench share`.

A file that can't be used does not spoil the answer for the others: it is named, with the reason.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.analysis.pooled import untrusted
from benchbook.analysis.pooled.machines import Machine, machine_from
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.untrusted import read_json


@dataclass(frozen=True)
class Skipped:
    """A file, or one run in it, that is not used, and why."""

    file: str
    reason: str


def gather(places: Iterable[Path]) -> tuple[list[Machine], list[Skipped]]:
    """The usable runs in files and folders, and what was skipped.

    Raises InputError where nothing that is named exists.
    """
    machines: list[Machine] = []
    there, skipped = files(places)
    for path in there:
        try:
            found, problems = machines_in(path)
        except BenchError as error:
            where = paths.relative(path)
            found, problems = [], [Skipped(where, reason(error, where))]
        machines += found
        skipped += problems
    kept, doubled = once_each(machines)
    return kept, skipped + doubled


def files(places: Iterable[Path]) -> tuple[list[Path], list[Skipped]]:
    """The files named, and all *.json in the folders named, each once; what does not exist.

    Raises InputError where nothing else is named.
    """
    found: dict[Path, None] = {}
    absent: list[Skipped] = []
    known = list(places)
    for place in known:
        if not os.path.exists(place):
            absent.append(Skipped(str(place), why_absent(place)))
        elif place.is_dir():
            inside = [p for p in sorted(place.rglob("*.json")) if p.is_file()]
            found.update(dict.fromkeys(p for p in inside if not p.name.startswith(".")))
        else:  # a pipe or a device, too, which is told when it is to be read
            found[place] = None
    if absent and len(absent) == len(known):
        first = absent[0]
        raise InputError(first.file, "", first.reason, "give run files, or their folder")
    return list(found), absent


def why_absent(place: Path) -> str:
    """Why there is nothing that could be read."""
    try:
        place.stat()
    except FileNotFoundError:
        link = f"is a link to '{os.readlink(place)}', which " if place.is_symlink() else ""
        return f"{link}does not exist"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return "was not there"


def machines_in(path: Path) -> tuple[list[Machine], list[Skipped]]:
    """The usable runs of one file, and its others. Raises BenchError where it is no such file."""
    where = paths.relative(path)
    attendee, documents = untrusted.runs_in(read_json(path, where), where)
    found, skipped = [], []
    if attendee and not documents:
        skipped.append(Skipped(where, "holds no race, only guesses: see bench room guesses"))
    for document in documents:
        try:
            name = attendee or path.stem
            found.append(machine_from(document, name, where, shared=bool(attendee)))
        except BenchError as error:
            problem = reason(error, where)
            skipped.append(Skipped(where, which_run(document, attendee) + problem))
        except (TypeError, ValueError, ArithmeticError) as error:
            problem = f"contains numbers that can't be calculated with: {error}"
            skipped.append(Skipped(where, which_run(document, attendee) + problem))
    return found, skipped


def which_run(document: dict[str, Any], attendee: str) -> str:
    """Which run of a shared file a reason is about, as its beginning; '' for a run file."""
    experiment = document.get("experiment")
    name = experiment.get("name") if isinstance(experiment, dict) else None
    return f"{name}: " if attendee and isinstance(name, str) else ""


def reason(error: BenchError, where: str) -> str:
    """An error's message without the name of the file."""
    return error.message.removeprefix(f"{where}: ")


def once_each(machines: Sequence[Machine]) -> tuple[list[Machine], list[Skipped]]:
    """Of equal runs one, the shared one; of an attendee's runs of an experiment the newest."""
    kept: dict[tuple[object, ...], Machine] = {}
    skipped = []
    for each in sorted(machines, key=lambda m: (m.run.started, m.shared), reverse=True):
        run = each.run
        same = (run.experiment.asked, run.started, run.plan.seed, len(run.samples))
        mine = (run.experiment.asked, owner(each))
        if same in kept:
            skipped.append(Skipped(each.file, f"is the same run as {kept[same].file}"))
        elif mine[1] and mine in kept:
            older = f"is an older run of {mine[1]}, who has a newer one in {kept[mine].file}"
            skipped.append(Skipped(each.file, older))
        else:
            kept[same] = each
            if mine[1]:
                kept[mine] = each
    chosen = {id(each) for each in kept.values()}
    return [each for each in machines if id(each) in chosen], skipped


def owner(machine: Machine) -> str:
    """Whose run it is, as far as is known: an attendee's, or that of the checkout that kept it."""
    if machine.shared:
        return machine.name
    folder, own = Path(machine.file).parent.as_posix(), machine.run.experiment.name
    return folder.removesuffix(f"/{own}") if folder.endswith(f"/{own}") else ""
