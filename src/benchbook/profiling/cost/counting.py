"""The experiment behind a "cost": two copies loaded as in their race, while everything is counted.

Nothing is timed, so one launch will do: two windows in which copies are as they go on to be, and a
third one in which system calls are traced, which makes programs many times slower.
"""

import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from benchbook.model.experiments import Experiment
from benchbook.model.profiles.cost import Costing, Counted, Memory
from benchbook.model.runs import Run
from benchbook.profiling.cost import memory, of_system
from benchbook.profiling.cost.memory import MemoryCounter
from benchbook.profiling.cost.of_calls import ALLOCATED, REMOVED, WINDOWS, CallCounting
from benchbook.profiling.experiment import check_entry, closed_unless_ready
from benchbook.profiling.options import WhyOptions, check_once
from benchbook.profiling.profiler import ProfiledStart, ProfilerError
from benchbook.programs.programs import Command
from benchbook.programs.readiness import Say
from benchbook.race import prepare as preparing
from benchbook.race.kinds import registry as kinds
from benchbook.race.kinds.copies import Copies, CopyCost
from benchbook.race.race import Race
from benchbook.race.record import Event, RaceProgress
from benchbook_kernels.base.errors import BenchError

T = TypeVar("T")
PAUSE, DEPTH = "µs of collections", "functions on the stack"
CALLS, SENT, PACKETS, THREADS = "system calls", "bytes sent", "packets sent", "threads"
COLLECTIONS = "collections in 1,000"
QUEUED, POOL = "work waiting for the thread pool", "threads of the thread pool"
NAMES = (ALLOCATED, COLLECTIONS, PAUSE, CALLS, SENT, PACKETS, DEPTH, THREADS, POOL, QUEUED, REMOVED)
SECONDS, TRACED_SECONDS = 4.0, 2.0
LEAD_SECONDS = 0.5
STEPS = 3 + WINDOWS
NO_MEMORY = "its runtime is not asked"
ANEW = "its connections were opened anew meanwhile"
STOOD = "they are told under strace, and there"
UNTOLD = "not told while a race goes on: take --tool wrk, and 8 connections or more"


@dataclass(frozen=True)
class Looked:
    """What was seen of a copy in a window: of its memory (None where its runtime is not asked), and
    by the system, of a request (None where connections were opened anew). counted: does the load
    generator tell requests meanwhile?"""

    memory: Memory | None
    sent: float | None
    packets: float | None
    threads: int
    counted: bool


