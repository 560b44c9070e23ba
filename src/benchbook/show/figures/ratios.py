"""The figure of ratios: each entry's difference to the baseline, its interval, and the verdict."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchbook.analysis.judging.judge import Judgement, Results
from benchbook.analysis.judging.verdicts import TOO_CLOSE, share_text
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.claims import Claim
from benchbook.model.published import speed_ratio
from benchbook.model.runs import CONTROL, Entry, Run
from benchbook.show import finding, markup, pairs
from benchbook.show.cards import race_cards
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    GREY,
    NAME_WIDTH,
    Style,
    band,
    difference,
    figure,
    frame,
    label,
    line_at,
    note,
    percent_axis,
    percent_ends,
    rows_axis,
    rows_px,
    styles,
    with_interval,
    wrapped,
)
from benchbook.show.figures.steady import Steady
from benchbook.show.markup import VERDICT_COLOURS, Output
from benchbook.show.wording import (
    decided,
    interval_text,
    more_text,
    percent,
    ratio_text,
    rounded,
    size_text,
)

Row = Sequence[Entry]  # entries that share a row: the first stands for all
ANSWERS_PX, RATIOS_PX = 190, 76  # right of the plot: with verdicts, and with ratios alone


def ratios_figure(
    run: Run, results: Results, claim: Claim | None = None, steady: Steady | None = None
) -> Figure:
    """Each entry's difference to the baseline with its interval, the fastest on top.

    A band holds the differences that are too small to matter; right of each row stand its ratio and
    what follows. Published ratios to the baseline are hollow diamonds: from the statements that
    were judged, and from `claim`'s figures where it is given. steady: of a race that goes on.
    """
    published = published_ratios(run, results, claim)
    rows = ratio_rows(run, results, published)
    ends = axis_range([i for e in run.entries if (i := results.ratios.get(e.name))], published)
    if steady:
        rows, ends = steady.rows(rows), steady.axis(ends)
    data, notes = row_traces(run, results, rows, ends)
    if published:
        data.insert(0, published_trace(rows, published))
    deltas = [results.delta(row[0].name, run.baseline) for row in rows]
    title = (steady.title if steady else "") + finding.sentence(run, results)
    names = [row_label(row) for row in rows]
    layout = frame(
        title,
        f"{run.kind.described(run)}; ● difference to {run.baseline} with its 95 % interval"
        + ("; ◇ published" if published else "")
        + race_cards.software_text(run),
        plot_px=rows_px(names),
        shapes=[*bands(deltas, ends), line_at(0.0)],
        annotations=[*notes, *([band_note(deltas)] if deltas else [])],
        showlegend=False,
        xaxis=percent_axis(f"{run.unit} compared with {run.baseline}", ends),
        yaxis=rows_axis(names, range=[-0.6, len(rows) - 0.2]),
    )
    judged = any(results.about(row[0].name, run.baseline) for row in rows)
    layout["margin"]["r"] = ANSWERS_PX if judged else RATIOS_PX
    return figure(title, data, layout, ratios_table(run, results, published))


def published_ratios(run: Run, results: Results, claim: Claim | None) -> dict[str, float]:
    """The article's ratio to the baseline for the variants for which it gives one."""
    found: dict[str, float] = {}
    if (
        claim
        and any(not each.ours for each in claim.statements)
        and (base := claim.published(run.baseline))
    ):
        for entry in run.entries:
            stated = claim.published(entry.name)
            if stated and stated.unit == base.unit and entry.role == "variant":
                found[entry.name] = speed_ratio(stated.value, base.value, base.unit)
    for judgement in results.judgements:
        ratio, two = pairs.stated(judgement, run.baseline), judgement.statement.names
        if ratio and len(two) == 2 and run.baseline in two:
            found[pairs.ordered(two[0], two[1], run.baseline)[0]] = ratio
    names = {entry.name for entry in run.entries}
    return {name: ratio for name, ratio in found.items() if name in names}


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────


def ratio_rows(run: Run, results: Results, published: Mapping[str, float]) -> list[Row]:
    """The rows from the bottom up, an entry in each, the fastest on top.

    Below them are the control, and what has no ratio, which says why. Entries that lack it for the
    same reason share a row, unless there is a published ratio to be shown.
    """
    measured: list[Row] = []
    missing: dict[tuple[str, str], list[Entry]] = {}
    for entry in run.entries:
        if entry.name in results.ratios:
            measured.append([entry])
        elif entry.role != "baseline":
            alone = entry.name if entry.name in published else ""
            missing.setdefault((missing_text(entry, results), alone), []).append(entry)
    measured.sort(key=lambda row: results.ratios[row[0].name].ratio)
    measured.sort(key=lambda row: row[0].role != CONTROL)
    return [*missing.values(), *measured]


def row_label(row: Row) -> str:
    """The names of a row, in the two lines for which there is room."""
    names = [label(entry) for entry in row]
    lines = ""
    for count in range(len(names), 0, -1):
        more = [f"{len(names) - count} more"] if count < len(names) else []
        lines = wrapped(", ".join(names[:count] + more), NAME_WIDTH)
        if lines.count("<br>") < 2:
            break
    return lines


def missing_text(entry: Entry, results: Results) -> str:
    """Why a row is empty."""
    if unlike := results.unlike.get(entry.name):
        return wrapped(unlike, 60)
    reason = entry.short_reason or "no samples"
    kind = "no samples" if entry.status == "raced" else entry.status
    return wrapped(f"{kind}: {reason}" if reason != kind else kind, 60)


# ── What is drawn ────────────────────────────────────────────────────────────────────────────────


