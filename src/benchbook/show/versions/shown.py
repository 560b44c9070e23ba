"""Where statements turn, in sentences; a table of all answers, and the figure of it."""

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchbook.analysis.judging.verdicts import (
    NO_DIFFERENCE,
    NOT_VALID,
    OPPOSITE,
    OUTSIDE,
    REPRODUCED,
    TOO_CLOSE,
)
from benchbook.compare.versions import flips
from benchbook.compare.versions.flips import DECIDED, Flip
from benchbook.model.profiles.by_version import AskedStatement, ByVersion, VersionAnswer
from benchbook.programs import npm
from benchbook.show import markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    COLOURS,
    GREY,
    PLOT_PX,
    Style,
    axis,
    figure,
    frame,
    line_at,
    marker,
    note,
    nth_style,
    rows_axis,
    wrapped,
)
from benchbook.show.figures.growth import level_line
from benchbook.show.markup import Output
from benchbook.show.wording import MARKS, bracketed, marked, rounded
from benchbook_kernels.base.words import counted

WIDE = 8.0  # times the smallest ratio: from there on an axis is logarithmic
LABEL_WIDTH, ROW_WIDTH = 13, 46
# how a verdict looks in a row
LOOKS = {
    REPRODUCED: Style(COLOURS[2], "circle"),
    OPPOSITE: Style(COLOURS[3], "x"),
    NO_DIFFERENCE: Style(COLOURS[0], "square"),
    OUTSIDE: Style(COLOURS[5], "diamond"),
    TOO_CLOSE: Style(GREY, "circle-open"),
    NOT_VALID: Style(GREY, "line-ns-open"),
}
UNASKED = "not asked"
LEGEND = ", ".join(f"{MARKS[each]} {each}" for each in DECIDED)
Drawn = tuple[list[dict[str, Any]], dict[str, Any]]


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
    """Verdicts and ratios over the versions: of one statement its line, with intervals; of several
    a row for each, in which is seen where it turns."""
    found = {s.id: flips.answers(record, s.id) for s in record.statements}
    drawn = line_of(record, *found.values()) if len(found) == 1 else rows_of(record, found)
    return figure(headline(record), *drawn, answer(record))


def line_of(record: ByVersion, known: Mapping[str, VersionAnswer]) -> Drawn:
    """The traces and the layout of one statement."""
    lines = [trace(record.statements[0], known, places_of(record), nth_style(0), names_of(record))]
    ratios = ratio_axis([each.ratio for each in known.values() if each.ratio])
    told = f"ratio of speeds with interval; {LEGEND}"
    layout = frame(headline(record), told, PLOT_PX, yaxis=ratios, **common(record))
    return lines, {**layout, "shapes": [level_line(1.0), *layout["shapes"]]}


def rows_of(record: ByVersion, found: Mapping[str, Mapping[str, VersionAnswer]]) -> Drawn:
    """The traces and the layout of several statements, the first on top."""
    labels = [wrapped(s.says, ROW_WIDTH) for s in reversed(record.statements)]
    row_px = max(46, *(10 + 17 * (1 + each.count("<br>")) for each in labels))
    layout = frame(
        f"Is that still so? {counted(len(labels), 'statement')} by version of {record.subject}",
        f"speed of the one to the other; {LEGEND}, {MARKS[TOO_CLOSE]} {TOO_CLOSE}",
        plot_px=16 + len(labels) * row_px,
        yaxis=rows_axis(labels, range=[-0.6, len(labels) - 0.4]),
        **common(record),
    )
    return cells(record, found), layout


def common(record: ByVersion) -> dict[str, Any]:
    """What both layouts have: the versions, and the article's among them."""
    places = places_of(record)
    return {
        "shapes": article_line(record, places),
        "annotations": article_note(record, places),
        "showlegend": False,
        "xaxis": versions_axis(record),
    }


def places_of(record: ByVersion) -> dict[str, int]:
    """A version's place on the axis, by its label."""
    return {each.label: i for i, each in enumerate(record.versions)}


def names_of(record: ByVersion) -> dict[str, str]:
    """A version's name in words, by its label."""
    return {each.label: each.told for each in record.versions}


def cells(
    record: ByVersion, found: Mapping[str, Mapping[str, VersionAnswer]]
) -> list[dict[str, Any]]:
    """The verdicts of all statements, a trace for each sort: a row for each statement, from the
    top down, and a place for each version."""
    told, places = names_of(record), places_of(record)
    rows = {each.id: i for i, each in enumerate(reversed(record.statements))}
    traces = []
    for verdict, look in LOOKS.items():
        there = [
            (places[label], rows[statement], each, told[label])
            for statement, known in found.items()
            for label, each in known.items()
            if each.verdict == verdict
        ]
        hover = [f"{name}: {numbers(each)} {verdict}" for *_, each, name in there]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "name": verdict,
                "x": [x for x, *_ in there],
                "y": [y for _, y, *_ in there],
                "text": [short(each) for _, _, each, _ in there],
                "textposition": "top center",
                "textfont": {"color": look.colour, "size": 13},
                "marker": marker(look, 11),
                "cliponaxis": False,
                "customdata": [html.escape(each) for each in hover],
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        )
    return [each for each in traces if each["x"]]


def short(answer: VersionAnswer) -> str:
    """The mark and the ratio: "✔ +31 %"."""
    mark = MARKS.get(answer.verdict, "")
    return f"{mark} {rounded(answer.ratio)}" if answer.ratio else mark


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
        "name": ratio_of(statement),
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
