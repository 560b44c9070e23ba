"""Load for a warm-up: load generators that live through all of its windows, and stand still between
them where programs compile in the background.

.NET compiles on a thread of its own, which beside requests gets a small part of its program's share
of the CPU: thirteen programs on Kestrel, loaded without a rest, still became cheaper after 20,000
requests each, and with rests hardly after 2,000 (studies/warm_up_by_time.py).
"""

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field

from benchbook.load.errors import LoadError
from benchbook.load.loading import Running
from benchbook.model.samples import Evidence
from benchbook.programs.programs import Program
from benchbook.race.executor import Measurement
from benchbook.race.kinds.http.continuous import ContinuousLoad
from benchbook.race.warming import tier_up_wait

LASTING_SECONDS = 3600.0  # longer than any warm-up
ENDING_WINDOWS = 5  # after which load generators end: what closes connections is then in tier 1


@dataclass
class WarmLoad:
    """Entries that are loaded for a warm-up.

    programs: those that run; load: of each; tiered: those of them that compile in the background;
    silent: seconds of load since each last answered; windows: those that were; stack: closes all.
    """

    programs: Mapping[str, Program]
    load: ContinuousLoad
    tiered: frozenset[str]
    stack: ExitStack
    silent: dict[str, float] = field(default_factory=dict)
    windows: int = 0

    @classmethod
    def begin(
        cls,
        programs: Mapping[str, Program],
        start: Callable[[Sequence[str], float, ExitStack], dict[str, Running]],
        names: Sequence[str],
        tiered: frozenset[str],
        place: AbstractContextManager[None],
    ) -> "WarmLoad | None":
        """Load these, in this order, when all that was called so far is compiled; None, and nothing
        runs, where requests can't be counted. place: where programs are meanwhile."""
        with ExitStack() as stack:
            stack.enter_context(place)
            load = ContinuousLoad(programs, start, LASTING_SECONDS)
            stack.callback(lambda: load.stack.close())
            made = cls(programs, load, tiered, stack)
            made.compile()
            made.load_anew(names)
            if any(running.sent() is None for running in load.loads.values()):
                return None
            made.stack = stack.pop_all()
        return made

    def load_anew(self, names: Sequence[str]) -> None:
        """Load these with new load generators."""
        with ExitStack() as stack:
            self.load.loads = self.load.start(names, LASTING_SECONDS, stack)
            self.load.stack = stack.pop_all()

    def window(self, names: Sequence[str], seconds: float) -> dict[str, Measurement | LoadError]:
        """What these entries did in a window, of which only CPU time and requests are known."""
        began, load = time.monotonic(), self.load
        load.before = {name: load.look(name) for name in names}
        time.sleep(seconds)
        found: dict[str, Measurement | LoadError] = {}
        for name, done in {name: load.since(name) for name in names}.items():
            if isinstance(done, LoadError):
                found[name] = done
                continue
            self.silent[name] = 0.0 if done.requests else self.silent.get(name, 0.0) + seconds
            spent = load.server_cpu_seconds[name]
            found[name] = Measurement(done, Evidence(server_cpu_seconds=spent), began)
        return found

    def rest(self) -> float:
        """Let programs compile while nothing is asked; CPU seconds that it took.

        The first load generators end for that, and others begin: so what opens and closes
        connections is compiled, too, which would go on beside the first blocks otherwise.
        """
        self.windows += 1
        if not self.tiered:
            return 0.0
        names = list(self.load.loads)
        if self.windows <= ENDING_WINDOWS:
            self.end_loads()
            spent = self.compile()
            self.load_anew(names)
            return spent
        self.tell(signal.SIGSTOP)
        try:
            return self.compile()
        finally:
            self.tell(signal.SIGCONT)

    def compile(self) -> float:
        there = self.tiered & self.programs.keys()
        return tier_up_wait([pid for name in there for pid in self.programs[name].members])

    def tell(self, number: signal.Signals) -> None:
        for running in self.load.loads.values():
            if running.process.poll() is None:
                os.kill(running.process.pid, number)

    def end_loads(self) -> None:
        """End the load generators; what they measured is of no interest."""
        for name in list(self.load.loads):
            self.load.drop(name)
        self.load.stack.close()

    def finish(self) -> None:
        """End all when programs have compiled what the end of the load calls."""
        self.end_loads()
        self.compile()
        self.end()

    def end(self) -> None:
        """End all, and put programs back where they were."""
        self.end_loads()
        self.stack.close()
