"""What came of a replay: the article's table beside ours, and every statement of the claim."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchbook.analysis.connections import unlike
from benchbook.analysis.doubts import doubt
from benchbook.analysis.judge import Judgement
from benchbook.analysis.stats import Interval
from benchbook.model.claims import (
    Published,
    PublishedClient,
    PublishedHttp,
    less_is_faster,
    speed_ratio,
)
from benchbook.model.runs import Run
from benchbook.system import paths

if TYPE_CHECKING:
    from benchbook.race.replay.replay import Figures, Honest, Measured, Replay

Taken = dict[str, float | None]  # the figure of a measurement: a number by unit


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


def to_json(replay: Replay) -> dict[str, Any]:
    """What a run file holds under `replay`; see schemas/run.schema.json."""
    method = replay.method
    figures = {m.name: taken(m.runs, method) for m in replay.measured}
    return {
        "kind": replay.kind,
        "line": replay.line(),
        "method": dataclasses.asdict(method),
        "played": dataclasses.asdict(replay.played),
        "shortened": replay.shorten,
        "columns": list(method.columns),
        "measured": [{**dataclasses.asdict(m), "taken": figures[m.name]} for m in replay.measured],
        "rows": rows(replay, figures),
        "statements": statements(replay, figures),
        "honest": None if replay.honest is None else facts(replay.honest, replay.run),
    }


def rows(replay: Replay, figures: Mapping[str, list[Taken]]) -> list[dict[str, Any]]:
    """The article's table, row by row, and after it what the article measured without figures."""
    method, claim = replay.method, replay.experiment.claim
    published = {
        label: {
            f.unit: f.value for f in claim.figures if f.label == label and f.unit in method.columns
        }
        for label in dict.fromkeys(f.label for f in claim.figures)
    }
    void = {f.label: f"the article's figure is void: {f.void}" for f in claim.figures if f.void}
    shown = [(row.figure, row.reads, row.number) for row in method.rows]
    read = {reads for _, reads, _ in shown}
    shown += [("", m.name, 0) for m in replay.measured if m.name not in read]
    table = []
    for label, reads, number in shown:
        values = figures.get(reads, [])
        values = values[number - 1 : number] if number else values
        here = {unit: mean(value[unit] for value in values) for unit in method.columns}
        remarks = ["" if values else absence(reads, replay.measured), void.get(label, "")]
        table.append(
            {
                "label": label,
                "reads": reads,
                "published": published.get(label, {}),
                "replayed": here if values else {},
                "note": "; ".join(filter(None, remarks)),
            }
        )
    return table


def absence(name: str, measured: Sequence[Measured]) -> str:
    """Why there is no figure."""
    if not name:
        return "not raced here"
    found = next(m for m in measured if m.name == name)
    return {
        "waiting": "not measured yet",
        "measured": "no such measurement",
        "unavailable": f"unavailable: {found.reason}",
        "failed": f"failed: {found.reason.partition(chr(10))[0]}",
    }[found.status]


def statements(replay: Replay, figures: Mapping[str, list[Taken]]) -> list[dict[str, Any]]:
    """Every statement of the claim: published, replayed, and the honest race's answer."""
    claim, unit = replay.experiment.claim, replay.method.columns[0]
    judged = replay.honest.results.judgements if replay.honest else ()
    answers = {judgement.statement.id: judgement for judgement in judged}
    found = []
    for statement in claim.statements:
        speeds, missing = {}, []
        for name in statement.names:
            reads = read_for(name, replay)
            values = figures.get(reads, [])
            if values and (figure := mean(value[unit] for value in values)):
                speeds[name] = figure
            elif values:
                missing.append(f"{name}: 0 {unit} can't be compared: let it do more")
            else:
                known = reads in figures
                why = absence(reads, replay.measured) if known else "not in the article's method"
                missing.append(f"{name}: {why}")
        pair = statement.type != "order" and not missing
        order = sorted(speeds, key=lambda name: speeds[name], reverse=not less_is_faster(unit))
        answer = answers.get(statement.id)
        interval = interval_of(answer)
        apart = unlike(replay.run, statement.names[0], statement.names[1])
        found.append(
            {
                "id": statement.id,
                "says": statement.says,
                "published": claim.published_ratio(statement),
                "replayed": speed_ratio(speeds[statement.a], speeds[statement.b], unit)
                if pair
                else None,
                "order": order if statement.type == "order" and not missing else None,
                "honest": interval
                and {"ratio": interval.ratio, "low": interval.low, "high": interval.high},
                "verdict": answer.verdict if answer else None,
                "why": answer.why if answer else "",
                "missing": "; ".join(missing),
                "unlike": apart.why if pair and apart else "",
            }
        )
    return found


def interval_of(answer: Judgement | None) -> Interval | None:
    """The interval of the ratio, where the statement is about one pair."""
    return answer.tests[0].interval if answer and len(answer.tests) == 1 else None


def read_for(variant: str, replay: Replay) -> str:
    """What is measured for a variant: itself, or the label that the script prints for it."""
    if isinstance(replay.method, PublishedHttp | PublishedClient):
        return variant
    labels = {f.label for f in replay.experiment.claim.figures if f.variant == variant}
    return next((row.reads for row in replay.method.rows if row.figure in labels), "")


def facts(honest: Honest, run: Run) -> dict[str, Any]:
    """What a reader must know of the race that a replay is compared with."""
    race, control = honest.run, honest.results.control
    then = {e.name: e.sha256 for e in race.entries}
    return {
        "file": paths.relative(race.path) if race.path else "",
        "started": race.started,
        "tool": race.tool.name,
        "connections": race.plan.connections,
        "launches": race.plan.launches,
        "blocks": race.plan.blocks,
        "sample_seconds": race.plan.sample_seconds,
        "warmup_seconds": race.plan.warmup_seconds,
        "pinned": race.pinning.server is not None,
        "control": control.reach if control else None,
        "doubt": doubt(race),
        "changed": [e.name for e in run.entries if then.get(e.name, e.sha256) != e.sha256],
    }