@dataclass
class Counting:
    """Programs that are ready to be counted: iterate over events(). run: as of Profiling; counted:
    as of Looked."""

    costing: Costing
    copies: Copies
    counters: Mapping[str, MemoryCounter | None]
    run: Run
    folders: dict[str, Path]
    seconds: float
    counted: bool = False

    @property
    def names(self) -> list[str]:
        return list(self.counters)

    def events(self) -> Generator[Event, None, None]:
        """Raises BenchError where a program fails, KeyboardInterrupt as it comes; nothing runs
        then."""
        try:
            yield self.progress(0, "starting")
            self.copies.launch(self.names)
            for _ in self.copies.warm_up(self.names):
                yield self.progress(1, "warming up")
            for number in range(WINDOWS):
                yield self.progress(2 + number, "counting")
                self.keep(*self.window(self.look, self.seconds))
            yield self.progress(2 + WINDOWS, "tracing system calls")
            self.trace()
        finally:
            self.copies.close()

    def progress(self, done: int, doing: str) -> RaceProgress:
        return RaceProgress(done, STEPS, (STEPS - done) * self.seconds, doing)

    def window(
        self, look: Callable[[str, float], T], seconds: float
    ) -> tuple[dict[str, CopyCost], dict[str, T]]:
        """What copies did in a window, and what was seen of each meanwhile. Raises VariantError."""

        def whole(name: str) -> Callable[[Callable[[], None]], T]:
            return lambda seen: look(name, seconds)  # it needs the load to its end

        looks = {name: whole(name) for name in self.names}
        spent, futures = self.copies.looked_at(self.names, LEAD_SECONDS, seconds, looks)
        try:
            return spent, {name: future.result() for name, future in futures.items()}
        except ProfilerError as error:
            raise BenchError(f"a program {error.message}", error.remedy) from None

    def look(self, name: str, seconds: float) -> Looked:
        """See to a copy for so long, when the lead is over. Raises ProfilerError."""
        time.sleep(LEAD_SECONDS)
        pid, port = self.copies.pid(name), self.copies.port(name)
        done, before = self.copies.done(name), of_system.sent(port)
        found = None
        if counter := self.counters[name]:
            found = counter.count(pid, seconds, self.folders[name], self.copies.helpers)
        else:
            time.sleep(seconds)
        later, after = self.copies.done(name), of_system.sent(port)
        requests = later - done if later is not None and done is not None else 0
        size = packets = None
        if requests and before[2] == after[2]:  # closed ones take what they sent along
            size = (after[0] - before[0]) / requests
            packets = (after[1] - before[1]) / requests
        return Looked(found, size, packets, of_system.threads(pid), bool(requests))

    def keep(self, spent: Mapping[str, CopyCost], looked: Mapping[str, Looked]) -> None:
        """What both say, of a request."""
        for name in self.names:
            requests, seen = spent[name].requests, looked[name]
            self.counted |= seen.counted
            values: dict[str, float] = {THREADS: seen.threads}
            if seen.sent is not None and seen.packets is not None:
                values |= {SENT: seen.sent, PACKETS: seen.packets}
            if seen.memory:
                values[ALLOCATED] = seen.memory.allocated / requests
                values[COLLECTIONS] = 1000 * sum(seen.memory.collections.values()) / requests
                values[PAUSE] = 1e6 * seen.memory.pause_seconds / requests
                of_pool = {POOL: seen.memory.pool_threads, QUEUED: seen.memory.queued}
                told: dict[str, float | None] = {DEPTH: seen.memory.depth, **of_pool}
                values |= {what: value for what, value in told.items() if value is not None}
            figures = self.costing.figures.setdefault(name, {})
            for what, value in values.items():
                before = figures.get(what, Counted()).values
                figures[what] = Counted((*before, value))

    def trace(self) -> None:
        """Count system calls, where that can be done, and say what is not known."""
        untold = "" if self.counted else UNTOLD
        reason, calls = of_system.lacks_calls() or untold, dict[str, dict[str, float]]()
        if not reason:
            try:
                _, calls = self.window(self.traced, TRACED_SECONDS)
                self.copies.land()
            except BenchError as error:  # the rest is known by then
                reason = f"{STOOD}: {error.message}"
        for name in self.names:
            figures = self.costing.figures[name]
            if found := calls.get(name):
                figures[CALLS] = Counted((sum(found.values()),))
                self.costing.calls[name] = found
            else:
                figures[CALLS] = Counted(reason=reason or of_system.NO_TRACE)
        missing = {
            SENT: untold or ANEW,
            PACKETS: untold or ANEW,
            DEPTH: NO_MEMORY,
            ALLOCATED: NO_MEMORY,
        }
        unsent = of_system.lacks_sent()
        for figures in self.costing.figures.values():
            for what, why in missing.items():
                if why and len(figures.get(what, Counted()).values) < WINDOWS:
                    figures[what] = Counted(reason=why)
            if unsent:
                figures |= dict.fromkeys((SENT, PACKETS), Counted(reason=unsent))

    def traced(self, name: str, seconds: float) -> dict[str, float]:
        """The system calls of a request of a copy."""
        folder, copies = self.folders[name], self.copies
        given = (LEAD_SECONDS + seconds, copies.keeper, folder)
        return of_system.calls(copies.pid(name), *given, lambda: copies.done(name) or 0)


def ready(
    experiment: Experiment, names: Sequence[str], options: WhyOptions, say: Say
) -> Counting | CallCounting:
    """Build and check the programs. Raises InputError, BenchError as a profile does."""
    check_once("cost", names, "name one variant, or two")
    asked = replace(options.race, variants=tuple(names), launches=1)
    kind = kinds.copies(experiment.kind.name)
    if kind is None:
        problem = f"experiment {experiment.number} has no servers or functions to be looked into"
        raise BenchError(problem)
    for name in names:
        if experiment.variant(name).address:
            raise BenchError(f"'{name}' runs already, and is not ours to look into")
    race = preparing.prepare(experiment, asked, say)
    with closed_unless_ready(race):
        for name in names:
            check_entry(race, name)
        return made(race, kind(race), names, options)


def made(
    race: Race, copies: Copies, names: Sequence[str], options: WhyOptions
) -> Counting | CallCounting:
    variants = {name: race.experiment.variant(name) for name in names}
    run = race.run
    how = f"{run.tool.name}{run.kind.loaded(run)}, {run.kind.placed(run)}"
    costing = Costing(race.experiment.name, list(names), run.kind.thing, how)
    if copies.calls:
        copies.replace(variants, {})
        return CallCounting(costing, copies, run)
    folders = {name: Path(tempfile.mkdtemp(dir=copies.folder())) for name in names}
    counters = {name: memory.find(variant) for name, variant in variants.items()}
    start = {name: partial(prepared, counter, folders[name]) for name, counter in counters.items()}
    copies.replace(variants, start)
    seconds = min(SECONDS, options.seconds)
    return Counting(costing, copies, counters, run, folders, seconds)


def prepared(counter: MemoryCounter | None, folder: Path, command: Command) -> Command:
    """How a program is started so that its memory can be looked at."""
    if not counter:
        return command
    start = counter.prepare(ProfiledStart(tuple(command.words), command.env), folder)
    return replace(command, words=list(start.words), env=dict(start.env))
