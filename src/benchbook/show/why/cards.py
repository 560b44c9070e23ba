"""Why one program is dearer than another: a sentence, the functions, the layers, and the check."""

import math
from collections.abc import Iterator, Mapping, Sequence

from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.model.profiles.layers import Layers
from benchbook.model.profiles.profile import OWN
from benchbook.profiling.alone import Alone, Spending
from benchbook.profiling.differences import FALSE_DISCOVERIES, Range, Row, Why
from benchbook.show.markup import Output, note, paragraph, table, total
from benchbook.show.why.amounts import Unit, shown_name
from benchbook.show.wording import percent
from benchbook_kernels.base.words import counted

MOST_ROWS = 10
MOST_NAMED = 4  # functions in the first sentence
MUCH_OVERHEAD = 0.10
DIFFERS = "≠"


def answer(why: Why) -> Output:
    """The sentence, and the functions."""
    return total([paragraph(headline(why)), functions(why)])


def details(why: Why, comparison: ProfileComparison) -> Output:
    """The layers, how it was measured, and what speaks for the table."""
    told = [checked(why), overhead(why.check.overhead), how(why, comparison)]
    notes = [note(message) for message in messages(comparison)]
    return total([layers(why), *map(paragraph, told), *notes])


def elsewhere(recorded: str) -> list[Output]:
    """That it was recorded on another machine, and why; [] where it was not."""
    return [note(f"{recorded[0].upper()}{recorded[1:]}.")] if recorded else []


def unit_of(why: Why) -> Unit:
    return Unit.of(max(why.cost.values()), why.thing)


def ranged(found: Range, unit: Unit) -> str:
    return unit.range(found.mean, found.low, found.high)


# ── In words ─────────────────────────────────────────────────────────────────────────────────────


def headline(why: Why) -> str:
    """The answer in a sentence: how much B costs more, and which functions that is due to."""
    unit = unit_of(why)
    amount = f"{ranged(why.total, unit)} {unit.name} {unit.each}"
    if not why.total.differs and not why.found:
        return f"{why.b} against {why.a}: no difference can be told ({amount})"
    change = percent(why.cost[why.b] / why.cost[why.a])
    said = f"{why.b} against {why.a}: {change} CPU time ({amount})"
    if why.problem:
        return said
    named = [row for row in why.found if row.named][:MOST_NAMED]
    if not named:
        return f"{said}; no single function differs for sure"
    return f"{said}: {', '.join(spent(named, unit))}{explained(why)}"


def spent(rows: Sequence[Row], unit: Unit) -> Iterator[str]:
    """Rows as amounts, those of a layer together: "1.5 µs of `setHeader` and `_storeHeader`"."""
    groups: dict[tuple[str, bool], list[Row]] = {}
    for row in sorted(rows, key=lambda row: row.more.mean < 0):
        groups.setdefault((row.key.layer, row.more.mean < 0), []).append(row)
    for (layer, less), found in groups.items():
        amount = unit.text(abs(sum(row.more.mean for row in found)))
        names = " and ".join(f"`{shown_name(row.key.function)}`" for row in found)
        inside = "" if layer == OWN else f" ({layer})"
        yield f"{amount} {'less ' if less else ''}of {names}{inside}"


def explained(why: Why) -> str:
    """How much of the difference falls on functions that are named; '' where that is not known."""
    share = why.explained
    if math.isnan(share):
        return ""
    return f"; {100 * share:.0f} % of the difference falls on named functions that differ"


# ── Tables ───────────────────────────────────────────────────────────────────────────────────────


def functions(why: Why) -> Output:
    """The ten functions that differ most; why not, where they can't be ranked."""
    if why.problem:
        return note(f"No functions are ranked: {why.problem}.")
    rows = [
        [mark(row), name_of(row), row.key.layer, *amounts(row, why)] for row in why.rows[:MOST_ROWS]
    ]
    return table(["", "function", "layer", *headers(why)], rows, right=(3, 4, 5))


def layers(why: Why) -> Output:
    """All layers, those that differ most first."""
    rows = [[mark(row), row.key.layer, *amounts(row, why)] for row in why.layers]
    return table(["", "layer", *headers(why)], rows, right=(2, 3, 4))


def headers(why: Why) -> list[str]:
    unit = unit_of(why)
    return [why.a, why.b, f"{why.b} more, {unit.name} {unit.each}"]


def amounts(row: Row, why: Why) -> list[str]:
    unit = unit_of(why)
    return [unit.number(row.a), unit.number(row.b), ranged(row.more, unit)]


