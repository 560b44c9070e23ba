"""All programs in one group against groups of eleven, the programs of the quick race, beside six
others only, and in turns, in alternation: the figures of "In one group" in method.md. Takes eight
minutes a round, on a machine that does nothing else:

    .venv/bin/python studies/compare_groups.py [ROUNDS]
"""

import math
import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benchbook.analysis.statistics.compared import Compared
from benchbook.model import experiments, plan
from benchbook.race.options import Options
from benchbook.race.prepare import prepare

EXPERIMENT = "08/http"
EVERY = tuple(
    f"{name}-{paths}"
    for name, numbers in {
        "node-bare": (1, 1000),
        "map": (1, 1000),
        "ifs": (1, 10, 100, 1000),
        "regexps": (1, 10, 100, 1000),
        "find-my-way": (1, 1000),
        "hono-node": (1, 1000),
        "deno-bare": (1, 1000),
        "hono-deno": (1, 1000),
    }.items()
    for paths in numbers
)
FEW = (
    "map-1000",
    "find-my-way-1000",
    "regexps-1",
    "hono-node-1",
    "deno-bare-1",
    "hono-deno-1000",
)
WAYS = {
    "groups of eleven": (11, Options(variants=EVERY)),
    "one group": (plan.GROUP, Options(variants=EVERY)),
    "the quick race": (plan.GROUP, Options()),
    "beside six others": (plan.GROUP, Options(variants=FEW)),
    "in turns": (plan.GROUP, Options(variants=FEW, together=False)),
}


def raced(group: int, options: Options, path: Path) -> tuple[dict[str, float], float]:
    """How much faster than the baseline each of FEW was, on the log scale, and the median half of
    an interval's width over all entries; after a race with groups of so many."""
    plan.GROUP = group
    race = prepare(experiments.find(EXPERIMENT), replace(options, path=path))
    for _ in race.events():
        pass
    compared, baseline = Compared.of(race.run), race.run.baseline
    found = {n: compared.interval(n, baseline) for n in compared.places if n != baseline}
    known = {name: interval for name, interval in found.items() if interval}
    widths = [interval.half_width for interval in known.values()]
    return {n: math.log(known[n].ratio) for n in FEW if n in known}, statistics.median(widths)


rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 2
ratios: dict[str, dict[str, list[float]]] = {way: {} for way in WAYS}
with tempfile.TemporaryDirectory() as folder:
    for _ in range(rounds):
        for way, (group, options) in WAYS.items():
            logs, width = raced(group, options, Path(folder) / "run.json")
            for name, log in logs.items():
                ratios[way].setdefault(name, []).append(log)
            told = ", ".join(f"{name} {100 * log:+.1f} %" for name, log in logs.items())
            print(f"{way}: median ±{100 * width:.1f} %; {told}", flush=True)
for way, by_name in ratios.items():
    told = ", ".join(f"{n} {100 * statistics.fmean(logs):+.1f} %" for n, logs in by_name.items())
    print(f"{way}, in the mean: {told}")
