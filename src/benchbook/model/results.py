"""A run on disk: a JSON file with the fields of runs.Run, replaced whole, never half-written."""

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbook.model import documents, kinds
from benchbook.model.plan import Plan
from benchbook.model.replayed import Replayed
from benchbook.model.runs import CONTROL, Entry, RacedExperiment, Run
from benchbook.model.samples import Sample, UsedTool
from benchbook.system import paths
from benchbook.system.pinning import Pinning
from benchbook_kernels.base import untrusted
from benchbook_kernels.base.errors import BenchError, InputError

MOST_ROUNDS = 1_000_000  # of an entry: more is a mistake, and would take all memory


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


def stamp() -> str:
    """A file name that sorts by time and is never given twice."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


def load(path: Path) -> Run:
    """The run in a file. Raises InputError naming the field where it does not fit the schema."""
    return checked(untrusted.read_json(path, paths.relative(path)), path)


def checked(document: Any, path: Path) -> Run:
    """The run in a document that was read from a file. Raises InputError as `load` does."""
    where = paths.relative(path)
    documents.check(document, "run", where)
    run = from_document(document, path, where)
    check(run, where)
    return run


def check(run: Run, where: str) -> None:
    """Raise InputError where a run contradicts itself, which no schema sees."""
    roles = Counter(entry.role for entry in run.entries)
    names = {entry.name for entry in run.entries}
    once = roles["baseline"] == roles[CONTROL] == 1
    if not once and run.replay is None and run.experiment.claim:  # a cell's benchmarks have none
        raise InputError(where, "entries", "need one baseline and one control, its A/A copy")
    if run.plan.launches * run.plan.blocks > MOST_ROUNDS:
        raise InputError(where, "plan", f"is of more than {MOST_ROUNDS:,} rounds")
    if len(names) != len(run.entries):
        raise InputError(where, "entries", "two entries share a name")
    for i, sample in enumerate(run.samples):
        if problem := misplaced(sample, run, names):
            raise InputError(where, f"samples[{i}]", problem)


def misplaced(sample: Sample, run: Run, names: set[str]) -> str:
    """Where a sample has no place in its run, why; '' where it has one."""
    if not isinstance(sample.variant, str) or sample.variant not in names:
        return f"is of no entry: {documents.formatted(sample.variant)}"
    places = (
        (sample.launch, run.plan.launches, "launches"),
        (sample.block, run.plan.blocks, "blocks"),
    )
    for value, limit, count in places:
        if type(value) is not int or not 0 <= value < limit:
            return f"lies outside of the plan's {count}: {documents.formatted(value)}"
    return ""


def from_document(document: dict[str, Any], path: Path | None, where: str = "") -> Run:
    """A run from a document that fits the schema; the document is left as it is.

    Raises TypeError where a sample has other fields than a sample, InputError where a replay's
    method has others than its kind.
    """
    pins, replay = document["pinning"], document.get("replay")
    members: dict[str, Any] = {
        **document,
        "experiment": RacedExperiment(**document["experiment"]),
        "kind": kinds.of_run(document),
        "plan": Plan.from_json(document["plan"]),
        "tool": UsedTool(**document["tool"]),
        "pinning": Pinning(cpus(pins["server"]), cpus(pins["client"]), pins["reason"]),
        "samples": [Sample(**sample) for sample in document["samples"]],
        "warmups": [Sample(**sample) for sample in document["warmups"]],
        "entries": [entry(each) for each in document["entries"]],
        "replay": replay and Replayed.from_json(replay, where),
    }
    members.pop("format")
    return Run(**members, path=path)


def entry(document: dict[str, Any]) -> Entry:
    """An entry of a run file; in older ones the control is called floor."""
    found = Entry(**document)
    found.role = CONTROL if found.role == "floor" else found.role
    return found


def cpus(numbers: list[int] | None) -> tuple[int, ...] | None:
    return None if numbers is None else tuple(numbers)


def folder(experiment: str) -> Path:
    return paths.runs() / experiment


def saved(experiment: str) -> Iterable[Path]:
    """The run files of an experiment in the default place, the newest first."""
    return sorted(folder(experiment).glob("*.json"), reverse=True)
