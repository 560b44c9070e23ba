"""A stint: load generators that live through consecutive blocks, which are looks at what they did.

One that is started for each block opens its connections anew, and it takes a while until requests
arrive as they go on to do: equal servers on Node.js differed by 3 to 4 % from one block of two
seconds to the next, and by 1.5 % where nothing was stopped between them (docs/method.md).
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from benchbook.load.loading import Running
from benchbook.load.tool import NO_ERRORS, NO_LATENCY, Load, LoadError
from benchbook.model.plan import LEAD_SECONDS
from benchbook.programs.programs import Program
from benchbook.system import processes

SPARE_SECONDS = 60.0  # a stint may last so much longer than planned: its reader may be busy


@dataclass(frozen=True)
class Look:
    """What one entry has done so far: requests that were sent to it, CPU seconds of its processes
    and of its load generator, and when one looked."""

    at: float
    sent: int | None
    server: float
    client: float


@dataclass
class Stint:
    """Entries under load, each by a load generator of its own.

    before: the looks at which the next block begins; server_cpu_seconds: of each entry in the last
    block.
    """

    programs: Mapping[str, Program]
    loads: dict[str, Running]
    stack: ExitStack = field(default_factory=ExitStack)
    before: dict[str, Look] = field(default_factory=dict)
    server_cpu_seconds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        time.sleep(LEAD_SECONDS)
        for name in self.loads:
            self.before[name] = self.look(name)

    @property
    def counted(self) -> bool:
        """Can the requests be counted?"""
        return all(look.sent is not None for look in self.before.values())

    def look(self, name: str) -> Look:
        running, members = self.loads[name], self.programs[name].members
        server = sum(processes.cpu_seconds(pid) for pid in members)
        return Look(time.monotonic(), running.sent(), server, running.cpu_seconds)

    def block(self, names: Sequence[str], seconds: float) -> dict[str, Load | LoadError]:
        """What these entries did from the last look on, for at least `seconds`.

        Latencies and errors are known in the end only.
        """
        time.sleep(max(0.0, max(self.before[n].at for n in names) + seconds - time.monotonic()))
        return {name: self.since(name) for name in names}

    def since(self, name: str) -> Load | LoadError:
        """What an entry did since the last look at it."""
        before, running = self.before[name], self.loads[name]
        after = self.before[name] = self.look(name)
        if running.process.poll() is not None or after.sent is None or before.sent is None:
            return ended_early(running)
        self.server_cpu_seconds[name] = after.server - before.server
        return Load(
            seconds=after.at - before.at,
            requests=after.sent - before.sent,
            latency_ms=dict(NO_LATENCY),
            errors=dict(NO_ERRORS),
            non_2xx=0,
            bytes=0,
            client_cpu_seconds=after.client - before.client,
        )

    def drop(self, name: str) -> None:
        """End the load of an entry that is out of the race."""
        if running := self.loads.pop(name, None):
            running.process.kill()
            running.process.wait()

    def end(self) -> dict[str, Load]:
        """Stop all; what was measured in the whole stint, of each entry that tells."""
        for running in self.loads.values():
            running.stop()
        found = {}
        for name, running in self.loads.items():
            try:
                found[name] = running.finished()
            except LoadError:  # the blocks are known all the same
                continue
        self.stack.close()
        return found


def ended_early(running: Running) -> LoadError:
    """Why a load generator is no longer there."""
    try:
        running.finished()
    except LoadError as error:
        return error
    return LoadError(f"{running.tool.name} ended before it was told to", "./bench doctor")
