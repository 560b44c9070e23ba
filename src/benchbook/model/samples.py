"""A sample of a run, what took it, and how both are written as JSON."""

import dataclasses
import json
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

LEFT_OUT = {"left out": "where it is None"}  # metadata of a field of the document


@dataclass(frozen=True)
class Sample:
    """One round of one entry. Times in seconds, latencies in milliseconds.

    started_seconds counts from the start of the race; position is the place in its block;
    evidence and flags: race/evidence.py says what they mean; parts_ms: what a request consists of,
    where its parts are timed apart, with the mean of each in milliseconds; measures: what else the
    kind of experiment measures, by names of its own.
    """

    launch: int
    block: int
    position: int
    variant: str
    started_seconds: float
    seconds: float
    requests: int
    requests_per_second: float
    latency_ms: dict[str, float | None]
    errors: dict[str, int]
    non_2xx: int
    bytes: int
    client_cpu_seconds: float | None
    evidence: dict[str, float | int | None]
    flags: list[str] = field(default_factory=list)
    parts_ms: dict[str, float] = field(default_factory=dict)
    measures: dict[str, float] | None = field(default=None, metadata=LEFT_OUT)

    @property
    def cpu_microseconds(self) -> float:
        """CPU time that the server spent on a request, in microseconds; NaN where unknown."""
        seconds = self.evidence["server_cpu_seconds"]
        return 1e6 * seconds / self.requests if seconds and self.requests else math.nan

    @cached_property
    def line(self) -> str:
        """This sample as JSON on one line; made once, because a run is saved after every block."""
        return json.dumps(plain(self), ensure_ascii=False)


@dataclass(frozen=True)
class UsedTool:
    """What measured: a load generator, BenchmarkDotNet, Benchbook's own slices, Chromium, or
    a variant's client.

    load_from: the other host that the load came from, as load_from.Remote.to_json tells it.
    """

    name: str
    version: str
    load_from: dict[str, Any] | None = field(default=None, metadata=LEFT_OUT)


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
