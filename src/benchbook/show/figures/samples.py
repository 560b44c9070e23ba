"""The figure of samples: every sample by launch and block, so that warm-up and drift are seen."""

import html
import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchbook.model.runs import Entry, Run
from benchbook.model.samples import Sample
from benchbook.show import markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    GREY,
    NAME_WIDTH,
    PLOT_PX,
    Style,
    across,
    axis,
    figure,
    frame,
    label,
    line_at,
    marker,
    styles,
    wrapped,
)
from benchbook.show.markup import Output
from benchbook_kernels.base.words import counted

GAP = 1  # empty places between launches
NAMED = 6  # so many launches have "launch" before their number


@dataclass(frozen=True)
class Places:
    """Where samples are on the x axis: a launch is its rounds of warm-up, then its blocks.

    left_out: how many blocks of each launch were still warm-up.
    """

    launches: int
    blocks: int
    warmups: int
    left_out: tuple[int, ...]

    @classmethod
    def of(cls, run: Run, left_out: Sequence[int]) -> "Places":
        warmups = Counter((sample.launch, sample.variant) for sample in run.warmups)
        launches = run.plan.launches
        known = (*left_out, *[0] * launches)[:launches]
        return cls(launches, run.plan.blocks, max(warmups.values(), default=0), known)

    def start(self, launch: int) -> float:
        """The left edge of a launch."""
        return launch * (self.warmups + self.blocks + GAP) - 0.5

    def warmup(self, launch: int, number: int) -> float:
        return self.start(launch) + 0.5 + number

    def block(self, launch: int, block: int) -> float:
        return self.warmup(launch, self.warmups) + block

    def warm(self, launch: int) -> float:
        """Where the warm-up of a launch ends."""
        return self.start(launch) + self.warmups + self.left_out[launch]


def samples_figure(run: Run, left_out: Sequence[int] = ()) -> Figure:
    """Every sample by launch and block; flagged ones are crossed, warm-up is shaded.

    left_out: how many blocks of each launch the results leave out (judge.Results.left_out).
    """
    looks, places = styles(run), Places.of(run, left_out)
    data = [sample_trace(entry, run, looks[entry.name], places) for entry in by_speed(run)]
    flagged = [sample for sample in run.samples if sample.flags]
    if flagged:  # behind the samples: it must not hide them where most are flagged
        data.insert(0, flagged_trace(flagged, run, places))
    warming = places.warmups or any(places.left_out)
    title = samples_title(run, places)
    layout = frame(
        title,
        f"every sample of {run.plan.sample_seconds:g} s by launch and block; at a vertical line "
        "all programs were restarted"
        + ("; grey: warm-up, which is not counted" if warming else "")
        + ("; ✕ flagged" if flagged else ""),
        plot_px=PLOT_PX,
        shapes=[*shades(places), *(line_at(x, GREY, "dot") for x in launch_starts(places))],
        showlegend=True,
        xaxis=launch_axis(places),
        yaxis=axis(f"{run.unit} (not from 0)", tickformat=",", rangemode="normal"),
    )
    return figure(title, data, layout, samples_table(run, places))


def by_speed(run: Run) -> list[Entry]:
    """The entries that have samples, the fastest first: the legend stands as the lines do."""
    medians = {
        entry.name: statistics.median(speeds)
        for entry in run.entries
        if (speeds := known_speeds(run, entry.name))
    }
    having = [entry for entry in run.entries if entry.name in medians]
    return sorted(having, key=lambda entry: -medians[entry.name])


def known_speeds(run: Run, name: str) -> list[float]:
    speeds = [run.speed(sample) for sample in run.samples if sample.variant == name]
    return [speed for speed in speeds if math.isfinite(speed)]


# ── Where things are ─────────────────────────────────────────────────────────────────────────────


def launch_starts(places: Places) -> list[float]:
    return [places.start(launch) for launch in range(places.launches)]


def shades(places: Places) -> list[dict[str, Any]]:
    """What was warm-up in each launch."""
    ends = [(start, places.warm(i)) for i, start in enumerate(launch_starts(places))]
    return [across(edges) for edges in ends if edges[1] > edges[0]]


def launch_axis(places: Places) -> dict[str, Any]:
    """The x axis, with the number of each launch below its middle."""
    word = "launch " if places.launches <= NAMED else ""
    middles = [
        places.start(i) + (places.warmups + places.blocks) / 2 for i in range(places.launches)
    ]
    return axis(
        "launch; in it the blocks, in the order in which they ran",
        tickvals=middles,
        ticktext=[f"{word}{i + 1}" for i in range(places.launches)],
        range=[-1, places.start(places.launches) - GAP + 0.5],
        tickangle=0,
        showgrid=False,
    )


