"""What a race found, in a sentence: first what was decided, then what was not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchbook.analysis import doubts, stats, verdicts
from benchbook.analysis.judge import Judgement, Results
from benchbook.analysis.verdicts import (
    NO_DIFFERENCE,
    NOT_VALID,
    REPRODUCED,
    RULED_OUT,
    TOO_CLOSE,
    Test,
)
from benchbook.model.runs import Run

LONGEST = 116  # characters: two lines above a plot
NAMED = 3  # programs that are named in a list, at most
TWICE, MANY = 2.0, 30.0  # from here on a ratio is told as "2.3 times as fast", "31 times"
SMALL = 0.02  # a difference under this is told with a decimal
DIFFERS, EQUAL, OPEN = "differs", "equal", "open"


@dataclass(frozen=True)
class Told:
    """What was found of `name` to `other`: kind is one of the above, ratio that of their speeds."""

    name: str
    other: str
    kind: str
    ratio: float


def sentence(run: Run, results: Results) -> str:
    """The finding; before it, in a few words, that the machine was not free, where it was not."""
    before = doubts.in_short(run)
    found = found_in(run, results, LONGEST - len(before))
    return f"{before}: {found}" if before else found


def found_in(run: Run, results: Results, longest: int) -> str:
    """What differs first, and pairs with the baseline before others, as many as so many characters
    hold."""
    told = list(pairs(run, results))
    if not told:
        return f"No ratio to {run.baseline} could be measured"
    if all(each.kind == OPEN for each in told):
        return undecided(told, results)
    groups: dict[str, list[Told]] = {}
    for each in sorted(told, key=lambda each: each.other != run.baseline):
        groups.setdefault(each.other, []).append(each)
    ordered = sorted(groups.values(), key=lambda some: all(t.kind != DIFFERS for t in some))
    parts = [part for some in ordered if (part := group_text(some))]
    text = parts[0]
    for part in parts[1:]:
        if len(text) + len(part) + 2 <= longest:
            text += f"; {part}"
    return text


def pairs(run: Run, results: Results) -> Iterator[Told]:
    """Each pair that a statement compares, once; without any, each entry and the baseline."""
    seen = set()
    for judgement in results.judgements:
        names = frozenset(judgement.statement.names)
        if len(judgement.tests) == 1 and names not in seen and (kind := kind_of(judgement)):
            seen.add(names)
            yield placed(judgement.tests[0], kind, run.baseline)
    if not seen:
        found = {name: each for name, each in results.ratios.items() if name != run.control}
        adjusted = stats.holm([each.p for each in found.values()])
        for (name, interval), p in zip(found.items(), adjusted, strict=True):
            test = Test(name, run.baseline, interval, p)
            verdict = verdicts.direction(test, verdicts.SMALLEST_EFFECT)[0]
            kind = {NO_DIFFERENCE: EQUAL, TOO_CLOSE: OPEN}.get(verdict, DIFFERS)
            yield placed(test, kind, run.baseline)


def kind_of(judgement: Judgement) -> str:
    """What a statement's verdict says of its pair; '' where it says nothing."""
    if judgement.verdict == NOT_VALID:
        return ""
    if judgement.verdict == TOO_CLOSE:
        return OPEN
    same = judgement.statement.type == "same" and judgement.verdict == REPRODUCED
    if same or judgement.verdict == NO_DIFFERENCE:
        return EQUAL
    interval = judgement.tests[0].interval
    if judgement.statement.low is not None and verdicts.equal(interval, judgement.delta):
        return EQUAL
    return "" if interval.low <= 1 <= interval.high else DIFFERS


def placed(test: Test, kind: str, baseline: str) -> Told:
    """The pair with the baseline second; without it, with the slower one second."""
    ratio = test.interval.ratio
    turned = test.a == baseline or (test.b != baseline and ratio < 1)
    return Told(test.b, test.a, kind, 1 / ratio) if turned else Told(test.a, test.b, kind, ratio)


def group_text(told: Sequence[Told]) -> str:
    """What was found of programs that are compared with the same one; '' for nothing."""
    other = told[0].other
    differ = sorted((t for t in told if t.kind == DIFFERS), key=lambda t: -abs(t.ratio - 1))
    equal = [t.name for t in told if t.kind == EQUAL]
    open_ = [t.name for t in told if t.kind == OPEN]
    parts = []
    if differ:
        most = NAMED if len(differ) > NAMED + 1 else NAMED + 1
        first = f"{differ[0].name} is {amount(differ[0].ratio, other)}"
        parts.append(", ".join([first, *(f"{t.name} {amount(t.ratio)}" for t in differ[1:most])]))
        if more := len(differ[most:]):
            parts.append(f"{more} more differ")
    if equal:
        one = len(equal) == 1
        words = f"{'is' if one else 'are'} not" if differ else f"{'is' if one else 'are'} as fast"
        parts.append(f"{listed(equal)} {words}" + ("" if differ else f" as {other}"))
    if open_ and (differ or equal):
        parts.append(f"{listed(open_)} {'is' if len(open_) == 1 else 'are'} too close to call")
    return "; ".join(parts)


def amount(ratio: float, other: str = "") -> str:
    """How much faster or slower: "9 % faster than bare", "2.3 times as fast"."""
    if ratio >= TWICE:
        size = f"{ratio:.1f}" if ratio < MANY else f"{ratio:,.0f}"
        return f"{size} times as fast" + (f" as {other}" if other else "")
    change = abs(ratio - 1)
    size = f"{change:.1%}" if change < SMALL else f"{change:.0%}"
    word = "faster" if ratio > 1 else "slower"
    return f"{size.replace('%', ' %')} {word}" + (f" than {other}" if other else "")


def listed(names: Sequence[str]) -> str:
    """Names as a reader says them: a, b and c; more are counted."""
    if len(names) > NAMED:
        return f"{len(names)} others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def undecided(told: Sequence[Told], results: Results) -> str:
    """A sentence for a race that has decided nothing, but perhaps ruled out what was published."""
    for each in results.judgements:
        if each.size == RULED_OUT and each.published:
            said = each.statement
            return f"Too close to call, but {said.a} is surely not {amount(each.published, said.b)}"
    if len(told) == 1:
        return f"{told[0].name} and {told[0].other} are too close to call"
    return f"Nothing is decided yet: {len(told)} comparisons are too close to call"
