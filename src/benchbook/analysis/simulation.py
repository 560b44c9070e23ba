"""Simulated races with known true speeds, to check that the statistics keep their promises.

Each noise model produces noise on the log scale around given true speeds, for samples taken one
after the other in the order of a plan. Its size is what was seen on a shared two-core machine:
about 2 % from sample to sample, 1 % from launch to launch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchbook.analysis import stats, verdicts
from benchbook.analysis.stats import Floats
from benchbook.analysis.verdicts import Test

SAMPLE_SD, LAUNCH_SD = 0.02, 0.01

# (generator, entries, launches, blocks) -> noise on the log scale, [launch][time][entry]; time is
# the position of a round in its launch, so that neighbours in time can share their noise
Noise = Callable[[np.random.Generator, int, int, int], Floats]


def launch_effects(draw: np.random.Generator, entries: int, launches: int) -> Floats:
    """What differs from launch to launch: [launch][1][entry]."""
    return draw.normal(0, LAUNCH_SD, (launches, 1, entries))


def normal(draw: np.random.Generator, entries: int, launches: int, blocks: int) -> Floats:
    """Independent normal noise on samples and on launches."""
    noise = draw.normal(0, SAMPLE_SD, (launches, blocks * entries, entries))
    return noise + launch_effects(draw, entries, launches)


def heavy_tailed(draw: np.random.Generator, entries: int, launches: int, blocks: int) -> Floats:
    """Student's t with 3 degrees of freedom, and one sample in twenty slowed by up to 30 %."""
    shape = (launches, blocks * entries, entries)
    noise = SAMPLE_SD * draw.standard_t(3, shape)
    noise -= (draw.random(shape) < 0.05) * draw.uniform(0, 0.3, shape)
    return noise + launch_effects(draw, entries, launches)


def drifting(draw: np.random.Generator, entries: int, launches: int, blocks: int) -> Floats:
    """The whole machine wanders (a random walk) and slows and recovers (a sine of ±15 %)."""
    rounds = launches * blocks * entries
    walk = np.cumsum(draw.normal(0, SAMPLE_SD / 2, rounds))
    wave = 0.15 * np.sin(np.arange(rounds) / rounds * 4 * np.pi + draw.uniform(0, 2 * np.pi))
    shared = (walk + wave).reshape(launches, blocks * entries, 1)
    total: Floats = shared + normal(draw, entries, launches, blocks)
    return total


def bimodal(draw: np.random.Generator, entries: int, launches: int, blocks: int) -> Floats:
    """Each start of a program lands in one of two modes, 3 % apart."""
    modes = 0.03 * draw.integers(0, 2, (launches, 1, entries))
    return draw.normal(0, SAMPLE_SD, (launches, blocks * entries, entries)) + modes


def autocorrelated(draw: np.random.Generator, entries: int, launches: int, blocks: int) -> Floats:
    """Noise of the machine that lasts: AR(1) over successive samples with coefficient 0.8."""
    rounds = blocks * entries
    shocks = draw.normal(0, SAMPLE_SD * 0.6, (launches, rounds))
    shared = np.empty((launches, rounds))
    shared[:, 0] = draw.normal(0, SAMPLE_SD, launches)
    for i in range(1, rounds):
        shared[:, i] = 0.8 * shared[:, i - 1] + shocks[:, i]
    return shared[:, :, None] + normal(draw, entries, launches, blocks) / 2


MODELS: dict[str, Noise] = {
    "normal": normal,
    "heavy-tailed": heavy_tailed,
    "drifting": drifting,
    "bimodal": bimodal,
    "autocorrelated": autocorrelated,
}


def speeds(
    draw: np.random.Generator,
    noise: Noise,
    true_logs: Sequence[float],
    launches: int,
    blocks: int,
    interleaved: bool = True,
) -> Floats:
    """Measured speeds, [entry][launch][block]: the true ones with the noise at each sample's time.

    Interleaved: each block holds one round of every entry in random order. Otherwise all of an
    entry's rounds come one after the other, as in most published benchmarks.
    """
    entries = len(true_logs)
    field = noise(draw, entries, launches, blocks)
    if interleaved:
        order = draw.permuted(np.tile(np.arange(entries), (launches, blocks, 1)), axis=2)
        moments = np.argsort(order, axis=2) + np.arange(blocks)[None, :, None] * entries
    else:
        moments = np.arange(blocks)[None, :, None] + np.arange(entries)[None, None, :] * blocks
        moments = np.broadcast_to(moments, (launches, blocks, entries))
    taken = np.take_along_axis(field, moments, axis=1)
    measured: Floats = np.exp(np.moveaxis(taken + np.asarray(true_logs), 2, 0))
    return measured


@dataclass(frozen=True)
class StudyResult:
    """What came of many simulated races of a variant against a baseline and its copy.

    covered, faster and nothing are fractions of the races: those whose interval contained the true
    ratio, those with the verdict "a difference" (either way), those with "no difference".
    half_width: median half-width of the intervals, on the log scale.
    """

    races: int
    covered: float
    faster: float
    nothing: float
    half_width: float


def study(
    noise: Noise,
    true_ratio: float,
    launches: int,
    blocks: int,
    races: int,
    seed: int,
    interleaved: bool = True,
    until: float | None = None,
    most: int = 200,
) -> StudyResult:
    """Simulate `races` races of baseline, copy and variant, and judge each like a real one.

    until: keep racing after `launches` (the pilot), as --until does, up to `most` launches.
    """
    draw = np.random.default_rng(seed)
    logs = [0.0, 0.0, float(np.log(true_ratio))]
    covered = faster = nothing = 0
    widths = []
    for _ in range(races):
        measured = speeds(draw, noise, logs, launches, blocks, interleaved)
        if until:
            pairs = [stats.log_ratios(entry, measured[0]) for entry in measured[1:]]
            wanted = max(stats.launches_needed(pair, until) for pair in pairs)
            if more := min(wanted, most) - launches:
                rest = speeds(draw, noise, logs, more, blocks, interleaved)
                measured = np.concatenate([measured, rest], axis=1)
        baseline, copy, variant = measured
        pilot = launches if until else None
        interval = stats.interval(stats.log_ratios(variant, baseline), pilot=pilot)
        floor = stats.floor(copy, baseline, pilot)
        verdict, _ = verdicts.direction(Test("b", "a", interval, interval.p), floor.reach)
        covered += interval.low <= true_ratio <= interval.high
        faster += verdict in (verdicts.REPRODUCED, verdicts.OPPOSITE)
        nothing += verdict == verdicts.NO_DIFFERENCE
        widths.append(np.log(interval.high / interval.low) / 2)
    return StudyResult(
        races, covered / races, faster / races, nothing / races, float(np.median(widths))
    )
