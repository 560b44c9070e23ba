"""Where statements turn, in sentences; a table of all answers, and the figure of it."""

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchbook.compare.versions import flips
from benchbook.compare.versions.flips import DECIDED, Flip
from benchbook.model.profiles.by_version import AskedStatement, ByVersion, VersionAnswer
from benchbook.programs import npm
from benchbook.show import markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    PLOT_PX,
    Style,
    axis,
    figure,
    frame,
    line_at,
    marker,
    note,
    nth_style,
    wrapped,
)
from benchbook.show.figures.growth import level_line
from benchbook.show.markup import Output
from benchbook.show.wording import MARKS, bracketed, marked
from benchbook_kernels.base.words import counted

WIDE = 8.0  # times the smallest ratio: from there on an axis is logarithmic
LABEL_WIDTH, LEGEND_WIDTH = 13, 60
UNASKED = "not asked"


def title(record: ByVersion) -> str:
    """What was asked, of which versions."""
    first, *_, last = record.versions
    return (
        f"Is that still so? {record.experiment} with {record.subject} {first.label} to {last.label}"
    )


def headline(record: ByVersion) -> str:
    """Where each statement turns, one sentence for each."""
    told = [sentence(record, s) for s in record.statements]
    if len(told) == 1:
        return told[0][:1].upper() + told[0][1:]
    return "; ".join(f"{s.id}: {each}" for s, each in zip(record.statements, told, strict=True))


def sentence(record: ByVersion, statement: AskedStatement) -> str:
    """Where a statement turns: "turned with Node.js 24: reproduced on 22, opposite on 24"."""
    found = flips.flips(record, statement.id)
    if found:
        return "; ".join(turned(record, each) for each in found)
    known = flips.answers(record, statement.id)
    decided = [label for label, each in known.items() if each.verdict in DECIDED]
    open_ = [label for label, each in known.items() if each.verdict not in DECIDED]
    if not decided:
        return f"no verdict on any of {counted(len(record.versions), 'version')}"
    verdict = known[decided[0]].verdict
    held = f"{marked(verdict)} with {record.subject} {listed(decided)}"
    return f"{held}, not told with {listed(open_)}" if open_ else held


def turned(record: ByVersion, flip: Flip) -> str:
    """A flip in words."""
    told = f"{marked(flip.before)} with {flip.last}, {marked(flip.after)} with {flip.first}"
    if not flip.between:
        return f"turned with {record.subject} {flip.first}: {told}"
    were = "was" if len(flip.between) == 1 else "were"
    between = f"{listed(flip.between)} did not tell or {were} not asked"
    return f"turned between {record.subject} {flip.last} and {flip.first}: {told} ({between})"


def listed(names: Sequence[str]) -> str:
    """20, 22 and 24."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def numbers(answer: VersionAnswer) -> str:
    """ "+3.1 % [+2.0, +4.2]", '' where there is no ratio."""
    if answer.ratio is None or answer.low is None or answer.high is None:
        return ""
    return bracketed(answer.ratio, answer.low, answer.high)


# ── The table ────────────────────────────────────────────────────────────────────────────────────


def answer(record: ByVersion) -> Output:
    """Where each statement turns, all answers, and what could not be raced."""
    parts = []
    for statement in record.statements:
        told = sentence(record, statement)
        parts.append(markup.paragraph(f"{statement.says}: {told}"))
        parts.append(table(record, statement))
    if lost := [each for each in record.versions if each.reason]:
        parts.append(
            markup.bullets([f"{each.told} is unavailable: {each.reason}" for each in lost])
        )
    if record.article:
        parts.append(markup.note(f"The article names {record.subject} {record.article}."))
    return markup.total(parts)


def table(record: ByVersion, statement: AskedStatement) -> Output:
    """A row for each version."""
    known = flips.answers(record, statement.id)
    rows = []
    for version in record.versions:
        found = known.get(version.label)
        mark = " (the article's)" if at_article(record) == version.label else ""
        if version.reason or not found:
            rows.append([version.told + mark, "", "unavailable" if version.reason else UNASKED])
        else:
            told = numbers(found)
            why = "" if told else f": {found.why}"
            rows.append([version.told + mark, told, marked(found.verdict) + why])
    return markup.table([record.subject, ratio_of(statement), "verdict"], rows, right=(1,))


def ratio_of(statement: AskedStatement) -> str:
    """What the ratio is of."""
    return f"speed of {statement.names[0]} to {statement.names[1]}"


def at_article(record: ByVersion) -> str:
    """The label of the version that the article names, '' where it is none of these: the same
    version, or the same main version."""
    if not record.article:
        return ""
    exact = [v.label for v in record.versions if f"{record.article}.".startswith(f"{v.label}.")]
    main = record.article.partition(".")[0]
    alike = [v.label for v in record.versions if v.label.partition(".")[0] == main]
    return next(iter(exact or (alike if len(alike) == 1 else [])), "")


# ── The figure ───────────────────────────────────────────────────────────────────────────────────


def versions_figure(record: ByVersion) -> Figure:
    """Each statement's ratio over the versions, with its interval and the mark of its verdict."""
    places = {each.label: i for i, each in enumerate(record.versions)}
    title = headline(record)
    asked = record.statements
    found = {s.id: flips.answers(record, s.id) for s in asked}
    ratios = [a.ratio for known in found.values() for a in known.values() if a.ratio]
    lines = [
        trace(s, found[s.id], places, nth_style(i), {v.label: v.told for v in record.versions})
        for i, s in enumerate(asked)
    ]
    layout = frame(
        title if len(asked) == 1 else f"{len(asked)} statements over {record.subject}",
        f"ratios of speed with intervals; {', '.join(f'{MARKS[each]} {each}' for each in DECIDED)}",
        plot_px=PLOT_PX,
        bottom_px=70 + 20 * len(asked),
        shapes=[level_line(1.0), *article_line(record, places)],
        annotations=article_note(record, places),
        showlegend=len(asked) > 1,
        xaxis=versions_axis(record),
        yaxis=ratio_axis(ratios),
    )
    layout["legend"] |= {"orientation": "v", "y": -0.25, "yanchor": "top", "x": 0}
    return figure(title, lines, layout, answer(record))


