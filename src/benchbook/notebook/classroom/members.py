"""Who has shared in a class, and what: files that came over a network, checked and kept.

Each file is anybody's, so it is taken as a whole or not at all: what `./bench room` would not use
is not kept. An attendee's code stands on the page for all to see, so whoever shares first under a
code gives a key with it, and only that key may share more. Files are kept under their content's
digest, beside each other: nothing that was received is written over.
"""

import contextlib
import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchbook.analysis.pooled import guessing, room, untrusted
from benchbook.analysis.pooled.gathering import once_each
from benchbook.analysis.pooled.guessing import GuessingRoom
from benchbook.analysis.pooled.machines import Machine, machine_from
from benchbook.analysis.pooled.room import Room
from benchbook.model import experiments
from benchbook.model.experiments import Experiment
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError, printable
from benchbook_kernels.base.files import check_folder, lock, write_atomically
from benchbook_kernels.base.untrusted import read_json

MOST_BYTES = 24 << 20  # of a file; one with all of Benchbook's experiments has about 4 MB
MOST_ATTENDEES, MOST_FILES = 300, 60  # in a room, of an attendee
STATE, LOCK, INCOMING = ".room.json", ".room.lock", ".incoming-"  # hidden, so no command reads them
FILE = "benchbook-share-{}-{}.json"
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is taken for another one
CODE = re.compile(r"[a-z0-9][a-z0-9-]{6,39}")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/#+@=-]{0,79}")  # of a program


class Refused(InputError):
    """A file that is in order, and yet not taken; status: as HTTP has it."""

    def __init__(self, status: int, problem: str, remedy: str = "") -> None:
        super().__init__("your file", "", problem, remedy)
        self.status = status


@dataclass(frozen=True)
class Received:
    """A file that is kept now. new: it was not there before."""

    attendee: str
    races: int
    guesses: int
    new: bool


