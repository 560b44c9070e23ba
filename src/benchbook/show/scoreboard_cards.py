"""The scoreboard as a table that filters and sorts, and as text for terminals."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from benchbook.analysis import scoreboard
from benchbook.analysis.scoreboard import NOT_RUN, Board, Row, Side
from benchbook.analysis.verdicts import VERDICTS
from benchbook.model.experiments import Experiment
from benchbook.show import cards, embed, markup, wording
from benchbook.show.markup import Output
from benchbook.show.wording import percent

OUTCOMES = (*VERDICTS, NOT_RUN)
COLUMNS = ("experiment", "the article says", "published", "measured here", "verdict", "why")
REFERENCE = "reference run"

Link = Callable[[Experiment], str]  # where an experiment's notebook is, '' for nowhere


@dataclass(frozen=True)
class Cell:
    """What a cell says, and what its column is sorted by ('' where that is not known)."""

    text: str
    key: str


def summary(board: Board) -> str:
    """How many statements came out how, in a sentence."""
    counts = board.counts
    parts = [f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts[outcome]]
    return f"{len(board.rows)} statements: {', '.join(parts)}."


def table(board: Board, link: Link = lambda _: "") -> Output:
    """Every statement, a row each; text for terminals, HTML that filters and sorts."""
    rows = [
        [row.experiment.number, *(cell.text for cell in row_cells(row)[1:])] for row in board.rows
    ]
    text = markup.table([*COLUMNS, REFERENCE], rows).text
    return Output(f"{summary(board)}\n\n{text}", table_html(board, link))


def table_html(board: Board, link: Link) -> str:
    experiments = scoreboard.ordered(board.rows)
    return markup.fill(
        "scoreboard.html.j2",
        identity=secrets.token_hex(8),
        css=embed.asset("scoreboard.css"),
        script=embed.asset("scoreboard.js"),
        summary=summary(board),
        experiments=[(e.name, f"{e.number} · {e.title}") for e in experiments],
        verdicts=[(outcome, outcome) for outcome in OUTCOMES if board.counts[outcome]],
        columns=[*COLUMNS, REFERENCE],
        rows=[
            {
                "experiment": row.experiment.name,
                "verdict": row.verdict,
                "colour": markup.VERDICT_COLOURS.get(row.verdict, "inherit"),
                "link": link(row.experiment),
                "place": row.statement.place,
                "cells": row_cells(row),
            }
            for row in board.rows
        ],
    )


def row_cells(row: Row) -> list[Cell]:
    """The cells of a row: those of COLUMNS, and the reference run's."""
    experiment, statement = row.experiment, row.statement
    published = percent(row.published) if row.published else "no size given"
    return [
        Cell(f"{experiment.number} · {experiment.title}", experiment.name),
        Cell(statement.says, statement.says),
        Cell(published, sort_key(row.published)),
        Cell(measured_text(row.own), sort_key(side_ratio(row.own))),
        Cell(marked(row.verdict), str(OUTCOMES.index(row.verdict))),
        Cell(why(row), why(row)),
        Cell(reference_text(row.reference), sort_key(side_ratio(row.reference))),
    ]


def marked(outcome: str) -> str:
    """A verdict, or that there is none, with its mark."""
    return "· not run" if outcome == NOT_RUN else wording.marked(outcome)


def sort_key(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def side_ratio(side: Side | None) -> float | None:
    """The one ratio that a statement is about; None for an order, or where it is not known."""
    if side is None or len(side.judgement.tests) != 1:
        return None
    return side.judgement.tests[0].interval.ratio


def measured_text(side: Side | None) -> str:
    return cards.measured_text(side.judgement) if side else NOT_RUN


def why(row: Row) -> str:
    """The reason for a verdict, or the command that gets one."""
    if row.own is None:
        return f"./bench race {row.experiment.number}"
    older = "; raced with code that has changed since" if row.own.older else ""
    return row.own.judgement.why + cards.size_text(row.own.judgement) + older


def reference_text(side: Side | None) -> str:
    if side is None:
        return "none"
    return f"{measured_text(side)}, {marked(side.judgement.verdict)}"
