"""The interface of what carries out a plan; each kind has an executor of its own (kinds/).

race.py knows no other, so that scheduling, saving and failures are tested without timing anything.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from benchbook.load.tool import Load
from benchbook.programs.programs import VariantError
from benchbook.race.witness import Evidence, Together

AT_ONCE_ELSEWHERE = 4  # load generators on another host (sshd allows ten sessions of a connection)
PATIENT_SECONDS = 2.0  # a server that answers nothing for so long is out of the race


@dataclass(frozen=True)
class Measurement:
    """A load generator's result and what happened on the machine meanwhile.

    began: by time.monotonic(), where that was not when the executor was asked to measure;
    parts_ms: as in runs.Sample; together: what all entries used, where they were loaded at once.
    """

    load: Load
    evidence: Evidence
    began: float | None = None
    parts_ms: Mapping[str, float] = field(default_factory=dict)
    together: Together | None = None


Outcome = Measurement | VariantError  # of an entry that was measured together with others


class Executor(ABC):
    """Starts, measures and ends the entries of a race.

    answers: what each entry answered, which can be told with to_json(); again_seconds: of each
    warm-up but the first; slices: entries of a block are measured in slices that take turns, by
    measure_together.
    """

    slices = False
    again_seconds: float = 0.1
    answers: Mapping[str, Any] = MappingProxyType({})

    def closing_remarks(self) -> Sequence[str]:
        """What is to be said at the end of a race."""
        return ()

    @abstractmethod
    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        """Start the entries anew; returns the error of each that can't take part."""

    def measure(self, name: str, seconds: float) -> Measurement:
        """One round. Raises VariantError where the entry fails."""
        measured = self.measure_together([name], seconds)[name]
        if isinstance(measured, VariantError):
            raise measured
        return measured

    @abstractmethod
    def land(self) -> dict[str, VariantError]:
        """End the launch; returns the error of each entry that no longer answers as it should."""

    @abstractmethod
    def close(self) -> None:
        """End everything that was started."""

    def measure_together(self, names: Sequence[str], seconds: float) -> dict[str, Outcome]:
        """One block of these entries, begun in this order: all loaded at once, or in slices."""
        raise NotImplementedError

    def begin(self, names: Sequence[str], seconds: float) -> None:
        """Blocks of these entries follow, for so long: load them, in this order, until `finish`,
        where the executor can do that."""

    def finish(self) -> Mapping[str, Load]:
        """The end of what `begin` began: what each entry's load was in all, where that is known in
        the end only; then a block's measurements were without latencies, bytes and errors."""
        return {}

    def warm_up(self, names: Sequence[str], seconds: float) -> dict[str, Outcome]:
        """As measure_together, but on all CPUs; then what compiles in the background may do so."""
        raise NotImplementedError

    def settle(self, count: int) -> bool:
        """Asked after each warm-up of a launch (count: those before it): is another one due?"""
        return False