def mark(row: Row) -> str:
    return DIFFERS if row.more.differs else ""


def name_of(row: Row) -> str:
    """A row's name, with the code of own lines, or where the function's source can be read."""
    told = row.text or row.link
    name = shown_name(row.key.function)
    return f"{name}\n{told}" if told else name


# ── Is it true? ──────────────────────────────────────────────────────────────────────────────────


def checked(why: Why) -> str:
    """The independent look at the difference, in words."""
    unit, check = unit_of(why), why.check
    word = "agree" if check.agree else "do not agree"
    return (
        f"Checked: the profiled copies, which are other processes, differ by "
        f"{ranged(check.scaled, unit)} {unit.name} when their slowdown is taken out, those without "
        f"a profiler by {ranged(check.plain, unit)}: they {word}. (That the table adds up to the "
        "latter says nothing: shares are multiplied by it.)"
    )


def overhead(shares: Mapping[str, float]) -> str:
    """How much slower the profiler made the programs."""
    told = ", ".join(f"{name} {percent(1 + share)}" for name, share in shares.items())
    said = f"The profiler cost CPU time: {told}"
    much = max(shares.values()) > MUCH_OVERHEAD
    return f"{said}: much, take a larger --interval" if much else said


def how(why: Why, comparison: ProfileComparison) -> str:
    """How it was measured, in a sentence."""
    busy = " and ".join(f"{name} at work {count:,} times" for name, count in why.busy.items())
    return (
        f"{measured(comparison)}; that found {busy}; {DIFFERS}: differs, up to "
        f"{100 * FALSE_DISCOVERIES:.0f} % of these by chance"
    )


def measured(comparison: ProfileComparison) -> str:
    """The launches, the load, what ran it, and the interval."""
    profiles = [each for launch in comparison.launches for each in launch.profiles.values()]
    runtimes = list(dict.fromkeys(profile.runtime for profile in profiles))
    return in_launches(len(comparison.launches), comparison, runtimes)


def in_launches(count: int, found: ProfileComparison | Layers, runtimes: Sequence[str]) -> str:
    """The same of what was found in so many launches."""
    return (
        f"{counted(count, 'launch')} of {found.seconds:g} s: {found.how}; "
        f"{' and '.join(runtimes)}; a sample every {found.interval_us / 1000:g} ms, as asked"
    )


def messages(comparison: ProfileComparison) -> list[str]:
    """What a reader must know besides: of the comparison, and of single profiles, once each."""
    profiles = [each for launch in comparison.launches for each in launch.profiles.values()]
    lost = sum(profile.lost for profile in profiles)
    told = list(dict.fromkeys([*comparison.messages, *(m for p in profiles for m in p.messages)]))
    if lost:
        share = lost / sum(profile.busy for profile in profiles)
        told.append(
            f"{100 * share:.1f} % of the samples lie in functions that the compiler inlined, and "
            "it was not found out which: they count where these were inlined."
        )
    return told


# ── One program ──────────────────────────────────────────────────────────────────────────────────


def spending(found: Alone) -> Output:
    """What one program spends: a sentence, and the dearest functions."""
    unit = Unit.of(found.cost.mean, found.thing)
    most = ", ".join(
        f"{100 * each.us.mean / found.cost.mean:.0f} % {each.key.layer}"
        for each in found.layers[:3]
    )
    cost = ranged(found.cost, unit).replace("+", "")
    said = paragraph(f"{found.name}: {cost} {unit.name} of CPU time {unit.each}; {most}")
    if found.problem:
        return total([said, note(f"No functions are ranked: {found.problem}.")])
    return total([said, spendings("function", found.rows[:MOST_ROWS], unit)])


def spending_details(found: Alone, comparison: ProfileComparison) -> Output:
    """Its layers, and how it was measured."""
    unit = Unit.of(found.cost.mean, found.thing)
    told = [overhead({found.name: found.overhead}), measured(comparison)]
    notes = [note(message) for message in messages(comparison)]
    return total([spendings("layer", found.layers, unit), *map(paragraph, told), *notes])


def spendings(what: str, rows: Sequence[Spending], unit: Unit) -> Output:
    """A table of what rows cost."""
    cells = [
        [
            f"{shown_name(row.key.function)}\n{row.text or row.link}".strip(),
            *([row.key.layer] if what == "function" else []),
            ranged(row.us, unit).replace("+", ""),
        ]
        for row in rows
    ]
    headers = [what, *(["layer"] if what == "function" else []), f"{unit.name} {unit.each}"]
    return table(headers, cells, right=[len(headers) - 1])
