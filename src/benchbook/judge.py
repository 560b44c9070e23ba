"""From a run's samples to ratios and one verdict a statement. Reads a run, measures nothing."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from benchbook import stats
from benchbook.claims import Claim, Statement
from benchbook.results import Run
from benchbook.stats import Interval

ALPHA = 1 - stats.LEVEL
WIDEST_FLOOR = 0.10  # with a wider floor than this a race can't say that two things are equal
WIDEST_TOLD = 2.0  # a wider band than ±200 % is told as a factor
FAILED_SHARE = 0.001  # of a variant's requests: more failures than that and its figures are void

REPRODUCED = "reproduced"
OPPOSITE = "opposite"
NO_DIFFERENCE = "no difference"
TOO_CLOSE = "too close to call"
NOT_VALID = "not valid"
VERDICTS = (REPRODUCED, OPPOSITE, NO_DIFFERENCE, TOO_CLOSE, NOT_VALID)

METHOD = (
    "ratio = exp(mean over launches of the Hodges-Lehmann centre over blocks of "
    "ln(requests/s of a / requests/s of b)); "
    "95 % interval: Student's t on the launches' centres (Kalibera & Jones 2013); "
    "floor = how far from 1 the interval of the A/A copy reaches; "
    "p corrected over all tests of the experiment (Holm 1979)"
)


CANCELS = "ratios are taken within blocks, so it cancels"
AVERAGES = "the rounds of a launch are not interleaved, so only more launches average it out"


@dataclass(frozen=True)
class Test:
    """One comparison of a to b; p_adjusted is Holm's, over all of the experiment's."""

    a: str
    b: str
    interval: Interval
    p_adjusted: float = 1.0


@dataclass(frozen=True)
class Judgement:
    """A statement with its verdict. Ratios are factors; published is None where none is given.

    published_inside: does the published size lie in the interval (None: no size was published)?
    why: one sentence in the reader's words.
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

    remarks: sentences on drift, outliers and disagreement; nothing is left out because of them.
    """

    floor: Interval | None
    ratios: Mapping[str, Interval]
    medians: Mapping[str, float]
    judgements: tuple[Judgement, ...] = field(default_factory=tuple)
    remarks: tuple[str, ...] = ()


def judge(run: Run, claim: Claim) -> Results:
    """Ratios to the baseline, the floor, and a verdict for every statement of the claim."""
    speeds = {name: np.array(rows, float) for name, rows in run.speeds().items()}
    pilot = run.plan["pilot"]
    floor = compare(speeds, run.floor_copy, run.baseline, pilot)
    ratios = {
        e.name: interval
        for e in run.entries
        if e.role != "baseline" and (interval := compare(speeds, e.name, run.baseline, pilot))
    }
    medians = {
        name: float(np.nanmedian(array)) for name, array in speeds.items() if has_data(array)
    }
    judgements = correct(
        [judge_one(statement, claim, run, speeds, floor) for statement in claim.statements]
    )
    decided = tuple(decide(judgement, floor) for judgement in judgements)
    return Results(floor, ratios, medians, decided, remarks(run, speeds))


def has_data(array: np.ndarray) -> bool:
    return bool(np.isfinite(array).any())


def compare(speeds: Mapping[str, np.ndarray], a: str, b: str, pilot: int | None) -> Interval | None:
    """The ratio of a to b; None where no block holds both. pilot: as in stats.interval."""
    logs = stats.log_ratios(speeds[a], speeds[b])
    return stats.interval(logs, pilot=pilot) if has_data(logs) else None


def launches_needed(run: Run, claim: Claim) -> int:
    """How many launches make every interval narrower than the plan's `until`, by the pilot's data.

    Every interval: of each entry to the baseline, and of each pair in a statement.
    """
    speeds = {name: np.array(rows, float) for name, rows in run.speeds().items()}
    pairs = [(e.name, run.baseline) for e in run.entries if e.role != "baseline"]
    pairs += [pair for s in claim.statements for pair in itertools.pairwise(s.names)]
    logs = [stats.log_ratios(speeds[a], speeds[b]) for a, b in pairs if a in speeds and b in speeds]
    return max(stats.launches_needed(each, run.plan["until"]) for each in logs)


def remarks(run: Run, speeds: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """What a careful reader would see in the samples: drift, outliers, launches that disagree.

    The tests are many, so each speaks up at a level of 1 % over all entries (Bonferroni).
    """
    raced = [e.name for e in run.entries if has_data(speeds[e.name])]
    others = [name for name in raced if name != run.baseline]
    if run.baseline not in raced or not others:
        return ()
    level = 0.01 / len(raced)
    said = []
    samples = [s for s in run.samples if s.variant == run.baseline]
    moved = stats.trend(
        np.array([s.started_seconds for s in samples]),
        np.array([s.requests_per_second for s in samples]),
    )
    if moved and moved.p < 0.01 and abs(moved.change - 1) > 0.02:
        word = "faster" if moved.change > 1 else "slower"
        said.append(
            f"drift: {run.baseline} became {abs(moved.change - 1):.1%} {word} in the course of the "
            f"race; {CANCELS if run.plan['interleaved'] else AVERAGES}"
        )
    logs = {name: stats.log_ratios(speeds[name], speeds[run.baseline]) for name in others}
    far = {name: found for name in others if (found := stats.outliers(logs[name]))}
    if far:
        count = sum(map(len, far.values()))
        where = "; ".join(
            f"{name} in launch {launch + 1}, block {block + 1}"
            for name, found in far.items()
            for launch, block in found[:2]
        )
        rounds = "1 round is" if count == 1 else f"{count} rounds are"
        said.append(f"outliers: {rounds} far from the others ({where}); nothing is left out")
        early = sum(block < 2 for found in far.values() for _, block in found)
        if early > 2 and early > count / 2:
            said.append(
                f"warm-up: {early} of these rounds are the first or second after a start, where "
                "programs still compile; --warmup 1 loads them for longer before they are timed"
            )
    uneven = [n for n in others if (p := stats.launch_effect(logs[n])) is not None and p < level]
    if uneven:
        said.append(
            f"launches disagree more than their blocks for {', '.join(uneven)}: "
            "more launches will tell more, more blocks will not"
        )
    chance = logs.get(run.floor_copy)
    if chance is not None:
        wild = [
            name
            for name in others
            if name != run.floor_copy
            and (p := stats.excess_scatter(logs[name], chance)) is not None
            and p < level
        ]
        if wild:
            said.append(
                f"blocks of {', '.join(wild)} disagree more than those of two equal programs: "
                "something else than chance moves them"
            )
    return tuple(said)


def judge_one(
    statement: Statement,
    claim: Claim,
    run: Run,
    speeds: Mapping[str, np.ndarray],
    floor: Interval | None,
) -> Judgement:
    """The statement with its tests, or with the reason why it can't be judged (not valid)."""
    published = claim.published_ratio(statement)
    if reason := invalid(statement, run, speeds, floor):
        return Judgement(statement, NOT_VALID, reason, published=published)
    pairs = itertools.pairwise(statement.names)
    tests = tuple(Test(a, b, compare(speeds, a, b, run.plan["pilot"])) for a, b in pairs)
    judgement = Judgement(statement, "", "", tests, published)
    if statement.type == "order":
        chosen = [speeds[name] for name in statement.names]
        low, high = stats.bootstrap(chosen, stats.kendall_tau, run.plan["seed"])
        tau = stats.kendall_tau(chosen)
        judgement = replace(judgement, tau=tau, tau_low=low, tau_high=high)
    elif published:
        interval = tests[0].interval
        inside = interval.low <= published <= interval.high
        judgement = replace(judgement, published_inside=inside)
    return judgement


