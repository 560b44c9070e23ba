"""What recorded profiles (data/profiles) say of a sentence that is bound to one of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from benchbook.model.profiles import recorded
from benchbook.model.profiles.cost import Costing
from benchbook.profiling import differences
from benchbook.profiling.differences import Why

if TYPE_CHECKING:
    from expectations import Sentence


@cache
def why(name: str) -> Why:
    return differences.why(recorded.read(recorded.folder() / name))


@cache
def cost(name: str) -> Costing:
    return recorded.read_cost(recorded.folder() / name)


def values(sentence: Sentence) -> Iterator[tuple[str, float]]:
    """What is known, in words, and the number that has to lie between the sentence's `low` and
    `high`: of microseconds that B spends more, in all, in functions that differ, or in layers; or
    of what was counted."""
    if sentence.relation == "counts":
        for name in sentence.variants:
            value = cost(sentence.profile).figures[name][sentence.counted].mean
            yield f"{sentence.counted} of {name}: {value:,.2f}", value
        return
    found = why(sentence.profile)
    if sentence.relation == "dearer":
        yield f"{found.b} spends {found.total.mean:+.2f} µs more", found.total.mean
        return
    rows = found.rows if sentence.relation == "spends" else found.layers
    names = sentence.functions or sentence.layers
    more = {row.key.function: row.more for row in rows if row.more.differs}
    for name in names:
        if name not in more:  # not known to differ: no number lies in any range
            yield f"{name} is not known to differ", float("nan")
            return
    total = sum(more[name].mean for name in names)
    yield f"{found.b} spends {total:+.2f} µs more in {', '.join(names)}", total
