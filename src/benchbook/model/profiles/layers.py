"""What several programs spend by layer, each measured beside the first of them: what is kept of it.

Of a recorded one nothing else is kept, no function and no stack.
"""

from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from benchbook.model import schemas
from benchbook.model.profiles.profile import NotNegative
from benchbook.model.schemas import About

FORMAT = "benchbook-layers/1"
DIGITS = 4  # behind the point, of microseconds: what nobody sees would make the file larger
Microseconds = Annotated[tuple[float, ...], About("of CPU a request or call, by launch")]


@dataclass(frozen=True)
class LayerCost:
    """What a program spends in a layer. packaged: is it a package, and no part of a runtime?"""

    name: Annotated[str, About("as of frames: your code, express, Node.js: HTTP")]
    us: Microseconds
    packaged: bool = False

    @property
    def mean(self) -> float:
        return sum(self.us) / len(self.us)


@dataclass(frozen=True)
class LayeredProgram:
    """A program. beside: what the first program spent, all in all, in the same launches."""

    name: Annotated[str, About("the variant's name")]
    title: str
    overhead: Annotated[float, About("of the profiler, as a share of its CPU time")]
    beside: Microseconds
    layers: list[LayerCost]

    @property
    def us(self) -> list[float]:
        """What it spends, all in all, by launch."""
        return [sum(launch) for launch in zip(*(each.us for each in self.layers), strict=True)]

    @property
    def mean(self) -> float:
        return sum(each.mean for each in self.layers)


@dataclass
class Layers:
    """Several programs, the one that the others stand beside first.

    names: all that were asked for, in the order of asking; missing: why a program is not there.
    """

    experiment: Annotated[str, About("its name")]
    names: Annotated[list[str], About("variants' names", minItems=2)]
    thing: Annotated[str, About("what CPU time is told of: request, call")]
    how: Annotated[str, About("the load, in words")]
    runtimes: Annotated[list[str], About("what ran the programs, with versions")]
    interval_us: NotNegative
    seconds: Annotated[float, About("of each window", minimum=0)]
    machine: Annotated[dict[str, Any], About("the machine manifest; see system/machine.py")]
    benchbook: str
    started: str
    programs: Annotated[list[LayeredProgram], About("the first one first", minItems=2)]
    missing: Annotated[dict[str, str], About("the reason, by name")] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    recorded: str = field(default="", compare=False)  # why it is one that Benchbook brings, or ''

    @property
    def base(self) -> LayeredProgram:
        return self.programs[0]

    def to_json(self) -> dict[str, Any]:
        found = asdict(self)
        del found["recorded"]
        for program in found["programs"]:
            for each in (program, *program["layers"]):
                name = "us" if "us" in each else "beside"
                each[name] = [round(value, DIGITS) for value in each[name]]
        return {"format": FORMAT, **found}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> "Layers":
        """What a document says that fits the schema."""
        members = {name: value for name, value in document.items() if name != "format"}
        members["programs"] = [program_of(each) for each in document["programs"]]
        return cls(**members)


def program_of(document: dict[str, Any]) -> LayeredProgram:
    members = dict(document)
    members["beside"] = tuple(document["beside"])
    members["layers"] = [
        LayerCost(each["name"], tuple(each["us"]), each["packaged"]) for each in document["layers"]
    ]
    return LayeredProgram(**members)


def document_schema() -> dict[str, Any]:
    """The JSON Schema of such a file."""
    found = schemas.of(Layers)
    found["properties"]["format"] = {"enum": [FORMAT]}
    return {**found, "required": ["format", *found["required"]]}
