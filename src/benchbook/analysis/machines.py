"""What one machine says: its run of an experiment as ratios, with the spread of its launches."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook.analysis import stats, untrusted
from benchbook.analysis.judge import speeds_of, why_void
from benchbook.analysis.stats import Floats, Interval
from benchbook.analysis.untrusted import Pair, SharedVerdict
from benchbook.model.runs import Entry, Run
from benchbook.system.errors import InputError


@dataclass(frozen=True)
class Reading:
    """What one machine says of one variant; pilot as in stats.interval."""

    interval: Interval
    pilot: int | None

    @property
    def log(self) -> float:
        return math.log(self.interval.ratio)

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the spread: one less than the launches it is estimated from."""
        return min(self.pilot or self.interval.launches, self.interval.launches) - 1

    @property
    def spread(self) -> float:
        """The variance of the launches' log ratios, from the width of Student's interval."""
        half = (math.log(self.interval.high) - math.log(self.interval.low)) / 2
        quantile = stats.t_quantile(self.interval.level, self.freedom + 1)
        return self.interval.launches * (half / quantile) ** 2


@dataclass(frozen=True)
class Machine:
    """One attendee's run of one experiment.

    name: the attendee's code where the file was made by `./bench share`, else the file's name.
    floor: as a fraction; readings: by variant, to the baseline; verdicts: by statement; pairs: of
    the two variants that a statement compares; left_out: why a variant of this run is not used.
    """

    name: str
    file: str
    shared: bool
    run: Run
    floor: float
    readings: Mapping[str, Reading]
    verdicts: Mapping[str, SharedVerdict]
    pairs: Mapping[Pair, Reading]
    left_out: Mapping[str, str]


def machine_from(document: dict[str, Any], name: str, where: str, shared: bool = False) -> Machine:
    """The machine that a run document speaks for. Raises BenchError saying why it can't be used."""
    run = untrusted.checked_run(document, where)
    speeds = speeds_of(run)
    readings, left_out = readings_of(run, speeds, where)
    floor = readings[run.floor_copy].interval.reach
    for each in readings.values():
        _ = each.spread  # raises ArithmeticError where the numbers can't be calculated with
    verdicts = untrusted.shared_verdicts(document["results"], where)
    pairs = {
        pair: reading
        for pair in {each.pair for each in verdicts.values() if each.pair}
        if set(pair) <= set(speeds) - set(left_out)
        and (reading := reading_of(speeds[pair[0]], speeds[pair[1]], run.plan.pilot))
    }
    return Machine(name, where, shared, run, floor, readings, verdicts, pairs, left_out)


def readings_of(
    run: Run, speeds: Mapping[str, Floats], where: str
) -> tuple[dict[str, Reading], dict[str, str]]:
    """(readings by entry, why an entry has none). Raises InputError where there is no floor."""
    left_out = {e.name: reason for e in run.entries if (reason := why_unusable(run, e))}
    for role in (run.baseline, run.floor_copy):
        if role in left_out:
            raise InputError(where, "", f"can't be compared: {role} {left_out[role]}")
    readings = {}
    for entry in run.entries:
        if entry.role == "baseline" or entry.name in left_out:
            continue
        reading = reading_of(speeds[entry.name], speeds[run.baseline], run.plan.pilot)
        if reading:
            readings[entry.name] = reading
        else:
            left_out[entry.name] = "was measured in one launch only"
    if run.floor_copy not in readings:
        reason = left_out.get(run.floor_copy, "has no samples")
        raise InputError(where, "", f"has no floor: {run.floor_copy} {reason}")
    return readings, left_out


def reading_of(a: Floats, b: Floats, pilot: int | None) -> Reading | None:
    """The ratio of a to b; None where fewer than two launches have samples of both."""
    logs = stats.log_ratios(a, b)
    if np.isfinite(logs).any(axis=1).sum() < 2:
        return None
    return Reading(stats.interval(logs, pilot=pilot), pilot)


def why_unusable(run: Run, entry: Entry) -> str:
    """Why an entry of a run is not pooled; '' where it is."""
    if entry.status != "raced":
        return f"is {entry.status}"
    if entry.edited:
        return "was edited"
    if not any(sample.variant == entry.name for sample in run.samples):
        return "has no samples"
    if reason := why_void(run, entry.name):
        return f"is void: {reason}"
    return ""