@dataclass
class ClassRoom:
    """A folder of shared files, and what they say. One thread at a time may use it.

    code: whoever knows it may share and look; keys: the digest of each attendee's key; machines:
    without their samples, and with this checkout's names; guessed: the newest document with guesses
    of each attendee.
    """

    folder: Path
    code: str
    keys: dict[str, str] = field(default_factory=dict)
    machines: list[Machine] = field(default_factory=list)
    guessed: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)  # how many there are, by attendee
    known: Mapping[str, Experiment] = field(default_factory=dict)

    def rooms(self) -> list[Room]:
        """What all machines say together, by experiment."""
        return room.rooms(once_each(self.machines)[0])[0]

    def guesses(self) -> list[GuessingRoom]:
        """What all guessed, by experiment."""
        return guessing.rooms(dict(sorted(self.guessed.items())))

    def receive(self, incoming: Path, key: str) -> Received:
        """Check a file that came in, and keep it under its own name. It is gone afterwards.

        Raises InputError for what is no shared file, Refused for one that is not taken.
        """
        try:
            document, found = self.checked(incoming)
            self.check_together(found)
            attendee = str(document["attendee"])
            owner = hashlib.sha256(key.encode()).hexdigest()
            if self.keys.get(attendee, owner) != owner:
                remedy = "delete the file .benchbook/attendee of your checkout: you get another one"
                raise Refused(409, f"{attendee} is another attendee's code", remedy)
            digest = hashlib.sha256(incoming.read_bytes()).hexdigest()[:16]
            path = self.folder / FILE.format(attendee, digest)
            is_new = not path.exists()
            if is_new:
                self.check_room_for(attendee)
                if attendee not in self.keys:
                    self.keys[attendee] = owner
                    self.save()
                os.replace(incoming, path)
                self.add(document, found)
            count = len(document.get("guesses", ())) + len(document.get("words", ()))
            return Received(attendee, len(found), count, is_new)
        finally:
            incoming.unlink(missing_ok=True)

    def check_together(self, found: list[Machine]) -> None:
        """Raises InputError where a file's numbers can't be pooled with those that are there."""
        try:
            with np.errstate(over="raise", invalid="raise", divide="raise"):
                room.rooms(once_each([*self.machines, *found])[0])
        except (ArithmeticError, ValueError) as error:
            problem = f"contains numbers that can't be pooled: {printable(str(error))[:200]}"
            raise InputError("your file", "runs", problem) from None

    def check_room_for(self, attendee: str) -> None:
        """Raises Refused where there are too many attendees, or too many files of one."""
        if attendee not in self.files and len(self.files) >= MOST_ATTENDEES:
            raise Refused(507, f"the room is full: {MOST_ATTENDEES} attendees", "tell the leader")
        if self.files.get(attendee, 0) >= MOST_FILES:
            raise Refused(507, f"there are {MOST_FILES} files of {attendee} already")

    def checked(self, path: Path) -> tuple[dict[str, Any], list[Machine]]:
        """A shared file's document, and its machines. Raises InputError where any is wrong."""
        where = "your file"
        document = read_json(path, where)
        attendee, runs = untrusted.runs_in(document, where)
        if not attendee:
            raise InputError(where, "format", "is not that of ./bench share", "share again")
        if not runs and not document.get("guesses") and not document.get("words"):
            raise InputError(where, "", "holds neither race nor guess")
        guessing.checked(document, where)
        try:
            return document, [self.machine(run, attendee, where) for run in runs]
        except (TypeError, ValueError, ArithmeticError, LookupError) as error:
            problem = f"contains what can't be calculated with: {printable(str(error))[:200]}"
            raise InputError(where, "runs", problem) from None

    def machine(self, document: dict[str, Any], attendee: str, where: str) -> Machine:
        """The machine of a run, with the names and words of this checkout. Raises InputError."""
        found = machine_from(document, attendee, where, shared=True)
        run = found.run
        ours = self.known.get(run.experiment.name)
        if ours is None:
            raise InputError(where, "runs", "are of an experiment that this room does not have")
        if wrong := [e.name for e in run.entries if not NAME.fullmatch(e.name)]:
            raise InputError(where, "entries", f"has a name that is none: {printable(wrong[0])!r}")
        says = {statement.id: statement.says for statement in ours.claim.statements}
        variants = {variant.name for variant in ours.variants}
        kept = [e for e in run.entries if e.role != "variant" or e.name in variants]
        names = {entry.name for entry in kept}
        titled = replace(run.experiment, title=ours.title)
        return replace(
            found,
            run=replace(run, experiment=titled, entries=kept, samples=[], warmups=[]),
            readings={n: reading for n, reading in found.readings.items() if n in names},
            left_out={n: reason for n, reason in found.left_out.items() if n in names},
            verdicts={n: replace(v, says=says[n]) for n, v in found.verdicts.items() if n in says},
        )

    def add(self, document: dict[str, Any], found: list[Machine]) -> None:
        """Take what a file says into the room."""
        attendee = document["attendee"]
        self.files[attendee] = self.files.get(attendee, 0) + 1
        self.machines += found
        ours = {
            kind: [each for each in document.get(kind, ()) if each["experiment"] in self.known]
            for kind in ("guesses", "words")
        }
        newest = self.guessed.get(attendee, {}).get("told", "")
        if any(ours.values()) and document.get("told", "") >= newest:
            self.guessed[attendee] = {"told": document.get("told", ""), **ours}

    def save(self) -> None:
        """Keep the code and the keys, for a server that goes on with this folder."""
        text = json.dumps({"code": self.code, "keys": self.keys}, indent=1)
        write_atomically(self.folder / STATE, f"{text}\n")


@contextlib.contextmanager
def opened(folder: Path, code: str = "") -> Iterator[ClassRoom]:
    """The room in a folder, with what is there already; one server at a time has it.

    code: the one to be used from now on, '' for that of last time, or a new one. Raises InputError
    for a code that is none, BenchError where another server has the folder.
    """
    if code and not CODE.fullmatch(code):
        problem = f"'{printable(code)}' is no room code"
        raise InputError("--code", "", problem, "take 7 to 40 small letters, digits and -")
    check_folder(folder)
    try:
        with lock(folder / LOCK, 0):
            yield loaded(folder, code)
    except TimeoutError:
        problem = f"another ./bench room serve has {paths.relative(folder)}"
        raise BenchError(problem, "end that one, or name another folder") from None


def loaded(folder: Path, code: str) -> ClassRoom:
    """The room in a folder; files there that can't be used are for `./bench room` to tell."""
    state: dict[str, Any] = {}
    if (folder / STATE).is_file():
        state = read_json(folder / STATE, paths.relative(folder / STATE))
    known = {experiment.name: experiment for experiment in experiments.load_all()}
    made = ClassRoom(folder, code or state.get("code") or new_code(), state.get("keys", {}))
    made.known = known
    for left in folder.glob(f"{INCOMING}*"):  # of a server that was killed
        left.unlink()
    for path in sorted(folder.glob("*.json")):
        if not path.name.startswith("."):
            with contextlib.suppress(BenchError):
                document, found = made.checked(path)
                made.check_together(found)
                made.add(document, found)
    made.save()
    return made


def new_code() -> str:
    """Eight letters and digits, forty bits: too many to be tried."""
    drawn = "".join(secrets.choice(LETTERS) for _ in range(8))
    return f"{drawn[:4]}-{drawn[4:]}"
