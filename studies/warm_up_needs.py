"""How much each program of recorded races needed until it cost what it went on costing: the figures
of "What a warm-up needs" in method.md. Reads run files, measures nothing:

    .venv/bin/python studies/warm_up_needs.py RUN...
"""

import sys
from pathlib import Path
from statistics import median

from benchbook.model import results

WARM = 1.15  # times what a request cost in the second half of the same launch

for path in map(Path, sys.argv[1:]):
    run = results.load(path)
    print(f"{path.name}: median over launches, and the highest")
    for entry in run.entries:
        requests, seconds = [], []
        for launch in range(run.plan.launches):
            mine = [s for s in run.warmups + run.samples if s.variant == entry.name]
            mine = [s for s in mine if s.launch == launch]
            later = [s.cpu_microseconds for s in mine if s.block >= run.plan.blocks // 2]
            if not later:
                continue
            costs = [s.cpu_microseconds < WARM * median(later) for s in mine]
            cold = mine[: costs.index(True)]
            requests.append(sum(s.requests for s in cold))
            seconds.append(sum(s.evidence["server_cpu_seconds"] or 0.0 for s in cold))
        if requests:
            print(
                f"  {entry.name:<26}{median(requests):7,.0f} {max(requests):7,} requests"
                f"{median(seconds):7.2f} {max(seconds):6.2f} CPU seconds"
            )
