"""What Benchbook and its harness in BenchmarkDotNet tell each other.

The harness (functions/Harness.cs) gets a request as a JSON file and prints a line of JSON for each
event that BenchmarkDotNet's EventProcessor tells it of. An EventProcessor hears of launches, not of
what is timed within one: iterations, which show how far a launch is, are read from the lines that
BenchmarkDotNet itself prints.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.programs import given_environment
from benchbook.race.kinds.functions.dotnet_project import explain

QUICK_LAUNCHES, QUICK_ITERATIONS, QUICK_WARMUPS = 4, 4, 4
QUICK_SECONDS = 0.12  # an iteration; BenchmarkDotNet warns under 0.1 s
EVENT = "// benchbook: "  # what an event's line begins with
ITERATION = re.compile(r"^WorkloadActual\s+\d+: (\d+) op, ([\d.]+) ns")


@dataclass(frozen=True)
class BenchmarkEntry:
    """One contestant: a benchmark ("Class.Method") in a case ("N=10"; '' where there is one only).

    copy: it is run for comparison with itself.
    """

    benchmark: str
    case: str = ""
    baseline: bool = False
    copy: bool = False

    @property
    def title(self) -> str:
        copy = " (A/A copy)" if self.copy else ""
        return self.benchmark.partition(".")[2] + (f" [{self.case}]" if self.case else "") + copy


@dataclass(frozen=True)
class BenchmarkRequest:
    """What to run. full: BenchmarkDotNet's default job; otherwise launches that take turns.

    iterations, warmups: of a launch.
    """

    full: bool = False
    launches: int = QUICK_LAUNCHES
    iterations: int = QUICK_ITERATIONS
    warmups: int = QUICK_WARMUPS
    iteration_seconds: float = QUICK_SECONDS
    seed: int = 0

    def to_json(self, folder: Path) -> str:
        return json.dumps(
            {
                "report": str(folder / "report.json"),
                "artifacts": str(folder / "artifacts"),
                "full": self.full,
                "launches": self.launches,
                "iterations": self.iterations,
                "warmups": self.warmups,
                "iterationMilliseconds": self.iteration_seconds * 1000,
                "seed": self.seed % 2**31,  # as C# has it
                # BenchmarkDotNet's own job warms up as long as it takes, the quick one does not
                "environment": given_environment.tiers(),
            }
        )


@dataclass(frozen=True)
class Entries:
    """All that will be run, as the harness numbers it."""

    entries: tuple[BenchmarkEntry, ...]


@dataclass(frozen=True)
class Began:
    """A launch of an entry starts. launch is None where BenchmarkDotNet decides on launches."""

    title: str
    launch: int | None = None
    entry: int | None = None


@dataclass(frozen=True)
class Iterated:
    """An iteration was timed; its overhead is still in it."""

    nanoseconds: float
    operations: int


@dataclass(frozen=True)
class Launched:
    """A launch of an entry has ended: (operations, nanoseconds) of each iteration, less overhead.

    words: the end of what it printed, where it failed (there are no iterations then).
    """

    launch: int
    entry: int
    iterations: tuple[tuple[int, float], ...]
    allocated_bytes: float | None = None
    words: str = ""


Event = Entries | Began | Iterated | Launched


@dataclass(frozen=True)
class BenchmarkResult:
    """One benchmark in BenchmarkDotNet's report.

    launches: [launch][iteration] -> (operations, nanoseconds).
    """

    entry: BenchmarkEntry
    job: str
    success: bool
    allocated_bytes: float | None
    launches: tuple[tuple[tuple[int, float], ...], ...]

    @property
    def times_ns(self) -> list[list[float]]:
        """[launch][iteration] -> ns an operation; launches that gave nothing are left out."""
        launches = [[ns / operations for operations, ns in launch] for launch in self.launches]
        return [launch for launch in launches if launch]


@dataclass(frozen=True)
class Advice:
    """What BenchmarkDotNet's analysers say: kind is Error, Warning or Hint."""

    kind: str
    analyser: str
    message: str
    title: str


@dataclass(frozen=True)
class BenchmarkReport:
    """BenchmarkDotNet's report. own_jobs: the class says itself how it is to be run."""

    version: str
    header: str
    own_jobs: bool
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    groups: tuple[bool, ...]
    warnings: tuple[Advice, ...]
    found: tuple[BenchmarkResult, ...]


# ── Events ───────────────────────────────────────────────────────────────────────────────────────


def read(lines: Iterator[str]) -> Iterator[Event]:
    """The events among the lines that the harness and BenchmarkDotNet print."""
    printed: list[str] = []
    for line in lines:
        if line.startswith(EVENT):
            event = to_event(json.loads(line.removeprefix(EVENT)), printed)
            if event is not None:
                yield event
            if isinstance(event, Began):
                printed = []
        elif match := ITERATION.match(line):
            yield Iterated(float(match[2]), int(match[1]))
        else:
            printed = [*printed[-99:], line]


def to_event(told: dict[str, Any], printed: Sequence[str]) -> Event | None:
    """An event as the harness tells it; None for the end of a launch that is not one of ours.

    printed: what BenchmarkDotNet and the benchmark said since the launch began.
    """
    if told["event"] == "entries":
        return Entries(tuple(BenchmarkEntry(**entry) for entry in told["entries"]))
    launch, number = told["launch"], told["entry"]
    if told["event"] == "began":
        return Began(BenchmarkEntry(told["benchmark"], told["case"]).title, launch, number)
    if launch is None:
        return None
    iterations = tuple((int(operations), ns) for operations, ns in told["iterations"])
    words = "" if iterations else explain(printed)
    return Launched(launch, number, iterations, told["allocatedBytes"], words)


# ── The report ───────────────────────────────────────────────────────────────────────────────────


def read_report(document: dict[str, Any]) -> BenchmarkReport:
    def entry(table: dict[str, Any]) -> BenchmarkEntry:
        baseline, copy = table.get("baseline", False), table.get("copy", False)
        return BenchmarkEntry(table["benchmark"], table["case"], baseline, copy)

    return BenchmarkReport(
        version=document["version"],
        header=document["header"],
        own_jobs=document["ownJobs"],
        columns=tuple(document["columns"]),
        rows=tuple(map(tuple, document["rows"])),
        groups=tuple(document["groups"]),
        warnings=tuple(
            Advice(w["kind"], w["analyser"], w["message"], entry(w).title)
            for w in document["warnings"]
        ),
        found=tuple(
            BenchmarkResult(
                entry(each),
                each["job"],
                each["success"],
                each["allocatedBytes"],
                tuple(tuple((int(n), ns) for n, ns in launch) for launch in each["launches"]),
            )
            for each in document["benchmarks"]
        ),
    )
