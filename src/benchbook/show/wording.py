"""How ratios, intervals, times and verdicts are written, everywhere the same."""

from benchbook.analysis.judging import verdicts
from benchbook.analysis.judging.judge import Judgement
from benchbook.analysis.statistics import detectable
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.kinds.kind import Form
from benchbook.show import pairs

MARKS = {
    verdicts.REPRODUCED: "✔",
    verdicts.OPPOSITE: "✘",
    verdicts.OUTSIDE: "≠",
    verdicts.NO_DIFFERENCE: "=",
    verdicts.TOO_CLOSE: "?",
    verdicts.NOT_VALID: "∅",
    verdicts.NOT_YET: "…",
}
FOUND = {verdicts.REPRODUCED: "▲ faster", verdicts.OPPOSITE: "▼ slower"}  # by a comparison
LARGEST_FACTOR = 1e6  # an interval that reaches beyond it says nothing
AS_FACTOR = 2.0  # from here on a ratio is written as a factor
LARGE = 0.095  # a difference from here on needs no decimals to be read in passing
LARGE_BYTES = 1e7  # from here on single bytes say nothing
HOPELESS = "this machine will not tell"
NOT_HERE = "· not run here"
UNKNOWN = "unknown: too few samples"


def marked(verdict: str) -> str:
    """The verdict with its mark, so that it is not told by its colour alone."""
    return f"{MARKS[verdict]} {verdict}"


def answer(judgement: Judgement) -> str:
    """The verdict with its mark, or that this machine lacks what it needs."""
    return NOT_HERE if judgement.not_here else marked(judgement.verdict)


def decided(judgement: Judgement, compared: bool) -> str:
    """The same; of a comparison, of which nothing was said beforehand, what it found."""
    return (FOUND.get(judgement.verdict) if compared else None) or answer(judgement)


def percent(ratio: float) -> str:
    """A factor as a difference: 1.034 is +3.4 %; very large ones stay factors."""
    if ratio >= AS_FACTOR:
        return f"{ratio:.1f}×"
    return signed(ratio) + " %"


def signed(ratio: float) -> str:
    """A factor as a difference in percent, without the unit: 1.034 is +3.4."""
    return f"{round(100 * (ratio - 1), 1) + 0.0:+.1f}".replace("-", "−")  # + 0.0: no minus zero


def rounded(ratio: float) -> str:
    """A factor as a difference that can be read in passing: +12 %, −0.4 %, 4.4×."""
    size = abs(ratio - 1)
    if ratio >= AS_FACTOR or size < LARGE:
        return percent(ratio)
    return f"{100 * (ratio - 1):+.0f} %".replace("-", "−")


def interval_text(interval: Interval) -> str:
    """An interval as differences in percent: "[+1.0, +3.0]"; of a factor "[4.1, 4.7]"."""
    return (
        UNKNOWN if unbounded(interval) else range_text(interval.ratio, interval.low, interval.high)
    )


def range_text(ratio: float, low: float, high: float) -> str:
    """From where to where, in the unit in which the ratio is written."""
    if ratio >= AS_FACTOR:
        return f"[{low:.1f}, {high:.1f}]"
    return f"[{signed(low)}, {signed(high)}]"


def ratio_text(interval: Interval) -> str:
    """A ratio with its interval: "+2.0 % [+1.0, +3.0]"."""
    if unbounded(interval):
        return f"{percent(interval.ratio)} [{UNKNOWN}]"
    return bracketed(interval.ratio, interval.low, interval.high)


def bracketed(ratio: float, low: float, high: float) -> str:
    """A ratio with an interval, all factors: "+2.0 % [+1.0, +3.0]", "4.4× [4.1, 4.7]"."""
    return f"{percent(ratio)} {range_text(ratio, low, high)}"


def unbounded(interval: Interval) -> bool:
    """Does it reach so far that it says nothing?"""
    return interval.low <= 0 or interval.high > LARGEST_FACTOR


def says_nothing(interval: Interval) -> bool:
    """Does it reach over 100 % to both sides: half as fast, twice as fast, or anything between?"""
    return unbounded(interval) or (interval.low < 0.5 and interval.high > 2)


def size_text(judgement: Judgement, baseline: str) -> str:
    """The answer on the published size, which is written as the measured one is."""
    published = pairs.stated(judgement, baseline)
    if judgement.size != verdicts.RULED_OUT or not published:
        return judgement.size
    return f"ruled out at {rounded(published)}"


def more_text(seconds: float | None) -> str:
    """How much longer a race would have to be to decide: "about 90 s more".

    More than an hour is no advice that anybody follows.
    """
    if seconds is None:
        return "a longer race may tell"
    if seconds < 150:
        return f"about {max(10, 10 * round(seconds / 10))} s more"
    if seconds <= detectable.PATIENCE_SECONDS:
        return f"about {seconds / 60:.0f} min more"
    return HOPELESS


def advice(seconds: float | None) -> str:
    """The same, with what to do where no time would be enough."""
    told = more_text(seconds)
    return f"{told}: {detectable.QUIETER}" if told == HOPELESS else told


def measured(value: float, form: Form, rate_format: str = ",.0f") -> str:
    """A figure of a table, in its form; rate_format: how the kind of experiment writes rates."""
    if form == "duration":
        return duration(value)
    if form == "bytes":
        return f"{value:,.0f} B" if value < LARGE_BYTES else f"{value / 1e6:,.1f} MB"
    if form == "rate":
        return f"{value:{rate_format}}"
    return f"{value:.1f}" if form == "number" else f"{value:,.0f}"


def duration(nanoseconds: float) -> str:
    """A time with its unit: 6.1 ns, 1.2 µs."""
    for unit, size in (("ns", 1.0), ("µs", 1e3), ("ms", 1e6)):
        if nanoseconds < 1000 * size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds / 1e9:.3g} s"
