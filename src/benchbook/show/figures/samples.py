"""The figure of samples: every sample in time order, so that drift is seen."""

import html
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from benchbook.model.runs import Entry, Run, Sample
from benchbook.show import markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    GREY,
    NAME_WIDTH,
    Style,
    axis,
    figure,
    frame,
    label,
    line_at,
    marker,
    note,
    styles,
    wrapped,
)
from benchbook.show.markup import Output


def samples_figure(run: Run) -> Figure:
    """Every sample in time order; flagged ones are crossed, not left out."""
    looks = styles(run)
    data = [sample_trace(entry, run, looks[entry.name]) for entry in by_speed(run)]
    flagged = [sample for sample in run.samples if sample.flags]
    if flagged:
        data.append(flagged_trace(flagged, run.unit))
    starts = launch_starts(run)
    title = samples_title(run)
    layout = frame(
        title,
        f"every sample of {run.plan.sample_seconds:g} s; at a vertical line all programs were "
        "restarted; samples of one launch are joined" + ("; ✕ flagged" if flagged else ""),
        plot_px=380,
        shapes=[line_at(start, GREY, "dot") for start in starts.values()],
        annotations=launch_notes(starts),
        showlegend=True,
        xaxis=axis("seconds since the race began"),
        yaxis=axis(f"{run.unit} (not from 0)", tickformat=",", rangemode="normal"),
    )
    return figure(title, data, layout, samples_table(run))


def by_speed(run: Run) -> list[Entry]:
    """The entries that have samples, the fastest first: the legend stands as the lines do."""
    medians = {
        entry.name: statistics.median(speeds)
        for entry in run.entries
        if (speeds := [s.requests_per_second for s in run.samples if s.variant == entry.name])
    }
    having = [entry for entry in run.entries if entry.name in medians]
    return sorted(having, key=lambda entry: -medians[entry.name])


def in_time(samples: Iterable[Sample]) -> list[Sample]:
    return sorted(samples, key=lambda sample: sample.started_seconds)


def launch_starts(run: Run) -> dict[int, float]:
    """When the first sample of each launch began, with a little room before it."""
    starts: dict[int, float] = {}
    for sample in in_time(run.samples):
        starts.setdefault(sample.launch, sample.started_seconds - 0.5)
    return starts


def launch_notes(starts: dict[int, float]) -> list[dict[str, Any]]:
    """The number of each launch, above the line where it starts."""
    where = {"xref": "x", "y": 1, "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    few = len(starts) <= 6
    return [
        note(f"launch {launch + 1}" if few else str(launch + 1), x=start, **where)
        for launch, start in starts.items()
    ]


def sample_trace(entry: Entry, run: Run, look: Style) -> dict[str, Any]:
    """An entry's samples, joined within each launch."""
    x: list[float | None] = []
    y: list[float | None] = []
    texts: list[str] = []
    previous: int | None = None
    for sample in in_time(s for s in run.samples if s.variant == entry.name):
        if previous not in (None, sample.launch):
            x.append(None)
            y.append(None)
            texts.append("")
        previous = sample.launch
        x.append(sample.started_seconds)
        y.append(sample.requests_per_second)
        texts.append(sample_text(sample, run.unit))
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": x,
        "y": y,
        "text": texts,
        "line": {"color": look.colour, "width": 1},
        "marker": marker(look, 9),
        "hovertemplate": "%{text}<extra></extra>",
        "name": wrapped(label(entry), NAME_WIDTH),
        "legendgroup": entry.name,
    }


def flagged_trace(flagged: Sequence[Sample], unit: str) -> dict[str, Any]:
    """A cross over each flagged sample."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [sample.started_seconds for sample in flagged],
        "y": [sample.requests_per_second for sample in flagged],
        "text": [sample_text(sample, unit) for sample in flagged],
        "marker": {
            "symbol": "x-thin-open",
            "size": 13,
            "color": GREY,
            "line": {"color": GREY, "width": 1.5},
        },
        "hovertemplate": "%{text}<extra></extra>",
        "name": f"flagged ({len(flagged)})",
    }


def sample_text(sample: Sample, unit: str) -> str:
    flags = f"<br>flagged: {', '.join(sample.flags)}" if sample.flags else ""
    return (
        f"{html.escape(sample.variant)}: {sample.requests_per_second:,.0f} {unit}<br>"
        f"launch {sample.launch + 1}, block {sample.block + 1}{flags}"
    )


def samples_title(run: Run) -> str:
    """What is seen: how far the machine drifted while the same program ran, and what is flagged."""
    speeds = [s.requests_per_second for s in run.samples if s.variant == run.baseline]
    if not speeds:
        return "No samples of the baseline"
    drift = f"by {max(speeds) / min(speeds) - 1:.0%}" if min(speeds) > 0 else "down to 0"
    count = sum(bool(sample.flags) for sample in run.samples)
    flagged = f"; {count} of {len(run.samples)} samples are flagged" if count else ""
    return f"{run.baseline} alone varied {drift} during the race{flagged}".replace("%", " %")


def samples_table(run: Run) -> Output:
    """A row for each block, a column for each entry; letters mark flags, explained above."""
    names = [entry.name for entry in run.entries if entry.status != "unavailable"]
    kinds = sorted({flag for sample in run.samples for flag in sample.flags})
    letters = {kind: chr(ord("a") + i) for i, kind in enumerate(kinds)}
    cells: dict[tuple[int, int], dict[str, str]] = {}
    for sample in in_time(run.samples):
        marks = "".join(letters[flag] for flag in sorted(sample.flags))
        text = f"{sample.requests_per_second:,.0f}" + (f" {marks}" if marks else "")
        cells.setdefault((sample.launch, sample.block), {})[sample.variant] = text
    rows = [
        [str(launch + 1), str(block + 1), *(row.get(name, "—") for name in names)]
        for (launch, block), row in cells.items()
    ]
    columns = ["launch", "block", *names]
    legend = "; ".join(f"{letter}: {kind}" for kind, letter in letters.items())
    text = f"{run.unit.capitalize()}." + (f" Flagged: {legend}." if legend else "")
    return markup.paragraph(text) + markup.table(columns, rows, right=range(len(columns)))
