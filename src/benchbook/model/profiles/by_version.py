"""The statements of a claim, asked of several versions: what is kept of it, on disk."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from benchbook.model import schemas
from benchbook.model.profiles.attack import Factor
from benchbook.model.schemas import About
from benchbook_kernels.base.files import write_atomically

FORMAT = "benchbook-versions/1"


@dataclass(frozen=True)
class VersionTold:
    """A version of the axis. reason: why nothing could be raced on it, '' where it could, or was
    not asked."""

    label: Annotated[str, About('as typed: "24"')]
    told: Annotated[str, About('in words: "Node.js 24.21.0"')]
    reason: Annotated[str, About("why it can't be had or run; '' where it can")] = ""


@dataclass(frozen=True)
class AskedStatement:
    """A statement of the claim, as it was asked. names: the variants that it speaks of."""

    id: str
    says: str
    names: list[str]
    delta: Annotated[float, About("the smallest difference that matters, as a share", minimum=0)]


@dataclass(frozen=True)
class VersionAnswer:
    """A statement on a version. ratio, low, high: of the first pair that the statement names, None
    where there is none; p: as an interval's, 1 where there is none."""

    statement: str
    version: Annotated[str, About("its label")]
    verdict: Annotated[str, About("before all versions are compared")]
    why: Annotated[str, About("the reason, in words")]
    ratio: Factor
    low: Factor
    high: Factor
    p: Annotated[
        float,
        About(
            "of 'the ratio is 1'; 0 where the verdict rests on no direction", minimum=0, maximum=1
        ),
    ]
    run: Annotated[str, About("the name of its run file, beside this one; '' where there is none")]


@dataclass
class ByVersion:
    """What was asked of which versions, in the order of the axis, and what came of it.

    subject: what has the versions ("Node.js"); article: the version of it that the article names,
    '' where it names none; answers: in the order of asking, of two about the same the later counts.
    """

    experiment: Annotated[str, About("its name")]
    flag: Annotated[str, About('the option: "--node"')]
    subject: str
    article: str
    versions: list[VersionTold]
    statements: list[AskedStatement]
    code: Annotated[str, About("SHA-256 of the code of all programs")]
    machine: Annotated[dict[str, Any], About("the machine manifest; see system/machine.py")]
    benchbook: str
    started: str
    seconds: Annotated[float, About("that all races took", minimum=0)] = 0.0
    answers: list[VersionAnswer] = field(default_factory=list)
    path: Path | None = field(default=None, compare=False)

    def of(self, statement: str) -> dict[str, VersionAnswer]:
        """What is known of a statement, by version in the order of the axis."""
        found = {each.version: each for each in self.answers if each.statement == statement}
        return {v.label: found[v.label] for v in self.versions if v.label in found}

    def save(self) -> None:
        """Replace the file at `path`. Raises OSError where it can't be written."""
        if self.path is None:
            raise ValueError("it needs a path before it can be saved")
        members = asdict(self)
        del members["path"]
        text = json.dumps({"format": FORMAT, **members}, ensure_ascii=False, indent=1)
        write_atomically(self.path, text + "\n")


def document_schema() -> dict[str, Any]:
    """The JSON Schema of such a file."""
    found = schemas.of(ByVersion)
    found["properties"]["format"] = {"enum": [FORMAT]}
    return {**found, "required": ["format", *found["required"]]}
