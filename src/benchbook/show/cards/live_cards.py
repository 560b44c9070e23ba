"""The statements of a race that goes on, a line for each: grey until it is decided."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchbook.analysis.judging.judge import Judgement, Results
from benchbook.analysis.judging.verdicts import NOT_YET
from benchbook.show import pairs
from benchbook.show.markup import VERDICT_COLOURS, Output, fill
from benchbook.show.wording import decided, ratio_text, size_text


@dataclass(frozen=True)
class StatementLine:
    """A statement: its verdict with its mark, what was measured so far, and what it says.

    open: it is not decided yet; colour: of the mark, and of all where it is open.
    """

    word: str
    measured: str
    says: str
    open: bool
    colour: str


def statement_lines(results: Results) -> dict[str, StatementLine]:
    """A line for each statement, by its id, but for those about programs that were left out."""
    return {j.statement.id: line_of(j, results) for j in results.judgements if not j.absent}


def line_of(judgement: Judgement, results: Results) -> StatementLine:
    compared = results.compared.run.experiment.delta is not None
    pair, measured = pairs.of(judgement, results.baseline), ""
    if pair:
        measured = ratio_text(pair.interval)
    elif judgement.tau is not None:
        measured = f"τ = {judgement.tau:.2f}"
    size = size_text(judgement, results.baseline)
    return StatementLine(
        word=decided(judgement, compared),
        measured=", ".join(filter(None, [measured, size])),
        says=str(pair or judgement.statement.a) if compared else judgement.statement.says,
        open=judgement.verdict == NOT_YET,
        colour=VERDICT_COLOURS[judgement.verdict],
    )


def texts(lines: Sequence[StatementLine]) -> list[str]:
    """The lines as text, in columns."""
    widths = [max((len(getattr(line, part)) for line in lines), default=0) for part in PARTS]
    return [
        "  ".join(getattr(line, part).ljust(width) for part, width in zip(PARTS, widths)).rstrip()
        for line in lines
    ]


PARTS = ("word", "measured", "says")


def statements(results: Results) -> Output:
    """All statements, for a notebook."""
    lines = list(statement_lines(results).values())
    return Output("\n".join(texts(lines)), fill("statements.html.j2", lines=lines))
