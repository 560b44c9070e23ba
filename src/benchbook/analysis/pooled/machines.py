"""What one machine says: its run of an experiment as ratios with their intervals."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchbook.analysis.judging.connections import unlike
from benchbook.analysis.pooled import untrusted
from benchbook.analysis.pooled.untrusted import Pair, SharedVerdict
from benchbook.analysis.statistics.compared import Compared
from benchbook.analysis.statistics.exclusion import why_excluded
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.runs import Entry, Run
from benchbook_kernels.base.errors import InputError


@dataclass(frozen=True)
class Machine:
    """One attendee's run of one experiment.

    name: the attendee's code where the file was made by `./bench share`, else the file's name.
    control: of its A/A copy; readings: by variant, to the baseline; verdicts: by statement; pairs:
    of the two variants that a statement compares; left_out: why a variant of it is not used.
    """

    name: str
    file: str
    shared: bool
    run: Run
    control: Interval
    readings: Mapping[str, Interval]
    verdicts: Mapping[str, SharedVerdict]
    pairs: Mapping[Pair, Interval]
    left_out: Mapping[str, str]


def machine_from(document: dict[str, Any], name: str, where: str, shared: bool = False) -> Machine:
    """The machine that a run document speaks for. Raises BenchError saying why it can't be used."""
    run = untrusted.checked_run(document, where)
    compared = Compared.of(run)
    readings, left_out = readings_of(compared, where)
    for each in readings.values():
        if not math.isfinite(math.log(each.ratio) + each.error):
            raise InputError(where, "samples", "hold numbers that can't be calculated with")
    verdicts = untrusted.shared_verdicts(document["results"], where)
    pairs = {
        pair: reading
        for pair in {each.pair for each in verdicts.values() if each.pair}
        if not set(pair) & set(left_out) and (reading := reading_of(compared, *pair))
    }
    control = readings[run.control]
    return Machine(name, where, shared, run, control, readings, verdicts, pairs, left_out)


def readings_of(compared: Compared, where: str) -> tuple[dict[str, Interval], dict[str, str]]:
    """(readings by entry, why an entry has none). Raises InputError where there is no control."""
    run = compared.run
    left_out = {e.name: reason for e in run.entries if (reason := why_unusable(run, e))}
    for role in (run.baseline, run.control):
        if role in left_out:
            raise InputError(where, "", f"can't be compared: {role} {left_out[role]}")
    readings = {}
    for entry in run.entries:
        if entry.role == "baseline" or entry.name in left_out:
            continue
        reading = reading_of(compared, entry.name, run.baseline)
        if reading:
            readings[entry.name] = reading
        else:
            left_out[entry.name] = "was measured in one launch only"
    if run.control not in readings:
        reason = left_out.get(run.control, "has no samples")
        raise InputError(where, "", f"has no control: {run.control} {reason}")
    return readings, left_out


def reading_of(compared: Compared, a: str, b: str) -> Interval | None:
    """The ratio of a to b; None where fewer than two launches have samples of both."""
    found = compared.interval(a, b)
    return None if found is None or found.within_one_launch else found


def why_unusable(run: Run, entry: Entry) -> str:
    """Why an entry of a run is not pooled; '' where it is."""
    if entry.status != "raced":
        return entry.fate
    if entry.edited:
        return "was edited"
    if not any(sample.variant == entry.name for sample in run.samples):
        return "has no samples"
    if reason := why_excluded(run, entry.name):
        return f"is excluded: {reason}"
    if entry.role == "variant" and (found := unlike(run, entry.name, run.baseline)):
        return f"can't be compared: {found.why}"
    return ""
