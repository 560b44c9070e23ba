"""A plot of parts: what an operation consists of, as GET and decode, where they were timed apart.

It answers Amdahl's question: how much could be won by making one part faster?
"""

import itertools

from benchbook import cards, figures
from benchbook.cards import Output
from benchbook.embed import Figure
from benchbook.errors import InputError
from benchbook.figures import COLOURS, NAME_WIDTH, ROW_PX
from benchbook.results import Entry, Run


def parts(run: Run) -> Figure:
    """Each entry's operation as a bar of its parts, the shortest on top: medians over its samples.

    Raises InputError where no parts were timed.
    """
    kinds = cards.part_kinds(run)
    times = {e.name: cards.part_times(run, e.name) for e in run.entries if e.role != "floor"}
    entries = [entry for entry in run.entries if times.get(entry.name)]
    if not entries:
        problem = "has no parts to plot: they were not timed apart"
        raise InputError(f"the last race of {run.experiment['name']}", "", problem)
    entries.sort(key=lambda entry: -sum(times[entry.name].values()))
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": kind,
            "x": [times[entry.name][kind] for entry in entries],
            "y": list(range(len(entries))),
            "marker": {"color": COLOURS[i % len(COLOURS)]},
            "text": [said(entry, kind, times[entry.name]) for entry in entries],
            "textposition": "none",
            "hovertemplate": "%{text}<extra></extra>",
        }
        for i, kind in enumerate(kinds)
    ]
    title = headline(run, kinds, times)
    layout = figures.frame(
        title,
        "medians over the samples of means; what is not timed apart is left out",
        plot_px=ROW_PX * len(entries) + 30,
        bottom_px=48,
        showlegend=True,
        barmode="stack",
        xaxis=figures.axis("milliseconds", rangemode="tozero"),
        yaxis=figures.axis(
            "",
            tickvals=list(range(len(entries))),
            ticktext=[figures.wrapped(figures.label(e), NAME_WIDTH) for e in entries],
            showgrid=False,
        ),
    )
    return figures.figure(title, data, layout, table(run, entries, kinds, times))


def said(entry: Entry, kind: str, times: dict[str, float]) -> str:
    share = times[kind] / sum(times.values())
    return f"{entry.name}: {kind} {cards.duration(times[kind] * 1e6)}, {share:.0%}"


def headline(run: Run, kinds: list[str], times: dict[str, dict[str, float]]) -> str:
    """The share of the last part in the baseline: all that a faster one could win."""
    base = times.get(run.baseline)
    if not base:
        return " and ".join(kinds)
    return f"{run.baseline}: {kinds[-1]} is {base[kinds[-1]] / sum(base.values()):.0%} of the time"


def table(
    run: Run, entries: list[Entry], kinds: list[str], times: dict[str, dict[str, float]]
) -> Output:
    rows = [
        [
            entry.name,
            *itertools.chain.from_iterable(
                (
                    cards.duration(times[entry.name][kind] * 1e6),
                    f"{times[entry.name][kind] / sum(times[entry.name].values()):.0%}",
                )
                for kind in kinds
            ),
        ]
        for entry in reversed(entries)
    ]
    columns = ["variant", *itertools.chain.from_iterable((kind, "share") for kind in kinds)]
    return cards.table(columns, rows, right=range(1, len(columns)))
