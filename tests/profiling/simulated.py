"""Comparisons that are made up: what programs cost is known, and samples are drawn from it."""

from collections.abc import Mapping

import numpy as np

from benchbook.model.profiles.comparison import OwnLines, ProfileComparison, ProfiledLaunch, Spent
from benchbook.model.profiles.profile import COLLECTOR, NATIVE, OWN, Frame, Profile, StackCounter

HTTP = "Node.js: HTTP"
FILES = {"a": "file:///x/a.mjs", "b": "file:///x/b.mjs"}
HANDLER = Frame("handler", OWN, FILES["a"], 3)
SERVER = {
    Frame("writev", NATIVE): 12.0,
    Frame("(program)", NATIVE): 2.0,
    Frame("(garbage collector)", COLLECTOR): 1.5,
    **{Frame(f"f{i}", HTTP, "node:_http_outgoing", 10 * i): 8.0 / (i + 2) for i in range(1, 20)},
    HANDLER: 0.8,
}  # µs a request of each function: about 30 in all


def comparison(
    a: Mapping[Frame, float],
    b: Mapping[Frame, float],
    launches: int = 5,
    samples: int = 1300,
    seed: int = 1,
    scatter: float = 0.02,
) -> ProfileComparison:
    """Programs that cost so much in each function; samples: of each in a launch; scatter: of what a
    function costs from copy to copy, as a share."""
    random, found = np.random.default_rng(seed), []
    for _ in range(launches):
        machine = float(np.exp(random.normal(0, 0.2)))  # how slow it is at the moment
        profiles, profiled, plain = {}, {}, {}
        for name, costs in (("a", a), ("b", b)):
            frames = list(costs)
            values = np.array([costs[frame] for frame in frames])
            copies = [
                values * machine * np.exp(random.normal(0, scatter, len(values))) for _ in range(2)
            ]
            drawn = random.multinomial(samples, copies[0] / copies[0].sum())
            counter = StackCounter()
            for frame, count in zip(frames, drawn, strict=True):
                counter.add([Frame("root", HTTP, "node:net", 1), frame], int(count))
            profiles[name] = Profile("Node.js 20", 1e3, 6.0, 1.5, counter.frames, counter.stacks, 9)
            profiled[name] = Spent(50_000, float(copies[0].sum()) * 1.04)
            plain[name] = Spent(50_000, float(copies[1].sum()), 0.4)
        found.append(ProfiledLaunch(profiles, profiled, plain))
    return ProfileComparison(
        experiment="77-made",
        programs=["a", "b"],
        titles={"a": "A", "b": "B"},
        files=FILES,
        thing="request",
        how="wrk with 50 connections each",
        interval_us=1000.0,
        seconds=6.0,
        machine={},
        benchbook="1",
        started="2026-11-28T12:00:00+00:00",
        launches=found,
        own=[OwnLines("line 3 of a.mjs / line 3 of b.mjs", "end()", {"a": (3, 3), "b": (3, 3)})],
    )


def of_b(costs: Mapping[Frame, float]) -> dict[Frame, float]:
    """The same costs of program b, whose own code is in another file."""
    moved = {frame: Frame(frame.function, OWN, FILES["b"], frame.line) for frame in [HANDLER]}
    return {moved.get(frame, frame): cost for frame, cost in costs.items()}
