"""From a run's samples to ratios, and to one verdict for each statement. It measures nothing."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from benchbook.analysis.judging import verdicts
from benchbook.analysis.judging.connections import unlike
from benchbook.analysis.judging.remarks import remarks_on
from benchbook.analysis.judging.verdicts import NOT_VALID, TOO_CLOSE, Test
from benchbook.analysis.statistics import looks, stats
from benchbook.analysis.statistics.compared import Compared
from benchbook.analysis.statistics.exclusion import why_excluded
from benchbook.analysis.statistics.stats import Interval, has_data
from benchbook.model.claims import Claim, Statement
from benchbook.model.runs import Run


@dataclass(frozen=True)
class Judgement:
    """A statement with its verdict. Ratios are factors; published is None where none is given.

    delta: the smallest effect that matters; size: the published size against the measured one, one
    of verdicts.SIZES ('': none was published); why: one sentence in the reader's words; absent: it
    is about a variant that was left out of the race; not_here: about one that this machine lacks;
    seconds_more: how much longer a race that is too close to call would have to be, about; tau:
    Kendall's τ of an order, with its interval.
    """

    statement: Statement
    verdict: str
    why: str
    tests: tuple[Test, ...] = ()
    delta: float = verdicts.SMALLEST_EFFECT
    published: float | None = None
    size: str = ""
    seconds_more: float | None = None
    tau: float | None = None
    tau_low: float | None = None
    tau_high: float | None = None
    absent: bool = False
    not_here: bool = False


@dataclass(frozen=True)
class Results:
    """Everything that is computed from a run.

    compared: any two entries; control: the ratio of the A/A copy to the baseline, which is 1 but
    for chance; ratios: to the baseline, by entry; medians: of the speeds, by entry; shares: of the
    CPU, as in Compared; left_out: blocks of each launch that were still warm-up; remarks: sentences
    on drift, outliers and disagreement (nothing is left out because of them); unlike: why an entry
    has no ratio to the baseline, in a table's words, where their requests were not alike.
    """

    compared: Compared
    control: Interval | None
    ratios: Mapping[str, Interval]
    medians: Mapping[str, float]
    judgements: tuple[Judgement, ...] = field(default_factory=tuple)
    shares: Mapping[str, float] = field(default_factory=dict)
    left_out: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()
    unlike: Mapping[str, str] = field(default_factory=dict)

    @property
    def baseline(self) -> str:
        """What the others are compared with."""
        return self.compared.run.baseline

    def against(self, name: str, to: str = "") -> Interval | None:
        """The ratio of one entry to another, to the baseline for ''; None where it is unknown."""
        if not to:
            return self.ratios.get(name)
        return None if unlike(self.compared.run, name, to) else self.compared.interval(name, to)

    def about(self, a: str, b: str) -> Judgement | None:
        """The first statement that compares just these two, whichever comes first in it."""
        pairs = ((j, set(j.statement.names)) for j in self.judgements)
        return next((j for j, names in pairs if names == {a, b}), None)

    def delta(self, a: str, b: str) -> float:
        """The smallest difference of these two that matters."""
        found = self.about(a, b)
        asked = self.compared.run.experiment.delta  # of a comparison, for all that is in it
        return found.delta if found else asked or verdicts.SMALLEST_EFFECT


def judge(run: Run, claim: Claim) -> Results:
    """Ratios to the baseline, the control, and a verdict for every statement of the claim."""
    compared = Compared.of(run)
    others = [e.name for e in run.entries if e.role == "variant"]
    apart = {name: found for name in others if (found := unlike(run, name, run.baseline))}
    ratios = {
        e.name: interval
        for e in run.entries
        if e.role != "baseline"
        and e.name not in apart
        and (interval := compared.interval(e.name, run.baseline))
    }
    return Results(
        compared=compared,
        control=ratios.get(run.control),
        ratios=ratios,
        medians=compared.medians(),
        judgements=tuple(with_tau(each, compared) for each in judgements(run, claim, compared)),
        shares=compared.shares,
        left_out=compared.fit.left_out,
        remarks=(*{each.why: None for each in apart.values()}, *remarks_on(compared)),
        unlike={name: each.brief for name, each in apart.items()},
    )


def judgements(run: Run, claim: Claim, compared: Compared) -> Sequence[Judgement]:
    """Every statement's judgement. Where the race was looked at after each launch it is that of the
    first look that settled it: what was found stays found (Ye et al. 2013, doi:10.1002/sim.5700).
    """
    raced = 1 + max((sample.launch for sample in run.samples), default=0)
    if not run.plan.looks or raced <= looks.FIRST:
        return judged(claim, compared, {})
    known: dict[str, Judgement] = {}
    for launches in range(looks.FIRST, raced):
        then = Compared.of(run.until(launches))
        known |= {j.statement.id: j for j in judged(claim, then, known) if is_settled(j, then.run)}
    return judged(claim, compared, known)


def judged(claim: Claim, compared: Compared, known: Mapping[str, Judgement]) -> list[Judgement]:
    """The judgements of one look; known: those that earlier looks have settled, by statement."""
    tested = [known.get(s.id) or tested_statement(s, claim, compared) for s in claim.statements]
    seconds = compared.run.timing.get("total_seconds", 0.0)
    return [
        each if each.statement.id in known else decide(each, seconds)
        for each in correct(tested, known)
    ]


def with_tau(judgement: Judgement, compared: Compared) -> Judgement:
    """The judgement; that of an order with its Kendall's τ, which decides nothing."""
    statement = judgement.statement
    if statement.type != "order" or not judgement.tests:
        return judgement
    chosen = compared.centres(statement.names)
    tau = stats.kendall_tau(chosen)
    if math.isnan(tau):  # all speeds are equal
        return judgement
    low, high = stats.bootstrap(chosen, stats.kendall_tau, compared.run.plan.seed)
    why = f"{judgement.why}; Kendall's τ {tau:.2f} [{low:.2f}, {high:.2f}]"
    return replace(judgement, why=why, tau=tau, tau_low=low, tau_high=high)


