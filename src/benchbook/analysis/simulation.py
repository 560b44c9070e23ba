"""Simulated races with known true speeds, to check that the statistics keep their promises.

Each noise model produces noise on the log scale around given true speeds. Its size is what was seen
on virtual machines whose host takes the CPU away: 5 % from sample to sample with the tails of a t
distribution with 2.5 degrees of freedom, 1.5 % from launch to launch, 15 % for all at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from benchbook.analysis.judging import verdicts
from benchbook.analysis.judging.verdicts import Test
from benchbook.analysis.statistics import moderated, stats
from benchbook.analysis.statistics.looks import FIRST, Interim
from benchbook.analysis.statistics.stats import Floats

SAMPLE, TAILS, LAUNCH, SHARED = 0.05, 2.5, 0.015, 0.15
ENTRIES = (
    7  # the baseline first, then a variant that differs, others that don't, the baseline's copy
)
NONE_SETTLED: Mapping[int, Test] = MappingProxyType({})
BASELINE = (0, ENTRIES - 1)
OTHERS = range(1, ENTRIES - 1)

# (generator, entries, launches, times) -> noise on the log scale, [launch][time][entry]; where all
# are loaded together a block is one time, where they take turns it is one for each entry
Noise = Callable[[np.random.Generator, int, int, int], Floats]


def launch_effects(draw: np.random.Generator, entries: int, launches: int) -> Floats:
    """What differs from launch to launch: [launch][1][entry]."""
    return draw.normal(0, LAUNCH, (launches, 1, entries))


def heavy_tailed(draw: np.random.Generator, entries: int, launches: int, times: int) -> Floats:
    """Student's t on samples, normal noise on launches."""
    noise = SAMPLE * draw.standard_t(TAILS, (launches, times, entries))
    return noise + launch_effects(draw, entries, launches)


def normal(draw: np.random.Generator, entries: int, launches: int, times: int) -> Floats:
    """Normal noise on samples and on launches."""
    noise = draw.normal(0, SAMPLE, (launches, times, entries))
    return noise + launch_effects(draw, entries, launches)


def only_samples(draw: np.random.Generator, entries: int, launches: int, times: int) -> Floats:
    """Launches are all alike."""
    return SAMPLE * draw.standard_t(TAILS, (launches, times, entries))


def bursts(draw: np.random.Generator, entries: int, launches: int, times: int) -> Floats:
    """One sample in twenty is slowed by up to 30 % on top of it."""
    shape = (launches, times, entries)
    slowed = (draw.random(shape) < 0.05) * draw.uniform(0, 0.3, shape)
    return heavy_tailed(draw, entries, launches, times) - slowed


def drifting(draw: np.random.Generator, entries: int, launches: int, times: int) -> Floats:
    """The whole machine wanders (a random walk) and slows and recovers (a sine of ±15 %)."""
    moments = launches * times
    walk = np.cumsum(draw.normal(0, SAMPLE / 2, moments))
    wave = SHARED * np.sin(np.arange(moments) / moments * 4 * np.pi + draw.uniform(0, 2 * np.pi))
    shared = (walk + wave).reshape(launches, times, 1)
    total: Floats = shared + heavy_tailed(draw, entries, launches, times)
    return total


def warming_up(draw: np.random.Generator, entries: int, launches: int, times: int) -> Floats:
    """All are slower at the start of a launch, by up to a fifth, and not all by the same."""
    profile = 0.2 * np.exp(-np.arange(times) / max(1.0, times / 12))
    own = draw.uniform(0.9, 1.1, entries)
    total: Floats = heavy_tailed(draw, entries, launches, times) - profile[None, :, None] * own
    return total


def unequal(draw: np.random.Generator, entries: int, launches: int, times: int) -> Floats:
    """The variant scatters three times as much as the others, its launches twice as much."""
    noise = draw.standard_t(TAILS, (launches, times, entries)) * SAMPLE / 2
    effects = launch_effects(draw, entries, launches)
    noise[:, :, 1] *= 3
    effects[:, :, 1] *= 2
    return noise + effects


def bimodal(draw: np.random.Generator, entries: int, launches: int, times: int) -> Floats:
    """Each start of the variant lands in one of two modes, 3 % apart."""
    noise = heavy_tailed(draw, entries, launches, times)
    noise[:, :, 1] += 0.03 * (draw.integers(0, 2, (launches, 1)) - 0.5)
    return noise


MODELS: dict[str, Noise] = {
    "heavy-tailed": heavy_tailed,
    "normal": normal,
    "launches alike": only_samples,
    "bursts": bursts,
    "drifting": drifting,
    "warming up": warming_up,
    "unequal": unequal,
    "bimodal": bimodal,
}

TOGETHER, IN_TURNS, APART = "together", "in turns", "one after the other"


