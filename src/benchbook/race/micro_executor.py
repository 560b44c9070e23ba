"""The executor of a race of benchmarks: BenchmarkDotNet, read while it runs.

BenchmarkDotNet runs all iterations of an entry in one process, so within a launch the entries take
turns as a whole, in random order; a block is the n-th iteration of each. Drift within a launch does
not cancel, drift between launches does: hence several launches.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from benchbook.load.tool import NO_ERRORS, PERCENTILES, Load
from benchbook.model.plan import Plan
from benchbook.model.variants import Variant
from benchbook.programs.programs import VariantError
from benchbook.race.executor import Executor, Measurement
from benchbook.race.micro import Bench
from benchbook.race.micro_events import BenchmarkRequest, Entry, Event, Iterated, Launched, Report
from benchbook.race.micro_project import MicroError, Project
from benchbook.race.witness import Evidence, Watch
from benchbook.system.processes import Keeper

NO_LATENCY = dict.fromkeys(("mean", *PERCENTILES, "max"))


@dataclass
class MicroExecutor(Executor):
    """One BenchmarkDotNet for all launches of the plan; its samples are handed out as asked for.

    plan: asked at the start, and again where the race grew (--until); first: its launch that this
    BenchmarkDotNet began with. allocated: bytes an operation, by entry.
    """

    variants: Mapping[str, Variant]
    project: Project
    warmups: int
    folder: Path
    plan: Callable[[], Plan] | None = None
    keeper: Keeper = field(default_factory=Keeper)
    bench: Bench | None = None
    events: Iterator[Event] = field(default_factory=lambda: iter(()))
    names: list[str] = field(default_factory=list)
    number: int = -1
    first: int = 0
    last: int = -1
    ready: deque[Measurement] = field(default_factory=deque)
    ready_for: tuple[int, str] | None = None
    allocated: dict[str, float] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        self.number += 1
        if self.number > self.last:
            self.start(names)
        return {}

    def start(self, names: Sequence[str]) -> None:
        """Begin with all launches that are still to come."""
        self.close_bench()
        assert self.plan, "is given before the race starts"
        plan = self.plan()
        self.first, self.last = self.number, plan.launches - 1
        self.names = list(names)
        numbers = {name: i for i, name in enumerate(self.names)}
        turns = [plan.order[i][0] for i in range(self.first, plan.launches)]
        request = BenchmarkRequest(
            launches=len(turns),
            iterations=plan.blocks,
            warmups=self.warmups,
            iteration_seconds=plan.sample_seconds,
            seed=plan.seed,
            entries=[
                Entry(self.variants[n].benchmark, self.variants[n].case, copy="#" in n)
                for n in self.names
            ],
            order=[[numbers[name] for name in each if name in numbers] for each in turns],
        )
        self.bench = Bench(
            self.project, request, self.folder / f"from-{self.first + 1}", self.keeper
        )
        self.events = self.bench.events()

    def measure(self, name: str, seconds: float) -> Measurement:
        """The next iteration of the entry in this launch."""
        if self.ready_for != (self.number, name):
            self.ready_for = (self.number, name)
            self.ready = deque(self.iterations(name))
        if not self.ready:
            raise VariantError(self.variants[name], "gave fewer iterations than planned")
        return self.ready.popleft()

    def iterations(self, name: str) -> list[Measurement]:
        """Wait for the entry's process in this launch to end, and take what it measured.

        Others that end before (an entry that failed in an earlier launch) are passed over.
        """
        watch, begun, used, times = Watch(()), time.monotonic(), self.tree_cpu_seconds(), []
        for event in self.events:
            if isinstance(event, Iterated):
                times.append(time.monotonic() - event.nanoseconds / 1e9)
            elif isinstance(event, Launched):
                if (self.first + event.launch, self.names[event.entry]) != (self.number, name):
                    watch, begun, times = Watch(()), time.monotonic(), []
                    used = self.tree_cpu_seconds()
                    continue
                evidence = watch.evidence(self.tree_cpu_seconds() - used)
                return self.measurements(name, event, evidence, time.monotonic() - begun, times)
        raise VariantError(self.variants[name], f"gave no result\n{self.why_none()}".rstrip())

    def why_none(self) -> str:
        """Why BenchmarkDotNet ended without a result."""
        if self.bench is None:
            return ""
        try:
            self.bench.report()
        except MicroError as error:
            return str(error)
        return self.bench.last_words()

    def measurements(
        self, name: str, event: Launched, spent: Evidence, seconds: float, times: list[float]
    ) -> list[Measurement]:
        """One for each iteration. What the machine did in all `seconds` is shared out evenly."""
        variant = self.variants[name]
        if not event.iterations:
            raise VariantError(variant, f"failed in BenchmarkDotNet\n{event.words}".rstrip())
        if any(nanoseconds <= 0 for _, nanoseconds in event.iterations):
            raise VariantError(
                variant,
                "takes no time that can be measured: as long as an empty method",
                "the compiler may have removed the work: return its result from the benchmark",
            )
        if event.allocated_bytes is not None:
            self.allocated[name] = round(event.allocated_bytes)
        times = times[-len(event.iterations) :]
        return [
            Measurement(
                Load(nanoseconds / 1e9, operations, dict(NO_LATENCY), dict(NO_ERRORS), 0, 0),
                Evidence(
                    outside_cpu_seconds=scaled(
                        spent.outside_cpu_seconds, nanoseconds / 1e9 / seconds
                    ),
                    stolen_cpu_seconds=scaled(
                        spent.stolen_cpu_seconds, nanoseconds / 1e9 / seconds
                    ),
                    clock_mhz=spent.clock_mhz,
                ),
                began=times[i] if i < len(times) else None,
            )
            for i, (operations, nanoseconds) in enumerate(event.iterations)
        ]

    def tree_cpu_seconds(self) -> float:
        """CPU time of BenchmarkDotNet and of all processes that it started and saw end."""
        if self.bench is None:
            return float("nan")
        try:
            times = psutil.Process(self.bench.process.pid).cpu_times()
        except psutil.Error:
            return float("nan")
        return float(times.user + times.system + times.children_user + times.children_system)

    def land(self) -> dict[str, VariantError]:
        if self.number == self.last and self.bench:
            for _ in self.events:
                pass  # until its report is written
            try:
                self.remarks += remarks(self.bench.report())
            except MicroError as error:
                self.remarks.append(str(error))
        return {}

    def closing_remarks(self) -> Sequence[str]:
        return self.remarks

    def close_bench(self) -> None:
        if self.bench:
            self.bench.close()
            self.bench = None

    def close(self) -> None:
        self.keeper.close()


def scaled(value: float | None, factor: float) -> float | None:
    """A time of a whole process as the part that falls on one sample; NaN is unknown."""
    return None if value is None or value != value else value * factor


def remarks(report: Report) -> list[str]:
    """What BenchmarkDotNet warns of; its hints on outliers are left out, the judge tells those."""
    return [
        f"BenchmarkDotNet on {warning.title}: {warning.message}"
        for warning in report.warnings
        if warning.kind != "Hint"
    ]
