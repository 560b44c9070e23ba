"""A replay of the article's own method: what a run file holds under `replay`.

race/replay/outcome.py fills it.
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from benchbook.model.published import KINDS, Published
from benchbook.model.schemas import About
from benchbook_kernels.base.errors import InputError

# The figure of a measurement.
Taken = Annotated[dict[str, float | None], About("a number by unit")]


@dataclass(frozen=True)
class Figures:
    """One run of one thing: a number by unit, and how it came about where that is known."""

    figures: Taken
    started_seconds: Annotated[
        float | None, About("start, in seconds from the start of the replay")
    ] = None
    requests: int | None = None
    failed: Annotated[int | None, About("requests with an error or without a 2xx status")] = None
    seconds: Annotated[float | None, About("length by the load generator's clock")] = None
    server_cpu_seconds: float | None = None
    client_cpu_seconds: float | None = None
    outside_share: Annotated[
        float | None, About("the share of all CPUs that programs outside the replay used")
    ] = None
    asked: Annotated[
        int | None,
        About("requests that the tool was told to send; null if told how long", younger=True),
    ] = None
    sent: Annotated[
        int | None,
        About("requests that it sent, by the kernel's count of its writes", younger=True),
    ] = None
    reused: Annotated[float | None, About("as in a sample's evidence", younger=True)] = None


@dataclass
class Measured:
    """What is measured."""

    name: Annotated[str, About("a variant, or the label that the script prints")]
    title: str
    status: Annotated[str, About(enum=["waiting", "measured", "unavailable", "failed"])] = "waiting"
    reason: str = ""
    command: Annotated[list[str], About("the command line as run")] = field(default_factory=list)
    runs: list[Figures] = field(default_factory=list)
    taken: Annotated[list[Taken], About("the figure of every whole measurement")] = field(
        default_factory=list
    )


@dataclass(frozen=True)
class TableRow:
    """A row of the article's table."""

    label: Annotated[str, About("the article's; empty for a variant that is not in its table")]
    reads: str
    published: Taken
    replayed: Taken
    note: Annotated[str, About("why there is no figure, or why the article's does not count")]


@dataclass(frozen=True)
class Ratio:
    """A ratio of the race and its interval, as factors."""

    ratio: float
    low: Annotated[float, About(type=["number", "null"])]
    high: Annotated[float, About(type=["number", "null"])]

    @classmethod
    def from_json(cls, document: Mapping[str, float | None]) -> "Ratio":
        return cls(**{k: math.nan if value is None else value for k, value in document.items()})


@dataclass(frozen=True)
class Said:
    """A statement of the claim, with the race's answer; None for what is not known."""

    id: str
    says: str
    published: Annotated[float | None, About("ratio of speeds, as a factor")]
    replayed: Annotated[float | None, About("ratio of speeds, as a factor")]
    order: Annotated[
        list[str] | None,
        About("for statements about an order: the variants, the fastest first"),
    ]
    honest: Annotated[Ratio | None, About("ratio and interval of the race, as factors")]
    verdict: Annotated[str | None, About("the race's; null if there was none")]
    why: str
    missing: Annotated[str, About("its variants that have no figure, and why")]
    unlike: Annotated[
        str,
        About(
            "why the requests of the pair can't be compared; '' where nothing speaks against it",
            younger=True,
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class HonestRace:
    """The race that a replay is compared with."""

    file: str
    started: str
    tool: str
    connections: int
    launches: int
    blocks: int
    sample_seconds: float
    warmup_seconds: float
    pinned: bool
    control: Annotated[
        float | None,
        About(
            "how far from 1 the control's interval reaches, as a share",
            younger=True,
            formerly="floor",
        ),
    ]
    doubt: Annotated[str, About("what speaks against it, '' where nothing does", younger=True)] = ""
    changed: Annotated[list[str], About("variants whose code was different then")]

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "HonestRace":
        """In older files the control is called floor."""
        members: dict[str, Any] = {"control": document.get("floor"), **document}
        members.pop("floor", None)
        return cls(**members)


@dataclass(frozen=True)
class Replayed:
    """document: what it was read from, whose fields are fewer in older files."""

    kind: Annotated[str, About(enum=list(KINDS))]
    line: Annotated[str, About("the command with the article's options")]
    method: Annotated[Published, About("the claim's [published] table, as read", type="object")]
    played: Annotated[
        Published, About("the same as replayed: shortened, if asked for", type="object")
    ]
    shortened: Annotated[
        int,
        About(
            "what durations, requests and iterations were divided by; 1: not shortened", minimum=1
        ),
    ]
    columns: Annotated[list[str], About("the units of the article's table")]
    measured: list[Measured]
    rows: list[TableRow]
    statements: list[Said]
    honest: Annotated[
        HonestRace | None, About("the race that it is compared with; null if there was none")
    ]
    document: dict[str, Any] | None = field(default=None, compare=False)

    def measured_as(self, name: str) -> Measured:
        return next(each for each in self.measured if each.name == name)

    def to_json(self) -> dict[str, Any]:
        """As a run file holds it: as it was read, where it was."""
        if self.document is not None:
            return self.document
        members = dataclasses.asdict(self)
        members.pop("document")
        return members

    @classmethod
    def from_json(cls, document: dict[str, Any], where: str) -> "Replayed":
        """The replay of a run file, which fits the schema. Raises InputError where a method has
        other fields than those of its kind, which no schema sees."""
        kind, methods = KINDS[document["kind"]], {}
        for name in ("method", "played"):
            try:
                methods[name] = kind.from_json(document[name])
            except TypeError as error:
                problem = f"is no method of the kind '{document['kind']}': {error}"
                raise InputError(where, f"replay.{name}", problem) from None
        race = document["honest"]
        members: dict[str, Any] = {
            **document,
            **methods,
            "measured": [
                Measured(**changed(each, runs=[Figures(**run) for run in each["runs"]]))
                for each in document["measured"]
            ],
            "rows": [TableRow(**row) for row in document["rows"]],
            "statements": [
                Said(**changed(each, honest=each["honest"] and Ratio.from_json(each["honest"])))
                for each in document["statements"]
            ],
            "honest": race and HonestRace.from_json(race),
            "document": document,
        }
        return cls(**members)


def changed(document: Mapping[str, Any], **members: Any) -> dict[str, Any]:
    return {**document, **members}
