"""How many samples does a "why" need, and how often does it err? By simulation, in a minute or two:

    .venv/bin/python studies/why_samples.py [REPEATS]

A server costs 30 µs a request in 60 functions, few of them dear and many cheap, as those of a small
one in Node.js do. What a function costs differs from copy to copy, by 3, 8 and 20 %; the
machine's speed by 20 % from launch to launch. B has a plant of 2 µs, or is equal. Samples are drawn
from that.
"""

import sys

import numpy as np

from benchbook.model.profiles.comparison import ProfileComparison, ProfiledLaunch, Spent
from benchbook.model.profiles.profile import Frame, Profile, StackCounter
from benchbook.profiling import differences

repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 100
differences.FEWEST = 0
COST_US, FUNCTIONS, LAUNCHES, PLANT_US = 30.0, 60, 5, 2.0
PLANT = Frame("plant", "a package", "planted.js", 1)


def profile(frames: list[Frame], counts: list[int]) -> Profile:
    counter = StackCounter()
    for frame, count in zip(frames, counts, strict=True):
        counter.add([frame], count)
    return Profile("Node.js", 1000.0, 6.0, 1.5, counter.frames, counter.stacks)


def simulated(
    random: np.random.Generator, samples: int, scatter: float, plant: float
) -> ProfileComparison:
    """samples: of a program in all launches."""
    costs = random.dirichlet(np.full(FUNCTIONS, 0.25)) * COST_US
    frames = [*(Frame(f"f{i}", "runtime", "lib.js", i) for i in range(FUNCTIONS)), PLANT]
    launches = []
    for _ in range(LAUNCHES):
        machine = np.exp(random.normal(0, 0.2))
        profiles, profiled, plain = {}, {}, {}
        for name, planted in (("a", 0.0), ("b", plant)):
            true = np.append(costs, planted) * machine
            first, second = (true * np.exp(random.normal(0, scatter, len(true))) for _ in "12")
            drawn = random.multinomial(samples // LAUNCHES, first / first.sum())
            profiles[name] = profile(frames, [int(count) for count in drawn])
            profiled[name] = Spent(50_000, float(first.sum()) * 1.04)
            plain[name] = Spent(50_000, float(second.sum()))
        launches.append(ProfiledLaunch(profiles, profiled, plain))
    files = {"a": "file:///a.mjs", "b": "file:///b.mjs"}
    told = ("simulated", ["a", "b"], {}, files, "request", "", 1000.0, 6.0, {}, "", "")
    return ProfileComparison(*told, launches=launches)


print("samples  scatter  plant first  within 25 %  said to differ  equal: something said to differ")
for scatter in (0.03, 0.08, 0.20):
    for samples in (150, 300, 500, 1000, 2000, 6000):
        random = np.random.default_rng(samples)
        first = near = found = false = 0
        for _ in range(repeats):
            rows = differences.why(simulated(random, samples, scatter, PLANT_US)).rows
            plants = [row for row in rows if row.key.function == PLANT.function]
            first += rows[0].key.function == PLANT.function
            # the median launch sets the machine's speed, which is 20 % off now and then: as a share
            true = PLANT_US / (COST_US + PLANT_US)
            total = sum(row.b for row in rows)
            near += any(abs(row.more.mean / total / true - 1) < 0.25 for row in plants)
            found += any(row.more.differs for row in plants)
            false += bool(differences.why(simulated(random, samples, scatter, 0.0)).found)
        shares = (f"{100 * count / repeats:.0f} %" for count in (first, near, found, false))
        print(
            f"{samples:7,} {100 * scatter:6.0f} %  " + "  ".join(f"{s:>10}" for s in shares),
            flush=True,
        )
