"""benchmark-action's customSmallerIsBetter: the time as a factor of the baseline's in the same run.

A figure that is compared with that of an earlier job is compared with that of another machine; a
ratio has both sides of it from one. Charts go by the names, so nothing measured is in them.
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
    control = wording.ratio_text(results.control) if results.control else wording.UNKNOWN
    rows = []
    for name, (other, ratio) in timings.ratios(results).items():
        slower = inverse(ratio)
        known = f"{slower.low:.3f} to {slower.high:.3f}"
        rows.append(
            {
                "name": f"{name}: time a {run.kind.thing}",
                "unit": f"× {other}",
                "value": slower.ratio,
                "range": wording.UNKNOWN if wording.unbounded(ratio) else known,
                "extra": f"speed {wording.ratio_text(ratio)}\n"
                f"a copy of {run.baseline}: {control}\n{timings.about(run)}",
            }
        )
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
