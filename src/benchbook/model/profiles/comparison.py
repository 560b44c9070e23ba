"""Two programs profiled beside unprofiled copies of both: what is kept of it, launch by launch.

A program alone may be kept so, too: then there is no other one.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from benchbook.model import schemas
from benchbook.model.profiles.profile import Natural, NotNegative, Profile
from benchbook.model.schemas import About
from benchbook_kernels.base.files import write_atomically

FORMAT = "benchbook-why/1"


@dataclass(frozen=True)
class Spent:
    """What one copy of a program spent in the window, in microseconds of CPU a request or call."""

    requests: Annotated[int, About("or calls", minimum=1)]
    sampled_us: Annotated[float, About("of the threads that the profiler looks at", minimum=0)]
    other_us: Annotated[float, About("of its other threads", minimum=0)] = 0.0

    @property
    def all_us(self) -> float:
        return self.sampled_us + self.other_us


@dataclass
class ProfiledLaunch:
    """One launch: every copy was started anew, and all were loaded at the same time. All by the
    names of the programs."""

    profiles: dict[str, Profile]
    profiled: Annotated[dict[str, Spent], About("the copies under the profiler")]
    plain: Annotated[dict[str, Spent], About("the copies beside them, without one")]


@dataclass(frozen=True)
class OwnLines:
    """Lines of the programs' own code that stand for each other, as one row of a table."""

    label: Annotated[str, About("what the row is called")]
    text: Annotated[str, About("the code, in one line")]
    places: Annotated[
        dict[str, tuple[Natural, ...]], About("by program: the first and the last of its lines")
    ]


@dataclass
class ProfileComparison:
    """What was profiled, how, and what came of it."""

    experiment: Annotated[str, About("its name")]
    programs: Annotated[list[str], About("one, or A and B: variants' names", minItems=1)]
    titles: Annotated[dict[str, str], About("of the programs, by name")]
    files: Annotated[dict[str, str], About("the address of each program's file, by name")]
    thing: Annotated[str, About("what CPU time is told of: request, call")]
    how: Annotated[str, About("the load, in words")]
    interval_us: NotNegative
    seconds: Annotated[float, About("of each window", minimum=0)]
    machine: Annotated[dict[str, Any], About("the machine manifest; see system/machine.py")]
    benchbook: str
    started: str
    launches: list[ProfiledLaunch] = field(default_factory=list)
    own: list[OwnLines] = field(default_factory=list)
    main_thread_only: Annotated[bool, About("did the profiler look at that thread alone?")] = True
    messages: list[str] = field(default_factory=list)
    path: Path | None = field(default=None, compare=False)
    recorded: str = field(default="", compare=False)  # why it is one that Benchbook brings, or ''

    def to_json(self) -> dict[str, Any]:
        found = asdict(self)
        del found["path"], found["recorded"]
        return {"format": FORMAT, **found}

    def save(self) -> None:
        """Replace the file at `path`. Raises OSError where it can't be written."""
        if self.path is None:
            raise ValueError("it needs a path before it can be saved")
        write_atomically(self.path, json.dumps(self.to_json(), ensure_ascii=False) + "\n")

    @classmethod
    def from_json(cls, document: dict[str, Any], where: str) -> "ProfileComparison":
        """What a document says that fits the schema. Raises InputError as Profile.from_json."""
        members = {name: value for name, value in document.items() if name != "format"}
        members["launches"] = [launch(each, where) for each in document["launches"]]
        members["own"] = [
            OwnLines(o["label"], o["text"], {name: tuple(at) for name, at in o["places"].items()})
            for o in document["own"]
        ]
        return cls(**members)


def launch(document: dict[str, Any], where: str) -> ProfiledLaunch:
    spent = (
        {name: Spent(**each) for name, each in document[key].items()}
        for key in ("profiled", "plain")
    )
    profiles = document["profiles"].items()
    return ProfiledLaunch({n: Profile.from_json(each, where) for n, each in profiles}, *spent)


def document_schema() -> dict[str, Any]:
    """The JSON Schema of such a file."""
    found = schemas.of(ProfileComparison)
    found["properties"]["format"] = {"enum": [FORMAT]}
    return {**found, "required": ["format", *found["required"]]}