def invalid(
    statement: Statement, run: Run, speeds: Mapping[str, np.ndarray], floor: Interval | None
) -> str:
    """Why the samples can't carry a verdict on this statement; '' where they can."""
    names = {entry.name for entry in run.entries}
    for name in statement.names:
        if name not in names:
            return f"{name} was left out of this race"
        entry = run.entry(name)
        if entry.status != "raced":
            return f"{name} is {entry.status}: {entry.short_reason}"
        if not has_data(speeds[name]):
            return f"{name} has no samples"
        if reason := flagged(run, name):
            return reason
    if floor is None:
        return "there is no floor: the A/A copy has no samples"
    if any(
        stats.launch_centres(stats.log_ratios(speeds[a], speeds[b])).size < 2
        for a, b in itertools.pairwise(statement.names)
    ):
        return "fewer than two launches hold both: differences between launches are unknown"
    if floor.within_one_launch:
        return "the floor is of one launch: it says nothing of differences between launches"
    return ""


def flagged(run: Run, name: str) -> str:
    """Why a variant's samples are void: too many failed requests, or mostly flagged."""
    samples = [sample for sample in run.samples if sample.variant == name]
    requests = sum(sample.requests for sample in samples)
    failures = sum(sum(s.errors.values()) + s.non_2xx for s in samples)
    if failures > FAILED_SHARE * requests:
        return f"{failures:,} of {name}'s {requests:,} requests failed"
    for flag in sorted({flag for sample in samples for flag in sample.flags}):
        count = sum(flag in sample.flags for sample in samples)
        if 2 * count > len(samples):
            return f"{count} of {name}'s {len(samples)} samples are flagged {flag}"
    return ""


