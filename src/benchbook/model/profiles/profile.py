"""A profile: where a program spent its CPU time, as stacks with the number of samples in each.

Its fields, and theirs, are members of the JSON document that a file of comparison.py holds.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any

from benchbook.model.schemas import About
from benchbook_kernels.base.errors import InputError

# Layers that every runtime has; a package of a framework is a layer of its own, "express".
OWN, JSON_LAYER = "your code", "JSON"
COLLECTOR, COMPILER, NATIVE = "garbage collection", "compiler", "native and system calls"
Natural = Annotated[int, About(minimum=0)]
NotNegative = Annotated[float, About(minimum=0)]


@dataclass(frozen=True)
class Frame:
    """A function on a stack; of the reader's own code one line of it, where the runtime tells."""

    function: Annotated[str, About("its name; in brackets what is no function")]
    layer: Annotated[str, About("what it belongs to: your code, a package, the runtime's HTTP …")]
    file: Annotated[str, About("the address of its source, as the runtime has it; '': none")] = ""
    line: Annotated[int, About("in that file, from 1; 0: not known", minimum=0)] = 0
    package: Annotated[str, About("the package or assembly, with its version")] = ""
    link: Annotated[str, About("where its source can be read; '': not known")] = ""

    @property
    def family(self) -> str:
        """What its layer is part of: Node.js of "Node.js: HTTP"."""
        return self.layer.partition(":")[0]

    @property
    def packaged(self) -> bool:
        """Is its layer a package or an assembly, such as express, and no part of a runtime?"""
        return bool(self.package) and self.package.split(" ")[0] == self.layer


@dataclass(frozen=True)
class Stack:
    """Functions of which each called the next, and how many samples found the last one at work."""

    frames: Annotated[tuple[Natural, ...], About("numbers of the profile's frames, root to leaf")]
    samples: Annotated[int, About(minimum=1)]


@dataclass
class Profile:
    """What a sampling profiler saw of a program in a window of time.

    Only samples that found the sampled threads at work are in `stacks`: shares of them, times CPU
    time, are CPU time, while the wall clock also runs when somebody else has the CPU.
    """

    runtime: Annotated[str, About("what ran the program, and its version: Node.js 20.20.2")]
    interval_us: Annotated[float, About("asked of the profiler, in microseconds", minimum=0)]
    seconds: Annotated[float, About("of the window, by the wall clock", minimum=0)]
    cpu_seconds: Annotated[float, About("of the sampled threads in the window", minimum=0)]
    frames: list[Frame] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    idle: Annotated[int, About("samples that found no work", minimum=0)] = 0
    lost: Annotated[
        int, About("samples in functions that were inlined, and not found; they count", minimum=0)
    ] = 0
    messages: Annotated[list[str], About("what a reader must know of it")] = field(
        default_factory=list
    )

    @property
    def busy(self) -> int:
        """How many samples found work."""
        return sum(stack.samples for stack in self.stacks)

    @classmethod
    def from_json(cls, document: dict[str, Any], where: str) -> "Profile":
        """A profile from a document that fits the schema. Raises InputError where a stack names a
        frame that is not there."""
        members = dict(document)
        members["frames"] = [Frame(**each) for each in document["frames"]]
        members["stacks"] = [
            Stack(tuple(each["frames"]), each["samples"]) for each in document["stacks"]
        ]
        for i, stack in enumerate(members["stacks"]):
            if max(stack.frames, default=-1) >= len(members["frames"]):
                problem = f"names a frame that is not among the {len(members['frames'])}"
                raise InputError(where, f"stacks[{i}].frames", problem, "record it again")
        return cls(**members)


class StackCounter:
    """Puts stacks together as they are found: equal ones are one, and a frame is kept once."""

    def __init__(self) -> None:
        self.numbers: dict[Frame, int] = {}
        self.counts: dict[tuple[int, ...], int] = {}

    def add(self, frames: Iterable[Frame], samples: int) -> None:
        """frames: from the root to the leaf."""
        key = tuple(self.numbers.setdefault(frame, len(self.numbers)) for frame in frames)
        if samples:
            self.counts[key] = self.counts.get(key, 0) + samples

    @property
    def frames(self) -> list[Frame]:
        return list(self.numbers)

    @property
    def stacks(self) -> list[Stack]:
        return [Stack(frames, samples) for frames, samples in self.counts.items()]
