"""A run on disk: a JSON file by schemas/run.schema.json, replaced whole, never half-written."""

import dataclasses
import json
import math
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from benchbook import documents, paths
from benchbook.errors import BenchError, InputError

FORMAT = "benchbook-run/1"
MOST_ROUNDS = 1_000_000  # of an entry: more is a mistake, and would take all memory
BENCHMARK_DOT_NET = "BenchmarkDotNet"  # as a plan's tool


@dataclass(frozen=True)
class Sample:
    """One round of one entry. Times in seconds, latencies in milliseconds.

    started_seconds counts from the start of the race; position is the place in its block;
    evidence is witness.Evidence, flags are names in witness.EXPLAIN; parts_ms: what a request
    consists of, where its parts are timed apart, with the mean of each in milliseconds.
    """

    launch: int
    block: int
    position: int
    variant: str
    started_seconds: float
    seconds: float
    requests: int
    requests_per_second: float
    latency_ms: dict[str, float | None]
    errors: dict[str, int]
    non_2xx: int
    bytes: int
    client_cpu_seconds: float | None
    evidence: dict[str, float | int | None]
    flags: list[str] = field(default_factory=list)
    parts_ms: dict[str, float] = field(default_factory=dict)

    @cached_property
    def line(self) -> str:
        """This sample as JSON on one line; made once, because a run is saved after every block."""
        return json.dumps(plain(self), ensure_ascii=False)


@dataclass
class Entry:
    """A contestant: role baseline, floor (the A/A copy) or variant; status raced, unavailable,
    failed; `reason` says why it is not raced, or no longer. series and case: its line and place in
    a plot of growth, as in experiments.Variant."""

    name: str
    title: str
    role: str
    file: str
    sha256: str
    edited: bool = False
    status: str = "raced"
    reason: str = ""
    series: str = ""
    case: str = ""

    @property
    def short_reason(self) -> str:
        """The first line of the reason; '' where there is none."""
        return next(iter(self.reason.strip().splitlines()), "")


@dataclass
class Run:
    """Everything about one race. `status` is incomplete until its last block is saved.

    replay: the article's own method replayed instead of a race (replay.py); there are no samples.
    In a micro experiment a request is an operation; allocated_bytes: per operation, by entry.
    """

    experiment: dict[str, Any]
    plan: dict[str, Any]
    tool: dict[str, Any]
    pinning: dict[str, Any]
    machine: dict[str, Any]
    entries: list[Entry]
    benchbook: str
    started: str
    finished: str | None = None
    status: str = "incomplete"
    reason: str = "the race is still running, or was ended without a chance to say so"
    samples: list[Sample] = field(default_factory=list)
    warmups: list[Sample] = field(default_factory=list)
    parity: dict[str, Any] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    timing: dict[str, float] = field(default_factory=dict)
    results: dict[str, Any] | None = None
    replay: dict[str, Any] | None = None
    allocated_bytes: dict[str, float] | None = None
    path: Path | None = field(default=None, compare=False)

    @property
    def complete(self) -> bool:
        return self.status == "complete"

    @property
    def unit(self) -> str:
        """What speeds are in: requests/s, operations/s of a benchmark, or loads/s of a page."""
        return self.experiment.get("unit", "requests/s")

    @property
    def micro(self) -> bool:
        """Are these operations of benchmarks, and not requests to servers?"""
        return self.unit != "requests/s"

    @property
    def page(self) -> bool:
        """Are these loads of a web page's data?"""
        return self.unit == "loads/s"

    @property
    def takes_turns(self) -> bool:
        """Were rounds interleaved or, as BenchmarkDotNet does it, at least launches?

        If not, drift of the machine looks like a difference between programs.
        """
        return self.plan["interleaved"] or self.plan["tool"] == BENCHMARK_DOT_NET

    @property
    def baseline(self) -> str:
        return next(e.name for e in self.entries if e.role == "baseline")

    @property
    def floor_copy(self) -> str:
        return next(e.name for e in self.entries if e.role == "floor")

    def entry(self, name: str) -> Entry:
        return next(e for e in self.entries if e.name == name)

    def speeds(self) -> dict[str, list[list[float]]]:
        """Requests/s by entry as [launch][block], NaN where there is no sample."""
        launches, blocks = self.plan["launches"], self.plan["blocks"]
        empty = {e.name: [[math.nan] * blocks for _ in range(launches)] for e in self.entries}
        for sample in self.samples:
            empty[sample.variant][sample.launch][sample.block] = sample.requests_per_second
        return empty

    def to_text(self) -> str:
        """This run as a JSON document, with a line for each sample."""
        members = [f' "format": {json.dumps(FORMAT)}']
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if item.name == "path":
                continue
            if item.name in ("samples", "warmups"):
                text = "[" + ",".join(f"\n  {sample.line}" for sample in value) + "\n ]"
            else:
                text = json.dumps(plain(value), indent=1, ensure_ascii=False)
                text = text.replace("\n", "\n ")
            members.append(f' "{item.name}": {text}')
        return "{\n" + ",\n".join(members) + "\n}\n"

    def save(self) -> None:
        """Replace the file at `path` with this run. Raises OSError where it can't be written."""
        if self.path is None:
            raise ValueError("a run needs a path before it can be saved")
        write_atomically(self.path, self.to_text())


