"""Open-loop load: a constant rate of requests, each latency counted from when it was due.

A closed-loop tool asks again only when it has its answer. While the server stalls, such a tool asks
nothing, so the requests that users would have sent are missing from its percentiles: coordinated
omission (Gil Tene, "How NOT to Measure Latency", https://www.youtube.com/watch?v=lJ8ydIuPFeU).
The remedy is wrk2's (https://github.com/giltene/wrk2, README): plan when each request is due, and
measure from there. tools/open_loop.mjs does that.

Tools checked against a server that stalls for 1 s once in 10 s (snippets/00-how-benchmarks-lie/
stalling.mjs; 20 s with two whole stalls, 1000 requests/s unless noted; Node.js 20, Debian 12, two
CPUs, not quiet). Arithmetic, see Stall, asks for mean 50, p95 500 and p99 900 ms; latencies in ms:

  closed loop, as fast as it can, 10 connections
    ab 2.4.71               p99 8, max 1009             hides the stall
    autocannon 9.0.0        p99 0, p99.9 2, max 1001    hides it
    wrk 4.1.0               mean 45, p99 888            shows it: stats_correct() in its src/stats.c
                            adds n - i, n - 2i … to each latency n, where i is the mean time
                            between two requests of a connection. But a latency over --timeout
                            (2 s) is dropped: with stalls of 3 s its p99 was 1.5 and its max 18,
                            beside 10 timeouts.
  at a constant rate
    autocannon 9.0.0 -R     mean 200, p50 1, p75 397, p99 856 (10 connections); mean 347, p50 325
                            (100): wrong. It sends each second's requests in a burst and fills
                            gaps as if a request were due every ms on each connection
                            (Math.ceil(1 / rate), a rate per second taken for one per ms).
    h2load 1.52 --rps       p99 4, max 998              hides it: counts from the sending
    hey 0.1.4 -q            p99 1.7, max 1002           hides it: closed loop with a speed limit
    httperf 0.9.0 --rate    mean 92, no percentiles     a new connection for each request
    loadtest 8.2.1 --rps    mean 71, p95 756, p99 1026  too high: it opens a connection for each
                            request that waits, and the kernel keeps only 511 for Node.js; the
                            rest try again after 1 s
    artillery 2.0.34        mean 53, p95 518, p99 944 (300/s); 50, 573, 1023 (1000/s): right while
                            the kernel keeps its connections, but opens one for each request, in
                            whole ms; with http.pool p95 31, for it counts from the sending. Needs
                            Node.js 22.18 and 470 packages (468 MB).
    open_loop.mjs           mean 54, p95 533, p99 905 (100 connections); 60, 551, 909 (10): with
                            the time it takes to work off what waits, as arithmetic has it

wrk2, vegeta, oha, k6 and fortio are not packages of Debian 12 (whose bombardier is a game) and
were not checked. So the tool is our own.
"""

import json
import math
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchbook import __version__, load, paths, pinning, programs
from benchbook.experiments import Variant
from benchbook.load import PERCENTILES, Load
from benchbook.pinning import Pinning
from benchbook.processes import Keeper
from benchbook.programs import VariantError

LATE_SHARE = 0.5  # the generator's own lateness may make up this much of the p99 …
LATE_FLOOR_MS = 1.0  # … and is never held against it below this
KEPT_LIMIT = 0.9  # the share of the rate that must be answered: below it the server is overloaded


@dataclass(frozen=True, kw_only=True)
class OpenLoad(Load):
    """What one open-loop run measured; latency_ms counts from the time each request was due.

    rate_asked: requests per second; due, sent: how many were to be sent, and were;
    late_ms: how late the generator took up requests that were due (mean, p50 … max);
    from_send_ms: the same requests, counted from when they were really sent (what wrk2 calls
    uncorrected); waited: how many were due while every connection was busy;
    curve: (percent, latency in ms) of the whole distribution, from 0 to 100.
    Latencies are of requests that were answered; those that were not are in `errors`.
    """

    rate_asked: float
    due: int
    sent: int
    late_ms: dict[str, float]
    from_send_ms: dict[str, float | None]
    waited: int
    curve: tuple[tuple[float, float], ...] = field(repr=False)

    @property
    def not_valid(self) -> str:
        """Why these latencies can't be trusted; '' where nothing speaks against them."""
        late, p99 = self.late_ms["p99"], self.latency_ms["p99"] or 0.0
        if late > max(LATE_FLOOR_MS, LATE_SHARE * p99):
            return (
                f"the load generator could not keep {self.rate_asked:g} requests/s: it was "
                f"{late:.1f} ms late (p99), which is most of the latency's p99 of {p99:.1f} ms; "
                "ask for a lower rate, or give it a CPU of its own"
            )
        failed = sum(self.errors.values()) + self.non_2xx
        if failed:
            return f"{failed} of {self.due} requests failed: their latencies are missing, or fake"
        if self.requests_per_second < KEPT_LIMIT * self.rate_asked:
            return (
                f"{self.requests_per_second:.0f} of {self.rate_asked:g} requests/s were answered: "
                "too many for the server, the connections or the generator, and latency then "
                "only says for how long"
            )
        return ""


