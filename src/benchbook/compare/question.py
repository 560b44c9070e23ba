"""A question of one's own: what is compared with what, as an experiment without a folder.

Everything that is compared is a Variant, a program and what it is given (environment, version of
its runtime, packages, arguments), so whatever can be compared is raced, judged and shown as the
variants of an experiment are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchbook.model.claims import OURS, Claim, Source, Statement
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.kind import Kind
from benchbook.model.runs import Entry, Run
from benchbook.model.variants import Mode, Variant
from benchbook_kernels.base.errors import InputError

if TYPE_CHECKING:  # help needs none of it
    from benchbook.analysis.judging.judge import Results

NAME = "compare"  # what such an experiment is called
DELTA = 0.02  # the smallest difference that matters, where nobody says anything else


@dataclass(frozen=True)
class Question:
    """What is compared: variants, the first of which the others are compared with.

    delta: the smallest difference that matters, as a share; mode: how long to race; folder: the one
    in which it was asked.
    """

    kind: Kind
    variants: tuple[Variant, ...]
    mode: Mode
    folder: Path
    delta: float = DELTA

    @property
    def baseline(self) -> Variant:
        return self.variants[0]

    def experiment(self) -> Experiment:
        """The experiment that answers it; its programs run where they lie."""
        return Experiment(
            name=NAME,
            folder=self.folder,
            title=title(self.variants),
            question=f"Which is faster: {title(self.variants)}?",
            claim=self.claim(),
            baseline=self.baseline.name,
            kind=self.kind,
            modes={"quick": self.mode, "full": self.mode},
            variants=self.variants,
            in_place=True,
            delta=self.delta,
        )

    def claim(self) -> Claim:
        return claim(self.variants, self.folder, self.delta)


def claim_of(run: Run) -> Claim:
    """The claim of a comparison, from its run file alone. Raises InputError for another run."""
    delta = run.experiment.delta
    if delta is None:
        raise InputError("run", "experiment", "is no comparison", "give one of `compare`")
    baseline = run.entry(run.baseline)
    others = [entry for entry in run.entries if entry.role == "variant"]
    folder = run.path.parent if run.path else Path()
    return claim([baseline, *others], folder, delta)


def judged(run: Run) -> Results:
    """What a comparison's run says, from its file alone. Raises InputError for another run.

    Its ratios are to what each is compared with: of several inputs or cases the first in the same
    one. Another input is no baseline.
    """
    from benchbook.analysis.judging import judge  # here: help needs none of it

    found = judge.judge(run, claim_of(run))
    if all(each.statement.b == run.baseline for each in found.judgements):
        return found
    ratios = {each.statement.a: each.tests[0].interval for each in found.judgements if each.tests}
    if found.control:
        ratios[run.control] = found.control
    return replace(found, ratios=ratios)


def claim(things: Sequence[Variant | Entry], folder: Path, delta: float) -> Claim:
    """Nobody's claim: whether each of the others is faster than the first, or slower."""
    name = title(things)
    source = Source(article="none", title=name, language="none", method="none")
    pairs = [(each, other) for each in things if (other := compared_with(each, things)) is not each]
    statements = tuple(statement(*pair, delta) for pair in pairs)
    return Claim(NAME, folder / NAME, name, OURS, source, (), statements)


def compared_with(thing: Variant | Entry, things: Sequence[Variant | Entry]) -> Variant | Entry:
    """The first thing's series in the same case, the first thing where there is none; itself where
    there is nothing to compare. Of one command in a sweep each case is compared with the first."""
    first = things[0]
    alone = thing.parameters and len({each.series for each in things}) == 1
    if not thing.series or thing.case == first.case or alone:
        return first
    same = [each for each in things if (each.series, each.case) == (first.series, thing.case)]
    return next(iter(same), first)


def statement(thing: Variant | Entry, baseline: Variant | Entry, delta: float) -> Statement:
    return Statement(
        id=thing.name,
        says=f"{OURS}: {thing.title} is faster than {baseline.title}.",
        type="faster",
        place="",
        a=thing.name,
        b=baseline.name,
        smallest_effect=delta,
        ours=True,
    )


def title(variants: Sequence[Variant | Entry]) -> str:
    """What is compared, in a line, without the cases."""
    first, *others = dict.fromkeys(v.series if v.series and v.case else v.title for v in variants)
    if not others and len(cases := dict.fromkeys(v.case for v in variants)) > 1:
        return f"{first}: {listed(list(cases))}"
    return f"{first} and {listed(others)}" if others else f"{first} and itself"


def listed(names: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "a copy"
