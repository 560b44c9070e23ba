"""A room of machines: what the runs of many attendees say together, and whether they agree."""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook.analysis.judging import verdicts
from benchbook.analysis.pooled import pooling
from benchbook.analysis.pooled.gathering import Skipped
from benchbook.analysis.pooled.machines import Machine
from benchbook.analysis.pooled.pooling import Pooled
from benchbook.analysis.pooled.untrusted import SharedVerdict
from benchbook.analysis.statistics.stats import Interval

AGREES = "agrees"
ON_AVERAGE = "agrees on average"
DISAGREES = "disagrees"
UNDECIDED = "can't tell yet"
ALONE = "alone"


@dataclass(frozen=True)
class RoomAnswer:
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
    line: RoomAnswer | None


@dataclass(frozen=True)
class Room:
    """All machines' runs of one experiment.

    control: their A/A ratios pooled, which is 1 but for chance; None for one machine.
    lines: one for each variant; tallies: one for each statement.
    """

    experiment: str
    title: str
    baseline: str
    unit: str
    control: Pooled | None
    machines: tuple[Machine, ...]
    lines: tuple[RoomAnswer, ...]
    tallies: tuple[Tally, ...]
    remarks: tuple[str, ...]


def rooms(machines: Sequence[Machine]) -> tuple[list[Room], list[Skipped]]:
    """A room for each experiment, and each comparison, in order; the runs that don't fit in."""
    by_name: dict[str, list[Machine]] = {}
    for each in machines:
        by_name.setdefault(each.run.experiment.asked, []).append(each)
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
    names = dict.fromkeys(e.name for each in machines for e in each.run.entries)
    roles = {first.baseline, first.control}
    control = pooled_readings([m.control for m in machines]) if len(machines) > 1 else None
    lines = [variant_line(n, machines) for n in names if n not in roles]
    return Room(
        experiment=first.experiment.name,
        title=first.experiment.title,
        baseline=first.baseline,
        unit=first.unit,
        control=control,
        machines=tuple(machines),
        lines=tuple(each for each in lines if each.machines),
        tallies=tallies(machines),
        remarks=tuple(remarks(machines)),
    )


def variant_line(name: str, machines: Sequence[Machine]) -> RoomAnswer:
    """What the machines that measured a variant say of it."""
    having = tuple(each for each in machines if name in each.readings)
    return line(name, having, [each.readings[name] for each in having])


def line(name: str, machines: tuple[Machine, ...], readings: Sequence[Interval]) -> RoomAnswer:
    """What machines say together with their readings, one from each."""
    if len(readings) < 2:
        return RoomAnswer(
            name, machines, None, ALONE, "one machine is no room; pool more run files"
        )
    pooled = pooled_readings(readings)
    return RoomAnswer(name, machines, pooled, *agreement(pooled))


def pooled_readings(readings: Sequence[Interval]) -> Pooled:
    """The ratio over two machines or more."""
    launches = np.array([each.launches for each in readings])
    squares = [each.error**2 * each.launches for each in readings]
    spreads, freedom = pooling.steadied(squares, [each.freedom for each in readings])
    logs = [math.log(each.ratio) for each in readings]
    return pooling.pool(logs, spreads / launches, freedom)


def agreement(pooled: Pooled, delta: float = verdicts.SMALLEST_EFFECT) -> tuple[str, str]:
    """Does the room agree? (answer, why). delta: the smallest effect that matters.

    It agrees where a further machine's ratio, too, is expected on the same side of 1, or within ±δ.
    It agrees on average where only the interval of the mean lies on one side.
    """
    low, high = pooled.next_low, pooled.next_high
    if low is None or high is None:
        return UNDECIDED, "two machines can't tell what a third would say"
    word = "faster" if pooled.ratio > 1 else "slower"
    band = verdicts.band_text(delta)
    if within(pooled, delta):
        return AGREES, f"no difference: a further machine, too, is expected within {band}"
    if low > 1 or high < 1:
        return AGREES, f"{word}; a further machine is expected to be {word}, too"
    differs = pooled.q_p < verdicts.ALPHA
    if pooled.low > 1 or pooled.high < 1:
        end = "they differ by more than chance" if differs else "there are few of them"
        return ON_AVERAGE, f"{word} on these machines, but not surely on a further one: {end}"
    if differs:
        return DISAGREES, "the machines differ by more than chance, in both directions"
    return UNDECIDED, "the machines differ only by chance: pool more of them, or race longer"


def within(pooled: Pooled, delta: float) -> bool:
    """Is a further machine expected within ±δ?"""
    low, high = pooled.next_low, pooled.next_high
    return low is not None and high is not None and low >= 1 / (1 + delta) and high <= 1 + delta


def tallies(machines: Sequence[Machine]) -> tuple[Tally, ...]:
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
            together = line(" : ".join(pair), having, readings)
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
