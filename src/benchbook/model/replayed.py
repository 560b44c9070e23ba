"""A replay of the article's own method: what a run file holds under `replay`.

Its fields are those of schemas/run.schema.json; race/replay/outcome.py fills them.
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchbook.model.published import KINDS, Published
from benchbook_kernels.base.errors import InputError

Taken = dict[str, float | None]  # the figure of a measurement: a number by unit


@dataclass(frozen=True)
class Figures:
    """One run of one thing: a number by unit, and how it came about where that is known.

    started_seconds counts from the start of the replay; failed: requests with an error or with
    another status than 2xx; outside_share: of all CPUs, what programs outside of the replay used;
    asked: how many requests the tool was told to send, None where it was told how long; sent and
    reused: as in tool.Load.
    """

    figures: Taken
    started_seconds: float | None = None
    requests: int | None = None
    failed: int | None = None
    seconds: float | None = None
    server_cpu_seconds: float | None = None
    client_cpu_seconds: float | None = None
    outside_share: float | None = None
    asked: int | None = None
    sent: int | None = None
    reused: float | None = None


@dataclass
class Measured:
    """What is measured: a variant, or a label that the script prints.

    status: waiting, measured, unavailable, failed; command: the command line, as run; taken: the
    figure of every whole measurement.
    """

    name: str
    title: str
    status: str = "waiting"
    reason: str = ""
    command: list[str] = field(default_factory=list)
    runs: list[Figures] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)


@dataclass(frozen=True)
class TableRow:
    """A row of the article's table; label: '' for what is not in it; note: why there is no figure,
    or why the article's does not count."""

    label: str
    reads: str
    published: Taken
    replayed: Taken
    note: str


@dataclass(frozen=True)
class Ratio:
    """A ratio of the race and its interval, as factors."""

    ratio: float
    low: float
    high: float

    @classmethod
    def from_json(cls, document: Mapping[str, float | None]) -> "Ratio":
        return cls(**{k: math.nan if value is None else value for k, value in document.items()})


@dataclass(frozen=True)
class Said:
    """A statement of the claim: ratios of speeds as published and as replayed, and the race's
    answer; None for what is not known.

    order: the variants, the fastest first, of a statement about that; missing: its variants without
    a figure, and why; unlike: why the requests of the pair can't be compared.
    """

    id: str
    says: str
    published: float | None
    replayed: float | None
    order: list[str] | None
    honest: Ratio | None
    verdict: str | None
    why: str
    missing: str
    unlike: str = ""


@dataclass(frozen=True, kw_only=True)
class HonestRace:
    """The race that a replay is compared with; changed: the variants whose code was another then;
    control: how far from 1 the control's interval reaches, as a share."""

    file: str
    started: str
    tool: str
    connections: int
    launches: int
    blocks: int
    sample_seconds: float
    warmup_seconds: float
    pinned: bool
    control: float | None
    doubt: str = ""
    changed: list[str]

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "HonestRace":
        """In older files the control is called floor."""
        members: dict[str, Any] = {"control": document.get("floor"), **document}
        members.pop("floor", None)
        return cls(**members)


@dataclass(frozen=True)
class Replayed:
    """method: as published; played: the same, `shortened` so many times (1: not at all); line: the
    command with the article's options; columns: the units of the article's table.

    document: what it was read from, whose fields are fewer in older files.
    """

    kind: str
    line: str
    method: Published
    played: Published
    shortened: int
    columns: list[str]
    measured: list[Measured]
    rows: list[TableRow]
    statements: list[Said]
    honest: HonestRace | None
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
