"""Can each statement be decided by a race, and does each figure say where it stands?"""

import math
from collections.abc import Iterator

from benchbook.analysis.judging.verdicts import SMALLEST_EFFECT, share_text
from benchbook.model.claims import Claim, Statement
from benchbook.model.experiments import Experiment
from benchbook.notebook.checking.findings import Problem
from benchbook.system import paths

NARROWEST = 1.01  # a band from low to high that is narrower than 1 % is seen by no race here
NOWHERE = ("", "?", "-", "–", "none", "todo", "tbd", "xxx")  # places that are none
MEND_DELTA = "give a smaller smallest_effect, or leave the published size out"


def undecidable(experiment: Experiment) -> Iterator[Problem]:
    """Statements that no race of this experiment can decide, whatever it measures."""
    for i, statement in enumerate(experiment.claim.statements):
        for field, problem, remedy in reasons(statement, experiment):
            place = f"statements[{i}] ('{statement.id}')"
            where = paths.relative(experiment.claim.path)
            yield Problem(where, f"{place}.{field}" if field else place, problem, remedy)


def reasons(statement: Statement, experiment: Experiment) -> Iterator[tuple[str, str, str]]:
    """(field, why it can't be decided, remedy)."""
    published = experiment.claim.published_ratio(statement)
    delta = statement.smallest_effect or SMALLEST_EFFECT
    if statement.type == "faster" and published is not None:
        if published < 1:
            problem = f"the figures say the opposite: {published:.3g} times as fast"
            yield "", problem, "turn a and b round, or look at the figures again"
        elif not is_seen(published, delta):
            yield "smallest_effect", too_small(published, delta), MEND_DELTA
    if statement.type == "order":
        for a, b in zip(statement.variants, statement.variants[1:], strict=False):
            ratio = ratio_of(experiment.claim, a, b)
            if ratio is not None and ratio < 1:
                problem = f"the figures say the opposite of {a} and {b}"
                yield "variants", problem, "give the order of the figures"
    if statement.low is not None and statement.high is not None:
        if statement.high / statement.low < NARROWEST:
            problem = f"{statement.low:g} to {statement.high:g} is narrower than a race can see"
            yield "high", problem, "give a wider band"
    for mode in experiment.modes:
        raced = experiment.modes[mode].variants
        if lost := [name for name in statement.names if raced and name not in raced]:
            problem = f"a {mode} race is without {', '.join(lost)}"
            yield "", problem, f"add it to race.{mode}.variants in experiment.toml"


def is_seen(ratio: float, delta: float) -> bool:
    """Is a difference larger than δ, the smallest that matters?"""
    return abs(math.log(ratio)) > math.log1p(delta)


def too_small(published: float, delta: float) -> str:
    size = share_text(abs(published - 1))
    return (
        f"can't be decided: {size} was published, and what is smaller than δ, "
        f"{share_text(delta)}, counts as no difference"
    )


def ratio_of(claim: Claim, a: str, b: str) -> float | None:
    """The published ratio of two variants; None without two figures in one unit."""
    pair = Statement("", "", "faster", "", a, b)
    return claim.published_ratio(pair)


def unsourced(experiment: Experiment) -> Iterator[Problem]:
    """Figures and statements of which nobody could find out where they stand."""
    claim = experiment.claim
    where = paths.relative(claim.path)
    remedy = "say where it stands: a heading, a table and its row, a page"
    named = {
        **{f"figures[{i}] ('{f.label}')": f.place for i, f in enumerate(claim.figures)},
        **{f"statements[{i}] ('{s.id}')": s.place for i, s in enumerate(claim.statements)},
        **{f"systems[{i}] ('{s.name}')": s.place for i, s in enumerate(claim.systems)},
    }
    ours = {f"statements[{i}] ('{s.id}')" for i, s in enumerate(claim.statements) if s.ours}
    for field, place in named.items():
        if place.strip().lower() in NOWHERE and field not in ours:
            yield Problem(where, f"{field}.place", f"'{place}' is no place", remedy)
    source = claim.source
    theirs = [each.id for each in claim.statements if not each.ours]
    if theirs and source.article.strip().lower() in NOWHERE and not source.url:
        problem = f"somebody is said to have stated {', '.join(theirs)}, but not where"
        remedy = "give source.url or source.article, or `ours = true` with each of these statements"
        yield Problem(where, "source.article", problem, remedy)


def alike(experiment: Experiment) -> Iterator[Problem]:
    """Variants that are the same program with the same settings; a statement that says so may."""
    seen: dict[object, str] = {}
    meant = {frozenset(s.names) for s in experiment.claim.statements if s.type == "same"}
    for i, variant in enumerate(experiment.variants):
        given = (variant.env, variant.backend, variant.benchmark, variant.case, variant.words)
        more = (variant.paths, variant.publish, variant.needs, variant.parameters)
        built = (variant.path.read_bytes(), variant.path.suffix, variant.properties)
        key = repr((built, given, more))
        other = seen.setdefault(key, variant.name)
        if other != variant.name and {other, variant.name} not in meant:
            field = f"variants[{i}] ('{variant.name}').file"
            where = paths.relative(experiment.folder / "experiment.toml")
            problem = f"is the same program as '{other}', with the same settings"
            remedy = "the race itself adds a copy of the baseline as its control"
            yield Problem(where, field, problem, remedy)
