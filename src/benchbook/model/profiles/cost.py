"""What is known of a program's requests beside their time; all of a request, unless said."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from benchbook.model import schemas
from benchbook.model.schemas import About

FORMAT = "benchbook-cost/1"

SIMILAR = 0.02  # a difference by a smaller share is none
SCATTER = 3.0  # nor is one that is not so many times what two windows of a program differ by


@dataclass(frozen=True)
class Memory:
    """In a window: bytes that were allocated, collections by kind, seconds in which the program
    stood still for them; depth: functions on the stack where its own code began; queued: work items
    that waited for a thread of the pool, on average, and pool_threads, of these threads, at most;
    None where the runtime does not tell."""

    allocated: float
    collections: Mapping[str, int]
    pause_seconds: float
    depth: int | None = None
    queued: float | None = None
    pool_threads: int | None = None


@dataclass(frozen=True)
class Counted:
    """Two windows' values of one thing; reason: why there are none, ''."""

    values: tuple[float, ...] = ()
    reason: str = ""

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values)

    @property
    def scatter(self) -> float:
        """How far the windows lie apart."""
        return max(self.values) - min(self.values)


@dataclass
class Costing:
    """What requests cost one program, or two."""

    experiment: Annotated[str, About("its name")]
    programs: Annotated[list[str], About("one, or A and B: variants' names", minItems=1)]
    thing: Annotated[str, About("what it is told of: request")]
    how: Annotated[str, About("the load, in words")]
    figures: Annotated[
        dict[str, dict[str, Counted]], About("by program, and what was counted")
    ] = field(default_factory=dict)
    calls: Annotated[
        dict[str, dict[str, float]], About("system calls of a request, by program and name")
    ] = field(default_factory=dict)
    recorded: str = field(default="", compare=False)  # why it is one that Benchbook brings, or ''

    def to_json(self) -> dict[str, Any]:
        found = asdict(self)
        del found["recorded"]
        return {"format": FORMAT, **found}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> "Costing":
        """What a document says that fits the schema."""
        members = {name: value for name, value in document.items() if name != "format"}
        members["figures"] = {
            program: {
                name: Counted(tuple(each["values"]), each["reason"])
                for name, each in figures.items()
            }
            for program, figures in document["figures"].items()
        }
        return cls(**members)

    def differs(self, name: str) -> bool:
        """Do the two programs differ in this?"""
        found = [self.figures[program].get(name, Counted()) for program in self.programs]
        if len(found) < 2 or not all(each.values for each in found):
            return False
        a, b = found
        apart = abs(a.mean - b.mean)
        larger = max(abs(a.mean), abs(b.mean))
        return apart > SIMILAR * larger and apart > SCATTER * max(a.scatter, b.scatter)


def document_schema() -> dict[str, Any]:
    """The JSON Schema of such a file."""
    found = schemas.of(Costing)
    found["properties"]["format"] = {"enum": [FORMAT]}
    return {**found, "required": ["format", *found["required"]]}
