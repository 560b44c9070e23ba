"""A room of machines: what the runs of many attendees say together, and whether they agree."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook.analysis import pooling, verdicts
from benchbook.analysis.gathering import Skipped
from benchbook.analysis.machines import Machine, Reading
from benchbook.analysis.pooling import Pooled
from benchbook.analysis.untrusted import SharedVerdict

AGREES = "agrees"
ON_AVERAGE = "agrees on average"
DISAGREES = "disagrees"
UNDECIDED = "can't tell yet"
ALONE = "alone"


@dataclass(frozen=True)
class Line:
    """What the room says of one variant: `answer` in a word, `why` in a sentence."""

    name: str
    machines: tuple[Machine, ...]
    pooled: Pooled | None
    answer: str
    why: str


@dataclass(frozen=True)
class Tally:
    """A statement: how often each verdict was given, and the ratio that it is about, pooled.

    line: None for a statement about more than one pair.
    """

    says: str
    counts: Counter[str]
    line: Line | None


@dataclass(frozen=True)
class Room:
    """All machines' runs of one experiment.

    floor: the median of theirs, as a fraction; copies: their A/A ratios pooled, which tells how
    much two equal programs differ on all machines together.
    lines: one for each variant; tallies: one for each statement.
    """

    experiment: str
    title: str
    baseline: str
    unit: str
    floor: float
    copies: Pooled | None
    machines: tuple[Machine, ...]
    lines: tuple[Line, ...]
    tallies: tuple[Tally, ...]
    remarks: tuple[str, ...]


def rooms(machines: Sequence[Machine]) -> tuple[list[Room], list[Skipped]]:
    """A room for each experiment, in order, and the runs that don't fit in with the others."""
    by_name: dict[str, list[Machine]] = {}
    for each in machines:
        by_name.setdefault(each.run.experiment.name, []).append(each)
    found, skipped = [], []
    for name in sorted(by_name):
        kept, foreign = alike(by_name[name])
        found.append(room(kept))
        skipped += foreign
    return found, skipped


def alike(machines: Sequence[Machine]) -> tuple[list[Machine], list[Skipped]]:
    """The machines that compare with the same baseline in the same unit as most of them do."""

    def kind(each: Machine) -> tuple[str, str]:
        return each.run.baseline, each.run.unit

    usual = Counter(map(kind, machines)).most_common(1)[0][0]
    reason = "compares with {} in {}, the room with {} in {}"
    foreign = [
        Skipped(m.file, reason.format(*kind(m), *usual)) for m in machines if kind(m) != usual
    ]
    return [m for m in machines if kind(m) == usual], foreign


def room(machines: Sequence[Machine]) -> Room:
    """The room of these machines, all of which ran the same experiment."""
    first = machines[0].run
    floor = float(np.median([each.floor for each in machines]))
    names = dict.fromkeys(e.name for each in machines for e in each.run.entries)
    roles = {first.baseline, first.floor_copy}
    copies = None
    if len(machines) > 1:
        copies = pooled_readings([each.readings[each.run.floor_copy] for each in machines])
    lines = [variant_line(n, machines, floor, copies) for n in names if n not in roles]
    return Room(
        experiment=first.experiment.name,
        title=first.experiment.title,
        baseline=first.baseline,
        unit=first.unit,
        floor=floor,
        copies=copies,
        machines=tuple(machines),
        lines=tuple(each for each in lines if each.machines),
        tallies=tallies(machines, floor, copies),
        remarks=tuple(remarks(machines)),
    )


def variant_line(
    name: str, machines: Sequence[Machine], floor: float, copies: Pooled | None
) -> Line:
    """What the machines that measured a variant say of it."""
    having = tuple(each for each in machines if name in each.readings)
    return line(name, having, [each.readings[name] for each in having], floor, copies)


def line(
    name: str,
    machines: tuple[Machine, ...],
    readings: Sequence[Reading],
    floor: float,
    copies: Pooled | None,
) -> Line:
    """What machines say together with their readings, one from each."""
    if len(readings) < 2 or copies is None:
        return Line(name, machines, None, ALONE, "one machine is no room; pool more run files")
    pooled = pooled_readings(readings)
    return Line(name, machines, pooled, *agreement(pooled, floor, reach(copies)))