def sample_trace(entry: Entry, run: Run, look: Style, places: Places) -> dict[str, Any]:
    """An entry's samples and warm-ups, joined within each launch."""
    x: list[float | None] = []
    y: list[float | None] = []
    mine = sorted((s for s in run.samples if s.variant == entry.name), key=place_in_plan)
    for launch in sorted({sample.launch for sample in mine}):
        warmups = [s for s in run.warmups if (s.variant, s.launch) == (entry.name, launch)]
        found = [(places.warmup(launch, i), sample) for i, sample in enumerate(warmups)]
        found += [(places.block(launch, s.block), s) for s in mine if s.launch == launch]
        x += [*([None] if x else []), *(place for place, _ in found)]
        y += [*([None] if y else []), *(run.speed(sample) for _, sample in found)]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": x,
        "y": y,
        "line": {"color": look.colour, "width": 1},
        "marker": marker(look, 9),
        # no text of each point: a notebook would have hundreds, and where it stands says the same
        "hovertemplate": f"{html.escape(entry.name)}: {speed_format(run)}<extra></extra>",
        "name": wrapped(label(entry), NAME_WIDTH),
        "legendgroup": entry.name,
    }


def place_in_plan(sample: Sample) -> tuple[int, int]:
    return sample.launch, sample.block


def flagged_trace(flagged: Sequence[Sample], run: Run, places: Places) -> dict[str, Any]:
    """A cross behind each flagged sample, whose ends stick out."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [places.block(sample.launch, sample.block) for sample in flagged],
        "y": [run.speed(sample) for sample in flagged],
        "text": [f"{html.escape(s.variant)}: {', '.join(s.flags)}" for s in flagged],
        "marker": {
            "symbol": "x-thin-open",
            "size": 15,
            "color": GREY,
            "line": {"color": GREY, "width": 1},
        },
        "opacity": 1 if len(flagged) < len(run.samples) / 2 else 0.5,
        "legendrank": 2000,  # the last
        "hovertemplate": f"%{{text}}<br>{speed_format(run)}<extra></extra>",
        "name": f"flagged ({len(flagged)})",
    }


# ── In words ─────────────────────────────────────────────────────────────────────────────────────


def samples_title(run: Run, places: Places) -> str:
    """What is seen: how far the baseline drifted, and what is flagged or left out."""
    whole = [s for s in run.samples if s.block >= places.left_out[s.launch]]
    speeds = [run.speed(s) for s in whole if s.variant == run.baseline]
    speeds = [speed for speed in speeds if math.isfinite(speed)]
    if not speeds:
        return "No samples of the baseline"
    drift = f"by {max(speeds) / min(speeds) - 1:.0%}" if min(speeds) > 0 else "down to 0"
    text = f"{run.baseline} alone varied {drift} during the race"
    if blocks := sum(places.left_out):
        text += f"; {counted(blocks, 'block')} of warm-up left out"
    count = sum(bool(sample.flags) for sample in run.samples)
    text += f"; {count} of {len(run.samples)} samples are flagged" if count else ""
    return text.replace("%", " %")


def samples_table(run: Run, places: Places) -> Output:
    """A row for each block, a column for each entry; letters mark flags, explained above."""
    names = [entry.name for entry in run.entries if entry.status != "unavailable"]
    kinds = sorted({flag for sample in run.samples for flag in sample.flags})
    letters = {kind: chr(ord("a") + i) for i, kind in enumerate(kinds)}
    cells: dict[tuple[int, int], dict[str, str]] = {}
    for sample in sorted(run.samples, key=place_in_plan):
        marks = "".join(letters[flag] for flag in sorted(sample.flags))
        text = f"{run.speed(sample):{run.kind.rate_format}}" + (f" {marks}" if marks else "")
        cells.setdefault(place_in_plan(sample), {})[sample.variant] = text
    rows = [
        [str(launch + 1), block_text(launch, block, places), *(row.get(n, "—") for n in names)]
        for (launch, block), row in cells.items()
    ]
    columns = ["launch", "block", *names]
    legend = "; ".join(f"{letter}: {kind}" for kind, letter in letters.items())
    text = f"{run.unit.capitalize()}." + (f" Flagged: {legend}." if legend else "")
    return markup.paragraph(text) + markup.table(columns, rows, right=range(len(columns)))


def block_text(launch: int, block: int, places: Places) -> str:
    return f"{block + 1} (warm-up)" if block < places.left_out[launch] else str(block + 1)


def speed_format(run: Run) -> str:
    """The speed of a point in plotly's words."""
    return f"%{{y:{run.kind.rate_format}}} {run.unit}"
