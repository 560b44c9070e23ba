"""Open-loop load: a constant rate of requests, each latency counted from when it was due.

A closed-loop tool asks again only when it has its answer. While the server stalls, such a tool asks
nothing, so the requests that users would have sent are missing from its percentiles: coordinated
omission (Gil Tene, "How NOT to Measure Latency", https://www.youtube.com/watch?v=lJ8ydIuPFeU).
The remedy is wrk2's (https://github.com/giltene/wrk2, README): plan when each request is due, and
measure from there. open_loop.mjs does that.

Tools checked against a server that stalls for 1 s once in 10 s (snippets/00-how-benchmarks-lie/
stalling.mjs; 20 s with two whole stalls, 1000 requests/s unless noted; Node.js 20, Debian 12, two
CPUs, not quiet). Arithmetic, see stalling.py, asks for mean 50, p95 500 and p99 900 ms; in ms:

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
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchbook.load import loading
from benchbook.loadtools.manner import Manner
from benchbook.loadtools.tool import Load, LoadRequest, LoadTool
from benchbook_kernels.base.processes import Keeper

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
        late, p99 = self.late_ms["p99"], self.latency_ms["p99"]
        if p99 is None:
            return f"none of {self.due} requests was answered: there is no latency"
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
class OpenLoop(LoadTool):
    """A LoadTool that asks at a constant `rate`, in requests per second over all connections.

    It watches the clock between requests, so it uses its CPU whole: a sample's flags
    client-bound and server-idle say nothing about it. OpenLoad.not_valid does.
    """

    rate: float

    name = "open-loop"
    purpose = "latency at a constant rate, without coordinated omission"
    step_seconds = 0.001
    manner = Manner("1.1", (("Connection", "keep-alive"),))
    install = "./bench setup (it needs Node.js only)"
    script = Path(__file__).with_name("open_loop.mjs")

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rate) and self.rate > 0):
            raise ValueError(f"a rate is above 0 requests/s, not {self.rate}")

    def command(self, request: LoadRequest) -> list[str]:
        # connections that rest for longer than a server keeps them open would be errors
        used = max(1, min(request.connections, int(self.rate)))
        numbers = [f"{self.rate:g}", f"{request.seconds:g}", str(used)]
        return ["node", str(self.script), request.url, *numbers]

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
    return as_open(loading.run(OpenLoop(rate), url, seconds, connections, keeper, cpus))


def as_open(load: Load) -> OpenLoad:
    """What an OpenLoop measured, as that."""
    assert isinstance(load, OpenLoad), "OpenLoop.read returns no other Load"
    return load
