"""A run's samples as rows: what a reader computes with, and draws."""

from collections.abc import Sequence
from typing import Any

from benchbook.model.runs import Run
from benchbook.model.samples import plain


def rows(run: Run, left_out: Sequence[int] = ()) -> list[dict[str, Any]]:
    """Every sample of a run as a row; left_out: how many blocks of each launch were still warm-up.

    name: of the entry, with its series and its case in a plot of growth, '' where it has none;
    launch and block: from 0; warm_up: it counts for nothing; seconds: its length; count: how many
    requests, calls or runs; rate: of them a second; speed: what entries are compared by, in
    `run.unit`; cpu_us: CPU time of each in microseconds, and p50_ms, p99_ms: latencies; None where
    not known.
    """
    entries = {entry.name: entry for entry in run.entries}
    warm_up = dict(enumerate(left_out))
    return [
        {
            "name": sample.variant,
            "series": entries[sample.variant].series,
            "case": entries[sample.variant].case,
            "launch": sample.launch,
            "block": sample.block,
            "warm_up": sample.block < warm_up.get(sample.launch, 0),
            "seconds": sample.seconds,
            "count": sample.requests,
            "rate": sample.requests_per_second,
            "speed": plain(run.speed(sample)),
            "cpu_us": plain(sample.cpu_microseconds),
            "p50_ms": plain(sample.latency_ms.get("p50")),
            "p99_ms": plain(sample.latency_ms.get("p99")),
            "flags": ", ".join(sample.flags),
            **(sample.measures or {}),
        }
        for sample in run.samples
    ]
