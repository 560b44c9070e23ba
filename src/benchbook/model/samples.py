"""A sample of a run, what took it, and how both are written as JSON."""

import dataclasses
import json
import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, TypedDict

from benchbook.loadtools.tool import PERCENTILES
from benchbook.model.schemas import LEFT_OUT, About

LATENCIES = ("mean", *PERCENTILES, "max")


@dataclass(frozen=True)
class Evidence:
    """What happened on the machine during a sample; NaN or None where it can't be known."""

    server_cpu_seconds: Annotated[
        float,
        About("user and system time of the server and its descendants", type=["number", "null"]),
    ] = math.nan
    outside_cpu_seconds: Annotated[
        float | None, About("CPU time of programs that are neither server, load generator nor this")
    ] = None
    stolen_cpu_seconds: Annotated[float | None, About("CPU time that the hypervisor took")] = None
    clock_mhz: Annotated[float | None, About("mean clock of the CPUs at the end")] = None
    voluntary_switches: Annotated[
        int | None, About("context switches that the server made", type=["number", "null"])
    ] = None
    involuntary_switches: Annotated[
        int | None,
        About("context switches that were forced on the server", type=["number", "null"]),
    ] = None
    idle_cpu_seconds: Annotated[
        float | None,
        About("in which the CPUs that the server may use had nothing to do", younger=True),
    ] = None
    sent: Annotated[
        int | None,
        About(
            "requests that the load generator sent, by the kernel's count of its writes",
            younger=True,
        ),
    ] = None
    reused: Annotated[
        float | None,
        About(
            "the share of requests after which the connection was used again, by the kernel's "
            "count of the server's connections",
            younger=True,
            minimum=0,
            maximum=1,
        ),
    ] = None

    def part(self, share: float) -> "Evidence":
        """The same for a share of the time: of what others used of the CPUs as much falls on it."""

        def scaled(seconds: float | None) -> float | None:
            return None if seconds is None else seconds * share

        return replace(
            self,
            outside_cpu_seconds=scaled(self.outside_cpu_seconds),
            stolen_cpu_seconds=scaled(self.stolen_cpu_seconds),
        )


@dataclass(frozen=True)
class Sample:
    """One round of one entry. Times in seconds, latencies in milliseconds."""

    launch: Annotated[int, About("the launch, from 0", minimum=0)]
    block: Annotated[int, About("the block of the launch, from 0; -1 for a warm-up", minimum=-1)]
    position: Annotated[int, About("position in the block, from 0; -1 for a warm-up", minimum=-1)]
    variant: Annotated[str, About("name of the entry")]
    started_seconds: Annotated[float, About("start, in seconds from the start of the race")]
    seconds: Annotated[float, About("length by the load generator's clock", exclusiveMinimum=0)]
    requests: Annotated[int, About(minimum=0)]
    requests_per_second: Annotated[float, About(minimum=0)]
    latency_ms: Annotated[
        dict[str, float | None],
        About(
            "milliseconds: mean, p50, p75, p90, p99, p99_9, max; null if the tool reports none",
            only=LATENCIES,
        ),
    ]
    errors: Annotated[dict[str, Annotated[int, About(minimum=0)]], About("failed requests by kind")]
    non_2xx: Annotated[int, About("answers with an error status", minimum=0)]
    bytes: Annotated[int, About("bytes received", minimum=0)]
    client_cpu_seconds: Annotated[float | None, About("user and system time of the load generator")]
    evidence: Annotated[
        dict[str, float | int | None],
        About("what happened on the machine meanwhile; null if it is unknown", shape=Evidence),
    ]
    flags: Annotated[
        list[str], About("what casts doubt on this sample; see race/evidence.py")
    ] = field(default_factory=list)
    parts_ms: Annotated[
        dict[str, Annotated[float, About(minimum=0)]],
        About("what a request consists of: the mean of each part in milliseconds", younger=True),
    ] = field(default_factory=dict)
    measures: Annotated[
        dict[str, float] | None,
        About("what else the kind of experiment measures, by names of its own"),
    ] = field(default=None, metadata=LEFT_OUT)
    runs: Annotated[
        dict[str, list[float | None]] | None,
        About(
            "of whole processes: what each run took, in the order in which they ran: seconds, user "
            "and system in seconds, peak_bytes, exit_code; null if it is unknown"
        ),
    ] = field(default=None, metadata=LEFT_OUT)

    @property
    def cpu_microseconds(self) -> float:
        """CPU time that the server spent on a request, in microseconds; NaN where unknown."""
        seconds = self.evidence["server_cpu_seconds"]
        return 1e6 * seconds / self.requests if seconds and self.requests else math.nan

    @cached_property
    def line(self) -> str:
        """This sample as JSON on one line; made once, because a run is saved many times."""
        return json.dumps(plain(self), ensure_ascii=False)


class LoadHost(TypedDict):
    """Another host that the load came from; neither its name nor an address."""

    through: Annotated[str, About(enum=["ssh"])]
    system: str
    architecture: str
    cpu: str
    cpus: int
    round_trip_ms: Annotated[
        float, About("the round trip of a command over the open connection", younger=True)
    ]
    clock_ahead_seconds: Annotated[
        float, About("how far its clock is ahead of the server's", younger=True)
    ]
    clock_error_seconds: Annotated[float, About("by how much that may be wrong", younger=True)]


@dataclass(frozen=True)
class UsedTool:
    """What measured: a load generator, BenchmarkDotNet, Benchbook's own slices, Chromium, or
    a variant's client."""

    name: str
    version: str
    load_from: Annotated[LoadHost | None, About("the other host that the load came from")] = field(
        default=None, metadata=LEFT_OUT
    )


def plain(value: Any) -> Any:
    """A value as JSON can hold it: dataclasses as objects, NaN and infinities as null."""
    if dataclasses.is_dataclass(value):
        return {
            f.name: plain(getattr(value, f.name))
            for f in dataclasses.fields(value)
            if "left out" not in f.metadata or getattr(value, f.name) is not None
        }
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