@dataclass(frozen=True)
class OpenLoop:
    """A load.Tool that asks at a constant `rate`, in requests per second over all connections.

    It watches the clock between requests, so it uses its CPU whole: the witness's flags
    client-bound and server-idle say nothing about it. OpenLoad.not_valid does.
    """

    rate: float

    name = "open-loop"
    step_seconds = 0.001
    interrupted = False
    threaded = False
    corrects = False  # nothing is added: every latency is a request's that was sent
    install = "./bench setup (it needs Node.js only)"
    script = paths.PACKAGE / "tools" / "open_loop.mjs"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rate) and self.rate > 0):
            raise ValueError(f"a rate is above 0 requests/s, not {self.rate}")

    def missing(self) -> bool:
        return not shutil.which("node")

    def version(self) -> str:
        return __version__

    def command(self, demand: load.Demand) -> list[str]:
        # connections that rest for longer than a server keeps them open would be errors
        used = max(1, min(demand.connections, int(self.rate)))
        numbers = [f"{self.rate:g}", f"{demand.seconds:g}", str(used)]
        return ["node", str(self.script), demand.url, *numbers]

    def read(self, output: str, folder: Path) -> OpenLoad:
        result = json.loads(next(x for x in reversed(output.splitlines()) if x.startswith("{")))
        curve = tuple((percent, ms) for percent, ms in result.pop("curve"))
        return OpenLoad(rate_asked=self.rate, curve=curve, **result)


def run(
    url: str,
    rate: float,
    seconds: float,
    connections: int,
    keeper: Keeper,
    cpus: Sequence[int] | None = None,
) -> OpenLoad:
    """Ask `url` for `seconds` at a constant `rate` (requests per second) and return the latencies.

    connections: as many as may be under way at once; what is due beyond that waits, and its wait
    counts. Raises LoadError where the generator fails, ValueError for a rate that is none.
    """
    return load.run(OpenLoop(rate), url, seconds, connections, keeper, cpus)


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
    closed: dict[str, Load]
    open: OpenLoad
    utilisation: float

    @property
    def expected_ms(self) -> dict[str, float]:
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
            "expected": self.expected_ms,
        }

    def expected_curve(self) -> tuple[tuple[float, float], ...]:
        """(percent, latency in ms) at the same percents as open.curve."""
        return tuple((p, self.stall.latency_ms(p, self.utilisation)) for p, _ in self.open.curve)


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
    tools: names in load.TOOLS (wrk adds what a stall kept it from sending: not closed-loop's view).
    Raises LoadError or VariantError where a tool or the server fails.
    """
    variant = Variant(name=server.stem, title=server.stem, path=server.resolve())
    loops = [*(load.choose(name) for name in tools), OpenLoop(rate)]
    found = []
    pins = pins or pinning.split()
    with Keeper() as keeper:
        for loop in loops:
            found.append(loaded(variant, loop, seconds, connections, stall, keeper, pins))
    closed = dict(zip(tools, found[:-1], strict=True))
    answering = 1 - stall.stall_ms / stall.every_ms
    capacity = max((f.requests_per_second / answering for f in closed.values()), default=math.inf)
    return Comparison(stall, closed, found[-1], min(0.9, rate / capacity))


def loaded(
    variant: Variant,
    tool: load.Tool,
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
        result = load.run(tool, url, seconds, connections, keeper, pins.client)
        if not program.alive:
            raise programs.ended(program, "under load")
        if not result.requests:
            raise VariantError(variant, result.silence)
        return result
    finally:
        program.end(keeper)
