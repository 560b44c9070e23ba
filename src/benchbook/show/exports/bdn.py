"""BenchmarkDotNet's full JSON (0.15.8, `--exporters fulljson`), as ResultsComparer reads it.

The statistics are those of all rounds, as BenchmarkDotNet's are; its confidence interval is taken
over launches, which it is not there.
"""

import json
import math
from typing import Any

import numpy as np

from benchbook.analysis.judging.judge import Results
from benchbook.analysis.statistics.stats import LEVEL, Floats, t_quantile
from benchbook.compare.gate import Gated
from benchbook.model.runs import Run
from benchbook.show.exports import timings
from benchbook.show.exports.timings import Timed

ARCHITECTURES = {"x86_64": "X64", "amd64": "X64", "i686": "X86", "aarch64": "Arm64"}
ARCHITECTURES |= {"arm64": "Arm64", "armv7l": "Arm"}
LEVEL_95 = 7  # its number of the level 95 %, as 12 is that of 99.9 %
PERCENTILES = (0, 25, 50, 67, 80, 85, 90, 95, 100)


def text(run: Run, results: Results, gated: Gated | None = None) -> str:
    """The whole file."""
    document = {
        "Title": f"{run.experiment.name}-{run.started}",
        "HostEnvironmentInfo": host(run),
        "Benchmarks": [benchmark(run, timed) for timed in timings.of(run, results)],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def host(run: Run) -> dict[str, Any]:
    machine = run.machine
    cpu, system = machine.get("cpu", {}), machine.get("os", {})
    architecture = str(cpu.get("architecture") or "")
    baseline = run.entry(run.baseline)
    return {
        "BenchmarkDotNetCaption": "Benchbook",
        "BenchmarkDotNetVersion": run.benchbook,
        "OsVersion": f"{system.get('name') or ''} {system.get('distribution') or ''}".strip(),
        "ProcessorName": cpu.get("model") or "",
        "PhysicalProcessorCount": 1,
        "PhysicalCoreCount": cpu.get("physical_cores") or 0,
        "LogicalCoreCount": cpu.get("logical_cores") or 0,
        "RuntimeVersion": ", ".join(baseline.software),
        "Architecture": ARCHITECTURES.get(architecture.lower(), architecture),
        "HasAttachedDebugger": False,
        "HasRyuJit": True,
        "Configuration": "RELEASE",
        "DotNetCliVersion": machine.get("versions", {}).get("dotnet-sdk") or "",
        "ChronometerFrequency": {"Hertz": 1_000_000_000},
        "HardwareTimerKind": "Unknown",
    }


def benchmark(run: Run, timed: Timed) -> dict[str, Any]:
    type_name, case = run.experiment.name, timed.entry.case
    found: dict[str, Any] = {
        "DisplayInfo": f"{timed.name}: {timings.about(run)}",
        "Namespace": None,
        "Type": type_name,
        "Method": timed.name,
        "MethodTitle": timed.name,
        "Parameters": case,
        "FullName": f"{type_name}.{timed.name}",
        "HardwareIntrinsics": "",
        "Statistics": statistics(timed),
        "Measurements": [
            {
                "IterationMode": "Workload",
                "IterationStage": "Result",
                "LaunchIndex": each.launch + 1,
                "IterationIndex": each.block + 1,
                "Operations": each.things,
                "Nanoseconds": round(each.nanoseconds * each.things),
            }
            for each in timed.timings
        ],
        "Metrics": [],
    }
    allocated = (run.allocated_bytes or {}).get(timed.name)
    if allocated is not None:
        found["Memory"] = {"BytesAllocatedPerOperation": round(allocated)}
    return found


def statistics(timed: Timed) -> dict[str, Any]:
    """As it calculates them; what is not known of a single round is left out. There it is "", at
    which ResultsComparer fails."""
    launches: dict[int, list[float]] = {}
    for each in timed.timings:
        launches.setdefault(each.launch, []).append(each.nanoseconds)
    means = np.array([float(np.mean(each)) for each in launches.values()])
    found = {**described(timed.values), "ConfidenceInterval": known(interval(means))}
    return known(found)


def described(values: Floats) -> dict[str, Any]:
    """Its figures of a sample, but for the confidence interval."""
    count, mean = values.size, float(values.mean())
    deviation = float(values.std(ddof=1)) if count > 1 else math.nan
    low, median, high = (float(q) for q in np.quantile(values, [0.25, 0.5, 0.75]))
    reach = 1.5 * (high - low)
    outside = [float(v) for v in values if not low - reach <= v <= high + reach]

    def moment(power: int) -> float:
        return float(((values - mean) ** power).mean()) / deviation**power if deviation else 0.0

    return {
        "OriginalValues": [float(value) for value in values],
        "N": int(count),
        "Min": float(values.min()),
        "LowerFence": low - reach,
        "Q1": low,
        "Median": median,
        "Mean": mean,
        "Q3": high,
        "UpperFence": high + reach,
        "Max": float(values.max()),
        "InterquartileRange": high - low,
        "LowerOutliers": [value for value in outside if value < low],
        "UpperOutliers": [value for value in outside if value > high],
        "AllOutliers": outside,
        "StandardError": deviation / math.sqrt(count),
        "Variance": deviation**2,
        "StandardDeviation": deviation,
        "Skewness": moment(3),
        "Kurtosis": moment(4),
        "Percentiles": {f"P{p}": float(np.percentile(values, p)) for p in PERCENTILES},
    }


def interval(means: Floats) -> dict[str, Any]:
    """The 95 % interval over the means of launches."""
    count, mean = means.size, float(means.mean())
    error = float(means.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan
    margin = t_quantile(LEVEL, count - 1) * error if count > 1 else math.nan
    return {
        "N": int(count),
        "Mean": mean,
        "StandardError": error,
        "Level": LEVEL_95,
        "Margin": margin,
        "Lower": mean - margin,
        "Upper": mean + margin,
    }


def known(figures: dict[str, Any]) -> dict[str, Any]:
    """The figures without those that are not known."""
    unknown = [k for k, v in figures.items() if isinstance(v, float) and not math.isfinite(v)]
    return {key: value for key, value in figures.items() if key not in unknown}
