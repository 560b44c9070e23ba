"""Profiles that Benchbook brings along, in data/profiles: small, and read as any other.

Of a comparison its 200 largest stacks are kept, each once, with its samples in every launch; other
samples count in the function at work, with those alone that called it in the same package or
runtime. So what functions and layers cost is as it was; what is lost is who called whom for a
moment.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import takewhile
from pathlib import Path
from typing import Any

from benchbook.model import documents
from benchbook.model.profiles import comparison as comparisons
from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.model.profiles.cost import Costing
from benchbook.model.profiles.layers import Layers
from benchbook.model.profiles.profile import Frame
from benchbook.system import paths
from benchbook_kernels.base import untrusted
from benchbook_kernels.base.files import write_atomically

FORMAT = "benchbook-recorded-why/1"
WHY, COST, LAYERS = "why", "cost", "layers"
MOST = 200  # stacks
# Of addresses and paths: all before what a reader has, too.
PLACES = re.compile(
    r"(?<![\w:/.@-])(file://)?/[^\s\"]*?/(?=node_modules/|snippets/|src/benchbook/|out/)"
)
DEFAULTS = {field.name: field.default for field in fields(Frame)}


@dataclass(frozen=True)
class Stacks:
    """Frames from the root to the leaf, and samples by program and launch."""

    frames: tuple[Frame, ...]
    samples: dict[str, list[int]]


def folder() -> Path:
    return paths.root() / "data" / "profiles"


def path_of(experiment: str, programs: Sequence[str], what: str) -> Path:
    """Where what was recorded of these programs of an experiment lies; what: WHY, COST, LAYERS."""
    name = ".".join([experiment, *programs, what, "json"])
    return folder() / re.sub(r"[^\w.@=+-]+", "-", name)


def profile(experiment: str, programs: Sequence[str]) -> ProfileComparison | None:
    """The recorded profiles of programs; None where there are none. Raises InputError."""
    path = path_of(experiment, programs, WHY)
    return read(path) if path.is_file() else None


def cost(experiment: str, programs: Sequence[str]) -> Costing | None:
    """What their requests cost when that was recorded; None where it was not. Raises InputError."""
    path = path_of(experiment, programs, COST)
    return read_cost(path) if path.is_file() else None


def layers(experiment: str, programs: Sequence[str]) -> Layers | None:
    """What programs spent by layer when that was recorded; None where it was not. Raises
    InputError."""
    path = path_of(experiment, programs, LAYERS)
    return Layers.from_json(documents.read_json(path, "layers")) if path.is_file() else None


def read(path: Path) -> ProfileComparison:
    """Recorded profiles. Raises InputError naming the field where the file does not fit."""
    where = paths.relative(path)
    document = unfolded(untrusted.read_json(path, where))
    documents.check(document, "why", where)
    return ProfileComparison.from_json(document, where)


def read_cost(path: Path) -> Costing:
    """A recorded cost. Raises InputError as `read`."""
    return Costing.from_json(documents.read_json(path, "cost"))


def write(found: ProfileComparison | Costing | Layers) -> Path:
    """Keep what was found as a recorded one. Raises OSError."""
    if isinstance(found, ProfileComparison):
        what, names, text = WHY, found.programs, PLACES.sub("", text_of(folded(found)))
    else:
        what, names = (LAYERS, found.names) if isinstance(found, Layers) else (COST, found.programs)
        text = json.dumps(found.to_json(), ensure_ascii=False, indent=1) + "\n"
    path = path_of(found.experiment, names, what)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text)
    return path


def text_of(document: dict[str, Any]) -> str:
    """A line for each frame and each stack, so that one sees what another recording changed."""
    head = {name: value for name, value in document.items() if name not in ("frames", "stacks")}
    listed = [
        f' "{name}": [\n  '
        + ",\n  ".join(json.dumps(each, ensure_ascii=False) for each in document[name])
        + "\n ]"
        for name in ("frames", "stacks")
    ]
    begin = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    return ",\n".join([begin, *listed]) + "\n}\n"


# ── Folded and unfolded ──────────────────────────────────────────────────────────────────────────


def folded(found: ProfileComparison) -> dict[str, Any]:
    """The document: of each profile what is no stack, and frames and stacks of all of them."""
    document: dict[str, Any] = {**found.to_json(), "format": FORMAT}
    for launch in document["launches"]:
        for profile in launch["profiles"].values():
            del profile["frames"], profile["stacks"]
    stacks = largest(found)
    frames = dict.fromkeys(frame for stack in stacks for frame in stack.frames)
    numbers = {frame: i for i, frame in enumerate(frames)}
    document["frames"] = [
        {name: value for name, value in asdict(frame).items() if value != DEFAULTS[name]}
        for frame in frames
    ]
    document["stacks"] = [
        {"frames": [numbers[frame] for frame in stack.frames], "samples": stack.samples}
        for stack in stacks
    ]
    return document


def largest(found: ProfileComparison) -> list[Stacks]:
    """The largest stacks of all programs and launches, and the leaves of the others."""
    counted: dict[tuple[Frame, ...], Counter[tuple[str, int]]] = {}
    for i, launch in enumerate(found.launches):
        for program, profile in launch.profiles.items():
            for stack in profile.stacks:
                key = tuple(profile.frames[number] for number in stack.frames)
                counted.setdefault(key, Counter())[program, i] += stack.samples
    order = sorted(counted, key=lambda key: -counted[key].total())
    kept: dict[tuple[Frame, ...], Counter[tuple[str, int]]] = {}
    for i, key in enumerate(order):
        kept.setdefault(key if i < MOST else innermost(key), Counter()).update(counted[key])
    count = len(found.launches)
    return [
        Stacks(key, {name: [samples[name, i] for i in range(count)] for name in found.programs})
        for key, samples in kept.items()
    ]


def innermost(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The function at work, and those around it of the same runtime or package: rare ones count
    for one of these (profiling/costs.py)."""
    same = takewhile(lambda frame: frame.family == frames[-1].family, reversed(frames))
    return tuple(same)[::-1]


def unfolded(document: dict[str, Any]) -> dict[str, Any]:
    """The document of a comparison that a folded one stands for."""
    found = {name: value for name, value in document.items() if name not in ("frames", "stacks")}
    found["format"] = comparisons.FORMAT
    frames = [{**DEFAULTS, **frame} for frame in document.get("frames", ())]
    for i, launch in enumerate(found.get("launches", ())):
        for program, profile in launch["profiles"].items():
            profile["frames"] = frames
            profile["stacks"] = [
                {"frames": stack["frames"], "samples": samples}
                for stack in document["stacks"]
                if (samples := stack["samples"][program][i])
            ]
    return found
