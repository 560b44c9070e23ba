"""Copies of programs that live side by side for one window of a launch, while somebody looks on.

How they are started, warmed up and loaded is their race's: its executor does it. Each kind of
experiment whose programs can be looked at so has a `copies.py` in its folder, which says COPIES.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TypeVar

from benchbook.model.variants import Variant
from benchbook.programs.programs import Prepared, VariantError
from benchbook.race.executor import Measurement, Outcome
from benchbook.race.race import Race
from benchbook.system import probe
from benchbook_kernels.base import processes
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.processes import Keeper

T = TypeVar("T")
Looking = Callable[[], bool]  # do they still look?
Look = Callable[[], Looking]  # called when copies are loaded: looks from then on


@dataclass(frozen=True)
class CopyCost:
    """What a copy did in the window. cpu_us: CPU time of all its threads a request (or call), in
    microseconds; main: the share of its main thread; 1 where that is not known."""

    requests: int
    cpu_us: float
    main: float = 1.0


@dataclass(frozen=True)
class CallsSeen:
    """Of the calls of a function in a window. allocated: bytes a call, None where that was not
    seen; removed: does it take no longer than an empty function, as one whose work the optimiser
    removed?"""

    allocated: float | None = None
    removed: bool = False


class Copies(ABC):
    """race: that is ready to run, and will not; what its executor starts is replaced by copies.

    calls: do processes time calls, among other things that they do?
    """

    calls: bool = False

    def __init__(self, race: Race) -> None:
        self.race = race

    @property
    @abstractmethod
    def keeper(self) -> Keeper:
        """Who ends what is started."""

    @abstractmethod
    def replace(self, variants: Mapping[str, Variant], prepared: Mapping[str, Prepared]) -> None:
        """Start these from now on, by name; some of them in another way."""

    @abstractmethod
    def pid(self, name: str) -> int:
        """Of the process of a copy that runs."""

    def port(self, name: str) -> int:
        """Where a copy listens that runs; 0 for what does not."""
        return 0

    def done(self, name: str) -> int | None:
        """How many requests a copy was asked so far, by its load generator; None where it does not
        tell meanwhile."""
        return None

    @property
    def helpers(self) -> tuple[int, ...] | None:
        """CPUs on which no copy is timed; None for all."""
        return None

    def launch(self, names: Sequence[str]) -> None:
        """Start copies in this order. Raises VariantError where one can't take part."""
        for error in self.race.executor.launch(names).values():
            raise error

    @abstractmethod
    def warm_up(self, names: Sequence[str]) -> Iterator[None]:
        """Load all copies until they cost what they go on costing; yields now and then. Raises
        VariantError."""

    @abstractmethod
    def window(
        self, names: Sequence[str], lead: float, seconds: float, look: Look
    ) -> dict[str, CopyCost]:
        """Load all copies, and have somebody look at them from now on: for `lead` seconds, of which
        nothing is told, for `seconds`, and as long as they look. Raises VariantError."""

    def seen(self, names: Sequence[str], seconds: float) -> dict[str, CallsSeen]:
        """What calls do in a window of so many seconds of each copy, where they are timed. Raises
        VariantError."""
        raise NotImplementedError("these copies time no calls")

    def looked_at(
        self,
        names: Sequence[str],
        lead: float,
        seconds: float,
        looks: Mapping[str, Callable[[Callable[[], None]], T]],
    ) -> tuple[dict[str, CopyCost], dict[str, Future[T]]]:
        """A window in which each of `looks` runs on a thread of its own: what copies did, and what
        came of the looks, by their names. A look may call what it is given when it has seen enough:
        copies are loaded until all have. Raises as `window` does; then all copies have ended."""
        futures: dict[str, Future[T]] = {}
        seen = {name: Event() for name in looks}
        with ThreadPoolExecutor(len(looks)) as pool:

            def begin() -> Looking:
                futures.update({n: pool.submit(look, seen[n].set) for n, look in looks.items()})
                return lambda: not all(seen[n].is_set() or futures[n].done() for n in looks)

            try:
                spent = self.window(names, lead, seconds, begin)
            except BaseException:
                self.close()  # who looks at them ends when they do
                raise
        return spent, futures

    def land(self) -> None:
        """End them. Raises VariantError for one that no longer answers as it did."""
        for error in self.race.executor.land().values():
            raise error

    def close(self) -> None:
        """End everything."""
        self.race.executor.close()

    def folder(self) -> Path:
        """Where what is started may write, until all has ended."""
        return self.keeper.folder


def measured(name: str, outcome: Outcome) -> Measurement:
    """Raises VariantError where a copy failed, BenchError where it did nothing."""
    done = alive(outcome)
    if not done.load.requests:
        raise BenchError(f"'{name}' did nothing in the window", "give it longer: --seconds")
    return done


def alive(outcome: Outcome) -> Measurement:
    """What a copy did in a short window, in which it need not have got the CPU. Raises VariantError
    where it failed."""
    if isinstance(outcome, VariantError):
        raise outcome
    return outcome


def main_cpu(pid: int) -> float:
    """CPU seconds of a process's main thread; of all its threads where the system does not tell.

    The first number of /proc/PID/task/TID/schedstat is in nanoseconds
    (https://docs.kernel.org/scheduler/sched-stats.html).
    """
    told = probe.read(probe.PROC / f"{pid}/task/{pid}/schedstat").split()
    return int(told[0]) / 1e9 if told else processes.cpu_seconds(pid)
