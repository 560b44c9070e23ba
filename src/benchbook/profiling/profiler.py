"""What a profiler of a runtime can do. Each is a file in profilers/, and registry.py lists them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from benchbook.model.profiles.profile import Profile
from benchbook.model.variants import Variant
from benchbook_kernels.base.errors import BenchError


class ProfilerError(BenchError):
    """A program could not be profiled, or gave no profile; the others go on."""


@dataclass(frozen=True)
class ProfiledStart:
    """How a program is started: its command line, and what is added to its environment."""

    words: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


def nothing() -> None:
    """Nobody waits for the end of the window alone."""


class Profiler(Protocol):
    """Profiles programs of one runtime.

    `runs`: is a variant's runtime the one that it knows? Asked first, and nothing else where not.
    """

    name: str  # of the runtime, for readers: Node.js
    usual_interval_us: float  # between two samples, where nobody asks for another one
    main_thread_only: bool  # does it sample that thread alone? Then the others' time is told apart

    def runs(self, variant: Variant) -> bool:
        ...

    def lacks(self, variant: Variant) -> str:
        """Why a variant of this runtime can't be profiled here, with the remedy; '' where it can.
        It may be built by then."""

    def prepare(self, start: ProfiledStart, folder: Path, interval_us: float) -> ProfiledStart:
        """How a program must be started so that it can be profiled later; called before its start.

        folder: of this one program, empty; all files that the profiler makes go there.
        """

    def collect(
        self,
        pid: int,
        seconds: float,
        folder: Path,
        cpus: Sequence[int] | None,
        recorded: Callable[[], None] = nothing,
    ) -> Profile:
        """Profile a running program, started as `prepare` said with the same folder, for so long.

        pid: of its process, the one that was started. cpus: where helpers of ours may run that
        would disturb the program; None for all. Called on a thread of its own, of several programs
        at the same time; returns soon after the program has ended. The window must lie within the
        call, and last `seconds` as nearly as can be. recorded: may be called when it is over, while
        what it saw is still read; the program need not be loaded from then on.

        Raises ProfilerError where the program ends, or no profile comes.
        """

    def of_calls(self, profile: Profile) -> Profile:
        """Of a profile of a process that times a function (race/kinds/functions): what belongs to
        the function's calls (trimming.py)."""