def is_decided(judgement: Judgement, run: Run) -> bool:
    """Has a statement a verdict that a longer race would not change? Where none is valid it may
    come as long as all that it speaks of still races."""
    if judgement.verdict == NOT_VALID:
        status = {entry.name: entry.status for entry in run.entries}
        return any(status.get(name) != "raced" for name in judgement.statement.names)
    return judgement.verdict != TOO_CLOSE


def is_settled(judgement: Judgement, run: Run) -> bool:
    """Would a longer race tell no more? Verdict and size are known, or never will be."""
    if not is_decided(judgement, run):
        return False
    if judgement.size != verdicts.AS_PUBLISHED or not judgement.published:
        return True
    return verdicts.is_narrow(judgement.tests[0].interval, judgement.published, judgement.delta)


def launches_needed(run: Run, claim: Claim) -> int:
    """How many launches make every interval narrower than the plan's `until`, by the pilot's data.

    Every interval: of each entry to the baseline, and of each pair in a statement, where both are
    still in the race and have two launches at least. Raises ValueError for a plan without `until`.
    """
    width = run.plan.until
    if width is None:
        raise ValueError("the plan does not say how narrow the intervals must be")
    compared = Compared.of(run)
    pairs = [(e.name, run.baseline) for e in run.entries if e.role != "baseline"]
    pairs += [pair for s in claim.statements for pair in itertools.pairwise(s.names)]
    racing = {entry.name for entry in run.entries if entry.status == "raced"}
    needed = [
        compared.launches_needed(a, b, width)
        for a, b in pairs
        if {a, b} <= racing and (found := compared.interval(a, b)) and not found.within_one_launch
    ]
    return max(needed, default=run.plan.launches)


def tested_statement(statement: Statement, claim: Claim, compared: Compared) -> Judgement:
    """The statement with its tests, or with the reason why it can't be judged (not valid)."""
    published = claim.published_ratio(statement)
    delta = statement.within or statement.smallest_effect or verdicts.SMALLEST_EFFECT
    entries = {entry.name for entry in compared.run.entries}
    if left_out := [name for name in statement.names if name not in entries]:
        reason = f"{left_out[0]} was left out of this race"
        return Judgement(statement, NOT_VALID, reason, (), delta, published, absent=True)
    if reason := why_not_valid(statement, compared):
        status = {compared.run.entry(name).status for name in statement.names}
        lacking = "unavailable" in status
        return Judgement(
            statement, NOT_VALID, reason, delta=delta, published=published, not_here=lacking
        )
    pairs = [(a, b, compared.interval(a, b)) for a, b in itertools.pairwise(statement.names)]
    tests = tuple(Test(a, b, interval) for a, b, interval in pairs if interval)
    judgement = Judgement(statement, "", "", tests, delta, published)
    if statement.low is not None and statement.high is not None:  # its type is "ratio"
        found = verdicts.size_of_range(tests[0].interval, statement.low, statement.high)
        return replace(judgement, size=found)
    if published:
        return replace(judgement, size=verdicts.size(tests[0].interval, published))
    return judgement


