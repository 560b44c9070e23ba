"""Profiles for other tools: speedscope, what opens V8's .cpuprofile, and folded stacks.

All launches are put together. Weights are CPU time a request where a format has units; samples are
counted elsewhere.
"""

import contextlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import benchbook
from benchbook.model import experiments, results
from benchbook.model.profiles import reading
from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.model.profiles.profile import Frame
from benchbook.profiling.costs import pace
from benchbook.profiling.experiment import FOLDER
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.files import write_atomically

Stacks = dict[tuple[Frame, ...], int]  # samples of each, root to leaf
SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def write(comparison: ProfileComparison, folder: Path) -> list[Path]:
    """Write every format into a folder; returns the files. Raises OSError."""
    texts = {"speedscope.json": json.dumps(speedscope(comparison), ensure_ascii=False)}
    for program in comparison.programs:
        stacks = stacks_of(comparison, program)
        texts[f"{file_name(program)}.cpuprofile"] = json.dumps(
            cpuprofile(stacks), ensure_ascii=False
        )
        texts[f"{file_name(program)}.folded"] = folded(stacks)
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return [folder / name for name in texts]


def stacks_of(comparison: ProfileComparison, program: str) -> Stacks:
    """The stacks of a program, in all launches."""
    found: Stacks = {}
    for launch in comparison.launches:
        profile = launch.profiles[program]
        for stack in profile.stacks:
            key = tuple(profile.frames[number] for number in stack.frames)
            found[key] = found.get(key, 0) + stack.samples
    return found


def costs_of(comparison: ProfileComparison, program: str) -> dict[tuple[Frame, ...], float]:
    """The same in µs of CPU time a request, in the mean of all launches."""
    found: dict[tuple[Frame, ...], float] = {}
    evened, count = pace(comparison), len(comparison.launches)
    for i, launch in enumerate(comparison.launches):
        profile = launch.profiles[program]
        each = float(launch.plain[program].sampled_us * evened[i]) / profile.busy / count
        for stack in profile.stacks:
            key = tuple(profile.frames[number] for number in stack.frames)
            found[key] = found.get(key, 0.0) + each * stack.samples
    return found


def newest() -> dict[str, ProfileComparison]:
    """The newest profile of each experiment of this checkout, by the experiment's name; those that
    can't be read are left out."""
    found: dict[str, ProfileComparison] = {}
    for experiment in experiments.load_all():
        folder = results.folder(experiment.saved_as) / FOLDER
        for path in sorted(folder.glob("*.json"), reverse=True):
            with contextlib.suppress(InputError):
                comparison = reading.comparison(path)
                if comparison.launches:
                    found[experiment.name] = comparison
                    break
    return found


def file_name(program: str) -> str:
    """A program's name as that of a file."""
    return re.sub(r"[^\w.@=+-]+", "-", program)


# ── Folded stacks ────────────────────────────────────────────────────────────────────────────────


def folded(stacks: Mapping[tuple[Frame, ...], int]) -> str:
    """A line for each stack, as https://github.com/brendangregg/FlameGraph reads them."""
    lines = sorted(
        f"{';'.join(map(folded_name, frames))} {samples}" for frames, samples in stacks.items()
    )
    return "".join(f"{line}\n" for line in lines)


def folded_name(frame: Frame) -> str:
    """A frame's name with what it belongs to; ; and line breaks would end it."""
    place = f":{frame.line}" if frame.line else ""
    name = f"{frame.function} [{frame.package or frame.layer}{place}]"
    return name.replace(";", ",").replace("\n", " ")


# ── speedscope ───────────────────────────────────────────────────────────────────────────────────


def speedscope(comparison: ProfileComparison) -> dict[str, Any]:
    """A document of https://github.com/jlfwong/speedscope (file-format-schema.json), with a profile
    for each program, in µs of CPU time a request."""
    frames: dict[Frame, int] = {}
    profiles = []
    for program in comparison.programs:
        costs = costs_of(comparison, program)
        samples = [[frames.setdefault(each, len(frames)) for each in key] for key in costs]
        profiles.append(
            {
                "type": "sampled",
                "name": f"{program}, µs a {comparison.thing}",
                "unit": "microseconds",
                "startValue": 0,
                "endValue": sum(costs.values()),
                "samples": samples,
                "weights": list(costs.values()),
            }
        )
    return {
        "$schema": SCHEMA,
        "shared": {"frames": [speedscope_frame(frame) for frame in frames]},
        "profiles": profiles,
        "name": f"{comparison.experiment}: {', '.join(comparison.programs)}",
        "activeProfileIndex": 0,
        "exporter": f"benchbook@{benchbook.__version__}",
    }


def speedscope_frame(frame: Frame) -> dict[str, Any]:
    """A frame: what is not known is left out."""
    known = {"file": frame.file, "line": frame.line}
    return {"name": frame.function, **{name: value for name, value in known.items() if value}}


# ── .cpuprofile ──────────────────────────────────────────────────────────────────────────────────


def cpuprofile(stacks: Mapping[tuple[Frame, ...], int]) -> dict[str, Any]:
    """A document of https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-Profile.

    When a sample was taken is not kept: they follow each other stack by stack, a millisecond apart.
    """
    nodes: list[dict[str, Any]] = [node(1, "(root)", "", 0)]
    numbers: dict[tuple[int, Frame], int] = {}  # of a function by the node that it was called from
    samples: list[int] = []
    for frames, count in stacks.items():
        at = 1
        for frame in frames:
            below = numbers.get((at, frame))
            if below is None:
                numbers[at, frame] = below = len(nodes) + 1
                nodes.append(node(below, frame.function, frame.file, frame.line))
                nodes[at - 1]["children"].append(below)
            at = below
        nodes[at - 1]["hitCount"] += count
        samples += [at] * count
    return {
        "nodes": nodes,
        "startTime": 0,
        "endTime": 1000 * len(samples),
        "samples": samples,
        "timeDeltas": [1000] * len(samples),
    }


def node(number: int, name: str, file: str, line: int) -> dict[str, Any]:
    frame = {
        "functionName": name,
        "scriptId": "0",
        "url": file,
        "lineNumber": line - 1,
        "columnNumber": -1,
    }
    return {"id": number, "callFrame": frame, "hitCount": 0, "children": []}
