"""Whole processes, timed from their start to their end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from benchbook.model.kinds.kind import Column, Inside, Kind, Raced, measured
from benchbook.model.samples import Sample
from benchbook.model.variants import Variant

SAME = "same"


@dataclass(frozen=True)
class WholeProcesses(Kind):
    """Each variant is a program that runs to its end.

    arguments: of every command; input: the file that each reads from its standard input, None for
    nothing; prepare: the program that is run before each run, untimed, None for none; exit_code:
    with which they end; same_output: must all write the same to their standard output?
    """

    name = "commands"
    table = "commands"
    unit = "runs/s"
    thing = "run"
    rate_format = ",.3g"

    arguments: tuple[str, ...] = ()
    input: Path | None = None
    prepare: Path | None = None
    exit_code: int = 0
    same_output: bool = True

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

    def moved(self, old: Path, new: Path) -> Self:
        def there(file: Path | None) -> Path | None:
            return file and new / file.relative_to(old)

        return replace(self, input=there(self.input), prepare=there(self.prepare))

    @classmethod
    def beside_speed(cls, run: Raced) -> tuple[Column, ...]:
        def of(name: str) -> Callable[[Sample], float | None]:
            return lambda sample: (sample.measures or {}).get(name)

        return (
            Column("user CPU", "duration", measured(run, of("user_ms"), factor=1e6)),
            Column("system CPU", "duration", measured(run, of("system_ms"), factor=1e6)),
            Column("peak memory", "bytes", measured(run, of("peak_bytes"), max)),
        )

    @classmethod
    def described(cls, run: Raced) -> str:
        return f"whole processes in turns, {cls.unit}"
