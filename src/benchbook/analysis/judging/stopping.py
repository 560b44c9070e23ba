"""When a race may end before its last launch: its statements are settled, or will not be."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy import special

from benchbook.analysis.judging import judge, verdicts
from benchbook.analysis.judging.judge import Judgement, Results
from benchbook.analysis.judging.verdicts import TOO_CLOSE, Test
from benchbook.analysis.statistics.compared import Compared
from benchbook.analysis.statistics.looks import Interim
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.claims import Claim
from benchbook.model.runs import Run
from benchbook_kernels.base.words import counted

HOPELESS = 0.1  # with less of a chance to decide anything more a race ends
FIRST_SURRENDER = 3  # launches: two know too little of the noise

Asked = Callable[[Run, Results], set[str]]  # the entries of what else is asked and not yet decided


@dataclass(frozen=True)
class Verdict:
    """What a look decided. names: the entries that are raced further; why: in words why the race
    ends here, '' where it goes on."""

    names: frozenset[str]
    why: str = ""


def look(run: Run, claim: Claim, asked: Asked | None = None) -> Verdict:
    """Look at a race of which so many launches are over. asked: see Asked.

    Statements are left open where the A/A copy differs from the baseline: then it is not known what
    the others' differences are worth.
    """
    launches = 1 + max(sample.launch for sample in run.samples)
    then = run.until(launches)
    found = judge.judge(then, claim)
    compared, always = found.compared, {run.baseline, run.control} - {""}
    everyone = {entry.name for entry in run.entries}
    if found.control and found.control.p < verdicts.ALPHA:
        return Verdict(frozenset(everyone))
    left = [each for each in found.judgements if not judge.is_settled(each, then)]
    also = asked(then, found) if asked else set()
    where = f"stopped after {launches} of {counted(run.plan.looks or launches, 'launch')}"
    if not left and not also:
        return Verdict(frozenset(always), f"{where}: decided")
    chances = [chance(each, compared) for each in left]
    if launches >= FIRST_SURRENDER and not also and max(chances) < HOPELESS:
        what = "what is left is" if len(left) < len(found.judgements) else "it is"
        told = f"{where}: {what} too close to call, the others would hardly decide it"
        return Verdict(frozenset(always), told)
    names = {name for each in left for name in each.statement.names} | also
    return Verdict(frozenset(always | names))


def chance(judgement: Judgement, compared: Compared) -> float:
    """How likely the rest of the race settles a statement, by what was seen of it (predictive
    power: Spiegelhalter et al. 1986, doi:10.1016/0197-2456(86)90003-6); 1 where nothing is known.
    """
    if not judgement.tests:
        return 1.0
    most = compared.run.plan.looks or 1
    return min(chance_of(test, judgement, most) for test in judgement.tests)


def chance_of(test: Test, judgement: Judgement, most: int) -> float:
    """The same for one of its pairs, in a race of at most so many launches."""
    interval = test.interval
    launches = interval.look.launches if interval.look else interval.launches
    if not interval.error or not math.isfinite(interval.error) or launches >= most:
        return 1.0
    last = ending(interval, launches, most)
    if judgement.verdict != TOO_CLOSE:  # its size is not settled
        published = judgement.published or 1.0
        return float(verdicts.is_narrow(last, published, judgement.delta))
    apart = last.reach_at(1 - Interim(most, most).error / test.correction) * last.error
    surely = last.reach_at(last.level) * last.error
    alike = last.reach_at(verdicts.equal_level(last)) * last.error
    seen, spread = math.log(interval.ratio), interval.error * math.sqrt(1 - launches / most)

    def below(edge: float) -> float:
        return float(special.stdtr(interval.freedom, (edge - seen) / spread))

    def inside(low: float, high: float) -> float:
        return max(0.0, below(high) - below(low))

    statement, edge = judgement.statement, math.log1p(judgement.delta)
    if statement.low is not None and statement.high is not None:
        low = math.log(statement.low) if statement.low > 0 else -math.inf
        high = math.log(statement.high)
        return inside(low + surely, high - surely) + below(low - apart) + 1 - below(high + apart)
    if statement.type == "same":
        outside = below(-edge - surely) + 1 - below(edge + surely)
        return inside(-edge + alike, edge - alike) + outside
    return inside(-edge + alike, edge - alike) + below(-apart) + 1 - below(apart)


def ending(interval: Interval, launches: int, most: int) -> Interval:
    """The interval as it will be after the last launch, should the ratio stay what it is."""
    shrinking = interval.error**2 - interval.lasting**2
    error = math.sqrt(interval.lasting**2 + shrinking * launches / most)
    freedom = interval.freedom * most / launches
    return Interval.of(math.log(interval.ratio), error, freedom, most, look=Interim(most, most))
