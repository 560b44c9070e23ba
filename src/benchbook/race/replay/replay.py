"""What every replay has: its figures, running and saving it, and how its run file begins."""

import subprocess
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

import benchbook
from benchbook.load.errors import LoadError
from benchbook.model import plan, results
from benchbook.model.experiments import Experiment
from benchbook.model.replayed import Figures, Measured, Replayed
from benchbook.model.runs import Entry, RacedExperiment, Run
from benchbook.model.samples import UsedTool
from benchbook.model.variants import Variant
from benchbook.programs.readiness import Say
from benchbook.race.record import Event, Note, RaceProgress
from benchbook.race.replay.outcome import AskedReplay, Outcome
from benchbook.system import machine
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.processes import Keeper, exits_within

FOLDER = "as-published"  # beside the races' run files: what looks for races does not find replays
TICK_SECONDS = 0.5  # how often the time left is told
GUESS_SECONDS = 10.0  # a run whose length nothing tells
PATIENCE_SECONDS = 1800.0  # the same for a method that states requests or iterations only
UNIT_MS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3}


@dataclass
class Replay(Outcome):
    """A replay that is ready to run: iterate over events() to run it, as over a race's."""

    # In the sentences on what its method does differently from a race:
    each: ClassVar[str]  # of what there are runs
    one_by_one: ClassVar[bool] = False  # are programs measured one after the other, not in turns?

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

    @classmethod
    def prepare(cls, asked: AskedReplay, path: Path, say: Say) -> Self:
        """Builds what is measured, for a run file at `path`. Raises InputError where the method
        does not go with the experiment."""
        raise NotImplementedError

    def play(self) -> Iterator[Event]:
        """Measure what is available; the kinds say how."""
        raise NotImplementedError

    @staticmethod
    def reasons(replayed: Replayed) -> list[str]:
        """What the method does differently from a race, beside what all such methods do."""
        raise NotImplementedError

    @property
    def expected_seconds(self) -> float:
        """How long all runs will take, about."""
        raise NotImplementedError

    def save(self) -> None:
        self.run.replay = self.replayed()
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

    def progress(self, doing: str) -> RaceProgress:
        there = [m for m in self.measured if m.status in ("waiting", "measured")]
        total = max(1, len(there) * self.played.figures)
        done = sum(len(m.runs) for m in there)
        elapsed = time.monotonic() - self.began
        if 0 < done <= total:
            left = self.moved * (total - done) / done - (elapsed - self.moved)
        else:
            left = self.expected_seconds - elapsed
        return RaceProgress(done, total, max(0.0, left), doing)

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


def contestants(
    experiment: Experiment, variants: Mapping[str, Variant], reasons: Mapping[str, str]
) -> tuple[list[Measured], list[Entry]]:
    """What is measured in a replay of variants, and their entries; reasons: why each is
    unavailable, '' where it is not."""
    measured, entries = [], []
    for name, variant in variants.items():
        status = "unavailable" if reasons[name] else "waiting"
        measured.append(Measured(name, variant.title, status, reasons[name]))
        role = "baseline" if name == experiment.baseline else "variant"
        entries.append(Entry.of(variant, role, reasons[name]))
    return measured, entries


def make_run(
    experiment: Experiment,
    tool: str,
    version: str,
    entries: list[Entry],
    path: Path,
    *,
    seconds: float = 0.0,
    warmup_seconds: float = 0.0,
    connections: int = 1,
) -> Run:
    """The run file of a replay: one launch, everything in the article's order, nothing pinned.

    seconds: the length of a run, warmup_seconds: before the first, where the article states them.
    """
    names = tuple(e.name for e in entries)
    drawn = plan.Plan(
        mode=FOLDER,
        entries=names,
        launches=1,
        blocks=1,
        sample_seconds=seconds,
        warmup_seconds=warmup_seconds,
        connections=connections,
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
        kind=type(experiment.kind),
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
