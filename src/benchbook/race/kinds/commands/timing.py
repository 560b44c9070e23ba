"""The program that starts the commands of a launch and tells what each run took (timer.py)."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from benchbook.model.kinds.commands import INHERIT
from benchbook.system import paths
from benchbook.system.dialogue import Dialogue, Ended, Silent
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.processes import Keeper

TIMER = paths.PACKAGE / "race" / "kinds" / "commands" / "timer.py"
PATIENCE_SECONDS = 30.0  # for its first answer
LAST_LINES = 4  # of what a command said that failed
MOST = sys.maxsize
UNTIMED = "warmup-"  # before the number of a run, as hyperfine has it

Step = tuple[int, int]  # (which command, how long its environment is made)


@dataclass
class Line:
    """A command that can be run, as timer.py takes it; env: None for what is not in it; before and
    after: the places of others."""

    words: list[str]
    folder: Path
    env: Mapping[str, str | None]
    read: Path | str = os.devnull
    write: Path | str = os.devnull
    exit_code: int | None = 0
    before: int | None = None
    after: int | None = None

    def told(self) -> dict[str, Any]:
        files = {"folder": str(self.folder), "read": str(self.read), "write": str(self.write)}
        return {**vars(self), **files, "env": dict(self.env)}


@dataclass(frozen=True)
class Failure:
    """A run that did not end as it should. place: of what failed, which may be what is run before
    or after; problem: '' where it is the exit code."""

    place: int
    problem: str
    exit_code: int | None
    said: str

    @property
    def last_words(self) -> list[str]:
        return [line for line in self.said.splitlines() if line.strip("\0 ")][-LAST_LINES:]


@dataclass(frozen=True)
class Runs:
    """The runs of a command, a list each, in the order in which they ran; None: unknown."""

    seconds: list[float] = field(default_factory=list)
    user: list[float | None] = field(default_factory=list)
    system: list[float | None] = field(default_factory=list)
    peak_bytes: list[float | None] = field(default_factory=list)
    exit_code: list[float | None] = field(default_factory=list)

    @classmethod
    def of(cls, told: Iterable[Sequence[Any]]) -> "Runs":
        columns = [list(column) for column in zip(*told)]
        return cls(*columns) if columns else cls()

    def to_json(self) -> dict[str, list[float | None]]:
        return {name: list(values) for name, values in vars(self).items()}


@dataclass(frozen=True)
class Told:
    """What came of some rounds, by the places of commands."""

    runs: Mapping[int, Runs]
    failed: Mapping[int, Failure]


@contextmanager
def shown(wanted: bool) -> Iterator[list[int]]:
    """Descriptors of this process's own outputs, for a process that is started meanwhile; none
    where they are not wanted."""
    copies = [os.dup(1), os.dup(2)] if wanted else []
    try:
        yield copies
    finally:
        for copy in copies:
            os.close(copy)


@dataclass
class CommandTimer:
    """The program. floor: its peak of memory in bytes, below which that of a command can't be told,
    None where none can."""

    dialogue: Dialogue
    floor: int | None = None

    @classmethod
    def start(
        cls,
        keeper: Keeper,
        lines: Sequence[Line],
        limit_seconds: float,
        cpus: Sequence[int] | None = None,
    ) -> "CommandTimer":
        """Start it for these commands. limit_seconds: of a run, then it is ended."""
        python = [sys.executable, "-I", "-S", "-X", "utf8", str(TIMER)]
        with shown(any(line.write == INHERIT for line in lines)) as outputs:
            started = Dialogue.start(
                keeper, [*python, *map(str, outputs)], cpus=cpus, pass_fds=outputs
            )
        timer = cls(started)
        first = {"commands": [line.told() for line in lines], "limit": limit_seconds}
        try:
            timer.floor = timer.ask(first, PATIENCE_SECONDS)["peak_bytes"]
        except BaseException:
            started.close(keeper)
            raise
        return timer

    def ask(self, what: Mapping[str, Any], limit_seconds: float | None = None) -> dict[str, Any]:
        """What it answers. Raises BenchError where it is gone."""
        try:
            return self.dialogue.ask(json.dumps(what), limit_seconds)
        except (Ended, Silent):
            said = "\n    ".join(["", *self.dialogue.said()[-LAST_LINES:]])
            problem = f"the program that times commands has ended{said}"
            raise BenchError(problem, "race again; were all its processes ended?") from None

    def run(
        self,
        rounds: Sequence[Sequence[Step]],
        least: int = 1,
        most: int = MOST,
        seconds: float = 0.0,
        numbers: Mapping[int, int] = {},
        untimed: bool = False,
    ) -> Told:
        """Run these rounds, from the first again where they are fewer than `least`, or than fit in
        so many seconds. numbers: of each command's first run, as it is told, after "warmup-" where
        they are untimed. It keeps the time limits of runs by itself."""
        how = {"rounds": rounds, "least": least, "most": most, "seconds": seconds}
        told = self.ask({**how, "numbers": numbers, "prefix": UNTIMED if untimed else ""})
        runs = {int(place): Runs.of(each) for place, each in told["runs"].items()}
        failed = {int(place): Failure(**each) for place, each in told["failed"].items()}
        return Told(runs, failed)

    def cpu_seconds(self) -> float:
        """CPU time so far of it and of all that it has started and seen the end of; 0 where that
        can't be known."""
        try:
            times = psutil.Process(self.dialogue.process.pid).cpu_times()
        except psutil.Error:
            return 0.0
        own = float(times.user + times.system)
        return own + getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
