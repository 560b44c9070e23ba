"""The benchmarks of one cell: run, saved as a run, and ready to be shown."""

import secrets
import time
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from pathlib import Path

import benchbook
from benchbook.model import results
from benchbook.model.kinds.benchmarks import BENCHMARK_DOT_NET, Benchmarks
from benchbook.model.plan import Plan
from benchbook.model.runs import CONTROL, Entry, RacedExperiment, Run
from benchbook.model.samples import UsedTool
from benchbook.model.variants import Variant
from benchbook.programs.readiness import Say
from benchbook.race.executor import Measurement
from benchbook.race.kinds.benchmarks import cell_project
from benchbook.race.kinds.benchmarks.bench import Bench
from benchbook.race.kinds.benchmarks.events import Began
from benchbook.race.kinds.benchmarks.events import BenchmarkEntry as BenchmarkEntry
from benchbook.race.kinds.benchmarks.events import (
    BenchmarkReport,
    BenchmarkRequest,
    BenchmarkResult,
    Entries,
    Iterated,
    Launched,
)
from benchbook.race.kinds.functions.dotnet_project import CELL, Project, version
from benchbook.race.record import Event, RaceProgress
from benchbook.system import machine, paths
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.processes import Keeper

NAME = "cell-benchmarks"  # where the runs go: .benchbook/runs/cell-benchmarks
BUILD_SECONDS, LAUNCH_SECONDS = 8.0, 2.5  # BenchmarkDotNet's, about; only for the time left


@dataclass
class CellRace:
    """Ready to run: iterate over events(), as over a Race's; then there is a report.

    failures: why a benchmark gave nothing, by its title.
    """

    project: Project
    request: BenchmarkRequest
    run: Run
    folder: Path
    keeper: Keeper = field(default_factory=Keeper)
    report: BenchmarkReport | None = None
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """The cell's code, as it was compiled."""
        return (self.project.path.parent / CELL).read_text(encoding="utf-8")

    def events(self) -> Generator[Event, None, None]:
        """Run to the end; saved after every launch, and however it ends.

        Raises MicroError where no benchmark gives a result.
        """
        started = time.monotonic()
        with results.recording(self.run, self.run.save, self.keeper.close):
            bench = Bench(self.project, self.request, self.folder, self.keeper)
            done, total, doing, iterations = 0, 1, "BenchmarkDotNet builds", 0
            for event in bench.events():
                if isinstance(event, Entries):
                    self.enter(event.entries)
                    total = len(event.entries) * self.run.plan.launches
                elif isinstance(event, Began):
                    done, doing, iterations = done + 1, event.title, 0
                    if event.launch is not None:
                        doing = f"launch {event.launch + 1} of {self.request.launches}: {doing}"
                elif isinstance(event, Iterated):
                    iterations += 1
                elif isinstance(event, Launched):
                    self.take(event.launch, event.entry, event.iterations, started)
                    if not event.iterations:
                        self.failures[self.run.entries[event.entry].title] = event.words
                    self.run.save()
                count = f", iteration {iterations}" if iterations else ""
                left = self.left(started, max(done - 1, 0), total)
                yield RaceProgress(max(done - 1, 0), total, left, doing + count)
            self.report = bench.report()
            if not self.run.samples:
                self.take_report(self.report.found)
            found = self.report.found
            self.run.tool = replace(self.run.tool, version=self.report.version)
            self.run.allocated_bytes = {
                name(f.entry): f.allocated_bytes for f in found if f.allocated_bytes is not None
            }

    def left(self, started: float, done: int, total: int) -> float:
        elapsed = time.monotonic() - started
        if not done:
            return max(0.0, BUILD_SECONDS + total * LAUNCH_SECONDS - elapsed)
        return max(0.0, elapsed - BUILD_SECONDS) / done * (total - done)

    def enter(self, entries: tuple[BenchmarkEntry, ...]) -> None:
        """Note who takes part. The first baseline is the run's, and its copy is the control."""
        base = next((e for e in entries if e.baseline), entries[0])
        code = self.project.path.parent / CELL
        for entry in entries:
            same = (entry.benchmark, entry.case) == (base.benchmark, base.case)
            role = (CONTROL if entry.copy else "baseline") if same else "variant"
            self.run.entries.append(Entry.of(Variant(name(entry), entry.title, code), role))
        plan = replace(self.run.plan, entries=tuple(name(entry) for entry in entries))
        if not any(entry.copy for entry in entries):  # BenchmarkDotNet decides on launches
            plan = replace(plan, launches=1)
        self.run.plan = plan

    def take(
        self,
        launch: int,
        number: int,
        iterations: tuple[tuple[int, float], ...],
        started: float | None = None,
    ) -> None:
        """Keep the iterations of a launch as samples, in the order in which they come."""
        entry = self.run.entries[number]
        order = [list(names) for (names,) in self.run.plan.order]
        order += [[] for _ in range(len(order), launch + 1)]
        order[launch].append(entry.name)
        self.run.plan = replace(self.run.plan, order=tuple((tuple(each),) for each in order))
        now = time.monotonic() - started if started else 0.0
        for block, (operations, nanoseconds) in enumerate(iterations):
            if nanoseconds > 0:
                measured = Measurement.timed(nanoseconds / 1e9, operations)
                self.run.samples.append(measured.sample(launch, block, 0, entry.name, now))

    def take_report(self, found: tuple[BenchmarkResult, ...]) -> None:
        """The samples of runs that BenchmarkDotNet has planned itself."""
        self.run.plan = replace(
            self.run.plan,
            launches=max([1, *(len(each.launches) for each in found)]),
            blocks=max([1, *(len(launch) for f in found for launch in f.launches)]),
        )
        for number, each in enumerate(found):
            for launch, iterations in enumerate(each.launches):
                self.take(launch, number, iterations)


def name(entry: BenchmarkEntry) -> str:
    case = f" [{entry.case}]" if entry.case else ""
    return entry.benchmark + case + ("#2" if entry.copy else "")


def prepare(code: str, request: BenchmarkRequest, say: Say) -> CellRace:
    """Build the class in a cell. Raises MicroError with its errors, at the cell's lines."""
    project = cell_project.build_cell(code, say)
    plan = Plan(
        mode="full" if request.full else "quick",
        entries=(),
        launches=request.launches,
        blocks=request.iterations,
        sample_seconds=request.iteration_seconds,
        warmup_seconds=0.0,
        connections=0,
        tool=BENCHMARK_DOT_NET,
        seed=request.seed,
        order=(),
        interleaved=False,
    )
    run = Run(
        experiment=RacedExperiment(NAME, "Benchmarks of a cell", "", "", Benchmarks.unit),
        kind=Benchmarks,
        plan=plan,
        tool=UsedTool(BENCHMARK_DOT_NET, version(project)),
        pinning=Pinning(None, None, "BenchmarkDotNet's processes"),
        machine=machine.manifest(),
        entries=[],
        benchbook=benchbook.__version__,
        started=results.now(),
        path=results.folder(NAME) / f"{results.stamp()}.json",
    )
    return CellRace(project, request, run, paths.scratch() / f"{NAME}-{results.stamp()}")


def seed() -> int:
    return secrets.randbits(31)
