"""How each program of recorded races notices that the machine changes its speed: the figures of "A
machine that changes its speed" in method.md. Reads run files, measures nothing:

    .venv/bin/python studies/speed_changes.py RUN...
"""

import sys
from pathlib import Path

import numpy as np

from benchbook.analysis.statistics.compared import Compared
from benchbook.model import results

for path in map(Path, sys.argv[1:]):
    compared = Compared.of(results.load(path))
    machine = np.exp([np.nanmedian(launch) for launch in compared.fit.blocks])
    machine /= machine.max()
    print(f"{path.name}: the machine's speed by launch, {' '.join(f'{s:.2f}' for s in machine)}")
    for name, place in compared.places.items():
        own = compared.fit.centres[:, place]
        known = np.isfinite(own)
        moved = 100 * (own - np.nanmean(own))
        both = np.corrcoef(own[known], np.log(machine[known]))[0, 1] if known.sum() > 2 else np.nan
        told = " ".join(f"{m:+6.1f}" for m in moved)
        print(f"  {name:<26}{told} % of its speed among the others; correlation {both:+.2f}")
