"""How ratios, intervals, times and verdicts are written, everywhere the same."""

from benchbook.analysis import verdicts
from benchbook.analysis.stats import Interval

MARKS = {
    verdicts.REPRODUCED: "✔",
    verdicts.OPPOSITE: "✘",
    verdicts.NO_DIFFERENCE: "=",
    verdicts.TOO_CLOSE: "?",
    verdicts.NOT_VALID: "∅",
}
LARGEST_FACTOR = 1e6  # an interval that reaches beyond it says nothing


def marked(verdict: str) -> str:
    """The verdict with its mark, so that it is not told by its colour alone."""
    return f"{MARKS[verdict]} {verdict}"


def percent(ratio: float) -> str:
    """A factor as a difference: 1.034 is +3.4 %; very large ones stay factors."""
    if ratio >= 3:
        return f"{ratio:.1f}×"
    return f"{ratio - 1:+.1%}".replace("%", " %").replace("-", "−")


def interval_text(interval: Interval) -> str:
    """An interval as differences: "+1.0 % to +3.0 %"."""
    if interval.low <= 0 or interval.high > LARGEST_FACTOR:
        return "unknown: too few samples"
    return f"{percent(interval.low)} to {percent(interval.high)}"


def ratio_text(interval: Interval) -> str:
    """A ratio with its interval: "+2.0 % (+1.0 % to +3.0 %)"."""
    return f"{percent(interval.ratio)} ({interval_text(interval)})"


def duration(nanoseconds: float) -> str:
    """A time with its unit: 6.1 ns, 1.2 µs."""
    for unit, size in (("ns", 1.0), ("µs", 1e3)):
        if nanoseconds < 1000 * size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds / 1e6:.3g} ms"
