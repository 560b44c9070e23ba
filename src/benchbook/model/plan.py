"""The order of launches, blocks and rounds, fixed by a seed before anything runs.

A launch starts every program anew; in it come blocks; a block holds one sample of every entry, in
turns or of all at the same time, in random order. Of many entries that are loaded together a block
holds a group: the baseline, its copy and some of the others. Blocks make the comparison fair when
the machine's speed drifts, launches average out what differs from start to start (Kalibera & Jones
2013, Rigorous Benchmarking in Reasonable Time, https://doi.org/10.1145/2464157.2464160).
"""

import math
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any

from benchbook.model.schemas import About
from benchbook.model.variants import Mode

COPY = "#2"  # the A/A copy of the baseline is named like it, with this at the end
LAUNCH_SECONDS = 0.05  # starting and ending one program, of the order of
ROUND_COST = 0.01  # of a sample in turns, beside it
OVERHEAD = 0.09  # the share of a race that may go into launches rather than samples
FEWEST_LAUNCHES, MOST_LAUNCHES = 3, 12
PILOT = 5  # launches of a race that then decides how many more it needs

# of races in which all are loaded together
BLOCK_SECONDS, BLOCK_COST = 2.0, 0.17  # of a block, and what it costs beside that
CONTINUOUS_SECONDS = 7.0  # of a launch, at least
CONTINUOUS_BLOCK_SECONDS = 1.0
FEWEST_CONTINUOUS_BLOCKS = 5  # that an entry takes part in, in a launch
LEAD_SECONDS = 1.0  # of load before the first block
CONTINUOUS_COST = 0.3  # starts and ends of the tools
START_SECONDS = 0.18  # starting, looking at and ending one program
FEWEST_BLOCKS = 4  # that an entry takes part in, in a launch
Order = tuple[tuple[tuple[str, ...], ...], ...]  # [launch][block] -> entries
GROUP = 48  # entries that are loaded at the same time, at most (docs/method.md)


@dataclass(frozen=True)
class Plan:
    """What a race will do. Times in seconds; `order[launch][block]` lists entries in turn.

    Where blocks are not interleaved, an entry runs through all blocks of a launch before the next
    entry starts (how benchmarks lie: see notebook 00).
    """

    mode: str
    entries: Annotated[tuple[str, ...], About(minItems=1)]
    launches: Annotated[int, About(minimum=1)]
    blocks: Annotated[int, About(minimum=1)]
    sample_seconds: float
    warmup_seconds: float
    connections: int
    tool: str
    seed: Annotated[int, About("the seed of the order")]
    order: Annotated[
        Order,
        About("[launch][block] -> entries in their order"),
    ]
    interleaved: Annotated[
        bool, About("are the entries of a block raced next to each other?")
    ] = True
    until: Annotated[
        float | None, About("the target width of every interval, in points of the ratio")
    ] = None
    pilot: Annotated[
        int | None,
        About("launches after which the number of launches was decided, once", minimum=2),
    ] = None
    looks: Annotated[
        int | None,
        About(
            "launches at most of a race that could end after each from the second on, when all was "
            "decided; then later launches lack entries of which all was. null where it is missing",
            minimum=1,
            younger=True,
        ),
    ] = None
    together: Annotated[
        bool,
        About(
            "were the entries of a block loaded at the same time? Speeds are then requests per CPU "
            "second; false where it is missing",
            younger=True,
        ),
    ] = False
    continuous: Annotated[
        bool,
        About(
            "were they loaded without a break from the first to the last of consecutive blocks "
            "with the same entries (continuous load)? false where it is missing",
            younger=True,
        ),
    ] = False
    beside: Annotated[
        bool,
        About(
            "did another race go on when this one began, which did not wait for it (--anyway)? "
            "false where it is missing",
            younger=True,
        ),
    ] = False

    @property
    def samples(self) -> int:
        return sum(len(names) for launch in self.order for names in launch)

    @property
    def expected_seconds(self) -> float:
        """How long the race will take, about."""
        if self.together:
            launch = self.warmup_seconds + len(self.entries) * START_SECONDS
        else:
            launch = len(self.entries) * (self.warmup_seconds + LAUNCH_SECONDS)
        return self.launches * (launch + self.blocks_seconds)

    @property
    def blocks_seconds(self) -> float:
        """How long the blocks of a launch will take, about."""
        if self.continuous:
            loads = group_count(len(self.entries))
            return self.blocks * self.sample_seconds + loads * (LEAD_SECONDS + CONTINUOUS_COST)
        if self.together:
            return self.blocks * (self.sample_seconds + BLOCK_COST)
        return self.blocks * len(self.entries) * (self.sample_seconds + ROUND_COST)

    def rounds(self, launch: int) -> Iterator[tuple[int, int, str]]:
        """(block, position in it, entry) of every round of a launch, in the order to run them."""
        drawn = [
            (block, position, name)
            for block, names in enumerate(self.order[launch])
            for position, name in enumerate(names)
        ]
        if not self.interleaved:
            turns = {name: turn for turn, name in enumerate(self.order[launch][0])}
            drawn.sort(key=lambda round: turns[round[2]])
        yield from drawn

    def extended(self, launches: int) -> "Plan":
        """The same plan with so many launches; those that it has keep their order."""
        order = self.drawn(self.entries, launches, self.seed)
        return replace(self, launches=launches, order=order, looks=self.looks and launches)

    def within(self, most: Mapping[str, float]) -> "Plan":
        """The same plan with at most so many launches and blocks, and such lengths in seconds, by
        the names that options have; what is not named stays."""
        launches = int(min(self.launches, most.get("launches", math.inf)))
        blocks = int(min(self.blocks, most.get("blocks", math.inf)))
        return replace(
            self,
            blocks=max(blocks, self.fewest_blocks),
            sample_seconds=min(self.sample_seconds, most.get("seconds", math.inf)),
            warmup_seconds=min(self.warmup_seconds, most.get("warmup", math.inf)),
            pilot=self.pilot and launches,
        ).extended(launches)

    def stopped(self, launches: int) -> "Plan":
        """The same plan with only the first so many launches."""
        return replace(self, launches=launches, order=self.order[:launches])

    def narrowed(self, launches: int, entries: Collection[str]) -> "Plan":
        """The same plan with only these entries after so many launches."""
        left = [name for name in self.entries if name in entries]
        later = self.drawn(left, self.launches - launches, self.seed + launches)
        return replace(self, order=self.order[:launches] + later)

    def drawn(self, entries: Sequence[str], launches: int, seed: int) -> Order:
        """An order of these entries, as this plan deals them."""
        if self.together:
            return groups(entries, launches, self.blocks, seed, self.continuous)
        return shuffled(entries, launches, self.blocks, seed)

    def cut(self, blocks: int) -> "Plan":
        """The same plan with only the first so many blocks of each launch."""
        return replace(self, blocks=blocks, order=tuple(each[:blocks] for each in self.order))

    @property
    def fewest_blocks(self) -> int:
        """One for each group: with fewer there are entries that are never measured."""
        return group_count(len(self.entries)) if self.together else 1

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Plan":
        """The plan of a run file, which fits the schema."""
        order = tuple(tuple(tuple(names) for names in launch) for launch in document["order"])
        members: dict[str, Any] = dict(document)
        members.update(entries=tuple(document["entries"]), order=order)
        return cls(**members)