def versions_axis(record: ByVersion) -> dict[str, Any]:
    """A place for each version, and what can't be raced told so."""
    told = [
        wrapped(each.label, LABEL_WIDTH) + ("<br>unavailable" if each.reason else "")
        for each in record.versions
    ]
    ends = [-0.4, len(told) - 0.6]
    title = f"version of {record.subject}"
    return axis(title, tickvals=list(range(len(told))), ticktext=told, range=ends, tickangle=0)


def ratio_axis(ratios: Sequence[float]) -> dict[str, Any]:
    """Around 1, logarithmic where ratios are far apart."""
    low, high = min([*ratios, 1.0]), max([*ratios, 1.0])
    title = "ratio of speeds"
    if high / low > WIDE:
        ends = [math.log10(low) - 0.12, math.log10(high) + 0.15]
        return axis(title, type="log", range=ends, dtick="D1")
    margin = 0.15 * max(high - low, 0.1)
    return axis(title, range=[low - margin, high + margin], nticks=7)


def trace(
    statement: AskedStatement,
    known: Mapping[str, VersionAnswer],
    places: Mapping[str, int],
    look: Style,
    told: Mapping[str, str],
) -> dict[str, Any]:
    """A statement's line."""
    points = [
        (label, each.ratio, each.low, each.high, each.verdict)
        for label, each in known.items()
        if each.ratio is not None and each.low is not None and each.high is not None
    ]
    hover = [
        f"{html.escape(told[label])}: {html.escape(numbers(known[label]))}, {verdict}"
        for label, *_, verdict in points
    ]
    return {
        "type": "scatter",
        "mode": "lines+markers+text",
        "name": wrapped(f"{statement.id} ({ratio_of(statement)})", LEGEND_WIDTH),
        "x": [places[label] for label, *_ in points],
        "y": [ratio for _, ratio, *_ in points],
        "text": [MARKS[verdict] for *_, verdict in points],
        "textposition": "top right",
        "textfont": {"color": look.colour, "size": 14},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [min(high - ratio, ratio) for _, ratio, _, high, _ in points],
            "arrayminus": [ratio - low for _, ratio, low, *_ in points],
            "color": look.colour,
            "thickness": 1.5,
            "width": 4,
        },
        "line": {"color": look.colour, "width": 1.5},
        "marker": marker(look, 9),
        "customdata": hover,
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def article_line(record: ByVersion, places: Mapping[str, int]) -> list[dict[str, Any]]:
    """A line at the version that the article names, where it is one of these."""
    label = at_article(record)
    return [line_at(places[label], dash="dash")] if label else []


def article_note(record: ByVersion, places: Mapping[str, int]) -> list[dict[str, Any]]:
    """Which version the article names: at its line, or at the end of the axis beyond which it
    lies."""
    if not record.article:
        return []
    label, named = at_article(record), f"{record.subject} {record.article}"
    where: dict[str, Any] = {"y": 1, "yref": "paper", "yanchor": "bottom"}
    if label:
        return [note(f"the article: {named}", x=places[label], xref="x", **where)]
    older = npm.order(record.article) < npm.order(record.versions[0].label)
    end = {"x": 0, "xanchor": "left"} if older else {"x": 1, "xanchor": "right"}
    arrow = f"← the article: {named}" if older else f"the article: {named} →"
    return [note(arrow, xref="paper", **end, **where)]
