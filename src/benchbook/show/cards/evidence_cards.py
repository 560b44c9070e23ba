"""The evidence of a race: was the server the bottleneck, and what disturbed the samples?"""

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from benchbook.analysis.judging import connections
from benchbook.analysis.statistics.compared import EQUAL_SHARES, shares_of
from benchbook.model.runs import Run
from benchbook.model.samples import Sample
from benchbook.race.evidence import EXPLAIN
from benchbook.show.markup import Output, more, paragraph, table, total

UNKNOWN = "unknown"
UNKNOWN_FLAG = "a flag that this version of Benchbook does not know"


def evidence(run: Run) -> Output:
    """Each entry's evidence: CPU of both sides, requests in flight, failures, flags.

    Together, also the share of the CPU that each server had.
    """
    if not run.kind.under_load:
        return benchmark_evidence(run)
    shares = shares_of(run)
    kept = {entry.name: connections.reused(run, entry.name) for entry in run.entries}
    told = any(share is not None for share in kept.values())
    rows = [
        [
            name,
            cpu_use(samples, (s.evidence["server_cpu_seconds"] for s in samples)),
            *([share_text(shares.get(name))] if shares else []),
            cpu_use(samples, (s.client_cpu_seconds for s in samples)),
            cpu_use(samples, (s.evidence["outside_cpu_seconds"] for s in samples)),
            forced_switches(samples),
            in_flight(samples),
            *([reuse_text(kept[name])] if told else []),
            f"{sum(sum(s.errors.values()) + s.non_2xx for s in samples):,}",
            flags_text(samples),
        ]
        for name, samples in by_entry(run).items()
    ]
    columns = [
        "variant",
        "server CPU",
        *(["of an equal share"] if shares else []),
        "client CPU",
        "other programs",
        "forced switches/s",
        f"in flight (of {run.plan.connections})",
        *(["on kept connections"] if told else []),
        "failed",
        "flags (of its samples)",
    ]
    return total([table(columns, rows, right=range(1, len(columns) - 1)), *explanations(run)])


def benchmark_evidence(run: Run) -> Output:
    """Each benchmark's evidence: what else used the CPUs, how long an iteration took, flags."""
    rows = [
        [
            name,
            cpu_use(samples, (s.evidence["outside_cpu_seconds"] for s in samples)),
            cpu_use(samples, (s.evidence["stolen_cpu_seconds"] for s in samples)),
            f"{statistics.median(s.seconds for s in samples):.3g} s",
            flags_text(samples),
        ]
        for name, samples in by_entry(run).items()
    ]
    columns = ["variant", "other programs", "stolen", "an iteration", "flags (of its samples)"]
    messages = [message for message in run.messages if message.startswith(run.tool.name)]
    parts = [table(columns, rows, right=range(1, 4)), *explanations(run)]
    return total([*parts, *map(paragraph, messages)])


def by_entry(run: Run) -> dict[str, list[Sample]]:
    """The samples of each entry that has any."""
    found = {e.name: [s for s in run.samples if s.variant == e.name] for e in run.entries}
    return {name: samples for name, samples in found.items() if samples}


def flags_text(samples: Sequence[Sample]) -> str:
    """Which flags an entry's samples have, and how many of them have each: it may have raced for
    fewer launches than others."""
    counts = Counter(flag for sample in samples for flag in set(sample.flags))
    told = (f"{flag}\u00a0({counts[flag]}\u00a0of\u00a0{len(samples)})" for flag in sorted(counts))
    return ", ".join(told) or "none"


def explanations(run: Run) -> list[Output]:
    """What the flags of a run mean, and what to do."""
    flags = sorted({flag for sample in run.samples for flag in sample.flags})
    return [more(paragraph(f"{flag}: {EXPLAIN.get(flag, UNKNOWN_FLAG)}")) for flag in flags]


def cpu_use(samples: Sequence[Sample], cpu_seconds: Iterable[float | None]) -> str:
    """CPU time as a percentage of one CPU, over all samples for which it is known."""
    pairs = zip(cpu_seconds, samples)
    known = [(value, sample.seconds) for value, sample in pairs if value is not None]
    if not known:
        return UNKNOWN
    return f"{sum(value for value, _ in known) / sum(seconds for _, seconds in known):.0%}"


def share_text(share: float | None) -> str:
    """A share of the CPU in percent of an equal one, with a word where it is not equal."""
    if share is None:
        return UNKNOWN
    uneven = abs(share - 1) > EQUAL_SHARES
    return f"{share:.0%}" + (f" ({'more' if share > 1 else 'less'})" if uneven else "")


def reuse_text(share: float | None) -> str:
    return UNKNOWN if share is None else connections.percent(share)


def forced_switches(samples: Sequence[Sample]) -> str:
    """The server's involuntary context switches a second: how often it had to give up its CPU."""
    counts = [(s.evidence["involuntary_switches"], s.seconds) for s in samples]
    known = [(count, seconds) for count, seconds in counts if count is not None]
    if not known:
        return UNKNOWN
    return f"{sum(count for count, _ in known) / sum(seconds for _, seconds in known):,.0f}"


def in_flight(samples: Sequence[Sample]) -> str:
    """Little's law, median over the samples: throughput × mean latency."""
    values = [
        s.requests_per_second * mean / 1000
        for s in samples
        if (mean := s.latency_ms["mean"]) is not None
    ]
    return f"{statistics.median(values):.1f}" if values else UNKNOWN
