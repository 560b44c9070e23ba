"""benchmark-action's customSmallerIsBetter: the time as a factor of the baseline's in the same run.

A figure that is compared with that of an earlier job is compared with that of another machine; a
ratio has both sides of it from one.
"""

import json

from benchbook.analysis.judging.judge import Results
from benchbook.compare.gate import Gated
from benchbook.model.runs import Run
from benchbook.show import wording
from benchbook.show.exports import timings
from benchbook.show.pairs import inverse


def text(run: Run, results: Results, gated: Gated | None = None) -> str:
    """The whole file: a row for each entry that was compared with the baseline."""
    baseline = run.baseline
    control = wording.ratio_text(results.control) if results.control else wording.UNKNOWN
    rows = []
    for name, ratio in results.ratios.items():
        if name == run.control:
            continue
        slower = inverse(ratio)
        known = f"{slower.low:.3f} to {slower.high:.3f}"
        rows.append(
            {
                "name": f"{name}: {timings.about(run)}",
                "unit": f"× {baseline}",
                "value": slower.ratio,
                "range": wording.UNKNOWN if wording.unbounded(ratio) else known,
                "extra": f"speed {wording.ratio_text(ratio)}\na copy of {baseline}: {control}",
            }
        )
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
