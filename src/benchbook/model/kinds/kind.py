"""What a kind of experiment is: as data, and as small functions of a plan and its samples.

A file of this folder is a kind; how it is measured: the folder of its name in race/kinds.
"""

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, Self

from benchbook.model.plan import Plan
from benchbook.model.samples import Sample, UsedTool
from benchbook.model.variants import Mode
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.errors import InputError

Form = Literal["rate", "count", "number", "duration", "bytes"]
Value = Callable[[str, float | None], float | None]  # of a column, as it says
Inside = Callable[[str, str], Path]  # (file, field) -> its path; raises InputError


class Raced(Protocol):
    """What a kind is told of a run."""

    plan: Plan
    tool: UsedTool
    pinning: Pinning
    samples: list[Sample]
    allocated_bytes: dict[str, float] | None


@dataclass(frozen=True)
class Column:
    """A column of the table of entries.

    value: of an entry's name and its median speed (None where it has none); form: how it is
    written: a rate or a count without decimals, a number with one, a duration in nanoseconds, or
    bytes; at_most: is no more known of an entry than that its value is not larger?
    """

    heading: str
    form: Form
    value: Value
    at_most: Callable[[str], bool] = lambda name: False


@dataclass(frozen=True)
class Kind:
    """What an experiment's kind answers, and the kind of a run, which has the class alone."""

    name: ClassVar[str]  # in run files, and of its folder in race/kinds
    table: ClassVar[str] = ""  # of experiment.toml; '' where no file declares it
    unit: ClassVar[str]  # of speeds
    rate_format: ClassVar[str] = ",.0f"  # how they are written, for Python and for d3
    thing: ClassVar[str]  # what is counted, or timed
    as_times: ClassVar[bool] = True  # is its time shown, rather than the speed?
    under_load: ClassVar[bool] = False  # is a load generator used, whose options apply?
    shortest_sample_seconds: ClassVar[float] = 0.0  # of its modes
    not_edited: ClassVar[tuple[str, ...]] = ("bin", "obj")  # not copied beside a reader's edit
    own_fields: ClassVar[frozenset[str]] = frozenset()  # of [[variants]], for no other kind
    needs: ClassVar[tuple[str, ...]] = ()  # as `needs` of variants: installed before a race

    # ── Of an experiment ─────────────────────────────────────────────────────────────────────────

    @classmethod
    def parse(cls, table: Mapping[str, Any], where: str, inside: Inside) -> "Kind":
        """The kind that its table of experiment.toml declares. Raises InputError."""
        return cls(**table)

    @property
    def requested(self) -> str:
        """The path that servers are asked for under load; '' where there is no load."""
        return ""

    @property
    def published(self) -> tuple[Path, ...]:
        """The .NET projects that are published beside those of variants."""
        return ()

    def departures(self, plan: Plan, mode: Mode | None, tool: str) -> list[str]:
        """What was not as usual in a race of this mode, and worse: the options that do it.

        tool: the load generator that is usual where the experiment names none, '' for no matter.
        """
        return ["--warmup"] if mode and plan.warmup_seconds < mode.warmup_seconds else []

    def moved(self, old: Path, new: Path) -> Self:
        """The same for a copy of the experiment's folder."""
        return self

    def check_modes(self, modes: Mapping[str, Mapping[str, Any]], where: str) -> None:
        """Raises InputError for samples that are too short for the kind."""
        shortest = self.shortest_sample_seconds
        for name, mode in modes.items():
            if mode["sample_seconds"] < shortest:
                problem = (
                    f"expected at least {shortest} with [{self.table}], "
                    f"found {mode['sample_seconds']}"
                )
                remedy = "a load generator needs that long to start and to be in full swing"
                raise InputError(where, f"race.{name}.sample_seconds", problem, remedy)

    def check_variant(self, entry: Mapping[str, Any], where: str, field: str) -> None:
        """Raises InputError where an entry of [[variants]] does not go with the kind."""

    # ── Of a run ─────────────────────────────────────────────────────────────────────────────────

    @classmethod
    def wrote(cls, unit: str | None, tool: str) -> bool:
        """Is a run file without a kind, of Benchbook before there were any in them, of this one?
        By the unit in it and what measured."""
        return False

    @classmethod
    def unit_of(cls, plan: Plan) -> str:
        """What speeds are in."""
        return cls.unit

    @classmethod
    def speed(cls, sample: Sample, plan: Plan) -> float:
        """A sample's speed in that unit; NaN where it is not known."""
        return sample.requests_per_second

    @classmethod
    def takes_turns(cls, plan: Plan) -> bool:
        """Were rounds interleaved? If not, drift of the machine looks like a difference between
        programs."""
        return plan.interleaved

    @classmethod
    def columns(cls, run: Raced) -> tuple[Column, ...]:
        """What is shown of each entry's speed, before its ratio to the baseline."""
        return (
            Column(cls.unit, "rate", lambda _, speed: speed),
            Column("time", "duration", lambda _, speed: 1e9 / speed if speed else None),
            *cls.beside_speed(run),
        )

    @classmethod
    def beside_speed(cls, run: Raced) -> tuple[Column, ...]:
        """What else is shown: the parts of what is timed, where they are, or the memory."""
        return parts(run) or (allocated(run),)

    @classmethod
    def described(cls, run: Raced) -> str:
        """How entries were compared, in a few words."""
        return f"in turns, {cls.unit}"

    @classmethod
    def compared_by(cls, plan: Plan) -> str:
        """The cost that is compared, in words that follow "times the"."""
        return f"time a {cls.thing}"

    @classmethod
    def unclear(cls, run: Raced) -> str:
        """Why intervals may be so wide that they say nothing, and what to do; '' without a reason
        of the kind's own."""
        return ""

    @classmethod
    def loaded(cls, run: Raced) -> str:
        """With how much load; '' where there is none."""
        return ""

    @classmethod
    def placed(cls, run: Raced) -> str:
        """Where it ran, and in which order: the CPUs of both sides, or a process each."""
        return in_processes("process", run.plan)


def in_processes(what: str, plan: Plan) -> str:
    """That each entry had a process, or something like it, of its own."""
    turns = "blocks are" if plan.interleaved else "launches take turns"
    return f"a {what} each, {turns} in random order"


def allocated(run: Raced) -> Column:
    """How much memory an entry allocates for each operation."""
    found = run.allocated_bytes or {}
    return Column("allocated", "bytes", lambda name, _: found.get(name))


def parts(run: Raced) -> tuple[Column, ...]:
    """How long each part of what is timed takes."""

    def column(part: str) -> Column:
        return Column(part, "duration", measured(run, lambda s: s.parts_ms.get(part), factor=1e6))

    return tuple(map(column, part_names(run)))


def part_names(run: Raced) -> list[str]:
    """What is timed consists of these, in order; empty where parts were not timed."""
    return list(dict.fromkeys(name for sample in run.samples for name in sample.parts_ms))


def measured(
    run: Raced,
    of: Callable[[Sample], float | None],
    pick: Callable[[list[float]], float] = statistics.median,
    factor: float = 1,
) -> Value:
    """What a column shows of an entry's samples, as one number; None where none has it."""

    def value(name: str, _: float | None) -> float | None:
        found = [each for s in run.samples if s.variant == name and (each := of(s)) is not None]
        return factor * pick(found) if found else None

    return value