def row_traces(
    run: Run, results: Results, rows: Sequence[Row], ends: Sequence[float]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(traces, notes): each row's ratio with its interval and what follows, or why it has none."""
    looks = styles(run)
    traces: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for place, (entry, *_) in enumerate(rows):
        if interval := results.ratios.get(entry.name):
            traces += interval_traces(entry, interval, place, looks[entry.name], ends)
            said = results.about(entry.name, run.baseline)
            where = {"x": 1, "xref": "paper", "xshift": 10, "y": place, "yref": "y"}
            compared = run.experiment.delta is not None
            answer = note(answer_html(entry, interval, said, run.baseline, compared), **where)
            notes.append({**answer, "xanchor": "left", "align": "left"})
        else:
            missing = note(missing_text(entry, results), x=0.01, xref="paper", y=place, yref="y")
            notes.append({**missing, "xanchor": "left", "align": "left"})
    return traces, notes


def interval_traces(
    entry: Entry, interval: Interval, place: int, look: Style, ends: Sequence[float]
) -> list[dict[str, Any]]:
    """The point, its interval as a line, and an arrowhead where the interval goes on."""
    hover = f"{html.escape(label(entry))}: {ratio_text(interval)}<extra></extra>"
    ratios = (interval.ratio, interval.low, interval.high)
    control = entry.role == CONTROL
    line, point = with_interval(ratios, place, look, ends, hover, entry.name, 9 if control else 13)
    if control:
        line["line"]["width"] = 1.5
    return [line, point]


def bands(deltas: Sequence[float], ends: Sequence[float]) -> list[dict[str, Any]]:
    """What is too small to matter: one band, or one a row where statements differ in that."""
    if len(set(deltas)) == 1:
        return [band(deltas[0], ends)]
    return [band(delta, ends, row) for row, delta in enumerate(deltas)]


def published_trace(rows: Sequence[Row], published: Mapping[str, float]) -> dict[str, Any]:
    """The article's ratios, as hollow diamonds."""
    places = {entry.name: place for place, (entry, *_) in enumerate(rows)}
    names = [name for name in published if name in places]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [difference(published[name]) for name in names],
        "y": [places[name] for name in names],
        "marker": {
            "symbol": "diamond-open",
            "size": 17,
            "color": GREY,
            "line": {"color": GREY, "width": 2.5},
        },
        "text": [f"{html.escape(name)}: {percent(published[name])}" for name in names],
        "hovertemplate": "published for %{text}<extra></extra>",
        "name": "published",
    }


def axis_range(intervals: Iterable[Interval], published: Mapping[str, float]) -> Sequence[float]:
    """Room for all points and intervals; an interval that is wider by far is cut at the edge."""
    intervals = list(intervals)
    reach = [end for i in intervals for end in (i.low, i.high)]
    return percent_ends([*(i.ratio for i in intervals), *published.values()], reach, 100.0)


# ── In words ─────────────────────────────────────────────────────────────────────────────────────


def answer_html(
    entry: Entry, interval: Interval, said: Judgement | None, baseline: str, compared: bool
) -> str:
    """What stands right of a row: the ratio, the verdict, and the answer on the size."""
    ratio = rounded(interval.ratio)
    if said is None:
        return ratio if entry.role == CONTROL else f"<b>{ratio}</b>"
    mark, _, verdict = decided(said, compared).partition(" ")
    coloured = f"<span style='color:{VERDICT_COLOURS[said.verdict]}'>{mark}</span>"
    more = answer_more(said, baseline)
    return f"<b>{ratio}</b>  {coloured} {verdict}" + (f"<br>{more}" if more else "")


def answer_more(said: Judgement, baseline: str) -> str:
    """Beside the verdict: the answer on the size or, without one, what would bring a verdict."""
    if size := size_text(said, baseline):
        return size
    if said.verdict == TOO_CLOSE:
        return more_text(said.seconds_more)
    return "said to be the same" if said.statement.type == "same" else ""


def band_note(deltas: Sequence[float]) -> dict[str, Any]:
    """What the band is, above it."""
    least, most = min(deltas), max(deltas)
    size = share_text(most) if least == most else f"{share_text(least)} to {share_text(most)}"
    return note(f"±{size}: too small to matter", x=0, xref="x", y=1, yref="paper", yanchor="bottom")


def ratios_table(run: Run, results: Results, published: Mapping[str, float]) -> Output:
    """The numbers of the figure, an entry in each row."""
    said = {entry.name: results.about(entry.name, run.baseline) for entry in run.entries}
    rows = []
    for entry in run.entries:
        interval, judgement = results.ratios.get(entry.name), said[entry.name]
        ratio = [percent(interval.ratio), interval_text(interval)] if interval else ["", ""]
        stated = percent(published[entry.name]) if entry.name in published else ""
        answers = (
            [
                decided(judgement, run.experiment.delta is not None),
                answer_more(judgement, run.baseline),
            ]
            if judgement
            else ["", ""]
        )
        rows.append(
            [label(entry), *ratio, stated, *answers, race_cards.note_of(run, results, entry)]
        )
    columns = ["variant", f"to {run.baseline}", "95 % interval", "published"]
    columns += ["verdict", "size", "note"]
    kept = [i for i in range(len(columns)) if i in (0, 1, 2, 6) or any(row[i] for row in rows)]
    shown = markup.table(
        [columns[i] for i in kept],
        [[row[i] for i in kept] for row in rows],
        right=[place for place, i in enumerate(kept) if i in (1, 2, 3)],
    )
    return race_cards.control(results) + shown
