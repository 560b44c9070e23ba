"""Continuous load: load generators live through consecutive blocks, which look at what they did.

One that is started for each block opens its connections anew, and it takes a while until requests
arrive as they go on to do: equal servers on Node.js differed by 3 to 4 % from one block of two
seconds to the next, and by 1.5 % where nothing was stopped between them (docs/method.md).
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from benchbook.load.errors import LoadError
from benchbook.load.loading import Running
from benchbook.loadtools.tool import Load
from benchbook.model.plan import LEAD_SECONDS
from benchbook.programs.programs import Program
from benchbook.system.connections import Seen
from benchbook_kernels.base import processes

LATE_SECONDS = 0.05  # after the last look: what was done meanwhile is in no block
SPARE_SECONDS = 60.0  # it may last so much longer than planned: its reader may be busy


@dataclass(frozen=True)
class Look:
    """What one entry has done so far: requests that were sent to it, CPU seconds of its processes
    and of its load generator, and when one looked."""

    at: float
    sent: int | None
    server: float
    client: float


@dataclass
class ContinuousLoad:
    """Entries under load, each by a load generator of its own.

    start: begins to load these entries for so many seconds, until the stack is closed; seconds: how
    long the blocks take, as planned; before: the looks at which the next block begins;
    server_cpu_seconds: of each entry in the last block; until: when the load generators end, by
    time.time(), which is what they go by; told: what those measured that ran out of time; unread:
    entries whose load generator gave no result in the end; seen: the servers' connections, at the
    begin and the end, and of one of them after each of the blocks.
    """

    programs: Mapping[str, Program]
    start: Callable[[Sequence[str], float, ExitStack], dict[str, Running]]
    seconds: float
    stack: ExitStack = field(default_factory=ExitStack)
    loads: dict[str, Running] = field(default_factory=dict)
    before: dict[str, Look] = field(default_factory=dict)
    server_cpu_seconds: dict[str, float] = field(default_factory=dict)
    until: float = math.inf
    told: dict[str, Load] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    seen: dict[str, Seen] = field(default_factory=dict)
    blocks: int = 0

    def begin(self, names: Sequence[str]) -> bool:
        """Load these, in this order; False, and nothing runs, where requests can't be counted."""
        with ExitStack() as stack:  # ends what has begun where this is interrupted
            lasting = float(round(self.seconds + SPARE_SECONDS))
            self.until = time.time() + lasting
            self.loads = self.start(names, lasting, stack)
            time.sleep(LEAD_SECONDS)
            self.before = {name: self.look(name) for name in names}
            if any(look.sent is None for look in self.before.values()) and not self.over:
                return False
            self.seen = {name: Seen(self.programs[name].port) for name in self.loads}
            self.look_at_connections(self.loads)
            self.stack = stack.pop_all()
        return True

    @property
    def over(self) -> bool:
        """Did the load generators come to the end of their time?

        They have a minute more than the blocks need: this process was stopped, or the machine
        slept.
        """
        return time.time() >= self.until

    def renew(self) -> bool:
        """Load them once more, and forget the block that was under way; False as `begin` says."""
        names = list(self.loads)
        self.told = self.end()
        return self.begin(names)

    def look_at_connections(self, names: Iterable[str]) -> None:
        for name in names:
            self.seen[name].look()

    def look(self, name: str) -> Look:
        running, members = self.loads[name], self.programs[name].members
        server = sum(processes.cpu_seconds(pid) for pid in members)
        return Look(time.monotonic(), running.sent(), server, running.cpu_seconds)

    def block(self, names: Sequence[str], seconds: float) -> dict[str, Load | LoadError]:
        """What these entries did from the last look on, for at least `seconds`.

        Latencies and errors are known in the end only.
        """
        if time.monotonic() - max(self.before[n].at for n in names) > LATE_SECONDS:
            self.before |= {name: self.look(name) for name in names}
        time.sleep(max(0.0, max(self.before[n].at for n in names) + seconds - time.monotonic()))
        found = {name: self.since(name) for name in names}
        self.look_at_connections([names[self.blocks % len(names)]])
        self.blocks += 1
        return found

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
            client_cpu_seconds=after.client - before.client,
            sent=after.sent - before.sent,
        )

    def drop(self, name: str) -> None:
        """End the load of an entry that is out of the race."""
        if running := self.loads.pop(name, None):
            running.process.kill()
            running.process.wait()

    def end(self) -> dict[str, Load]:
        """Stop all; what was measured in all of it, of each entry that tells."""
        self.look_at_connections(self.loads)
        for running in self.loads.values():
            running.stop()
        found = {}
        for name, running in self.loads.items():
            try:
                load = running.finished()
                load = replace(load, reused=self.seen[name].reused_or(load.reused))
            except LoadError:  # the blocks are known all the same
                self.unread.add(name)
                continue
            found[name] = self.told[name].joined(load) if name in self.told else load
        self.stack.close()
        return found


def ended_early(running: Running) -> LoadError:
    """Why a load generator is no longer there."""
    try:
        running.finished()
    except LoadError as error:
        return error
    return LoadError(f"{running.tool.name} ended before it was told to", "./bench doctor")