def pooled_readings(readings: Sequence[Reading]) -> Pooled:
    """The ratio over two machines or more."""
    spreads, freedom = pooling.steadied([r.spread for r in readings], [r.freedom for r in readings])
    launches = np.array([r.interval.launches for r in readings])
    return pooling.pool([r.log for r in readings], spreads / launches, freedom)


def reach(copies: Pooled) -> float:
    """The room's own floor: how far from 1 the interval of the pooled A/A ratio reaches."""
    return max(copies.high, 1 / copies.low) - 1


def agreement(pooled: Pooled, floor: float, own_floor: float) -> tuple[str, str]:
    """Does the room agree? (answer, why). floor: the machines' median, own_floor: the room's.

    It agrees where a further machine's ratio, too, is expected on the same side of the room's own
    floor, or within the floor of a single machine. It agrees on average where only the interval of
    the mean lies on one side.
    """
    low, high = pooled.next_low, pooled.next_high
    if low is None or high is None:
        return UNDECIDED, "two machines can't tell what a third would say"
    edges = 1 / (1 + own_floor), 1 + own_floor
    word = "faster" if pooled.ratio > 1 else "slower"
    if low > edges[1] or high < edges[0]:
        small = ", by less than one machine can tell" if within(pooled, floor) else ""
        return AGREES, f"{word}{small}; a further machine is expected to be {word}, too"
    if floor <= verdicts.WIDEST_FLOOR and within(pooled, floor):
        band = verdicts.band_text(floor)
        return AGREES, f"no difference: a further machine, too, is expected within {band}"
    differs = pooled.q_p < verdicts.ALPHA
    if pooled.low > edges[1] or pooled.high < edges[0]:
        end = "they differ by more than chance" if differs else "there are few of them"
        return ON_AVERAGE, f"{word} on these machines, but not surely on a further one: {end}"
    if differs:
        return DISAGREES, "the machines differ by more than chance, in both directions"
    return UNDECIDED, "the machines differ only by chance: pool more of them, or race longer"


def within(pooled: Pooled, floor: float) -> bool:
    """Is a further machine expected within ±floor?"""
    low, high = pooled.next_low, pooled.next_high
    return low is not None and high is not None and low >= 1 / (1 + floor) and high <= 1 + floor


def tallies(machines: Sequence[Machine], floor: float, copies: Pooled | None) -> tuple[Tally, ...]:
    """How many machines came to each verdict, by statement, and its ratio on all of them."""
    by_id: dict[str, list[SharedVerdict]] = {}
    for each in machines:
        for identity, verdict in each.verdicts.items():
            by_id.setdefault(identity, []).append(verdict)
    found = []
    for given in by_id.values():
        pair = next((verdict.pair for verdict in given if verdict.pair), None)
        together = None
        if pair and (having := tuple(each for each in machines if pair in each.pairs)):
            readings = [each.pairs[pair] for each in having]
            together = line(" : ".join(pair), having, readings, floor, copies)
        counts = Counter(verdict.verdict for verdict in given)
        found.append(Tally(given[0].says, counts, together))
    return tuple(found)


def hardware(machine: Mapping[str, Any]) -> str:
    """What two runs of one machine have in common; other machines may have it, too."""
    cpu = machine.get("cpu")
    steady = {k: v for k, v in cpu.items() if k != "current_mhz"} if isinstance(cpu, dict) else cpu
    return json.dumps([steady, machine.get("memory"), machine.get("os")], sort_keys=True)


def remarks(machines: Sequence[Machine]) -> Iterator[str]:
    """What one should know about the room: other versions of the code, variants left out."""
    digests: dict[str, Counter[str]] = {}
    for each in machines:
        for entry in each.run.entries:
            if not entry.edited:
                digests.setdefault(entry.name, Counter())[entry.sha256] += 1
    mixed = [name for name, counts in digests.items() if len(counts) > 1]
    if mixed:
        yield f"the machines did not all race the same version of {', '.join(mixed)}"
    unnamed = Counter(hardware(m.run.machine) for m in machines if not m.shared)
    if doubtful := sum(count for count in unnamed.values() if count > 1):
        yield (
            f"{doubtful} run files may be from the same machine, which would then count as often: "
            "give one from each machine, or the files of ./bench share"
        )
    reasons = Counter((name, reason) for each in machines for name, reason in each.left_out.items())
    for (name, reason), count in reasons.most_common(8):
        yield f"left out on {count} of {len(machines)} machines: {name} {reason}"
