"""Programs that are started and warmed up in the same order in each launch against those whose
order is drawn, in alternation: what "Who starts first" in method.md says, tried again. Takes two
minutes for each pair of races, on a machine that does nothing else:

    .venv/bin/python studies/compare_starts.py [PAIRS]
"""

import math
import statistics
import sys

from benchbook.analysis.simulation import TOGETHER
from benchbook.race.checks import modes
from benchbook.race.launch import Launch

pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 8
orders = {"the same order": lambda launch: launch.record.active, "drawn": Launch.starting}
copies: dict[str, list[float]] = {order: [] for order in orders}
for _ in range(pairs):
    for order, starting in orders.items():
        Launch.starting = starting  # type: ignore[method-assign]
        cost = modes.raced(modes.PLANTS, TOGETHER).copy[0]
        copies[order].append(100 * math.log(cost))
        print(f"{order}: the copy of the baseline cost {copies[order][-1]:+.2f} % more", flush=True)
for order, costs in copies.items():
    mean = statistics.fmean(costs)
    error = statistics.stdev(costs) / math.sqrt(len(costs)) if len(costs) > 1 else math.nan
    print(f"{order}: {mean:+.2f} %, standard error {error:.2f} %")
