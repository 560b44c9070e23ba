"""The scoreboard as a table that filters and sorts, and as text for terminals."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from benchbook.analysis import scoreboard
from benchbook.analysis.judging.doubts import doubt
from benchbook.analysis.judging.verdicts import NOT_VALID, SIZES, TOO_CLOSE, VERDICTS
from benchbook.analysis.scoreboard import DECIDED, NOT_RUN, Board, BoardRow, Side
from benchbook.model.experiments import Experiment
from benchbook.show import embed, markup, pairs, wording
from benchbook.show.cards import race_cards
from benchbook.show.markup import Output
from benchbook.show.wording import percent, rounded

OUTCOMES = (*VERDICTS, NOT_RUN)
REFERENCE = "recorded"
COLUMNS = (
    "verdict",
    "size",
    "experiment",
    "the article says",
    "published",
    "measured here",
    REFERENCE,
)

Link = Callable[[Experiment], str]  # where an experiment's notebook is, '' for nowhere


@dataclass(frozen=True)
class BoardCell:
    """What a cell says, and what its column is sorted by ('' where that is not known)."""

    text: str
    key: str


def lead(board: Board) -> str:
    """What was decided, in a few words."""
    if not board.judged:
        return f"None of the {len(board.rows)} statements is decided here yet"
    return f"{board.decided} of {board.judged} statements are decided here"


def summary(board: Board) -> str:
    """How many statements came out how: first what was decided."""
    found = tally(board.counts, DECIDED)
    text = lead(board) + (f": {found}." if found else ".")
    if doubted := [row.experiment.number for row in board.rows if row_doubt(row)]:
        numbers = ", ".join(dict.fromkeys(doubted))
        text += f" On a machine that was not free, so race again: {numbers}."
    if count := board.counts[TOO_CLOSE]:
        text += f" Too close to call: {count}."
    if without := tally(board.counts, (NOT_VALID, NOT_RUN)):
        text += f" Without a verdict: {without}."
    if sizes := tally(board.sizes, SIZES):
        for end in (" than published", " at the published size"):
            sizes = sizes.replace(end, "")
        text += f" Published sizes: {sizes}."
    if board.ours:
        text += f" {board.ours} of the {len(board.rows)} are questions of our own."
    return text


def tally(counts: dict[str, int], words: tuple[str, ...]) -> str:
    """ "18 reproduced, 1 opposite": what there is of these."""
    return ", ".join(f"{counts[word]} {word}" for word in words if counts[word])


def table(board: Board, link: Link = lambda _: "") -> Output:
    """Every statement, a row each; text for terminals, HTML that filters and sorts."""
    rows = [
        [
            marked(row.verdict),
            text_cell(row),
            f"{row.experiment.number} · {row.statement.says}",
        ]
        for row in board.rows
    ]
    text = markup.table(["verdict", "measured here", "the article says"], rows).text
    return Output(f"{summary(board)}\n\n{text}", table_html(board, link))


def text_cell(row: BoardRow) -> str:
    """What was measured, and before it that the machine was not free; why, where nothing was."""
    told = [measured_text(row.own), size_text(row.own)]
    if not any(told):
        return why(row)
    return "\n".join(filter(None, [row_doubt(row), *told]))


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
        columns=COLUMNS,
        rows=[
            {
                "experiment": row.experiment.name,
                "title": row.experiment.title,
                "verdict": row.verdict,
                "colour": markup.VERDICT_COLOURS.get(row.verdict, "inherit"),
                "link": link(row.experiment),
                "details": details(row),
                "cells": row_cells(row),
            }
            for row in board.rows
        ],
    )


def row_cells(row: BoardRow) -> list[BoardCell]:
    """The cells of a row, by COLUMNS; short, as the rest is in details()."""
    experiment, statement = row.experiment, row.statement
    size = row.own.judgement.size if row.own else ""
    published = row_published(row)
    return [
        BoardCell(marked(row.verdict), str(OUTCOMES.index(row.verdict))),
        BoardCell(size_text(row.own), str(SIZES.index(size)) if size else ""),
        BoardCell(experiment.number, experiment.name),
        BoardCell(statement.says, statement.says),
        BoardCell(percent(published) if published else "", sort_key(published)),
        BoardCell(measured_text(row.own), sort_key(side_ratio(row.own))),
        BoardCell(reference_text(row.reference), sort_key(side_ratio(row.reference))),
    ]


def details(row: BoardRow) -> list[str]:
    """What is folded below a statement, a line each: why, where it is said, the recorded run."""
    lines = [why(row), f"{row.experiment.title}; {row.statement.place}"]
    if row.reference:
        judgement = row.reference.judgement
        size = f", {size_text(row.reference)}" if size_text(row.reference) else ""
        measured = measured_text(row.reference).replace("\n", ", ")
        found = f"{measured}, {judgement.verdict}{size}"
        lines.append(f"recorded on another machine: {found}")
    return lines


def marked(outcome: str) -> str:
    """A verdict, or that there is none, with its mark."""
    return "· not run" if outcome == NOT_RUN else wording.marked(outcome)


def sort_key(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def side_ratio(side: Side | None) -> float | None:
    """The one ratio that a statement is about; None for an order, or where it is not known."""
    pair = pair_of(side)
    return pair.interval.ratio if pair else None


def pair_of(side: Side | None) -> pairs.ComparedPair | None:
    return pairs.of(side.judgement, side.run.baseline) if side else None


def row_published(row: BoardRow) -> float | None:
    """The article's ratio of a statement's pair, in the direction in which it was measured."""
    return pairs.directed(row.published, row.statement, row.experiment.baseline)


def measured_text(side: Side | None) -> str:
    return race_cards.measured_text(side.judgement, side.run.baseline) if side else ""


def size_text(side: Side | None) -> str:
    return wording.size_text(side.judgement, side.run.baseline) if side else ""


def why(row: BoardRow) -> str:
    """The reason for a verdict, or the command that gets one."""
    if row.own is None:
        return f"./bench race {row.experiment.number}"
    older = "; raced with code that has changed since" if row.own.older else ""
    return f"{row_doubt(row)} {race_cards.why_text(row.own.judgement)}".strip() + older


def row_doubt(row: BoardRow) -> str:
    """That the samples behind a verdict are of a machine that was not free; '' where they are not,
    or there is none."""
    return doubt(row.own.run) if row.own else ""


def reference_text(side: Side | None) -> str:
    """The recorded run in short: its ratio, behind the mark of its verdict."""
    if side is None:
        return ""
    ratio, judgement = side_ratio(side), side.judgement
    found = rounded(ratio) if ratio else judgement.verdict
    return f"{wording.MARKS[judgement.verdict]} {found}"