def why_not_valid(statement: Statement, compared: Compared) -> str:
    """Why the samples don't allow a verdict on this statement; '' where they do."""
    run = compared.run
    for name in statement.names:
        entry = run.entry(name)
        if entry.status != "raced":
            return f"{name} {entry.fate}: {entry.short_reason}"
        if not has_data(compared.speeds[name]):
            return f"{name} has no samples"
        if reason := why_excluded(run, name):
            return reason
    for a, b in itertools.pairwise(statement.names):
        if found := unlike(run, a, b):
            return found.why
        interval = compared.interval(a, b)
        if interval is None or interval.within_one_launch:
            return "fewer than two launches have both: differences between launches are unknown"
    return ""


def correct(
    judgements: Sequence[Judgement], known: Mapping[str, Judgement] = MappingProxyType({})
) -> list[Judgement]:
    """The judgements with Holm's correction over the statements; those that are known stay as they
    are, and what was found there counts as found.

    Statements about the same pair count once. The pairs of an order need no correction among
    themselves to say that all of them hold (an intersection-union test, Berger 1982,
    doi:10.1080/00401706.1982.10487790), but to say that any is the other way round they do.
    """
    p_values, before = dict[object, float](), dict[object, float]()
    for judgement in judgements:
        if judgement.tests:
            tested, p = hypothesis(judgement), p_of(judgement)
            if judgement.statement.id in known and judgement.tests[0].significant:
                before[tested], p = judgement.tests[0].p_adjusted, 0.0
            p_values[tested] = min(p, p_values.get(tested, p))
    adjusted = dict(zip(p_values, stats.holm(list(p_values.values())), strict=True)) | before
    return [
        replace(j, tests=tuple(corrected(j, adjusted[hypothesis(j)], len(p_values))))
        if j.tests and j.statement.id not in known
        else j
        for j in judgements
    ]


def hypothesis(judgement: Judgement) -> object:
    """What is tested; equal for statements whose test is the same."""
    statement = judgement.statement
    if len(statement.names) > 2 or statement.low is not None:
        return statement.id
    return frozenset(statement.names)


def p_of(judgement: Judgement) -> float:
    """The p-value of a statement, not yet corrected for others."""
    statement, intervals = judgement.statement, [test.interval for test in judgement.tests]
    if statement.low is not None and statement.high is not None:
        return intervals[0].p_beyond(statement.low, statement.high)
    reversed_ = [each.p for each in intervals if each.ratio < 1]
    if len(intervals) > 1 and reversed_:
        return min(1.0, len(intervals) * min(reversed_))
    return max(each.p for each in intervals)


def corrected(judgement: Judgement, adjusted: float, statements: int) -> Iterator[Test]:
    """A statement's tests, with p-values corrected by the factor that its own was."""
    own = p_of(judgement)
    for test in judgement.tests:
        p = test.interval.p if judgement.statement.low is None else own
        if test.interval.ratio < 1:
            p *= len(judgement.tests)
        p_adjusted = min(1.0, p * adjusted / own if own else adjusted)
        yield replace(test, p_adjusted=p_adjusted, statements=statements)


def decide(judgement: Judgement, seconds: float) -> Judgement:
    """The judgement with its verdict, from the corrected tests. seconds: that the race took."""
    if judgement.verdict == NOT_VALID:
        return judgement
    statement, delta = judgement.statement, judgement.delta
    first = judgement.tests[0]
    if statement.type == "faster":
        verdict, why = verdicts.direction(first, delta)
    elif statement.type == "same":
        verdict, why = verdicts.equality(first, delta)
    elif statement.low is not None and statement.high is not None:  # its type is "ratio"
        verdict, why = verdicts.in_range(first, statement.low, statement.high, delta)
    else:
        verdict, why = verdicts.ordering(judgement.tests, delta)
    more = seconds_more(judgement, seconds) if verdict == TOO_CLOSE else None
    # who published "the same" did not publish the small difference of two figures
    same = statement.type == "same" and verdict == verdicts.REPRODUCED
    size = "" if same and judgement.size == verdicts.RULED_OUT else judgement.size
    return replace(judgement, verdict=verdict, why=why, size=size, seconds_more=more)


def seconds_more(judgement: Judgement, seconds: float) -> float | None:
    """How much longer the race would have to be to decide this, about; None where that is unknown,
    or where no longer race would do."""
    statement, factors = judgement.statement, []
    for test in judgement.tests:
        if statement.low is not None and statement.high is not None:
            goal = verdicts.error_to_place(test, statement.low, statement.high)
        elif statement.type == "same":
            goal = verdicts.error_to_equal(test.interval, judgement.delta)
        else:
            goal = verdicts.error_to_decide(test, judgement.delta)
        factors.append(test.interval.longer(goal))
    factor = max(factors)
    return seconds * (factor - 1) if 1 < factor < math.inf and seconds else None
