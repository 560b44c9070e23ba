"""Load without a break against load generators that start for every block, in alternation: the
figures of "Load without a break" in method.md. Takes two minutes for each pair of races, on a
machine that does nothing else:

    .venv/bin/python studies/compare_continuous.py [PAIRS]
"""

import statistics
import sys

from benchbook.analysis.simulation import TOGETHER
from benchbook.loadtools.tools.wrk import Wrk
from benchbook.race.checks import modes

pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 2
errors: dict[bool, list[float]] = {True: [], False: []}
for _ in range(pairs):
    for without_break in errors:
        Wrk.writes_each = without_break
        race = modes.raced(modes.PLANTS, TOGETHER)
        errors[without_break].append(race.error)
        costs = [f"{name} {100 * (cost - 1):+.1f} %" for name, (cost, *_) in race.costs.items()]
        print(f"without a break: {without_break}: {', '.join(costs)}", flush=True)
for without_break, found in errors.items():
    mean = statistics.fmean(found)
    print(
        f"without a break: {without_break}: standard error of an equal program {100 * mean:.2f} %"
    )
