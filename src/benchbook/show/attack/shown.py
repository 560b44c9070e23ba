"""A table of conditions and effects, the figure of it, and the answer in a sentence."""

import html
from collections.abc import Sequence
from typing import Any

from benchbook.compare.attack import outcome
from benchbook.compare.attack.outcome import BEGINS, ENDS, HOLDS, OPEN, TURNS, ConditionAnswer
from benchbook.model.profiles.attack import Attack, Attempt
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    GREY,
    SYMBOLS,
    Style,
    band,
    figure,
    frame,
    line_at,
    note,
    percent_axis,
    percent_ends,
    rows_axis,
    rows_px,
    with_interval,
    wrapped,
)
from benchbook.show.markup import VERDICT_COLOURS, Output
from benchbook.show.markup import note as small
from benchbook.show.markup import paragraph, table, total
from benchbook.show.wording import FOUND, bracketed, marked
from benchbook_kernels.base.words import counted

LABEL_WIDTH, ANSWERS_PX = 26, 190


def headline(attack: Attack) -> str:
    """Where the verdict holds and where it does not, in a sentence or two."""
    told = outcome.answers(attack)
    if not told:
        return "nothing was raced"
    usual = told[0].attempt
    said = f"{attack.b} against {attack.a} as usual: {verdict(usual)}{ratio(usual)}"
    changed = [
        f"{each.follows} with {each.attempt.condition}{ratio(each.attempt)}"
        for what in (TURNS, ENDS, BEGINS)
        for each in told
        if each.follows == what
    ]
    held = sum(each.follows == HOLDS for each in told)
    answered = sum(each.follows not in ("", OPEN) for each in told)
    if changed:
        return f"{said}. {'; '.join(changed)[0].upper()}{'; '.join(changed)[1:]}"
    if not answered:
        return f"{said}. No other condition told more"
    return f"{said}. It held under {held} of {counted(answered, 'other condition')} that told"


def verdict(attempt: Attempt) -> str:
    """With its mark, in the words of a comparison."""
    try:
        return FOUND.get(attempt.verdict) or marked(attempt.verdict)
    except KeyError:  # it could not be raced
        return attempt.verdict


def ratio(attempt: Attempt) -> str:
    """ ", +3.1 % [+2.0, +4.2]"; '' where there is none."""
    return f", {numbers(attempt)}" if numbers(attempt) else ""


def numbers(attempt: Attempt) -> str:
    if attempt.ratio is None or attempt.low is None or attempt.high is None:
        return ""
    return bracketed(attempt.ratio, attempt.low, attempt.high)


def answer(attack: Attack) -> Output:
    """The sentence, the table, and what is left."""
    rows = [
        [
            each.attempt.condition,
            numbers(each.attempt) or each.attempt.why,
            verdict(each.attempt),
            each.follows,
        ]
        for each in outcome.answers(attack)
    ]
    headers = ["condition", f"speed of {attack.b} to {attack.a}", "found", "the usual verdict"]
    parts = [paragraph(headline(attack)), table(headers, rows, right=(1,))]
    if attack.left:
        told = f"Not asked yet: {', '.join(attack.left)}. Asked again, it goes on there."
        parts.append(small(told))
    return total(parts)


def attack_figure(attack: Attack) -> Figure:
    """Each condition's difference with its interval, the usual one on top."""
    told = list(reversed(outcome.answers(attack)))
    names = [wrapped(each.attempt.condition, LABEL_WIDTH) for each in told]
    ends = axis_ends([each.attempt for each in told])
    data: list[dict[str, Any]] = []
    notes = []
    for place, each in enumerate(told):
        data += traces(each, place, ends)
        where = {"x": 1, "xref": "paper", "xshift": 10, "y": place, "yref": "y"}
        text = note(answer_html(each), **where)
        notes.append({**text, "xanchor": "left", "align": "left"})
    title = headline(attack)
    layout = frame(
        title,
        f"● difference of {attack.b} to {attack.a} with its interval; grey: too small to matter",
        plot_px=rows_px(names),
        shapes=[band(attack.delta, ends), line_at(0.0)],
        annotations=notes,
        showlegend=False,
        xaxis=percent_axis(f"speed of {attack.b} compared with {attack.a}", ends),
        yaxis=rows_axis(names, range=[-0.6, len(names) - 0.2]),
    )
    layout["margin"]["r"] = ANSWERS_PX
    return figure(title, data, layout, answer(attack))


def axis_ends(attempts: Sequence[Attempt]) -> Sequence[float]:
    """Room for all points and for no difference, and a margin."""
    known = [each for each in attempts if each.ratio is not None]
    points = [each.ratio for each in known if each.ratio is not None]
    reach = [end for each in known for end in (each.low, each.high) if end is not None]
    return percent_ends(points, reach, 10.0)


def traces(told: ConditionAnswer, place: int, ends: Sequence[float]) -> list[dict[str, Any]]:
    """The point and its interval, in the colour of the verdict."""
    each = told.attempt
    if each.ratio is None or each.low is None or each.high is None:
        return []
    look = Style(VERDICT_COLOURS.get(each.verdict, GREY), "circle" if told.follows else SYMBOLS[0])
    hover = f"{html.escape(each.condition)}: {numbers(each)}<extra></extra>"
    return with_interval(
        (each.ratio, each.low, each.high), place, look, ends, hover, each.condition
    )


def answer_html(told: ConditionAnswer) -> str:
    """Right of a row: what was found, and what follows for the usual verdict."""
    said = html.escape(verdict(told.attempt))
    changed = told.follows in (TURNS, ENDS, BEGINS)
    more = f"<b>{told.follows}</b>" if changed else told.follows
    return f"{said}<br>{more}" if more else said