def make(
    entries: Sequence[str],
    mode_name: str,
    mode: Mode,
    *,
    connections: int,
    tool: str,
    seed: int,
    sample_seconds: float | None = None,
    launches: int | None = None,
    blocks: int | None = None,
    warmup_seconds: float | None = None,
    interleaved: bool = True,
    together: bool = False,
    continuous: bool = False,
    until: float | None = None,
    share: float = 1.0,
    most: Mapping[str, float] = MappingProxyType({}),
) -> Plan:
    """A plan for `entries` that takes about the mode's budget.

    What is given is kept; the rest is chosen: as many launches as a tenth of the time allows (but
    3 to 12), because an interval's width depends on their number, then blocks to fill the budget.
    With `until` it is the pilot: as many launches as the pilot needs, to be extended later.
    share: of the samples; most: as in Plan.within.
    """
    seconds = sample_seconds or usual_seconds(mode, together, continuous)
    warmup = mode.warmup_seconds if warmup_seconds is None else warmup_seconds
    fixed = launches or (PILOT if until else mode.launches), blocks or mode.blocks
    given = mode, len(entries), seconds, warmup, *fixed
    size = sized_together(*given, continuous) if together else sized(*given)
    fewer, blocks = shortened(*size, share)
    return Plan(
        mode=mode_name,
        entries=tuple(entries),
        launches=fewer,
        blocks=blocks,
        sample_seconds=seconds,
        warmup_seconds=warmup,
        connections=connections,
        tool=tool,
        seed=seed,
        order=(),
        interleaved=interleaved,
        until=until,
        pilot=fewer if until else None,
        together=together,
        continuous=continuous,
    ).within(most)


def is_full(made: Plan, mode: Mode) -> bool:
    """Has a plan at least the launches, the length of a sample and the samples that its mode gives
    where nobody says anything else?"""

    def sized_as(launches: int | None, seconds: float) -> tuple[int, int]:
        given = mode, len(made.entries), seconds, made.warmup_seconds, launches, mode.blocks
        return sized_together(*given, made.continuous) if made.together else sized(*given)

    seconds = usual_seconds(mode, made.together, made.continuous)
    usual, _ = sized_as(PILOT if made.until else mode.launches, seconds)
    launches = made.looks or made.launches  # it may have ended earlier
    if launches < usual or made.sample_seconds < seconds:
        return False
    return made.blocks >= sized_as(launches, made.sample_seconds)[1]  # more leave fewer blocks


