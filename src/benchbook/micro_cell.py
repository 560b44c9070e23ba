"""The benchmarks of one cell: run, saved as a run, and ready to be shown."""

import hashlib
import secrets
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import benchbook
from benchbook import machine, micro, paths, results
from benchbook.load import NO_ERRORS
from benchbook.micro import Began, Bench, Entries, Found, Iterated, Launched, Project, Report, Wish
from benchbook.micro_executor import NO_LATENCY
from benchbook.processes import Keeper
from benchbook.race import Event, Progress, stamp
from benchbook.results import Entry, Run, Sample
from benchbook.witness import Evidence

NAME = "cell-benchmarks"  # where the runs go: .benchbook/runs/cell-benchmarks
BUILD_SECONDS, LAUNCH_SECONDS = 8.0, 2.5  # BenchmarkDotNet's, about; only for the time left


@dataclass
class CellRace:
    """Ready to run: iterate over events(), as over a Race's; then there is a report.

    failures: why a benchmark gave nothing, by its title.
    """

    project: Project
    wish: Wish
    run: Run
    folder: Path
    keeper: Keeper = field(default_factory=Keeper)
    report: Report | None = None
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """The cell's code, as it was compiled."""
        return (self.project.path.parent / micro.CELL).read_text(encoding="utf-8")

    def events(self) -> Iterator[Event]:
        """Run to the end; saved after every launch, and however it ends.

        Raises MicroError where no benchmark gives a result.
        """
        started = time.monotonic()
        with results.recording(self.run, self.run.save, self.keeper.close):
            bench = Bench(self.project, self.wish, self.folder, self.keeper)
            done, total, doing, iterations = 0, 1, "BenchmarkDotNet builds", 0
            for event in bench.events():
                if isinstance(event, Entries):
                    self.enter(event.entries)
                    total = len(event.entries) * self.run.plan["launches"]
                elif isinstance(event, Began):
                    done, doing, iterations = done + 1, event.title, 0
                    if event.launch is not None:
                        doing = f"launch {event.launch + 1} of {self.wish.launches}: {doing}"
                elif isinstance(event, Iterated):
                    iterations += 1
                elif isinstance(event, Launched):
                    self.take(event.launch, event.entry, event.iterations, started)
                    if not event.iterations:
                        self.failures[self.run.entries[event.entry].title] = event.words
                    self.run.save()
                count = f", iteration {iterations}" if iterations else ""
                left = self.left(started, max(done - 1, 0), total)
                yield Progress(max(done - 1, 0), total, left, doing + count)
            self.report = bench.report()
            if not self.run.samples:
                self.take_report(self.report.found)
            found = self.report.found
            self.run.tool["version"] = self.report.version
            self.run.allocated_bytes = {
                name(f.entry): f.allocated_bytes for f in found if f.allocated_bytes is not None
            }

    def left(self, started: float, done: int, total: int) -> float:
        elapsed = time.monotonic() - started
        if not done:
            return max(0.0, BUILD_SECONDS + total * LAUNCH_SECONDS - elapsed)
        return max(0.0, elapsed - BUILD_SECONDS) / done * (total - done)

    def enter(self, entries: tuple[micro.Entry, ...]) -> None:
        """Note who takes part. The first baseline is the run's, and its copy is the floor."""
        base = next((e for e in entries if e.baseline), entries[0])
        code = self.project.path.parent / micro.CELL
        sha256 = hashlib.sha256(code.read_bytes()).hexdigest()
        for entry in entries:
            same = (entry.benchmark, entry.case) == (base.benchmark, base.case)
            role = ("floor" if entry.copy else "baseline") if same else "variant"
            self.run.entries.append(
                Entry(name(entry), entry.title, role, paths.relative(code), sha256)
            )
        plan = self.run.plan
        plan["entries"] = [name(entry) for entry in entries]
        if not any(entry.copy for entry in entries):  # BenchmarkDotNet decides on launches
            plan["launches"] = 1

    def take(
        self,
        launch: int,
        number: int,
        iterations: tuple[tuple[int, float], ...],
        started: float | None = None,
    ) -> None:
        """Keep the iterations of a launch as samples, in the order in which they come."""
        order, entry = self.run.plan["order"], self.run.entries[number]
        while len(order) <= launch:
            order.append([[]])
        order[launch][0].append(entry.name)
        now = time.monotonic() - started if started else 0.0
        for block, (operations, nanoseconds) in enumerate(iterations):
            if nanoseconds > 0:
                self.run.samples.append(
                    sample(entry.name, launch, block, operations, nanoseconds, now)
                )

    def take_report(self, found: tuple[Found, ...]) -> None:
        """The samples of runs that BenchmarkDotNet has planned itself."""
        plan = self.run.plan
        plan["launches"] = max([1, *(len(each.launches) for each in found)])
        plan["blocks"] = max([1, *(len(launch) for f in found for launch in f.launches)])
        for number, each in enumerate(found):
            for launch, iterations in enumerate(each.launches):
                self.take(launch, number, iterations)


def name(entry: micro.Entry) -> str:
    case = f" [{entry.case}]" if entry.case else ""
    return entry.benchmark + case + ("#2" if entry.copy else "")


def sample(
    entry: str, launch: int, block: int, operations: int, nanoseconds: float, now: float
) -> Sample:
    return Sample(
        launch=launch,
        block=block,
        position=0,
        variant=entry,
        started_seconds=now,
        seconds=nanoseconds / 1e9,
        requests=operations,
        requests_per_second=operations / nanoseconds * 1e9,
        latency_ms=dict(NO_LATENCY),
        errors=dict(NO_ERRORS),
        non_2xx=0,
        bytes=0,
        client_cpu_seconds=None,
        evidence=asdict(Evidence()),
    )


def prepare(code: str, wish: Wish, say: micro.Say) -> CellRace:
    """Build the class in a cell. Raises MicroError with its errors, at the cell's lines."""
    project = micro.build_cell(code, say)
    plan: dict[str, Any] = {
        "mode": "full" if wish.full else "quick",
        "entries": [],
        "launches": wish.launches,
        "blocks": wish.iterations,
        "sample_seconds": wish.iteration_seconds,
        "warmup_seconds": 0.0,
        "connections": 0,
        "tool": micro.TOOL,
        "seed": wish.seed,
        "order": [],
        "interleaved": False,
        "until": None,
        "pilot": None,
    }
    run = Run(
        experiment={
            "name": NAME,
            "title": "Benchmarks of a cell",
            "claim": "",
            "path": "",
            "unit": "operations/s",
        },
        plan=plan,
        tool={"name": micro.TOOL, "version": micro.version(project)},
        pinning={"server": None, "client": None, "reason": "BenchmarkDotNet's processes"},
        machine=machine.manifest(),
        entries=[],
        benchbook=benchbook.__version__,
        started=results.now(),
        path=results.folder(NAME) / f"{stamp()}.json",
    )
    return CellRace(project, wish, run, paths.scratch() / f"{NAME}-{stamp()}")


def seed() -> int:
    return secrets.randbits(31)
