"""Whole processes, timed from their start to their end."""

import math
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from benchbook.model.kinds.kind import Column, Inside, Kind, Raced, measured
from benchbook.model.plan import COPY, Plan
from benchbook.model.samples import Sample
from benchbook.model.variants import Mode, Variant

SAME = "same"
NULL, PIPE, INHERIT = "null", "pipe", "inherit"  # where a command's output goes, or a file
LONGEST_SECONDS = 120.0  # of a run, where nobody says anything else
Words = tuple[str, ...]  # a command line; () for none


@dataclass(frozen=True)
class Around:
    """What is run around the runs of a command: `setup` before the first and `cleanup` after the
    last, `prepare` before and `conclude` after each."""

    setup: Words = ()
    prepare: Words = ()
    conclude: Words = ()
    cleanup: Words = ()


@dataclass(frozen=True)
class RunCount:
    """How often each command is run: at least and at most so often, else as often as its part of
    the time allows; warm_up: runs before the first that is timed, in all launches together."""

    least: int = 10
    most: int | None = None
    warm_up: int = 0


@dataclass(frozen=True)
class WholeProcesses(Kind):
    """Each variant is a program that runs to its end.

    arguments: of every command; input: the file that each reads from its standard input, None for
    nothing; prepare: the program that is run before each run, untimed, None for none; exit_code:
    with which they end, None for any; same_output: must all write the same to their standard
    output?
    Of commands that are typed, not of an experiment: around: what is run around their runs, by
    name; shell: what each is started by, whose own time is taken off, () for nothing; output: where
    what they write goes; count: how often they are run, None for as long as the mode says;
    longest_seconds: of a run, then it is ended.
    """

    name = "commands"
    table = "commands"
    unit = "runs/s"
    thing = "run"
    rate_format = ",.3g"

    arguments: tuple[str, ...] = ()
    input: Path | None = None
    prepare: Path | None = None
    exit_code: int | None = 0
    same_output: bool = True
    around: Mapping[str, Around] = field(default_factory=dict)
    shell: Words = ()
    output: str = NULL
    count: RunCount | None = None
    longest_seconds: float = LONGEST_SECONDS

    @classmethod
    def parse(cls, table: Mapping[str, Any], where: str, inside: Inside) -> "WholeProcesses":
        def file(key: str) -> Path | None:
            return inside(table[key], f"commands.{key}") if key in table else None

        return cls(
            tuple(table.get("arguments", ())),
            file("input"),
            file("prepare"),
            table.get("exit_code", 0),
            table.get("output", SAME) == SAME,
        )

    @property
    def prepared(self) -> Variant | None:
        """What is run before each run, as a program; None for nothing."""
        if self.prepare is None:
            return None
        return Variant("prepare", "what is run before each run", self.prepare)

    def around_of(self, name: str) -> Around:
        """What is run around the runs of an entry; the baseline's copy has the baseline's."""
        return self.around.get(name.removesuffix(COPY), Around())

    def departures(self, plan: Plan, mode: Mode | None, tool: str) -> list[str]:
        return [] if self.count else super().departures(plan, mode, tool)

    def moved(self, old: Path, new: Path) -> Self:
        def there(file: Path | None) -> Path | None:
            return file and new / file.relative_to(old)

        return replace(self, input=there(self.input), prepare=there(self.prepare))

    @classmethod
    def speed(cls, sample: Sample, plan: Plan) -> float:
        """By the centre of its runs, in which a few that were disturbed count for little, and
        without the time of the shell that starts the command; NaN where it took no more."""
        found = sample.measures or {}
        if "centre_ms" not in found:  # of older files
            return sample.requests_per_second
        own = found["centre_ms"] - found.get("start_ms", 0.0)
        return 1e3 / own if own > 0 else math.nan

    @classmethod
    def compared_by(cls, plan: Plan) -> str:
        return "time from start to end"

    @classmethod
    def beside_speed(cls, run: Raced) -> tuple[Column, ...]:
        def of(name: str) -> Callable[[Sample], float | None]:
            return lambda sample: (sample.measures or {}).get(name)

        peak, bound = (measured(run, of(each), max) for each in ("peak_bytes", "peak_at_most"))

        def at_most(name: str) -> bool:
            return bound(name, None) is not None and bound(name, None) == peak(name, None)

        return (
            Column("user CPU", "duration", measured(run, of("user_ms"), factor=1e6)),
            Column("system CPU", "duration", measured(run, of("system_ms"), factor=1e6)),
            Column("peak memory", "bytes", peak, at_most),
        )

    @classmethod
    def described(cls, run: Raced) -> str:
        starts = shell_times(run)
        without = f", without {statistics.median(starts):.2f} ms of the shell" if starts else ""
        return f"whole processes in turns{without}, {cls.unit}"

    @classmethod
    def unclear(cls, run: Raced) -> str:
        if not shell_times(run):
            return ""
        return (
            "hardly more is left of a run than chance when the shell's time is taken off: start "
            "commands without it (--shell none, -N), or give them more to do"
        )


def shell_times(run: Raced) -> list[float]:
    """What was taken off each sample's runs, in milliseconds."""
    return [ms for s in run.samples if (ms := (s.measures or {}).get("start_ms"))]
