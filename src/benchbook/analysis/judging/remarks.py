"""Remarks on a run's samples: drift, outliers, warm-up, launches and blocks that disagree."""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from benchbook.analysis.statistics import stats
from benchbook.analysis.statistics.compared import Compared
from benchbook.analysis.statistics.stats import Floats
from benchbook.model.runs import Run

LEVEL = 0.01  # the tests are many, so this one is for all entries together (Bonferroni)
SMALLEST_DRIFT = 0.02  # from start to end: less is not worth a word
# The machine was so many times as fast in one block in twenty as in another one in twenty.
UNSTEADY = 1.7
NAMED = 3  # rounds that are named, at most
CANCELS = "ratios are taken within blocks, so what all share cancels"
AVERAGES = "the rounds of a launch are not interleaved, so only more launches average it out"


def remarks_on(compared: Compared) -> tuple[str, ...]:
    """What a careful reader would see in the samples, as sentences without a full stop."""
    run, speeds = compared.run, compared.speeds
    raced = list(compared.places)
    others = [name for name in raced if name != run.baseline]
    if run.baseline not in raced or not others:
        return ()
    level = LEVEL / len(raced)
    logs = {name: stats.log_ratios(speeds[name], speeds[run.baseline]) for name in others}
    return (
        *cold_starts(compared),
        *unequal_shares(compared),
        *speed_changes(compared),
        *drift(run),
        *outliers(logs),
        *uneven_launches(logs, level),
        *wild_blocks(logs, run.control, level),
    )


def cold_starts(compared: Compared) -> Iterator[str]:
    """Whether blocks were left out because all programs were still slower."""
    if count := sum(compared.fit.left_out):
        total = compared.run.plan.launches * compared.run.plan.blocks
        yield (
            f"warm-up: {count} of {total} blocks, at the start of launches, left out, because all "
            "programs together were more than 10 % slower in them; --warmup loads them for longer"
        )


def unequal_shares(compared: Compared) -> Iterator[str]:
    """Who got more or less of the CPU than an equal share."""
    if uneven := compared.uneven():
        told = ", ".join(f"{name} {share:.2f}" for name, share in uneven.items())
        yield (
            f"shares of the CPU were not equal ({told} of an equal share): intervals are wider by "
            "what that may do to the cost of a request; --in-turns compares requests/s instead"
        )


def speed_changes(compared: Compared) -> Iterator[str]:
    """Whether the machine was much faster at one time of the race than at another.

    Whoever needs caches more notices it more (studies/speed_changes.py), so not all of it cancels.
    """
    effects = compared.fit.blocks[np.isfinite(compared.fit.blocks)]
    if not compared.run.plan.interleaved or not effects.size:
        return
    slow, fast = np.quantile(effects, (0.05, 0.95))
    if (change := math.exp(fast - slow)) > UNSTEADY:
        yield (
            f"speed: the machine was {change:.1f} times as fast at one time as at another; unlike "
            "programs notice that differently, so intervals are wider than on a steady machine: "
            "race again at another time"
        )


def drift(run: Run) -> Iterator[str]:
    """Whether the baseline became faster or slower during the race."""
    samples = [s for s in run.samples if s.variant == run.baseline]
    trend = stats.trend(
        np.array([s.started_seconds for s in samples]),
        np.array([run.speed(s) for s in samples]),
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
    places = [
        f"{name} in launch {launch + 1}, block {block + 1}"
        for name, found in far.items()
        for launch, block in found
    ]
    count, where = len(places), "; ".join([*places[:NAMED], *(["…"] if places[NAMED:] else [])])
    rounds = "1 round is" if count == 1 else f"{count} rounds are"
    yield f"outliers: {rounds} far from the others ({where}); none is left out for that"


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
