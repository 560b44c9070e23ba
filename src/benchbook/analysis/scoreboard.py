"""Every statement of every claim, with what was measured here and in the reference runs."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from benchbook.analysis.judging import judge
from benchbook.analysis.judging.judge import Judgement
from benchbook.analysis.judging.verdicts import (
    NO_DIFFERENCE,
    OPPOSITE,
    OUTSIDE,
    REPRODUCED,
    TOO_CLOSE,
)
from benchbook.model import experiments, picker
from benchbook.model.claims import Statement
from benchbook.model.experiments import Experiment
from benchbook.model.runs import Run
from benchbook.system import paths

NOT_RUN = "not run"
DECIDED = (REPRODUCED, OPPOSITE, OUTSIDE, NO_DIFFERENCE)


@dataclass(frozen=True)
class Side:
    """What one run says of a statement. older: the code has changed since it was raced."""

    run: Run
    judgement: Judgement
    older: bool


@dataclass(frozen=True)
class BoardRow:
    """A statement; `own` and `reference` are None where there is no run of it."""

    experiment: Experiment
    statement: Statement
    published: float | None
    own: Side | None
    reference: Side | None

    @property
    def verdict(self) -> str:
        if self.own is None or self.own.judgement.not_here:
            return NOT_RUN
        return self.own.judgement.verdict


@dataclass(frozen=True)
class Board:
    """All rows, and the runs that they come from, by experiment."""

    rows: tuple[BoardRow, ...]
    own: dict[str, Run]
    references: dict[str, Run]

    @property
    def counts(self) -> Counter[str]:
        """How many statements have which verdict here."""
        return Counter(row.verdict for row in self.rows)

    @property
    def decided(self) -> int:
        """How many statements have an answer here."""
        return sum(self.counts[verdict] for verdict in DECIDED)

    @property
    def judged(self) -> int:
        """How many could have one: all that were raced and are valid."""
        return self.decided + self.counts[TOO_CLOSE]

    @property
    def ours(self) -> int:
        """How many statements are none of an article's, but questions of our own."""
        return sum(row.statement.ours for row in self.rows)

    @property
    def sizes(self) -> Counter[str]:
        """How many published sizes got which answer here."""
        return Counter(row.own.judgement.size for row in self.rows if row.own and row.published)


def board() -> Board:
    """The scoreboard of this checkout. Raises InputError for a malformed experiment or claim."""
    every = experiments.load_all()
    own = {e.name: run for e in every if (run := picker.own_run(e))}
    known = {experiment.name for experiment in every}
    recorded = picker.reference_runs()
    references = {n: run for n, run in recorded.items() if n in known or not paths.only()}
    rows: list[BoardRow] = []
    for experiment in every:
        sides = [judged(experiment, found.get(experiment.name)) for found in (own, references)]
        for statement in experiment.claim.statements:
            mine, reference = (side.get(statement.id) for side in sides)
            published = experiment.claim.published_ratio(statement)
            rows.append(BoardRow(experiment, statement, published, mine, reference))
    return Board(tuple(rows), own, references)


def judged(experiment: Experiment, run: Run | None) -> dict[str, Side]:
    """What a run says of each statement, by its id."""
    if run is None:
        return {}
    older = is_older(run, experiment)
    found = judge.judge(run, experiment.claim).judgements
    return {each.statement.id: Side(run, each, older) for each in found}


def is_older(run: Run, experiment: Experiment) -> bool:
    """Was any variant's code another than now?"""
    now = {v.name: hashlib.sha256(v.path.read_bytes()).hexdigest() for v in experiment.variants}
    return any(now.get(e.name, e.sha256) != e.sha256 for e in run.entries)


def slug(experiment: str) -> str:
    """A file name for an experiment; a part's is "07-serializers.http"."""
    return experiment.replace("/", ".")


def ordered(rows: Sequence[BoardRow]) -> list[Experiment]:
    """The experiments of rows, each once."""
    return list({row.experiment.name: row.experiment for row in rows}.values())
