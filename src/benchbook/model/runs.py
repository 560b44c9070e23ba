"""A run: what was raced, how, on which machine, and every sample of it.

Its fields, and theirs, are the members of the JSON document that a run file holds (schemas/).
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from benchbook.model import schemas
from benchbook.model.kinds.kind import Kind
from benchbook.model.plan import Plan
from benchbook.model.replayed import Replayed
from benchbook.model.samples import Sample, UsedTool, plain
from benchbook.model.schemas import LEFT_OUT, About
from benchbook.model.schemas.saved_results import SavedResults
from benchbook.model.variants import Variant
from benchbook.system import paths
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.files import write_atomically

FORMAT = "benchbook-run/1"
CONTROL = "control"  # the role of the baseline's A/A copy; "floor" in older files


@dataclass
class Entry:
    """A contestant."""

    name: str
    title: str
    role: Annotated[
        str,
        About(
            "control: the A/A copy of the baseline; in older files: floor",
            enum=["baseline", CONTROL, "variant", "floor"],
        ),
    ]
    file: str
    sha256: Annotated[str, About(pattern="^[0-9a-f]{64}$")]
    edited: bool = False
    status: Annotated[str, About(enum=["raced", "unavailable", "failed"])] = "raced"
    reason: Annotated[str, About("why it is not raced, or no longer")] = ""
    series: Annotated[str, About("its line in a plot of growth", younger=True)] = ""
    case: Annotated[str, About("its place on the x axis of that plot", younger=True)] = ""
    software: Annotated[
        list[str], About("what it ran with, and in which versions", younger=True)
    ] = field(default_factory=list)
    parameters: Annotated[
        dict[str, str] | None,
        About("the values of a sweep that it was made with, by name", younger=True),
    ] = field(default=None, metadata=LEFT_OUT)

    @classmethod
    def of(
        cls, variant: Variant, role: str, reason: str = "", software: Iterable[str] = ()
    ) -> "Entry":
        """A variant as it takes part, or is kept out for a reason."""
        return cls(
            name=variant.name,
            title=variant.title,
            role=role,
            file=paths.relative(variant.path),
            sha256=hashlib.sha256(variant.path.read_bytes()).hexdigest(),
            edited=variant.edited,
            status="unavailable" if reason else "raced",
            reason=reason,
            series=variant.series,
            case=variant.case,
            software=list(software),
            parameters=dict(variant.parameters) or None,
        )

    @property
    def fate(self) -> str:
        """Its status as the verb of a sentence: "failed", "is unavailable"."""
        return self.status if self.status == "failed" else f"is {self.status}"

    @property
    def short_reason(self) -> str:
        """The first line of the reason; '' where there is none."""
        return next(iter(self.reason.strip().splitlines()), "")


@dataclass(frozen=True)
class RacedExperiment:
    """The experiment as it was when it was raced."""

    name: str
    title: str
    claim: Annotated[str, About("the claim's name; '' for a cell's benchmarks")]
    path: Annotated[str, About("what servers were asked for; '' where there are none")]
    unit: Annotated[str | None, About("the unit of speeds, if not requests/s")] = field(
        default=None, metadata=LEFT_OUT
    )
    delta: Annotated[
        float | None,
        About("of a comparison, which no claim file judges: the smallest difference that matters"),
    ] = field(default=None, metadata=LEFT_OUT)

    @property
    def asked(self) -> str:
        """What runs that answer the same question have in common: the experiment's name; of
        comparisons, which all have one name, also what they compare."""
        return self.name if self.delta is None else f"{self.name}: {self.title}"


@dataclass
class Run:
    """Everything about one race. `status` is incomplete until its last block is saved.

    A sample's "requests" are the kind's things.
    """

    experiment: RacedExperiment
    kind: Annotated[
        type[Kind],
        About(
            "the kind of experiment; where it is missing, it follows from unit and tool",
            younger=True,
            namesOf="kinds",
        ),
    ]
    plan: Plan
    tool: UsedTool
    pinning: Pinning
    machine: Annotated[dict[str, Any], About("the machine manifest; see system/machine.py")]
    entries: list[Entry]
    benchbook: str
    started: str
    finished: str | None = None
    status: Annotated[str, About(enum=["complete", "incomplete"])] = "incomplete"
    reason: str = "the race is still running, or was ended without a chance to say so"
    samples: list[Sample] = field(default_factory=list)
    warmups: list[Sample] = field(default_factory=list)
    parity: Annotated[
        dict[str, Any],
        About(
            "the answer of each entry, as the load generator asks; encoding: of its body; "
            "compressed: the encoding for a client that asks for one; connections: how many of the "
            "requests on one connection were answered before it closed; see Answer.to_json in "
            "programs/parity.py"
        ),
    ] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    timing: dict[str, float] = field(default_factory=dict)
    results: SavedResults | None = None
    replay: Annotated[
        Replayed | None,
        About(
            "the article's own method, replayed instead of a race; see race/replay/", younger=True
        ),
    ] = None
    allocated_bytes: Annotated[
        dict[str, float] | None,
        About("for benchmarks: bytes allocated per operation, by entry", younger=True),
    ] = None
    path: Path | None = field(default=None, compare=False)

    @property
    def complete(self) -> bool:
        return self.status == "complete"

    @property
    def unit(self) -> str:
        """What speeds are in."""
        return self.kind.unit_of(self.plan)

    @property
    def baseline(self) -> str:
        return next(e.name for e in self.entries if e.role == "baseline")

    @property
    def control(self) -> str:
        """The A/A copy of the baseline; '' where there is none."""
        return next((e.name for e in self.entries if e.role == CONTROL), "")

    def entry(self, name: str) -> Entry:
        return next(e for e in self.entries if e.name == name)

    def speeds(self) -> dict[str, list[list[float]]]:
        """Speeds in `unit` by entry as [launch][block], NaN where there is no sample."""
        launches, blocks = self.plan.launches, self.plan.blocks
        empty = {e.name: [[math.nan] * blocks for _ in range(launches)] for e in self.entries}
        for sample in self.samples:
            empty[sample.variant][sample.launch][sample.block] = self.speed(sample)
        return empty

    def until(self, launches: int) -> "Run":
        """This run as it was after so many launches."""
        samples = [sample for sample in self.samples if sample.launch < launches]
        return dataclasses.replace(self, plan=self.plan.stopped(launches), samples=samples)

    def speed(self, sample: Sample) -> float:
        """A sample's speed in `unit`; NaN where it is not known."""
        return self.kind.speed(sample, self.plan)

    def to_text(self) -> str:
        """This run as a JSON document, with a line for each sample."""
        members = [f' "format": {json.dumps(FORMAT)}']
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Replayed):
                value = value.to_json()
            if item.name == "path":
                continue
            if item.name == "kind":
                value = value.name
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


def document_schema() -> dict[str, Any]:
    """The JSON Schema of a run file."""
    run = schemas.of(Run)
    run["properties"]["format"] = {"enum": [FORMAT]}
    return {**run, "required": ["format", *run["required"]]}
