"""From samples to microseconds: what a program spent in each function, by launch.

A share of the samples that found work, times what a request cost the unprofiled copy, is what a
function took of it. So the rows of a program add up to what its unprofiled copy was measured to
cost, and those of a difference to the measured difference; that is so by construction, and no proof
of anything. The proof is elsewhere: `differences.TwoLooks`.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchbook.model.profiles.comparison import OwnLines, ProfileComparison, ProfiledLaunch
from benchbook.model.profiles.profile import OWN, Frame

Floats = NDArray[np.float64]
HELPERS = "other threads"  # a layer, and the only row of it: V8's, which collect and compile
INSTALLED = re.compile(r"^(.*/)?node_modules/")


@dataclass(frozen=True)
class Key:
    """What makes two frames one row. place: the file, in a package or a runtime; for the reader's
    own code its lines."""

    layer: str
    function: str
    place: str = ""


@dataclass
class Cost:
    """What a row costs a request, in µs, of a program in each launch; and the variance of it that
    is due to the number of samples. samples: of all launches."""

    us: Floats
    chance: Floats
    samples: int = 0


@dataclass
class Costs:
    """What the rows cost a program. frames: one of each row, for its link; texts: of own lines."""

    rows: dict[Key, Cost] = field(default_factory=dict)
    frames: dict[Key, Frame] = field(default_factory=dict)
    texts: dict[Key, str] = field(default_factory=dict)
    busy: int = 0


class Names:
    """Finds the row of a frame. own: lines that stand for each other; file: of the program."""

    def __init__(self, own: Sequence[OwnLines], program: str, file: str) -> None:
        self.file = file
        self.lines: dict[int, OwnLines] = {}
        for row in own:
            for line in range(*half_open(row.places.get(program, ()))):
                self.lines[line] = row

    def row(self, frame: Frame) -> OwnLines | None:
        """The lines of the program's file that a frame is of. Files are known by their names: a
        build of .NET may come from an equal file elsewhere."""
        name = frame.file.rpartition("/")[2]
        return self.lines.get(frame.line) if name == self.file.rpartition("/")[2] else None

    def key(self, frame: Frame) -> Key:
        if frame.layer != OWN:
            return Key(frame.layer, frame.function, INSTALLED.sub("", frame.file))
        if row := self.row(frame):
            return Key(OWN, row.label)
        name = frame.file.rsplit("/", 1)[-1]
        return Key(OWN, f"line {frame.line} of {name}" if frame.line else frame.function, name)

    def text(self, frame: Frame) -> str:
        row = self.row(frame)
        return row.text if row and frame.layer == OWN else ""


def half_open(place: Sequence[int]) -> tuple[int, int]:
    return (place[0], place[1] + 1) if place else (0, 0)


def names_of(comparison: ProfileComparison, program: str) -> Names:
    return Names(comparison.own, program, comparison.files[program])


def pace(comparison: ProfileComparison) -> Floats:
    """What the times of each launch are multiplied with, so that all are of one speed, that of a
    launch in the middle.

    A virtual CPU runs at half its speed while another one works on its core, and then all programs
    cost twice as much. Their ratio stays (docs/method.md): launches are compared by that.
    """
    logs = np.log(
        [[each.sampled_us for each in launch.plain.values()] for launch in comparison.launches]
    ).mean(1)
    found: Floats = np.exp(np.median(logs) - logs)
    return found


def slowdown(launches: Sequence[ProfiledLaunch], program: str) -> Floats:
    """By which factor the profiler made a program dearer, by launch."""
    pairs = [(launch.profiled[program], launch.plain[program]) for launch in launches]
    return np.array([profiled.sampled_us / plain.sampled_us for profiled, plain in pairs])


def frequent(comparison: ProfileComparison, least: int) -> set[Key]:
    """The rows that have so many samples, of all programs and launches together."""
    found: Counter[Key] = Counter()
    for program in comparison.programs:
        names = names_of(comparison, program)
        for launch in comparison.launches:
            profile = launch.profiles[program]
            for stack in profile.stacks:
                found[names.key(profile.frames[stack.frames[-1]])] += stack.samples
    return {key for key, samples in found.items() if samples >= least}


def home(frames: Sequence[Frame], names: Names, known: Collection[Key]) -> Frame:
    """The function of a stack that its samples count for: the one at work, if it is known; else the
    nearest known one that called it or, if there is none, the outermost, of the same runtime or
    package. So what `setHeader` calls, each for a moment, is `setHeader`'s."""
    leaf = found = frames[-1]
    if names.key(leaf) in known:
        return leaf
    for frame in reversed(frames[:-1]):
        if frame.family != leaf.family:
            break
        found = frame
        if names.key(frame) in known:
            break
    return found


def costs(comparison: ProfileComparison, program: str, known: Collection[Key]) -> Costs:
    """What each row cost the program, self time only; known: the rows that are told (`frequent`):
    others count where they were called from."""
    names, found = names_of(comparison, program), Costs()
    count, evened = len(comparison.launches), pace(comparison)
    for i, launch in enumerate(comparison.launches):
        profile = launch.profiles[program]
        busy, sampled_us = profile.busy, launch.plain[program].sampled_us * evened[i]
        found.busy += busy
        for stack in profile.stacks:
            frames, samples = [profile.frames[i] for i in stack.frames], stack.samples
            frame = home(frames, names, known)
            key = names.key(frame)
            found.frames.setdefault(key, frame)
            found.texts.setdefault(key, names.text(frame))
            row = found.rows.setdefault(key, Cost(np.zeros(count), np.zeros(count)))
            row.us[i] += sampled_us * samples / busy
            row.samples += samples
        for row in found.rows.values():  # of n samples √n is chance, as of any that are counted
            row.chance[i] = row.us[i] * sampled_us / max(1, busy)
    others = evened * [launch.plain[program].other_us for launch in comparison.launches]
    if others.any():
        key = Key(HELPERS, "threads that the profiler does not look at")
        found.rows[key] = Cost(others, np.zeros(count), found.busy)
    return found


def by_layer(rows: Mapping[Key, Cost]) -> dict[str, Cost]:
    """The same, for layers."""
    found: dict[str, Cost] = {}
    for key, cost in rows.items():
        before = found.get(key.layer)
        if before is None:
            found[key.layer] = Cost(cost.us.copy(), cost.chance.copy(), cost.samples)
        else:
            before.us += cost.us
            before.chance += cost.chance
            before.samples += cost.samples
    return found