def usual_seconds(mode: Mode, together: bool, continuous: bool) -> float:
    """How long a sample is where nobody says it."""
    if together:
        return CONTINUOUS_BLOCK_SECONDS if continuous else BLOCK_SECONDS
    return mode.sample_seconds


def shortened(launches: int, blocks: int, share: float) -> tuple[int, int]:
    """As many as hold this share of the samples; launches over three go first, as each costs time
    beside its samples."""
    fewer = max(min(FEWEST_LAUNCHES, launches), round(launches * share))
    return fewer, max(min(2, blocks), round(blocks * share * launches / fewer))


def sized(
    mode: Mode,
    entries: int,
    seconds: float,
    warmup: float,
    launches: int | None,
    blocks: int | None,
) -> tuple[int, int]:
    """(launches, blocks) that fill the mode's budget; what is given is kept. Times in seconds."""
    per_launch = entries * (warmup + LAUNCH_SECONDS)
    if launches is None:
        affordable = int(OVERHEAD * mode.budget_seconds / per_launch)
        if blocks is not None:
            affordable = round(mode.budget_seconds / (per_launch + blocks * entries * seconds))
        launches = min(MOST_LAUNCHES, max(FEWEST_LAUNCHES, affordable))
    if blocks is None:
        left = mode.budget_seconds - launches * per_launch
        blocks = max(2, round(left / (launches * entries * seconds)))
    return launches, blocks


def shuffled(entries: Sequence[str], launches: int, blocks: int, seed: int) -> Order:
    """[launch][block] -> every entry once, in an order drawn with the seed."""
    draw = random.Random(seed)
    return tuple(
        tuple(tuple(draw.sample(list(entries), len(entries))) for _ in range(blocks))
        for _ in range(launches)
    )


@dataclass(frozen=True)
class Needed:
    """What a race together takes, in seconds: of a launch beside its blocks, and of a block; and
    how many blocks a launch should have at least."""

    launch: float
    block: float
    blocks: int

    @classmethod
    def of(cls, entries: int, seconds: float, warmup: float, continuous: bool) -> "Needed":
        """For so many entries, samples of so many seconds and such a warm-up."""
        launch, count = entries * START_SECONDS + warmup, group_count(entries)
        if continuous:
            launch += count * (LEAD_SECONDS + CONTINUOUS_COST)
            blocks = max(FEWEST_CONTINUOUS_BLOCKS * count, math.ceil(CONTINUOUS_SECONDS / seconds))
            return cls(launch, seconds, blocks)
        return cls(launch, seconds + BLOCK_COST, count * FEWEST_BLOCKS)


def sized_together(
    mode: Mode,
    entries: int,
    seconds: float,
    warmup: float,
    launches: int | None,
    blocks: int | None,
    continuous: bool,
) -> tuple[int, int]:
    """(launches, blocks) as `sized`, where the entries of a group are loaded at the same time.

    As many launches as go with the fewest blocks: what is left then differs from start to start,
    not from block to block, but each start costs a warm-up, and one burst of noise must not make a
    launch's centre. With equal servers the noise of a launch was 1 % and that of a second of load
    2 to 3 %, a warm-up took 8 s, and the best continuous load one of 7 s.
    """
    needed, budget = Needed.of(entries, seconds, warmup, continuous), mode.budget_seconds
    if launches is None:
        affordable = int(budget / (needed.launch + (blocks or needed.blocks) * needed.block))
        launches = min(MOST_LAUNCHES, max(FEWEST_LAUNCHES, affordable))
    if blocks is None:
        blocks = max(needed.blocks, int((budget / launches - needed.launch) / needed.block))
    return launches, blocks


def group_count(entries: int) -> int:
    """Into how many groups entries are divided, each with the baseline, its copy and others."""
    return 1 if entries <= GROUP else -(-(entries - 2) // (GROUP - 2))


def groups(
    entries: Sequence[str], launches: int, blocks: int, seed: int, continuous: bool = False
) -> Order:
    """[launch][block] -> those that are loaded together, in an order drawn with the seed.

    The others than the baseline and its copy are dealt anew to as many groups as there are, so that
    each takes part as often as the others, with changing company: from block to block or, where
    they are loaded without a break, from launch to launch.
    """
    draw = random.Random(seed)
    always = [n for n in entries if n.endswith(COPY) or n + COPY in entries]
    others = [n for n in entries if n not in always]
    count = group_count(len(entries))
    order = []
    for _ in range(launches):
        dealt: list[tuple[str, ...]] = []
        while len(dealt) < blocks:
            shuffled_others = draw.sample(others, len(others))
            for i in range(count):
                group = [*always, *shuffled_others[i::count]]
                drawn = tuple(draw.sample(group, len(group)))
                dealt += [drawn] * (-(-(blocks - i) // count) if continuous else 1)
        order.append(tuple(dealt[:blocks]))
    return tuple(order)
