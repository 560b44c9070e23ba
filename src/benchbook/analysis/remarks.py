"""Remarks on a run's samples: drift, outliers, warm-up, launches and blocks that disagree."""

from collections.abc import Iterator, Mapping

import numpy as np

from benchbook.analysis import stats
from benchbook.analysis.stats import Floats, has_data
from benchbook.model.runs import Run

LEVEL = 0.01  # the tests are many, so this one is for all entries together (Bonferroni)
SMALLEST_DRIFT = 0.02  # from start to end: less is not worth a word
CANCELS = "ratios are taken within blocks, so it cancels"
AVERAGES = "the rounds of a launch are not interleaved, so only more launches average it out"


def remarks_on(run: Run, speeds: Mapping[str, Floats]) -> tuple[str, ...]:
    """What a careful reader would see in the samples, as sentences without a full stop.

    speeds: by entry, each of shape (launches, blocks), NaN where a sample is missing.
    """
    raced = [e.name for e in run.entries if has_data(speeds[e.name])]
    others = [name for name in raced if name != run.baseline]
    if run.baseline not in raced or not others:
        return ()
    level = LEVEL / len(raced)
    logs = {name: stats.log_ratios(speeds[name], speeds[run.baseline]) for name in others}
    return (
        *drift(run),
        *outliers(logs),
        *uneven_launches(logs, level),
        *wild_blocks(logs, run.floor_copy, level),
    )


def drift(run: Run) -> Iterator[str]:
    """Whether the baseline became faster or slower during the race."""
    samples = [s for s in run.samples if s.variant == run.baseline]
    trend = stats.trend(
        np.array([s.started_seconds for s in samples]),
        np.array([s.requests_per_second for s in samples]),
    )
    if trend and trend.p < LEVEL and abs(trend.change - 1) > SMALLEST_DRIFT:
        word = "faster" if trend.change > 1 else "slower"
        yield (
            f"drift: {run.baseline} became {abs(trend.change - 1):.1%} {word} during the race; "
            f"{CANCELS if run.plan.interleaved else AVERAGES}"
        )


def outliers(logs: Mapping[str, Floats]) -> Iterator[str]:
    """Which rounds are far from the others, and whether they look like missing warm-up."""
    far = {name: found for name in logs if (found := stats.outliers(logs[name]))}
    if not far:
        return
    count = sum(map(len, far.values()))
    where = "; ".join(
        f"{name} in launch {launch + 1}, block {block + 1}"
        for name, found in far.items()
        for launch, block in found[:2]
    )
    rounds = "1 round is" if count == 1 else f"{count} rounds are"
    yield f"outliers: {rounds} far from the others ({where}); nothing is left out"
    early = sum(block < 2 for found in far.values() for _, block in found)
    if early > 2 and early > count / 2:
        yield (
            f"warm-up: {early} of these rounds are the first or second after a start, where "
            "programs still compile; --warmup 1 loads them for longer before they are timed"
        )


def uneven_launches(logs: Mapping[str, Floats], level: float) -> Iterator[str]:
    """Which entries differ from launch to launch by more than their blocks explain."""
    uneven = [n for n in logs if (p := stats.launch_effect(logs[n])) is not None and p < level]
    if uneven:
        yield (
            f"launches disagree more than their blocks for {', '.join(uneven)}: "
            "more launches will help, more blocks will not"
        )


def wild_blocks(logs: Mapping[str, Floats], copy: str, level: float) -> Iterator[str]:
    """Which entries scatter from block to block more than the A/A copy does."""
    if copy not in logs:
        return
    wild = [
        name
        for name in logs
        if name != copy
        and (p := stats.excess_scatter(logs[name], logs[copy])) is not None
        and p < level
    ]
    if wild:
        yield (
            f"blocks of {', '.join(wild)} disagree more than those of two equal programs: "
            "something other than chance moves them"
        )
