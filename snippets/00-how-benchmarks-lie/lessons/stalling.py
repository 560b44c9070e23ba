"""A server that stalls, seen by closed-loop tools and by an open loop, and what to expect.

open_loop.py explains coordinated omission; this shows it, and gives the numbers that must come out.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook.load import loading, registry
from benchbook.loadtools.tool import PERCENTILES, Load, LoadTool
from benchbook.model.variants import Variant
from benchbook.programs import programs
from benchbook.programs.programs import VariantError
from benchbook.system import pinning
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.processes import Keeper

from .open_loop import OpenLoad, OpenLoop, as_open


@dataclass(frozen=True)
class Stall:
    """A server that answers nothing for `stall_ms` once in every `every_ms`, otherwise at once."""

    stall_ms: float = 1000.0
    every_ms: float = 10000.0

    def latency_ms(self, percent: float, utilisation: float = 0.0) -> float:
        """The percentile of latency that requests at a constant rate must see, in milliseconds.

        A request that is due t ms into the stall waits for the rest of it, s - t, and then for
        those before it: at a utilisation ρ (rate / what the server can do) they take ρt, so that
        it waits s - (1 - ρ)t. The share (s / e) / (1 - ρ) of all requests waits; the percentile p
        of them all is s - (1 - ρ)(1 - p)e where that is above 0. The same queue with ρ = 0 is in
        Tene's talk: 1 s in 10 s gives a p95 of 0.5 s and a p99 of 0.9 s.
        """
        rest = (1 - utilisation) * (1 - percent / 100) * self.every_ms
        return max(0.0, self.stall_ms - rest)

    def mean_ms(self, utilisation: float = 0.0) -> float:
        """The mean latency likewise: a triangle of height s over the requests that wait."""
        return self.stall_ms**2 / (2 * self.every_ms * (1 - utilisation))

    def expected(self, utilisation: float = 0.0) -> dict[str, float]:
        """Mean, p50 … p99_9 and max as in Load.latency_ms."""
        at = {name: float(name[1:].replace("_", ".")) for name in PERCENTILES}
        return {
            "mean": self.mean_ms(utilisation),
            **{name: self.latency_ms(percent, utilisation) for name, percent in at.items()},
            "max": self.stall_ms,
        }


@dataclass(frozen=True)
class Comparison:
    """The same stalling server as a closed-loop tool and as an open-loop one see it.

    closed: by the tool's name; utilisation: the share of its time that the server needs at the
    open loop's rate, by what the first closed-loop tool got out of it.
    """

    stall: Stall
    closed: Mapping[str, Load]
    open: OpenLoad
    utilisation: float

    @property
    def expected_ms(self) -> Mapping[str, float]:
        """The latencies that the stall must cause, by arithmetic alone."""
        return self.stall.expected(self.utilisation)

    def rows(self) -> dict[str, dict[str, float | None]]:
        """Latencies in ms by percentile, for a table or a figure: each closed-loop tool, the open
        loop counted from when requests were sent and from when they were due, and expected."""
        return {
            **{
                f"{name} (closed loop)": dict(found.latency_ms)
                for name, found in self.closed.items()
            },
            "open loop, from when sent": dict(self.open.from_send_ms),
            "open loop, from when due": dict(self.open.latency_ms),
            "expected": dict(self.expected_ms),
        }


def compare_loops(
    server: Path,
    seconds: float = 10.0,
    rate: float = 1000.0,
    connections: int = 50,
    stall: Stall = Stall(),
    tools: Sequence[str] = ("autocannon",),
    pins: Pinning | None = None,
) -> Comparison:
    """Load a server that stalls in a closed and in an open loop, and say what was to be expected.

    server: a program that stalls as STALL_MS and EVERY_MS in its environment say (see
    snippets/00-how-benchmarks-lie/stalling.mjs), counted from its start. `seconds` should be a
    whole number of stall.every_ms. It is started anew for each tool, and the load begins half
    of every_ms after it did, so that no stall is cut off. Takes (seconds + every_ms / 2) for each.
    tools: names of tools (wrk adds what a stall kept it from sending, so it shows the stall).
    Raises LoadError or VariantError where a tool or the server fails.
    """
    variant = Variant(name=server.stem, title=server.stem, path=server.resolve())
    closed_loops, open_loop = {name: registry.choose(name) for name in tools}, OpenLoop(rate)
    cpus = pins or pinning.split()
    with Keeper() as keeper:

        def load(tool: LoadTool) -> Load:
            return loaded(variant, tool, seconds, connections, stall, keeper, cpus)

        closed = {name: load(tool) for name, tool in closed_loops.items()}
        seen = as_open(load(open_loop))
    answering = 1 - stall.stall_ms / stall.every_ms
    capacity = max((f.requests_per_second / answering for f in closed.values()), default=math.inf)
    return Comparison(stall, closed, seen, min(0.9, rate / capacity))


def loaded(
    variant: Variant,
    tool: LoadTool,
    seconds: float,
    connections: int,
    stall: Stall,
    keeper: Keeper,
    pins: Pinning,
) -> Load:
    """Start the server, load it from midway between two stalls, end it."""
    env = {"STALL_MS": f"{stall.stall_ms:g}", "EVERY_MS": f"{stall.every_ms:g}"}
    program = programs.start(variant, keeper, pins.server, env=env)
    try:
        programs.await_ready(program, "/")
        time.sleep(stall.every_ms / 2000)
        url = f"http://{programs.HOST}:{program.port}/"
        result = loading.run(tool, url, seconds, connections, keeper, pins.client)
        if not program.alive:
            raise programs.ended(program, "under load")
        if not result.requests:
            raise VariantError(variant, result.silence)
        return result
    finally:
        program.end(keeper)
