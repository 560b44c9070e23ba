"""What came of a replay: the article's table beside ours, and every statement of the claim."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from benchbook.analysis.judging.connections import unlike
from benchbook.analysis.judging.doubts import doubt
from benchbook.analysis.judging.judge import Judgement, Results
from benchbook.model.claims import Statement
from benchbook.model.experiments import Experiment
from benchbook.model.published import Published, less_is_faster, speed_ratio
from benchbook.model.replayed import (
    Figures,
    HonestRace,
    Measured,
    Ratio,
    Replayed,
    Said,
    TableRow,
    Taken,
)
from benchbook.model.runs import Run
from benchbook.system import paths

ByName = Mapping[str, list[Taken]]  # the figures of every measurement


@dataclass(frozen=True)
class Honest:
    """The race that a replay is compared with."""

    run: Run
    results: Results


@dataclass
class AskedReplay:
    """What is to be replayed.

    method: as published; played: the same, shortened if so asked; folder: the experiment's, or its
    copy; honest: the race to compare with and what it says, None where there is none.
    """

    experiment: Experiment
    method: Published
    played: Published
    shorten: int
    folder: Path
    honest: Honest | None


@dataclass
class Outcome(AskedReplay):
    """What is replayed, and what came of it so far; measured: in the article's order."""

    kind: ClassVar[str]  # one of published.KINDS

    run: Run
    measured: list[Measured]

    def line(self) -> str:
        """The command with the article's options, as an article would write it."""
        raise NotImplementedError

    def replayed(self) -> Replayed:
        """As a run file holds it."""
        measured = [
            replace(each, runs=list(each.runs), taken=taken(each.runs, self.method))
            for each in self.measured
        ]
        figures = {each.name: each.taken for each in measured}
        judged = self.honest.results.judgements if self.honest else ()
        answers = {judgement.statement.id: judgement for judgement in judged}
        return Replayed(
            kind=self.kind,
            line=self.line(),
            method=self.method,
            played=self.played,
            shortened=self.shorten,
            columns=list(self.method.columns),
            measured=measured,
            rows=self.rows(figures),
            statements=[
                self.said(statement, figures, answers.get(statement.id))
                for statement in self.experiment.claim.statements
            ],
            honest=facts(self.honest, self.run) if self.honest else None,
        )

    def rows(self, figures: ByName) -> list[TableRow]:
        """The article's table, row by row, and after it what the article measured without
        figures."""
        method, given = self.method, self.experiment.claim.figures
        void = {f.label: f"the article's figure is excluded: {f.void}" for f in given if f.void}
        shown = [(row.figure, row.reads, row.number) for row in method.rows]
        read = {reads for _, reads, _ in shown}
        shown += [("", each.name, 0) for each in self.measured if each.name not in read]
        table = []
        for label, reads, number in shown:
            values = figures.get(reads, [])
            values = values[number - 1 : number] if number else values
            here = {unit: mean(value[unit] for value in values) for unit in method.columns}
            there: Taken = {f.unit: f.value for f in given if f.label == label and f.unit in here}
            remarks = ["" if values else self.absence(reads), void.get(label, "")]
            note = "; ".join(filter(None, remarks))
            table.append(TableRow(label, reads, there, here if values else {}, note))
        return table

    def absence(self, name: str) -> str:
        """Why there is no figure."""
        if not name:
            return "not raced here"
        found = next(each for each in self.measured if each.name == name)
        return {
            "waiting": "not measured yet",
            "measured": "no such measurement",
            "unavailable": f"unavailable: {found.reason}",
            "failed": f"failed: {found.reason.partition(chr(10))[0]}",
        }[found.status]

    def said(self, statement: Statement, figures: ByName, answer: Judgement | None) -> Said:
        """A statement of the claim: published, replayed, and the honest race's answer."""
        unit = self.method.columns[0]
        speeds, missing = {}, []
        for name in statement.names:
            reads = self.read_for(name)
            values = figures.get(reads, [])
            if values and (figure := mean(value[unit] for value in values)):
                speeds[name] = figure
            elif values:
                missing.append(f"{name}: 0 {unit} can't be compared: let it do more")
            else:
                known = reads in figures
                why = self.absence(reads) if known else "not in the article's method"
                missing.append(f"{name}: {why}")
        ordered = statement.type == "order"
        pair = not ordered and not missing
        order = sorted(speeds, key=lambda name: speeds[name], reverse=not less_is_faster(unit))
        a, b = statement.names[:2]
        apart = unlike(self.run, a, b) if pair else None
        return Said(
            id=statement.id,
            says=statement.says,
            published=self.experiment.claim.published_ratio(statement),
            replayed=speed_ratio(speeds[a], speeds[b], unit) if pair else None,
            order=order if ordered and not missing else None,
            honest=ratio_of(answer),
            verdict=answer.verdict if answer else None,
            why=answer.why if answer else "",
            missing="; ".join(missing),
            unlike=apart.why if apart else "",
        )

    def read_for(self, variant: str) -> str:
        """What is measured for a variant: itself, or the label that the script prints for it."""
        if not self.method.by_label:
            return variant
        labels = {f.label for f in self.experiment.claim.figures if f.variant == variant}
        return next((row.reads for row in self.method.rows if row.figure in labels), "")


def taken(runs: Sequence[Figures], method: Published) -> list[Taken]:
    """The figure of every whole measurement: a number by unit.

    A measurement is method.runs runs; best: the run that is best in the first column.
    """
    found = []
    for first in range(0, len(runs) - method.runs + 1, method.runs):
        group = [run.figures for run in runs[first : first + method.runs]]
        if method.take == "mean":
            found.append({unit: mean(g[unit] for g in group) for unit in method.columns})
        elif method.take == "best":
            unit = method.columns[0]
            known = [figures for figures in group if figures[unit] is not None] or group[:1]
            best = min if less_is_faster(unit) else max
            found.append(best(known, key=lambda figures: figures[unit] or 0.0))
        else:
            found.append(group[-1])
    return found


def mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def ratio_of(answer: Judgement | None) -> Ratio | None:
    """The race's ratio, where the statement is about one pair."""
    if answer is None or len(answer.tests) != 1 or (found := answer.tests[0].interval) is None:
        return None
    return Ratio(found.ratio, found.low, found.high)


def facts(honest: Honest, run: Run) -> HonestRace:
    """What a reader must know of the race that a replay is compared with."""
    race, control = honest.run, honest.results.control
    then = {e.name: e.sha256 for e in race.entries}
    return HonestRace(
        file=paths.relative(race.path) if race.path else "",
        started=race.started,
        tool=race.tool.name,
        connections=race.plan.connections,
        launches=race.plan.launches,
        blocks=race.plan.blocks,
        sample_seconds=race.plan.sample_seconds,
        warmup_seconds=race.plan.warmup_seconds,
        pinned=race.pinning.server is not None,
        control=control.reach if control else None,
        doubt=doubt(race),
        changed=[e.name for e in run.entries if then.get(e.name, e.sha256) != e.sha256],
    )