@contextmanager
def recording(run: Run, save: Callable[[], None], close: Callable[[], None]) -> Iterator[None]:
    """While a run goes on: saved at the start and however it ends, with how it ended.

    close: ends what the run started, before it is saved for the last time.
    """
    began = time.monotonic()
    try:
        save()
        yield
        run.status, run.reason = "complete", ""
    except BenchError as error:
        run.reason = str(error)
        raise
    except (GeneratorExit, KeyboardInterrupt):
        run.reason = "interrupted"
        raise
    except Exception as error:
        run.reason = f"{type(error).__name__}: {error}"
        raise
    finally:
        close()
        run.finished = now()
        run.timing["total_seconds"] = time.monotonic() - began
        save()


def now() -> str:
    """The time, as run files have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def plain(value: Any) -> Any:
    """A value as JSON can hold it: dataclasses as objects, NaN and infinities as null."""
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def write_atomically(path: Path, text: str) -> None:
    """Write beside the file, flush to disk, then rename over it: it is old or new, never half.

    What a symbolic link names is replaced, not the link; a pipe or a device is written to.
    Raises OSError with the file's name where it can't be written.
    """
    path = Path(os.path.realpath(path))
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
        else:
            replace_file(path, text)
    except OSError as error:
        if error.filename != str(path):  # none, or the temporary one's
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None
        raise


def replace_file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load(path: Path) -> Run:
    """The run in a file. Raises InputError naming the field where it does not fit the schema."""
    run = from_document(documents.read_json(path, "run"), path)
    check(run, paths.relative(path))
    return run


def check(run: Run, where: str) -> None:
    """Raise InputError where a run contradicts itself, which no schema sees."""
    roles = Counter(entry.role for entry in run.entries)
    names = {entry.name for entry in run.entries}
    once = roles["baseline"] == roles["floor"] == 1
    if not once and run.replay is None and run.experiment["claim"]:  # a cell's benchmarks have none
        raise InputError(where, "entries", "need one baseline and one floor copy")
    if run.plan["launches"] * run.plan["blocks"] > MOST_ROUNDS:
        raise InputError(where, "plan", f"is of more than {MOST_ROUNDS:,} rounds")
    if len(names) != len(run.entries):
        raise InputError(where, "entries", "two of them have one name")
    for i, sample in enumerate(run.samples):
        if problem := misplaced(sample, run, names):
            raise InputError(where, f"samples[{i}]", problem)


def misplaced(sample: Sample, run: Run, names: set[str]) -> str:
    """Where a sample has no place in its run, why; '' where it has one."""
    if not isinstance(sample.variant, str) or sample.variant not in names:
        return f"is of no entry: {documents.shown(sample.variant)}"
    for value, count in ((sample.launch, "launches"), (sample.block, "blocks")):
        if type(value) is not int or not 0 <= value < run.plan[count]:
            return f"lies outside of the plan's {count}: {documents.shown(value)}"
    return ""


def from_document(document: dict[str, Any], path: Path | None) -> Run:
    """A run from a document that fits the schema; the document is used up."""
    document.pop("format")
    document["samples"] = [Sample(**sample) for sample in document["samples"]]
    document["warmups"] = [Sample(**sample) for sample in document["warmups"]]
    document["entries"] = [Entry(**entry) for entry in document["entries"]]
    return Run(**document, path=path)


def folder(experiment: str) -> Path:
    return paths.runs() / experiment


def saved(experiment: str) -> Iterable[Path]:
    """The run files of an experiment in the default place, the newest first."""
    return sorted(folder(experiment).glob("*.json"), reverse=True)


def latest(experiment: str, complete: bool = True) -> Run | None:
    """The newest run in the default place; with `complete` the newest that was not cut short.

    Files that can't be read, or are of another version, don't count.
    """
    for path in saved(experiment):
        try:
            run = load(path)
        except InputError:
            continue
        if run.complete or not complete:
            return run
    return None
