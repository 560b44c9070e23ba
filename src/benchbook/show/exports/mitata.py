"""mitata's JSON (1.0.34, `run({ format: 'json' })`). It is in nanoseconds."""

import json
from typing import Any

from benchbook.analysis.judging.judge import Results
from benchbook.compare.gate import Gated
from benchbook.model.runs import Run
from benchbook.show.exports import timings
from benchbook.show.exports.timings import Timed

QUANTILES = {"p25": 0.25, "p50": 0.5, "p75": 0.75, "p99": 0.99, "p999": 0.999}
ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "i686": "ia32"}
SYSTEMS = {"Windows": "win32"}  # as Node.js calls them, where that is not the name in lower case


def text(run: Run, results: Results, gated: Gated | None = None) -> str:
    """The whole file."""
    document = {
        "layout": [{"name": timings.about(run), "types": []}],
        "benchmarks": [benchmark(run, timed) for timed in timings.of(run, results)],
        "context": context(run),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def context(run: Run) -> dict[str, Any]:
    """Of the machine; the cost of an empty function is not known, so `noop` is left out."""
    cpu, system = run.machine.get("cpu", {}), str(run.machine.get("os", {}).get("name") or "")
    architecture = str(cpu.get("architecture") or "").lower()
    name = ARCHITECTURES.get(architecture, architecture)
    return {
        "now": 0.0,
        "arch": f"{name}-{SYSTEMS.get(system, system.lower())}",
        "version": run.benchbook,
        "runtime": "benchbook",
        "cpu": {"name": cpu.get("model") or "", "freq": (cpu.get("current_mhz") or 0) / 1000},
    }


def benchmark(run: Run, timed: Timed) -> dict[str, Any]:
    return {
        "kind": "static",
        "args": {},
        "alias": timed.name,
        "group": 0,
        "baseline": timed.name == run.baseline,
        "runs": [{"stats": stats(timed), "args": {}, "name": timed.name}],
        "style": {"highlight": False, "compact": False},
    }


def stats(timed: Timed) -> dict[str, Any]:
    """As it calculates them; its samples are sorted, so that the order of time is lost."""
    values = sorted(float(value) for value in timed.values)
    last = len(values) - 1
    return {
        "kind": "fn",
        "debug": "",
        "samples": values,
        "min": values[0],
        "max": values[-1],
        **{name: values[int(share * last)] for name, share in QUANTILES.items()},
        "avg": sum(values) / len(values),
        "ticks": sum(each.things for each in timed.timings),
    }
