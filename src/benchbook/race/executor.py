"""The interface of what carries out a plan; each kind has an executor of its own (kinds/).

Every executor has the four methods of `Executor`. What only some can do is a protocol each, below;
`Abilities` finds out which of them an executor has, and nobody else asks. So scheduling, saving and
failures are tested without timing anything.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, runtime_checkable

from benchbook.loadtools.tool import Load
from benchbook.model.plan import Plan
from benchbook.model.samples import Evidence, Sample
from benchbook.programs.programs import VariantError
from benchbook.race.evidence import Together


@dataclass(frozen=True)
class Measurement:
    """A load generator's result and what happened on the machine meanwhile.

    began: by time.monotonic(), where that was not when the executor was asked to measure;
    parts_ms, measures and runs: as in samples.Sample; together: what all entries used, where they
    were loaded at once; flags: of evidence.py, what the executor saw that speaks against it.
    """

    load: Load
    evidence: Evidence
    began: float | None = None
    parts_ms: Mapping[str, float] = field(default_factory=dict)
    measures: Mapping[str, float] | None = None
    runs: Mapping[str, list[float | None]] | None = None
    together: Together | None = None
    flags: tuple[str, ...] = ()

    @classmethod
    def timed(
        cls,
        seconds: float,
        count: int,
        evidence: Evidence = Evidence(),
        began: float | None = None,
        measures: Mapping[str, float] | None = None,
        runs: Mapping[str, list[float | None]] | None = None,
    ) -> "Measurement":
        """Of something that is no request and was done so often in so many seconds: there are
        neither latencies nor errors."""
        return cls(Load(seconds, count), evidence, began, measures=measures, runs=runs)

    def sample(
        self,
        launch: int,
        block: int,
        position: int,
        name: str,
        started_seconds: float,
        flags: Sequence[str] = (),
    ) -> Sample:
        """The same as a run keeps it: of an entry, at its place in the plan."""
        load = self.load
        return Sample(
            launch=launch,
            block=block,
            position=position,
            variant=name,
            started_seconds=started_seconds,
            seconds=load.seconds,
            requests=load.requests,
            requests_per_second=load.requests_per_second,
            latency_ms=dict(load.latency_ms),
            errors=dict(load.errors),
            non_2xx=load.non_2xx,
            bytes=load.bytes,
            client_cpu_seconds=load.client_cpu_seconds,
            evidence=asdict(self.evidence),
            flags=[*flags, *self.flags],
            parts_ms=dict(self.parts_ms),
            measures=None if self.measures is None else dict(self.measures),
            runs=None if self.runs is None else dict(self.runs),
        )


Outcome = Measurement | VariantError  # of an entry that was measured together with others
Block = Callable[[Sequence[str], float], dict[str, Outcome]]  # measures entries for so many seconds


class Executor(ABC):
    """Starts, measures and ends the entries of a race."""

    @abstractmethod
    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        """Start the entries anew; returns the error of each that can't take part."""

    @abstractmethod
    def measure(self, name: str, seconds: float) -> Measurement:
        """One round. Raises VariantError where the entry fails."""

    @abstractmethod
    def land(self) -> dict[str, VariantError]:
        """End the launch; returns the error of each entry that no longer answers as it should."""

    @abstractmethod
    def close(self) -> None:
        """End everything that was started."""


# ── What only some executors can do ──────────────────────────────────────────────────────────────


@runtime_checkable
class MeasuresTogether(Protocol):
    """Loads all entries of a block at once."""

    def measure_together(self, names: Sequence[str], seconds: float) -> dict[str, Outcome]:
        """One block of these entries, begun in this order."""


@runtime_checkable
class MeasuresInSlices(Protocol):
    """Measures a block in slices of its entries that take turns."""

    def measure_in_slices(self, names: Sequence[str], seconds: float) -> dict[str, Outcome]:
        """One block: so many seconds of each of these entries."""


@runtime_checkable
class LoadsThrough(Protocol):
    """Keeps entries under load from block to block."""

    def begin(self, names: Sequence[str], seconds: float) -> None:
        """Blocks of these entries follow, for so long: load them, in this order, until `finish`,
        where that can be done."""

    def finish(self) -> Mapping[str, Load]:
        """The end of what `begin` began: what each entry's load was in all, where that is known in
        the end only; then a block's measurements were without latencies, bytes and errors."""


@runtime_checkable
class WarmsUp(MeasuresTogether, Protocol):
    """Has another way to load entries for a warm-up than for a measurement. compiled: CPU seconds
    that they spent after the last window, while nothing was asked."""

    compiled: float

    def warm_up(self, names: Sequence[str], seconds: float) -> dict[str, Outcome]:
        """A window: as measure_together, but on all CPUs; then what compiles in the background may
        do so."""

    def warmed_up(self) -> None:
        """There are no more windows."""


@runtime_checkable
class WarmsAgain(Protocol):
    """Knows whether entries need to be warmed up again. again_seconds: of each warm-up but the
    first."""

    again_seconds: float

    def is_warm_up_due(self, count: int) -> bool:
        """Asked after each warm-up of a launch (count: those before it): is another one due?"""


class Answered(Protocol):
    """What an entry answered."""

    def to_json(self) -> dict[str, Any]:
        """As a run file has it."""


@runtime_checkable
class KeepsAnswers(Protocol):
    """Remembers what each entry answered, by name."""

    @property
    def answers(self) -> Mapping[str, Answered]:
        ...


@runtime_checkable
class Remarks(Protocol):
    """Has something to say at the end of a race."""

    def closing_remarks(self) -> Sequence[str]:
        ...


@dataclass(frozen=True)
class Abilities:
    """An executor by what it can do: each field is the executor, or None where it can't."""

    together: MeasuresTogether | None
    sliced: MeasuresInSlices | None
    through: LoadsThrough | None
    warming: WarmsUp | None
    warming_again: WarmsAgain | None
    answering: KeepsAnswers | None
    remarking: Remarks | None

    @classmethod
    def of(cls, executor: Executor) -> "Abilities":
        return cls(
            executor if isinstance(executor, MeasuresTogether) else None,
            executor if isinstance(executor, MeasuresInSlices) else None,
            executor if isinstance(executor, LoadsThrough) else None,
            executor if isinstance(executor, WarmsUp) else None,
            executor if isinstance(executor, WarmsAgain) else None,
            executor if isinstance(executor, KeepsAnswers) else None,
            executor if isinstance(executor, Remarks) else None,
        )

    def block(self, plan: Plan) -> Block | None:
        """What measures a block in one go; None where its entries are measured one by one."""
        if plan.together:
            assert self.together, "the plan is made for what the executor can do"
            return self.together.measure_together
        return self.sliced.measure_in_slices if self.sliced and plan.interleaved else None


def alone(measure: Block, name: str, seconds: float) -> Measurement:
    """One round of an executor that measures blocks. Raises VariantError where the entry fails."""
    measured = measure([name], seconds)[name]
    if isinstance(measured, VariantError):
        raise measured
    return measured