def logs(
    draw: np.random.Generator,
    noise: Noise,
    true_logs: Sequence[float],
    launches: int,
    blocks: int,
    order: str = TOGETHER,
) -> Floats:
    """Measured log speeds, [launch][block][entry]: the true ones with the noise of their time.

    order: all entries of a block at the same time; one after the other in each block, in random
    order; or all rounds of an entry before those of the next, as in most published benchmarks.
    """
    entries = len(true_logs)
    each = 1 if order == TOGETHER else entries
    field = noise(draw, entries, launches, blocks * each)
    block, entry = np.arange(blocks)[None, :, None], np.arange(entries)[None, None, :]
    if order == TOGETHER:
        moments = block + 0 * entry
    elif order == APART:
        moments = block + entry * blocks
    else:
        turns = draw.permuted(np.tile(np.arange(entries), (launches, blocks, 1)), axis=2)
        moments = np.argsort(turns, axis=2) + block * entries
    moments = np.broadcast_to(moments, (launches, blocks, entries))
    measured: Floats = np.take_along_axis(field, moments, axis=1) + np.asarray(true_logs)
    return measured


@dataclass(frozen=True)
class StudyResult:
    """What came of many simulated races of a variant and equal programs against a baseline.

    Fractions of the races: covered: those whose interval contained the variant's true ratio; found:
    with the verdict "a difference" for it, on the right side; equal: with "no difference" for it;
    false: with "a difference" for any program that is equal to the baseline, or the wrong way
    round. half_width: the median of the variant's, in points of the ratio; launches: how many a
    race took in the mean.
    """

    races: int
    covered: float
    found: float
    equal: float
    false: float
    half_width: float
    launches: float


def study(
    noise: Noise,
    true_ratio: float,
    launches: int,
    blocks: int,
    races: int,
    seed: int,
    order: str = TOGETHER,
    until: float | None = None,
    most: int = 60,
    looked_at: bool = False,
) -> StudyResult:
    """Simulate `races` races of ENTRIES programs, and judge each like a real one.

    until: keep racing after `launches` (the pilot), as --until does, up to `most` launches;
    looked_at: after each launch, as quick races are: they end when all is decided, and programs of
    which all is are not raced further.
    """
    draw = np.random.default_rng(seed)
    true_logs = [0.0, float(np.log(true_ratio)), *[0.0] * (ENTRIES - 2)]
    widths, lengths, seen = [], [], np.zeros(4)
    for _ in range(races):
        measured = logs(draw, noise, true_logs, launches, blocks, order)
        pilot = launches if until else None
        if until:
            rest = logs(draw, noise, true_logs, more(measured, until, most), blocks, order)
            measured = np.concatenate([measured, rest])
        if looked_at:
            tests, length = looked(measured)
        else:
            tests, length = tested(moderated.of_logs(measured, pilot)), len(measured)
        lengths.append(length)
        interval = tests[0].interval
        given = [verdicts.direction(test, verdicts.SMALLEST_EFFECT)[0] for test in tests]
        right = verdicts.REPRODUCED if true_ratio > 1 else verdicts.OPPOSITE
        claims = [verdict in (verdicts.REPRODUCED, verdicts.OPPOSITE) for verdict in given]
        seen += [
            interval.low <= true_ratio <= interval.high,
            given[0] == right and true_ratio != 1,
            given[0] == verdicts.NO_DIFFERENCE,
            any(claims[1:]) or (claims[0] and (true_ratio == 1 or given[0] != right)),
        ]
        widths.append(interval.half_width)
    covered, found, equal, false = (float(each) for each in seen / races)
    width, mean = float(np.median(widths)), float(np.mean(lengths))
    return StudyResult(races, covered, found, equal, false, width, mean)


def more(pilot: Floats, until: float, most: int) -> int:
    """How many launches more a pilot asks for, up to so many in all."""
    first = moderated.of_logs(pilot)
    needed = [moderated.launches_needed(first, (entry,), BASELINE, until) for entry in OTHERS]
    return min(max(needed), most) - len(pilot)


def looked(measured: Floats) -> tuple[list[Test], int]:
    """Each other entry's test at the look that decided it, or at the last one; and how many
    launches that took."""
    most = len(measured)
    settled: dict[int, Test] = {}
    for launches in range(FIRST, most + 1):
        fit = moderated.of_logs(measured[:launches])
        for entry, test in zip(OTHERS, tested(fit, Interim(launches, most), settled), strict=True):
            verdict = verdicts.direction(test, verdicts.SMALLEST_EFFECT)[0]
            if entry not in settled and (verdict != verdicts.TOO_CLOSE or launches == most):
                settled[entry] = test
                measured[launches:, :, entry] = np.nan
        if len(settled) == len(OTHERS):
            break
    return [settled[entry] for entry in OTHERS], launches


def tested(
    fit: moderated.Fit, look: Interim | None = None, settled: Mapping[int, Test] = NONE_SETTLED
) -> list[Test]:
    """Each other entry against the baseline's mean, corrected for their number; those that are
    settled as they were."""
    intervals = [
        settled[entry].interval if entry in settled else fit.interval((entry,), BASELINE, look)
        for entry in OTHERS
    ]
    found = [entry in settled and settled[entry].significant for entry in OTHERS]
    p_values = [0.0 if known else each.p for known, each in zip(found, intervals, strict=True)]
    adjusted = stats.holm(p_values)
    pairs = zip(OTHERS, intervals, adjusted, strict=True)
    return [settled.get(entry) or Test(str(entry), "0", found, p) for entry, found, p in pairs]
