"""The figure of a room's guesses: everyone's, their median, and what was measured after them."""

import html
from collections.abc import Sequence
from statistics import median
from typing import Any

from benchbook.analysis.judging.verdicts import SMALLEST_EFFECT, share_text
from benchbook.analysis.pooled.guessing import GuessedPair, GuessingRoom
from benchbook.show import markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import (
    COLOURS,
    GREY,
    NAME_WIDTH,
    band,
    difference,
    figure,
    frame,
    line_at,
    percent_axis,
    rows_axis,
    wrapped,
)
from benchbook.show.markup import Output
from benchbook.show.wording import percent
from benchbook_kernels.base.words import counted

ROW_PX = 58  # a row of guesses, with what was measured below
SPREAD = 0.3  # of a row's height, over which guesses are strewn
GUESSED, MEASURED = COLOURS[0], COLOURS[3]


def guesses_figure(found: GuessingRoom) -> Figure:
    """A row for each variant that was guessed: a dot for each guess, a bar at their median and,
    once there are races, diamonds where machines measured it.

    What lies far outside of most guesses stands at the edge, with its number in the text.
    """
    rows = sorted(found.pairs, key=lambda pair: pair.middle)
    ends = axis_ends(rows)
    names = [wrapped(pair.name, NAME_WIDTH) for pair in rows]
    title = headline(found)
    layout = frame(
        title,
        "● a guess; ┃ the median of the guesses; ◆ what a machine measured afterwards; grey: "
        f"differences under {share_text(SMALLEST_EFFECT)}; what lies outside stands at the edge",
        plot_px=24 + ROW_PX * len(rows),
        shapes=[band(SMALLEST_EFFECT, ends), line_at(0.0), *medians(rows, ends)],
        showlegend=False,
        xaxis=percent_axis("compared with the baseline, or with the one behind the colon", ends),
        yaxis=rows_axis(names, range=[-0.6, len(rows) - 0.4]),
    )
    data = [trace for place, pair in enumerate(rows) for trace in points(pair, place, ends)]
    return figure(title, data, layout, numbers(found))


def headline(found: GuessingRoom) -> str:
    """How many have guessed, and how many of the guesses had the right side."""
    count = counted(found.attendees, "attendee")
    told = [g for pair in found.pairs for g in pair.guesses if g.ratio is not None]
    if not told:
        return f"{found.experiment}: what {count} expect"
    right = sum(same_side(each.guess, each.ratio or 1.0) for each in told)
    return f"{found.experiment}: of {counted(len(told), 'guess')} {right} had the right side"


def same_side(guess: float, ratio: float) -> bool:
    """More, less, or a difference that is too small to matter: as it was measured?"""
    return side(guess) == side(ratio)


def side(ratio: float) -> int:
    if 1 / (1 + SMALLEST_EFFECT) <= ratio <= 1 + SMALLEST_EFFECT:
        return 0
    return 1 if ratio > 1 else -1


def axis_ends(rows: Sequence[GuessedPair]) -> list[float]:
    """From the second lowest to the second highest of what is shown in each row, with a margin: one
    slip of the pen does not press all others together."""
    some = [15.0, -15.0]
    for pair in rows:
        shown = sorted([difference(g.guess) for g in pair.guesses])
        kept = shown[1:-1] if len(shown) > 4 else shown
        some += [*kept, *map(difference, pair.measured)]
    low, high = min(some), max(some)
    margin = 0.06 * (high - low)
    return [max(low - margin, -104.0), high + margin]


def cut(ratio: float, ends: Sequence[float]) -> float:
    return min(max(difference(ratio), ends[0]), ends[1])


def points(pair: GuessedPair, place: int, ends: Sequence[float]) -> list[dict[str, Any]]:
    """The guesses of one row, strewn a little so that equal ones are seen; what was measured."""
    count = len(pair.guesses)
    ordered = sorted(pair.guesses, key=lambda each: each.attendee)
    strewn = [place + 0.1 + SPREAD * (i % 5) / 4 for i in range(count)]
    found = [dots([g.guess for g in ordered], strewn, ends, "circle", GUESSED, "guess", pair.name)]
    if pair.measured:
        below = [place - 0.22] * len(pair.measured)
        mark = (ends, "diamond", MEASURED, "measured", pair.name)
        found.append(dots(pair.measured, below, *mark))
    return found


def dots(
    ratios: Sequence[float],
    places: Sequence[float],
    ends: Sequence[float],
    symbol: str,
    colour: str,
    what: str,
    name: str,
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [cut(ratio, ends) for ratio in ratios],
        "y": list(places),
        "marker": {
            "symbol": symbol,
            "size": 9,
            "color": colour,
            "opacity": 0.75,
            "line": {"color": GREY, "width": 0.75},
        },
        "cliponaxis": False,
        "text": [f"{what}: {percent(ratio)}" for ratio in ratios],
        "hovertemplate": "%{text}<extra></extra>",
        "name": f"{html.escape(name)}: {what}",
    }


def medians(rows: Sequence[GuessedPair], ends: Sequence[float]) -> list[dict[str, Any]]:
    """A short line in each row, at the median of its guesses."""
    return [
        {
            **line_at(cut(pair.middle, ends), GUESSED),
            "yref": "y",
            "y0": place,
            "y1": place + 0.5,
            "line": {"color": GUESSED, "width": 3},
        }
        for place, pair in enumerate(rows)
    ]


def numbers(found: GuessingRoom) -> Output:
    """The same as a table."""
    rows = []
    for pair in sorted(found.pairs, key=lambda pair: -pair.middle):
        guessed = sorted(each.guess for each in pair.guesses)
        told = pair.measured
        right = sum(same_side(g.guess, g.ratio) for g in pair.guesses if g.ratio is not None)
        rows.append(
            [
                pair.variant,
                pair.to or "the baseline",
                str(len(guessed)),
                percent(pair.middle),
                f"{percent(guessed[0])} to {percent(guessed[-1])}",
                percent(median(told)) if told else "not raced yet",
                f"{right} of {len(told)}" if told else "",
            ]
        )
    columns = ["variant", "compared with", "guesses", "their median", "from, to"]
    return markup.table([*columns, "measured (median)", "right side"], rows, right=[2, 3, 4, 5, 6])
