"""From a run's samples to ratios, and to one verdict for each statement. It measures nothing."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from benchbook.analysis import stats, verdicts
from benchbook.analysis.remarks import remarks_on
from benchbook.analysis.stats import Floats, Interval, has_data
from benchbook.analysis.verdicts import NOT_VALID, Test
from benchbook.model.claims import Claim, Statement
from benchbook.model.runs import Run

FAILURE_LIMIT = 0.001  # of a variant's requests: with more failures its figures are void

Speeds = Mapping[str, Floats]  # by entry, each of shape (launches, blocks)


@dataclass(frozen=True)
class Judgement:
    """A statement with its verdict. Ratios are factors; published is None where none is given.

    published_inside: does the published size lie in the interval (None: no size was published)?
    why: one sentence in the reader's words. tau: Kendall's τ of an order, with its interval.
    """

    statement: Statement
    verdict: str
    why: str
    tests: tuple[Test, ...] = ()
    published: float | None = None
    published_inside: bool | None = None
    tau: float | None = None
    tau_low: float | None = None
    tau_high: float | None = None


@dataclass(frozen=True)
class Results:
    """Everything that is computed from a run.

    ratios: to the baseline, by entry; medians: of the speeds, by entry; remarks: sentences on
    drift, outliers and disagreement (nothing is left out because of them).
    """

    floor: Interval | None
    ratios: Mapping[str, Interval]
    medians: Mapping[str, float]
    judgements: tuple[Judgement, ...] = field(default_factory=tuple)
    remarks: tuple[str, ...] = ()


def judge(run: Run, claim: Claim) -> Results:
    """Ratios to the baseline, the floor, and a verdict for every statement of the claim."""
    speeds = speeds_of(run)
    pilot = run.plan.pilot
    floor = compare(speeds, run.floor_copy, run.baseline, pilot)
    ratios = {
        e.name: interval
        for e in run.entries
        if e.role != "baseline" and (interval := compare(speeds, e.name, run.baseline, pilot))
    }
    medians = {
        name: float(np.nanmedian(array)) for name, array in speeds.items() if has_data(array)
    }
    tested = correct([tested_statement(s, claim, run, speeds, floor) for s in claim.statements])
    decided = tuple(decide(judgement, floor) for judgement in tested)
    return Results(floor, ratios, medians, decided, remarks_on(run, speeds))


def speeds_of(run: Run) -> Speeds:
    """The speeds of a run by entry, each of shape (launches, blocks)."""
    return {name: np.array(rows, float) for name, rows in run.speeds().items()}


def compare(speeds: Speeds, a: str, b: str, pilot: int | None) -> Interval | None:
    """The ratio of a to b; None where no block has samples of both. pilot: as in stats.interval."""
    logs = stats.log_ratios(speeds[a], speeds[b])
    return stats.interval(logs, pilot=pilot) if has_data(logs) else None


def launches_needed(run: Run, claim: Claim) -> int:
    """How many launches make every interval narrower than the plan's `until`, by the pilot's data.

    Every interval: of each entry to the baseline, and of each pair in a statement. Raises
    ValueError for a plan without `until`.
    """
    width = run.plan.until
    if width is None:
        raise ValueError("the plan does not say how narrow the intervals must be")
    speeds = speeds_of(run)
    pairs = [(e.name, run.baseline) for e in run.entries if e.role != "baseline"]
    pairs += [pair for s in claim.statements for pair in itertools.pairwise(s.names)]
    logs = [stats.log_ratios(speeds[a], speeds[b]) for a, b in pairs if a in speeds and b in speeds]
    return max(stats.launches_needed(each, width) for each in logs)


def tested_statement(
    statement: Statement, claim: Claim, run: Run, speeds: Speeds, floor: Interval | None
) -> Judgement:
    """The statement with its tests, or with the reason why it can't be judged (not valid)."""
    published = claim.published_ratio(statement)
    if reason := why_not_valid(statement, run, speeds, floor):
        return Judgement(statement, NOT_VALID, reason, published=published)
    pilot = run.plan.pilot
    tests = tuple(
        Test(a, b, stats.interval(stats.log_ratios(speeds[a], speeds[b]), pilot=pilot))
        for a, b in itertools.pairwise(statement.names)
    )
    judgement = Judgement(statement, "", "", tests, published)
    if statement.type == "order":
        chosen = [speeds[name] for name in statement.names]
        low, high = stats.bootstrap(chosen, stats.kendall_tau, run.plan.seed)
        tau = stats.kendall_tau(chosen)
        return replace(judgement, tau=tau, tau_low=low, tau_high=high)
    if published:
        interval = tests[0].interval
        inside = interval.low <= published <= interval.high
        return replace(judgement, published_inside=inside)
    return judgement


