"""A pair of programs raced under several conditions: what is kept of it, on disk."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from benchbook.model import schemas
from benchbook.model.schemas import About
from benchbook_kernels.base.files import write_atomically

FORMAT = "benchbook-attack/1"
Factor = Annotated[float | None, About("a factor, or nothing", minimum=0)]


@dataclass(frozen=True)
class Attempt:
    """The race under one condition. ratio, low, high: of the speed of b to that of a, None where
    there is no ratio; p: as an interval's, 1 where there is none."""

    condition: str
    verdict: Annotated[str, About("of 'b is faster than a', before all conditions are compared")]
    why: Annotated[str, About("the reason, in words")]
    ratio: Factor
    low: Factor
    high: Factor
    p: Annotated[float, About("of 'the ratio is 1'", minimum=0, maximum=1)]
    seconds: Annotated[float, About("that the race took", minimum=0)]
    run: Annotated[str, About("the name of its run file, beside this one; '' where there is none")]


@dataclass
class Attack:
    """A pair, and what came of it under each condition."""

    experiment: Annotated[str, About("its name")]
    a: Annotated[str, About("what b is compared with: a variant's name")]
    b: str
    code: Annotated[str, About("SHA-256 of the code of both")]
    delta: Annotated[float, About("the smallest difference that matters, as a share", minimum=0)]
    machine: Annotated[dict[str, Any], About("the machine manifest; see system/machine.py")]
    benchbook: str
    started: str
    conditions: Annotated[list[str], About("all that are asked, in their order")]
    attempts: list[Attempt] = field(default_factory=list)
    path: Path | None = field(default=None, compare=False)

    @property
    def left(self) -> list[str]:
        """The conditions that were not asked yet."""
        asked = {each.condition for each in self.attempts}
        return [name for name in self.conditions if name not in asked]

    def save(self) -> None:
        """Replace the file at `path`. Raises OSError where it can't be written."""
        if self.path is None:
            raise ValueError("it needs a path before it can be saved")
        found = asdict(self)
        del found["path"]
        text = json.dumps({"format": FORMAT, **found}, ensure_ascii=False, indent=1)
        write_atomically(self.path, text + "\n")

    @classmethod
    def from_json(cls, document: dict[str, Any], path: Path) -> "Attack":
        """What a document says that fits the schema."""
        members = {name: value for name, value in document.items() if name != "format"}
        members["attempts"] = [Attempt(**each) for each in document["attempts"]]
        return cls(**members, path=path)


def document_schema() -> dict[str, Any]:
    """The JSON Schema of such a file."""
    found = schemas.of(Attack)
    found["properties"]["format"] = {"enum": [FORMAT]}
    return {**found, "required": ["format", *found["required"]]}
