"""What a gate of a comparison says, in words: a line for each entry."""

import math
from collections.abc import Iterator

from benchbook.analysis.statistics import detectable
from benchbook.analysis.statistics.stats import Interval
from benchbook.compare.gate import BROKEN, FINE, SLOWER, UNDECIDED, Gated, Passage
from benchbook.model.runs import Run
from benchbook.show import wording

MARKS = {FINE: "✔", BROKEN: "∅", SLOWER: "✘", UNDECIDED: "?"}
SHORTEST = 10.0  # seconds, of what is advised


def lines(run: Run, gated: Gated) -> Iterator[str]:
    """A line for each entry, and one that says that what can't be told is let through."""
    for passage in gated.passages:
        yield f"{MARKS[passage.code]} {sentence(run, gated, passage)}"
    if gated.undecided_ok and any(each.code == UNDECIDED for each in gated.passages):
        yield "What can't be told is let through (--undecided ok)."


def sentence(run: Run, gated: Gated, passage: Passage) -> str:
    """What the gate says of one entry, with its difference and the interval of that."""
    name, baseline = run.entry(passage.name).title, run.entry(run.baseline).title
    limit = f"{100 * gated.limit:g} %"
    if passage.interval is None:
        verb = "not compared" if passage.code == BROKEN else "can't tell"
        return f"{name}: {verb}: {passage.why}"
    seen = slower(passage.interval)
    if passage.code == SLOWER:
        return f"{name} is surely more than {limit} slower than {baseline}: {seen}"
    if passage.code == FINE:
        return f"{name} is surely not more than {limit} slower than {baseline}: {seen}"
    told = f"{name}: can't tell whether it is more than {limit} slower than {baseline}: {seen}"
    return f"{told}; {advice(run, passage)}"


def slower(interval: Interval) -> str:
    """A difference as a reader of a gate has it in mind: "8.1 % slower [6.9, 9.2]"."""
    if wording.unbounded(interval) or interval.ratio >= wording.AS_FACTOR:
        return wording.ratio_text(interval)
    down = interval.ratio < 1
    ends = [interval.low, interval.high]
    shares = [(1 - end if down else end - 1) for end in (reversed(ends) if down else ends)]
    low, high = (f"{100 * share + 0.0:.1f}".replace("-", "−") for share in shares)
    word = "slower" if down else "faster"
    return f"{100 * abs(interval.ratio - 1):.1f} % {word} [{low}, {high}]"


def advice(run: Run, passage: Passage) -> str:
    """How long a race would have to be that decides, as an option; what to do where none would."""
    more = passage.seconds_more
    if more is None:
        return "a longer race may tell (--for)"
    whole = run.timing.get("total_seconds", 0.0) + more
    if whole > detectable.PATIENCE_SECONDS or math.isinf(whole):
        return f"{wording.HOPELESS}: {detectable.QUIETER}"
    if whole < 120:
        seconds = max(SHORTEST, 10 * math.ceil(whole / 10))
        return f"about {seconds:.0f} s would (--for {seconds:.0f}s)"
    minutes = math.ceil(whole / 60)
    return f"about {minutes} min would (--for {minutes}m)"