def why_not_valid(statement: Statement, run: Run, speeds: Speeds, floor: Interval | None) -> str:
    """Why the samples don't allow a verdict on this statement; '' where they do."""
    names = {entry.name for entry in run.entries}
    for name in statement.names:
        if name not in names:
            return f"{name} was left out of this race"
        entry = run.entry(name)
        if entry.status != "raced":
            return f"{name} is {entry.status}: {entry.short_reason}"
        if not has_data(speeds[name]):
            return f"{name} has no samples"
        if reason := why_void(run, name):
            return reason
    if floor is None:
        return "there is no floor: the A/A copy has no samples"
    if any(
        stats.launch_centres(stats.log_ratios(speeds[a], speeds[b])).size < 2
        for a, b in itertools.pairwise(statement.names)
    ):
        return "fewer than two launches have both: differences between launches are unknown"
    if floor.within_one_launch:
        return "the floor is from one launch: it says nothing about differences between launches"
    return ""


def why_void(run: Run, name: str) -> str:
    """Why a variant's samples are void: too many requests failed, or most of them are flagged.

    '' where they are not.
    """
    samples = [sample for sample in run.samples if sample.variant == name]
    requests = sum(sample.requests for sample in samples)
    failures = sum(sum(s.errors.values()) + s.non_2xx for s in samples)
    if failures > FAILURE_LIMIT * requests:
        return f"{failures:,} of {name}'s {requests:,} requests failed"
    for flag in sorted({flag for sample in samples for flag in sample.flags}):
        count = sum(flag in sample.flags for sample in samples)
        if 2 * count > len(samples):
            return f"{count} of {name}'s {len(samples)} samples are flagged {flag}"
    return ""


def correct(judgements: list[Judgement]) -> list[Judgement]:
    """The judgements with Holm's correction over all tests of the experiment."""
    adjusted = iter(stats.holm([t.interval.p for j in judgements for t in j.tests]))
    return [
        replace(j, tests=tuple(replace(t, p_adjusted=next(adjusted)) for t in j.tests))
        for j in judgements
    ]


def decide(judgement: Judgement, floor: Interval | None) -> Judgement:
    """The judgement with its verdict, from the corrected tests."""
    if judgement.verdict == NOT_VALID or floor is None:
        return judgement
    statement = judgement.statement
    first = judgement.tests[0]
    effect = statement.smallest_effect or 0.0
    if statement.type == "faster":
        verdict, why = verdicts.direction(first, floor.reach, effect, judgement.published)
    elif statement.type == "same":
        verdict, why = verdicts.equality(first, floor.reach, statement.within)
    elif statement.low is not None and statement.high is not None:  # its type is "ratio"
        verdict, why = verdicts.in_range(first, statement.low, statement.high, floor.reach)
    else:
        verdict, why = verdicts.ordering(judgement.tests, floor.reach, effect)
        why += f"; Kendall's τ {judgement.tau:.2f}"
        why += f" [{judgement.tau_low:.2f}, {judgement.tau_high:.2f}]"
    return replace(judgement, verdict=verdict, why=why)