def correct(judgements: list[Judgement]) -> list[Judgement]:
    """Holm's correction over all tests of the experiment."""
    adjusted = iter(stats.holm([t.interval.p for j in judgements for t in j.tests]))
    return [
        replace(j, tests=tuple(replace(t, p_adjusted=next(adjusted)) for t in j.tests))
        for j in judgements
    ]


def band_text(band: float) -> str:
    """A band around equality as a reader knows it: ±5.0%; a very wide one as a factor."""
    return f"±{band:.1%}" if band < WIDEST_TOLD else f"a factor of {1 + band:,.1f}"


def decide(judgement: Judgement, floor: Interval | None) -> Judgement:
    """The verdict, from the corrected tests."""
    if judgement.verdict == NOT_VALID or floor is None:
        return judgement
    statement = judgement.statement
    first = judgement.tests[0]
    effect = statement.smallest_effect or 0.0
    if statement.type == "faster":
        verdict, why = direction(first, floor.reach, effect, judgement.published)
    elif statement.type == "same":
        verdict, why = equality(first, floor.reach, statement.within)
    elif statement.type == "ratio":
        verdict, why = in_range(first, statement.low, statement.high, floor.reach)
    else:
        verdict, why = ordering(judgement, floor.reach, effect)
    return replace(judgement, verdict=verdict, why=why)


def direction(
    test: Test, floor: float, effect: float = 0.0, published: float | None = None
) -> tuple[str, str]:
    """Is a faster than b, by more than the band: the floor, or the smallest effect that matters?

    A difference counts when its corrected p is under 5 % and the ratio lies outside of the band;
    there is none when the whole interval lies inside (equivalence: Schuirmann 1987,
    doi:10.1007/BF01068419, here with the 95 % interval). A floor in which the published size, or a
    tenth, would be lost, is too wide to say "no difference".
    """
    interval, band = test.interval, max(floor, effect)
    if interval.within(band):
        if too_wide(floor, published):
            return TOO_CLOSE, noisy(floor)
        return NO_DIFFERENCE, f"the whole interval lies within {band_text(band)}"
    outside = abs(math.log(interval.ratio)) > math.log1p(band)
    if test.p_adjusted < ALPHA and outside:
        faster, slower = (test.a, test.b) if interval.ratio > 1 else (test.b, test.a)
        verdict = REPRODUCED if interval.ratio > 1 else OPPOSITE
        return verdict, f"{faster} is faster than {slower}, by more than {band_text(band)}"
    if outside:
        doubt = "the interval reaches over 1"
        if not interval.low <= 1 <= interval.high:  # alone it would do
            doubt = f"p is {test.p_adjusted:.2g} once it is corrected for the other statements"
        return TOO_CLOSE, f"{doubt}: a longer race may tell (--full)"
    if floor > WIDEST_FLOOR:
        return TOO_CLOSE, noisy(floor)
    return TOO_CLOSE, f"the ratio lies within {band_text(band)}, but its interval reaches outside"


def too_wide(floor: float, published: float | None) -> bool:
    smaller = published is not None and abs(math.log(published)) <= math.log1p(floor)
    return floor > WIDEST_FLOOR or smaller


