"""The figure of parts: what an operation consists of, such as GET and decode, timed apart.

It answers Amdahl's question: how much could be won by making one part faster?
"""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from benchbook.model.kinds.kind import part_names
from benchbook.model.runs import CONTROL, Entry, Run
from benchbook.show import markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    COLOURS,
    NAME_WIDTH,
    axis,
    figure,
    frame,
    label,
    rows_axis,
    rows_px,
    wrapped,
)
from benchbook.show.markup import Output
from benchbook.show.wording import duration
from benchbook_kernels.base.errors import InputError

Times = Mapping[str, float]  # milliseconds by part


def parts_figure(run: Run) -> Figure:
    """Each entry's operation as a bar of its parts, the shortest on top: medians over its samples.

    Raises InputError where no parts were timed.
    """
    kinds = part_names(run)
    times = {e.name: part_times(run, e.name) for e in run.entries if e.role != CONTROL}
    entries = [entry for entry in run.entries if times.get(entry.name)]
    if not entries:
        problem = "has no parts to plot: they were not timed apart"
        raise InputError(f"the last race of {run.experiment.name}", "", problem)
    entries.sort(key=lambda entry: -sum(times[entry.name].values()))
    data = [
        part_trace(kind, entries, times, COLOURS[i % len(COLOURS)]) for i, kind in enumerate(kinds)
    ]
    title = parts_title(run, kinds, times)
    names = [wrapped(label(entry), NAME_WIDTH) for entry in entries]
    layout = frame(
        title,
        "medians over the samples of means; what is not timed apart is left out",
        plot_px=rows_px(names),
        showlegend=True,
        barmode="stack",
        xaxis=axis("milliseconds", rangemode="tozero"),
        yaxis=rows_axis(names),
    )
    return figure(title, data, layout, parts_table(entries, kinds, times))


def part_trace(
    kind: str, entries: Sequence[Entry], times: Mapping[str, Times], colour: str
) -> dict[str, Any]:
    """One part of every entry's bar; nothing where an entry has no such part."""
    return {
        "type": "bar",
        "orientation": "h",
        "name": kind,
        "x": [times[entry.name].get(kind, 0.0) for entry in entries],
        "y": list(range(len(entries))),
        "marker": {"color": colour},
        "text": [
            f"{entry.name}: {kind} {', '.join(time_and_fraction(kind, times[entry.name]))}"
            for entry in entries
        ],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }


def time_and_fraction(kind: str, times: Times) -> tuple[str, str]:
    """The time of a part, and how much of all that is."""
    if kind not in times:
        return "—", "—"
    return duration(times[kind] * 1e6), f"{times[kind] / sum(times.values()):.0%}"


def parts_title(run: Run, kinds: Sequence[str], times: Mapping[str, Times]) -> str:
    """How much of the baseline's time its last part takes: all that a faster one could win."""
    base = times.get(run.baseline)
    if not base:
        return " and ".join(kinds)
    last = list(base)[-1]
    return f"{run.baseline}: {last} is {time_and_fraction(last, base)[1]} of the time"


def parts_table(
    entries: Sequence[Entry], kinds: Sequence[str], times: Mapping[str, Times]
) -> Output:
    """The numbers of the figure, an entry in each row."""
    rows = [
        [entry.name, *(text for k in kinds for text in time_and_fraction(k, times[entry.name]))]
        for entry in reversed(entries)
    ]
    columns = ["variant", *(column for kind in kinds for column in (kind, "of the time"))]
    return markup.table(columns, rows, right=range(1, len(columns)))


def part_times(run: Run, name: str) -> dict[str, float]:
    """The time of each part of an entry's operations: median over its samples, in milliseconds."""
    found = [s.parts_ms for s in run.samples if s.variant == name and s.parts_ms]
    if not found:
        return {}
    return {kind: statistics.median(parts[kind] for parts in found) for kind in found[0]}
