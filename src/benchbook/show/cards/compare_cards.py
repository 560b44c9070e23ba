"""The answer to a question of one's own: a sentence for each thing, the control, how sure it is."""

import math

from benchbook.analysis.judging import doubts
from benchbook.analysis.judging.judge import Judgement, Results
from benchbook.analysis.judging.verdicts import (
    NO_DIFFERENCE,
    NOT_VALID,
    OPPOSITE,
    REPRODUCED,
    TOO_CLOSE,
    share_text,
)
from benchbook.analysis.statistics import detectable
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.runs import Run
from benchbook.show.cards import race_cards
from benchbook.show.markup import Output, note, paragraph, total
from benchbook.show.wording import (
    AS_FACTOR,
    advice,
    interval_text,
    more_text,
    percent,
    ratio_text,
    says_nothing,
    signed,
    unbounded,
)
from benchbook_kernels.base.words import counted


def summary(run: Run, results: Results) -> Output:
    """The answer, and after it the details."""
    return total([answer(run, results), details(run, results)])


def answer(run: Run, results: Results) -> Output:
    """What was asked, in sentences: each thing against the baseline, the control, how sure.

    Percent are those of the speed, as everywhere; beside them stands what that is in time.
    """
    said = lines(results)
    if not run.complete:
        said.append(f"INCOMPLETE, after {counted(len(run.samples), 'sample')}: {run.reason}")
    told = [*said, control(run, results), sureness(run)]
    doubt = doubts.doubt(run)
    return total([*map(paragraph, told), *([note(f"! {doubt}")] if doubt else [])])


def details(run: Run, results: Results) -> Output:
    """How it was raced, each entry's figures, and what its samples show."""
    parts = [race_cards.ratios(run, results), race_cards.how_raced(run)]
    return total([*parts, *race_cards.remark_notes(results.remarks)])


def lines(results: Results) -> list[str]:
    """A sentence for each thing that was compared with the baseline; that none was, where so."""
    run = results.compared.run
    by = run.kind.compared_by(run.plan)
    unclear = run.kind.unclear(run)
    said = [line(judgement, by, unclear) for judgement in results.judgements]
    return said or [f"{results.baseline} was compared with a copy of itself only"]


def line(judgement: Judgement, by: str = "", unclear: str = "") -> str:
    """The verdict on one pair, in a sentence with its interval; by: the cost that is compared;
    unclear: why an interval may say nothing, and what to do."""
    a, b = judgement.statement.names
    if judgement.verdict == NOT_VALID or not judgement.tests:
        return f"{a}: no verdict, {judgement.why}"
    found = judgement.tests[0].interval
    if judgement.verdict in (REPRODUCED, OPPOSITE):
        cost = f": {1 / found.ratio:.3g} times the {by}" if by else ""
        return f"{a} is {difference_text(found.ratio, b)} {size_text(found)}{cost}"
    if judgement.verdict == NO_DIFFERENCE:
        delta = share_text(judgement.delta)
        return f"{a} and {b}: no difference of {delta} or more {interval_text(found)} %"
    assert judgement.verdict == TOO_CLOSE, judgement.verdict
    if unclear and says_nothing(found):
        return f"{a} and {b}: can't tell; {unclear}"
    return f"{a} and {b} are too close to call: {ratio_text(found)}; {longer(judgement)}"


def difference_text(ratio: float, other: str) -> str:
    """How much faster or slower than the other: "6.1 % faster than a", "2.3 times as fast as a"."""
    if ratio >= AS_FACTOR:
        return f"{ratio:.1f} times as fast as {other}"
    word = "faster" if ratio > 1 else "slower"
    return f"{percent(ratio).lstrip('+−')} {word} than {other}"


def size_text(found: Interval) -> str:
    """The interval of a difference whose direction is told in words: "[4.8, 7.4] %"."""
    if unbounded(found):
        return interval_text(found)
    if found.ratio >= AS_FACTOR:
        return interval_text(found)
    ends = (found.low, found.high) if found.ratio >= 1 else (found.high, found.low)
    if found.ratio >= 1:
        return "[{}, {}] %".format(*(signed(end).removeprefix("+") for end in ends))
    turned = [signed(2 - end).removeprefix("+") for end in ends]
    return "[{}, {}] %".format(*turned)


def longer(judgement: Judgement) -> str:
    """What would decide it: how much more time, as it would be asked for."""
    seconds = judgement.seconds_more
    told = more_text(seconds)
    if seconds is None or not told.endswith("more"):
        return advice(seconds)
    return f"{told} would tell"


def control(run: Run, results: Results) -> str:
    """What the copy of the baseline says, in a line."""
    found, name = results.control, results.baseline
    if not run.control:
        return f"No copy of {name} raced, as it was not for us to start one"
    if found is None or unbounded(found):
        return f"A copy of {name}: unknown, too few samples"
    if run.kind.unclear(run) and says_nothing(found):
        return f"A copy of {name}: can't tell either"
    told = f"A copy of {name}: {ratio_text(found)}"
    if not found.low <= 1 <= found.high:
        return f"{told}: more than chance should do; take differences of this size with care"
    return told


def sureness(run: Run) -> str:
    """What could have been seen in the time that the race took; '' where that is not known."""
    plan, seen = run.plan, detectable.of_race(run)
    how = f"{counted(plan.launches, 'launch')}, {counted(plan.launches * plan.blocks, 'block')}"
    order = "at the same time" if plan.together else "interleaved"
    if seen is None or not math.isfinite(seen.smallest):
        return f"{how}, {order}"
    smallest = f"{100 * seen.smallest:.1f} %"
    by = run.kind.compared_by(plan)
    return f"Could tell {smallest} in these {seen.seconds:.0f} s, by {by}; {how}, {order}"
