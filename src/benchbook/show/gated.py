"""What a gate of a comparison says, in words: a line for each entry."""

import math
from collections.abc import Iterator

from benchbook.analysis.judging.verdicts import share_text
from benchbook.analysis.statistics import detectable
from benchbook.analysis.statistics.stats import LEVEL
from benchbook.compare.gate import BROKEN, FINE, SLOWER, UNDECIDED, Gated, Passage
from benchbook.model.runs import Run
from benchbook.show import wording
from benchbook.show.cards.compare_cards import difference_text, size_text

MARKS = {FINE: "✔", BROKEN: "∅", SLOWER: "✘", UNDECIDED: "?"}
LET_THROUGH = "What can't be told is let through (--undecided ok)."


def lines(run: Run, gated: Gated) -> Iterator[str]:
    """A line for each entry, and one that says that what can't be told is let through."""
    for passage in gated.passages:
        yield f"{MARKS[passage.code]} {sentence(run, gated, passage)}"
    if gated.undecided_ok and any(each.code == UNDECIDED for each in gated.passages):
        yield LET_THROUGH


def sentence(run: Run, gated: Gated, passage: Passage) -> str:
    """What the gate says of one entry, with its difference and the interval of that."""
    interval, name = passage.interval, passage.name
    if interval is None:
        known = "broken" if passage.code == BROKEN else "can't tell"
        return f"{name}: {known}: {passage.why}"
    seen = f"{name} is {difference_text(interval.ratio, passage.other)} {size_text(interval)}"
    by_more = f"by more than {share_text(gated.limit)}"
    if passage.code == SLOWER:
        several = f" ({100 * interval.level:.1f} % interval)" if interval.level > LEVEL else ""
        return f"{seen}: surely slower {by_more}{several}"
    if passage.code == FINE:
        return f"{seen}: surely not slower {by_more}"
    return f"{seen}: can't tell if slower {by_more}; {advice(run, passage)}"


def advice(run: Run, passage: Passage) -> str:
    """How long a race would have to be that decides, as an option; what to do where none would."""
    more = passage.seconds_more
    if more is None:
        return "a longer race may tell (--for)"
    whole = run.timing.get("total_seconds", 0.0) + more
    if whole > detectable.PATIENCE_SECONDS:
        return f"{wording.HOPELESS}: {detectable.QUIETER}"
    if whole < 120:
        return f"about {10 * math.ceil(whole / 10)} s would (--for {10 * math.ceil(whole / 10)}s)"
    return f"about {math.ceil(whole / 60)} min would (--for {math.ceil(whole / 60)}m)"