def noisy(floor: float) -> str:
    return (
        f"equal programs may differ by {band_text(floor)} here, too much to see the claimed "
        "difference: race longer (--full), on a quieter machine (./bench doctor)"
    )


def equality(test: Test, floor: float, within: float | None) -> tuple[str, str]:
    """Do a and b differ by less than `within` (or, where it is not stated, than the floor)?

    Equivalence as in direction().
    """
    interval, band = test.interval, within or floor
    if interval.within(band):
        if band > WIDEST_FLOOR and not within:
            return TOO_CLOSE, noisy(band)
        return REPRODUCED, f"the whole interval lies within {band_text(band)}"
    apart = interval.low > 1 + max(band, floor) or interval.high < 1 / (1 + max(band, floor))
    if apart and test.p_adjusted < ALPHA:
        return OPPOSITE, f"they differ by more than {band_text(max(band, floor))}"
    return TOO_CLOSE, f"the interval reaches outside of {band_text(band)}"


def in_range(test: Test, low: float, high: float, floor: float) -> tuple[str, str]:
    """Does the ratio of a to b lie from low to high?

    Where that is a difference (1 lies outside), the ratio must lie outside of the floor, too.
    """
    interval = test.interval
    stated = f"{low:g} to {high:g}"
    apart = interval.high < low or interval.low > high
    if not low <= 1 <= high and abs(math.log(interval.ratio)) <= math.log1p(floor):
        if apart and interval.within(floor) and floor <= WIDEST_FLOOR:
            return NO_DIFFERENCE, f"the whole interval lies within the floor, {band_text(floor)}"
        return TOO_CLOSE, f"the ratio lies within the floor, {band_text(floor)}"
    if low <= interval.low and interval.high <= high:
        return REPRODUCED, f"the whole interval lies in {stated}"
    if apart:
        return OPPOSITE, f"the whole interval lies outside of {stated}"
    return TOO_CLOSE, f"the interval reaches outside of {stated}"


def ordering(judgement: Judgement, floor: float, effect: float) -> tuple[str, str]:
    """Is every variant faster than the next? One pair the other way round refutes the order."""
    verdicts = [(test, direction(test, floor, effect)[0]) for test in judgement.tests]
    tau = f"Kendall's τ {judgement.tau:.2f} [{judgement.tau_low:.2f}, {judgement.tau_high:.2f}]"
    reversed_pairs = [f"{t.b} > {t.a}" for t, verdict in verdicts if verdict == OPPOSITE]
    if reversed_pairs:
        return OPPOSITE, f"the other way round: {', '.join(reversed_pairs)}; {tau}"
    if all(verdict == REPRODUCED for _, verdict in verdicts):
        return REPRODUCED, f"every pair in this order; {tau}"
    if all(verdict == NO_DIFFERENCE for _, verdict in verdicts):
        return NO_DIFFERENCE, f"no pair differs; {tau}"
    unclear = [f"{t.a} and {t.b}" for t, verdict in verdicts if verdict != REPRODUCED]
    return TOO_CLOSE, f"not told apart: {', '.join(unclear)}; {tau}"


def to_json(results: Results) -> dict:
    """What a run file holds under `results`; see schemas/run.schema.json."""
    return {
        "method": METHOD,
        "floor": interval_json(results.floor),
        "medians": dict(results.medians),
        "remarks": list(results.remarks),
        "ratios": {name: interval_json(i) for name, i in results.ratios.items()},
        "verdicts": [
            {
                "id": j.statement.id,
                "says": j.statement.says,
                "type": j.statement.type,
                "verdict": j.verdict,
                "why": j.why,
                "published": j.published,
                "published_inside": j.published_inside,
                "tests": [
                    {
                        "a": t.a,
                        "b": t.b,
                        "p_adjusted": t.p_adjusted,
                        **interval_json(t.interval),
                    }
                    for t in j.tests
                ],
                "tau": None if j.tau is None else [j.tau, j.tau_low, j.tau_high],
            }
            for j in results.judgements
        ],
    }


def interval_json(interval: Interval | None) -> dict | None:
    if interval is None:
        return None
    return {
        "ratio": interval.ratio,
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "p": interval.p,
        "launches": interval.launches,
        "within_one_launch": interval.within_one_launch,
    }
