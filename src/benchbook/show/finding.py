"""What a race found, in a sentence: first what was decided, then what was not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchbook.analysis.judging import doubts, verdicts
from benchbook.analysis.judging.judge import Judgement, Results
from benchbook.analysis.judging.verdicts import (
    NO_DIFFERENCE,
    NOT_VALID,
    NOT_YET,
    REPRODUCED,
    RULED_OUT,
    TOO_CLOSE,
    Test,
)
from benchbook.analysis.statistics import stats
from benchbook.analysis.statistics.exclusion import why_excluded
from benchbook.model.runs import Run
from benchbook.show import pairs
from benchbook.show.wording import AS_FACTOR, percent, rounded

LONGEST = 116  # characters: two lines above a plot
NAMED = 3  # programs that are named in a list, at most
DIFFERS, EQUAL, OPEN = "differs", "equal", "open"


@dataclass(frozen=True)
class FoundOut:
    """What was found of `name` to the baseline: kind is one of the above, ratio that of their
    speeds."""

    name: str
    kind: str
    ratio: float


def sentence(run: Run, results: Results) -> str:
    """The finding; before it, in a few words, that the machine was not free, where it was not."""
    before = doubts.in_short(run)
    found = found_in(run, results, LONGEST - len(before))
    return f"{before}: {found}" if before else found


def found_in(run: Run, results: Results, longest: int) -> str:
    """What differs from the baseline first, as much as so many characters hold.

    Of other pairs that statements compare the verdicts tell: their ratio is not in the plot.
    """
    told = list(ratios_found(run, results))
    if not told:
        if not results.ratios:
            return f"No ratio to {run.baseline} could be measured"
        one = launches_of(run) < 2
        return "One launch decides nothing" if one else f"No ratio to {run.baseline} is valid"
    if all(each.kind == OPEN for each in told):
        return undecided(told, results, run.baseline)
    text, *parts = list(parts_of(told, run.baseline))
    for part in parts:
        if len(text) + len(part) + 2 <= longest:
            text += f"; {part}"
    return text


def ratios_found(run: Run, results: Results) -> Iterator[FoundOut]:
    """Each ratio to the baseline: what the verdict on it says or, without one, a test.

    None that is not valid, or of which nobody knows how launches differ.
    """
    others = {}
    if why_excluded(run, run.baseline):
        return
    for name, interval in results.ratios.items():
        if interval.within_one_launch or why_excluded(run, name):
            continue
        said = results.about(name, run.baseline)
        if said and len(said.tests) == 1:
            if kind := kind_of(said):
                yield FoundOut(name, kind, interval.ratio)
        elif name != run.control:
            others[name] = interval
    adjusted = stats.holm([each.p for each in others.values()])
    for (name, interval), p in zip(others.items(), adjusted, strict=True):
        test = Test(name, run.baseline, interval, p)
        verdict = verdicts.direction(test, verdicts.SMALLEST_EFFECT)[0]
        kind = {NO_DIFFERENCE: EQUAL, TOO_CLOSE: OPEN}.get(verdict, DIFFERS)
        yield FoundOut(name, kind, interval.ratio)


def launches_of(run: Run) -> int:
    """How many launches have samples."""
    return len({sample.launch for sample in run.samples})


def kind_of(judgement: Judgement) -> str:
    """What a statement's verdict says of its pair; '' where it says nothing."""
    if judgement.verdict == NOT_VALID:
        return ""
    if judgement.verdict in (TOO_CLOSE, NOT_YET):
        return OPEN
    same = judgement.statement.type == "same" and judgement.verdict == REPRODUCED
    if same or judgement.verdict == NO_DIFFERENCE:
        return EQUAL
    interval = judgement.tests[0].interval
    if judgement.statement.low is not None and verdicts.equal(interval, judgement.delta):
        return EQUAL
    return "" if interval.low <= 1 <= interval.high else DIFFERS


def parts_of(told: Sequence[FoundOut], baseline: str) -> Iterator[str]:
    """What was found of programs that are compared with the baseline."""
    differ = sorted((t for t in told if t.kind == DIFFERS), key=lambda t: -abs(t.ratio - 1))
    equal = [t.name for t in told if t.kind == EQUAL]
    open_ = [t.name for t in told if t.kind == OPEN]
    if differ:
        most = NAMED if len(differ) > NAMED + 1 else NAMED + 1
        first = f"{differ[0].name} is {amount(differ[0].ratio, baseline)}"
        yield ", ".join([first, *(f"{t.name} {amount(t.ratio)}" for t in differ[1:most])])
        if more := len(differ[most:]):
            yield f"{more} more differ"
    if equal:
        one = len(equal) == 1
        alike = f"{'is' if one else 'are'} as fast as {baseline}"
        yield f"{listed(equal)} " + (f"hardly differ{'s' if one else ''}" if differ else alike)
    if open_:
        yield f"{listed(open_)} {'is' if len(open_) == 1 else 'are'} too close to call"


def amount(ratio: float, other: str = "") -> str:
    """How much faster or slower: "8.6 % faster than bare", "2.3 times as fast"."""
    if ratio >= AS_FACTOR:
        return f"{percent(ratio).removesuffix('×')} times as fast" + (
            f" as {other}" if other else ""
        )
    word = "faster" if ratio > 1 else "slower"
    return f"{rounded(ratio).lstrip('+−')} {word}" + (f" than {other}" if other else "")


def listed(names: Sequence[str]) -> str:
    """Names as a reader says them: a, b and c; more are counted."""
    if len(names) > NAMED:
        return f"{len(names)} others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def undecided(told: Sequence[FoundOut], results: Results, baseline: str) -> str:
    """A sentence for a race that has decided nothing, but perhaps ruled out what was published."""
    for each in told:
        said = results.about(each.name, baseline)
        published = pairs.stated(said, baseline) if said and said.size == RULED_OUT else None
        if published:
            return f"Too close to call, but {each.name} is surely not {amount(published, baseline)}"
    if len(told) == 1:
        return f"{told[0].name} and {baseline} are too close to call"
    return f"Nothing is decided yet: {len(told)} comparisons are too close to call"
