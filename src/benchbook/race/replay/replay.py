"""What every replay has: its figures, running and saving it, and how its run file begins."""

import hashlib
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import benchbook
from benchbook.analysis.judge import Results
from benchbook.load.tool import LoadError
from benchbook.model import plan, results, runs
from benchbook.model.claims import Published
from benchbook.model.experiments import Experiment
from benchbook.model.runs import Entry, RacedExperiment, Run, UsedTool
from benchbook.race.record import Event, Note, Progress
from benchbook.race.replay.outcome import to_json
from benchbook.system import machine, paths
from benchbook.system.errors import BenchError
from benchbook.system.pinning import Pinning
from benchbook.system.processes import Keeper, exits_within

FOLDER = "as-published"  # beside the races' run files: what looks for races does not find replays
TICK_SECONDS = 0.5  # how often the time left is told
GUESS_SECONDS = 10.0  # a run whose length nothing tells
PATIENCE_SECONDS = 1800.0  # the same for a method that states requests or iterations only
UNIT_MS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3}


@dataclass
class Figures:
    """One run of one thing: a number by unit, and how it came about where that is known.

    started_seconds counts from the start of the replay; failed: requests with an error or with
    another status than 2xx; outside_share: of all CPUs, what programs outside of the replay used;
    asked: how many requests the tool was told to send, None where it was told how long; sent and
    reused: as in tool.Load.
    """

    figures: dict[str, float | None]
    started_seconds: float | None = None
    requests: int | None = None
    failed: int | None = None
    seconds: float | None = None
    server_cpu_seconds: float | None = None
    client_cpu_seconds: float | None = None
    outside_share: float | None = None
    asked: int | None = None
    sent: int | None = None
    reused: float | None = None


@dataclass
class Measured:
    """What is measured: a variant, or a label that the script prints.

    status: waiting, measured, unavailable, failed; command: the command line, as run.
    """

    name: str
    title: str
    status: str = "waiting"
    reason: str = ""
    command: list[str] = field(default_factory=list)
    runs: list[Figures] = field(default_factory=list)


@dataclass(frozen=True)
class Honest:
    """The race that a replay is compared with."""

    run: Run
    results: Results


@dataclass
class Replay:
    """A replay that is ready to run: iterate over events() to run it, as over a race's.

    method: as published; played: the same, shortened if so asked; measured: in the article's order;
    honest: the race to compare with and what it says, None where there is none.
    """

    kind: ClassVar[str]  # of method, as the claim file names it

    experiment: Experiment
    method: Published
    played: Published
    shorten: int
    run: Run
    measured: list[Measured]
    honest: Honest | None
    keeper: Keeper = field(init=False)
    began: float = field(init=False)
    moved: float = field(init=False)  # when the last figure came, in seconds from the start

    def events(self) -> Generator[Event, None, None]:
        """Run to the end. The run is saved after every figure, and however this ends.

        A variant that fails is named in a Note, and the others go on. Raises BenchError where not
        a single figure came, KeyboardInterrupt as it comes; the run is then saved as incomplete.
        """
        self.began, self.moved = time.monotonic(), 0.0
        self.keeper = Keeper()
        with results.recording(self.run, self.save, self.keeper.close):
            yield from (Note(message) for message in self.run.messages)
            yield from self.play()
            if not any(measured.runs for measured in self.measured):
                raise BenchError("nothing could be replayed", "see the reasons above")

    def play(self) -> Iterator[Event]:
        """Measure what is available; the kinds say how."""
        raise NotImplementedError

    def line(self) -> str:
        """The command with the article's options, as an article would write it."""
        raise NotImplementedError

    @property
    def expected_seconds(self) -> float:
        """How long all runs will take, about."""
        raise NotImplementedError

    def save(self) -> None:
        self.run.replay = runs.plain(to_json(self))
        self.run.save()

    def fail(self, measured: Measured, error: BenchError) -> Note:
        """This one has no figure, or no more of them; the others go on."""
        measured.status, measured.reason = "failed", str(error)
        for entry in self.run.entries:
            if entry.name == measured.name:
                entry.status, entry.reason = "failed", str(error)
        return self.note(str(error))

    def note(self, text: str) -> Note:
        self.run.messages.append(text)
        return Note(text)

    def progress(self, doing: str) -> Progress:
        there = [m for m in self.measured if m.status in ("waiting", "measured")]
        total = max(1, len(there) * self.played.figures)
        done = sum(len(m.runs) for m in there)
        elapsed = time.monotonic() - self.began
        if 0 < done <= total:
            left = self.moved * (total - done) / done - (elapsed - self.moved)
        else:
            left = self.expected_seconds - elapsed
        return Progress(done, total, max(0.0, left), doing)

    def take(self, measured: Measured, figures: Figures) -> None:
        measured.runs.append(figures)
        self.moved = time.monotonic() - self.began

    def wait(
        self,
        process: subprocess.Popen[bytes],
        most_seconds: float,
        doing: str,
        check: Callable[[], None] = lambda: None,
    ) -> Iterator[Event]:
        """Until the process exits: tell the time left, and let `check` look whether all is well.

        Raises LoadError where the process does not end, and what `check` raises.
        """
        deadline = time.monotonic() + most_seconds
        while not exits_within(process, 0):
            check()
            if time.monotonic() > deadline:
                raise LoadError(f"{self.line()} did not end", "./bench doctor")
            yield self.progress(doing)
            exits_within(process, TICK_SECONDS)


def entry(name: str, title: str, role: str, path: Path, reason: str, edited: bool = False) -> Entry:
    return Entry(
        name=name,
        title=title,
        role=role,
        file=paths.relative(path),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        edited=edited,
        status="unavailable" if reason else "raced",
        reason=reason,
    )


def make_run(
    experiment: Experiment,
    tool: str,
    version: str,
    method: Published,
    entries: list[Entry],
    path: Path,
) -> Run:
    """The run file of a replay: one launch, everything in the article's order, nothing pinned."""
    names = tuple(e.name for e in entries)
    drawn = plan.Plan(
        mode=FOLDER,
        entries=names,
        launches=1,
        blocks=1,
        sample_seconds=float(getattr(method, "duration_seconds", None) or 0),
        warmup_seconds=float(getattr(method, "warmup_seconds", 0)),
        connections=getattr(method, "connections", None) or 1,
        tool=tool,
        seed=0,
        order=((names,),),
        interleaved=False,
    )
    return Run(
        experiment=RacedExperiment(
            experiment.name,
            experiment.title,
            experiment.claim.name,
            experiment.kind.requested,
        ),
        plan=drawn,
        tool=UsedTool(tool, version),
        pinning=Pinning(None, None, "as the article did it"),
        machine=machine.manifest(),
        entries=entries,
        benchbook=benchbook.__version__,
        started=results.now(),
        reason="the replay is still running, or was ended without a chance to say so",
        messages=[f"'{e.name}' is unavailable: {e.reason}" for e in entries if e.reason],
        path=path,
    )
