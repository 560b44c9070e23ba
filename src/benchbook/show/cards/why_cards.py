"""Why one program is dearer than another: a sentence, the functions, the layers, and the check."""

import itertools
import math
from collections.abc import Iterable, Sequence

from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.model.profiles.profile import OWN
from benchbook.profiling.differences import FALSE_DISCOVERIES, OTHERS, Range, Row, TwoLooks, Why
from benchbook.show.markup import Output, note, paragraph, table, total
from benchbook.show.wording import percent
from benchbook_kernels.base.words import counted

MOST_ROWS = 10
MOST_NAMED = 4  # functions in the first sentence
LEAST_US = 0.005  # less is written as 0.0
MUCH_OVERHEAD = 0.10


def us(value: float) -> str:
    """Microseconds with a sign: +1.52, −0.04."""
    shown = 0.0 if abs(value) < LEAST_US else value
    return f"{shown:+.2f}".replace("-", "−")


def range_text(found: Range) -> str:
    """A mean with its interval, in µs: "+1.52 [+1.31, +1.73]"."""
    if math.isinf(found.low):
        return f"{us(found.mean)} [unknown: one launch]"
    return f"{us(found.mean)} [{us(found.low)}, {us(found.high)}]"


def summary(why: Why, comparison: ProfileComparison) -> Output:
    """All that is told of a comparison, in words and tables."""
    parts = [paragraph(headline(why)), functions(why), layers(why), *checks(why)]
    return total([*parts, paragraph(how(why, comparison)), *map(note, remarks(why, comparison))])


# ── In words ─────────────────────────────────────────────────────────────────────────────────────


def headline(why: Why) -> str:
    """The answer in a sentence: how much B costs more, and which functions that is due to."""
    a, b, told = why.a, why.b, f"{range_text(why.total)} µs a {why.thing}"
    if not why.total.differs and not why.found:
        return f"{b} against {a}: no difference can be told, {told}"
    change = percent(why.cost[b] / why.cost[a])
    said = f"{b} against {a}, {change} CPU time a {why.thing} ({told})"
    if why.problem:
        return f"{said}: {why.problem}"
    named = [row for row in why.found if row.key.function != OTHERS][:MOST_NAMED]
    if not named:
        return f"{said}: no single function differs for sure"
    return f"{said}: {', '.join(spent(named))}{explained(why)}"


def spent(rows: Sequence[Row]) -> Iterable[str]:
    """Rows as amounts, those of a layer together: "1.5 µs of `setHeader` and `_storeHeader`"."""
    more = sorted(rows, key=lambda row: row.more.mean < 0)
    for (layer, less), group in itertools.groupby(
        sorted(more, key=order_of(more)), lambda row: (row.key.layer, row.more.mean < 0)
    ):
        found = list(group)
        amount = abs(sum(row.more.mean for row in found))
        names = " and ".join(f"`{row.key.function}`" for row in found)
        inside = "" if layer == OWN else f" ({layer})"
        yield f"{amount:.1f} µs {'less ' if less else ''}of {names}{inside}"


def order_of(rows: Sequence[Row]):  # type: ignore[no-untyped-def]
    """A key that keeps rows of a layer together, the layers in the order of their first row."""
    firsts: dict[tuple[str, bool], int] = {}
    for i, row in enumerate(rows):
        firsts.setdefault((row.key.layer, row.more.mean < 0), i)
    return lambda row: firsts[(row.key.layer, row.more.mean < 0)]


def explained(why: Why) -> str:
    """How much of the difference falls on functions that are named; '' where that is not known."""
    share = why.explained
    if math.isnan(share):
        return ""
    return f"; {100 * share:.0f} % of the difference falls on named functions that differ"


# ── Tables ───────────────────────────────────────────────────────────────────────────────────────


def functions(why: Why) -> Output:
    """The ten functions that differ most; nothing where they can't be ranked."""
    if why.problem:
        return note(f"No functions are ranked: {why.problem}.")
    rows = [
        [
            "≠" if row.more.differs else "",
            name_of(row),
            row.key.layer,
            f"{row.a:.2f}",
            f"{row.b:.2f}",
            range_text(row.more),
        ]
        for row in why.rows[:MOST_ROWS]
    ]
    headers = ["", "function", "layer", why.a, why.b, f"{why.b} more, µs a {why.thing}"]
    return table(headers, rows, right=(3, 4, 5))


def name_of(row: Row) -> str:
    """A row's name, with the code of own lines, or where the function's source can be read."""
    told = row.text or row.link or row.key.place
    return f"{row.key.function}\n{told}" if told else row.key.function


def layers(why: Why) -> Output:
    rows = [
        [
            "≠" if row.more.differs else "",
            row.key.layer,
            f"{row.a:.2f}",
            f"{row.b:.2f}",
            range_text(row.more),
        ]
        for row in why.layers
    ]
    return table(["", "layer", why.a, why.b, f"{why.b} more, µs a {why.thing}"], rows, (2, 3, 4))


# ── Is it true? ──────────────────────────────────────────────────────────────────────────────────


def checks(why: Why) -> list[Output]:
    """What speaks for the table, and what against it."""
    check = why.check
    word = "agrees" if check.agree else "does not agree"
    told = (
        f"Checked: the profiled copies, which are other processes, differ by "
        f"{range_text(check.scaled)} µs when their slowdown is taken out, the unprofiled ones by "
        f"{range_text(check.plain)}: that {word}. The table adds up to the latter by construction."
    )
    return [paragraph(told), paragraph(overhead(check))]


def overhead(check: TwoLooks) -> str:
    """How much slower the profiler made the programs."""
    told = ", ".join(f"{100 * share:+.1f} % {name}" for name, share in check.overhead.items())
    said = f"The profiler cost {told}, by CPU time of the threads that it looks at"
    much = max(check.overhead.values()) > MUCH_OVERHEAD
    return f"{said}: much, take a larger --interval" if much else said


def how(why: Why, comparison: ProfileComparison) -> str:
    """How it was measured, in a sentence."""
    busy = " and ".join(f"{count:,} of {name}" for name, count in why.busy.items())
    runtimes = " and ".join(
        dict.fromkeys(
            profile.runtime
            for launch in comparison.launches
            for profile in launch.profiles.values()
        )
    )
    return (
        f"{counted(why.launches, 'launch')} of {comparison.seconds:g} s under {comparison.how}; "
        f"{runtimes}, a sample every {comparison.interval_us / 1000:g} ms as asked, of which "
        f"{busy} found it at work; ≠: differs, up to {FALSE_DISCOVERIES:.0%} of these by chance"
    )


def remarks(why: Why, comparison: ProfileComparison) -> list[str]:
    """What a reader must know besides."""
    return [*comparison.messages]
