"""Where a statement's verdict changes from one version to the next."""

from dataclasses import dataclass

from benchbook.analysis.judging.verdicts import NO_DIFFERENCE, OPPOSITE, OUTSIDE, REPRODUCED
from benchbook.compare.attack.outcome import corrected
from benchbook.model.profiles.by_version import ByVersion, VersionAnswer

DECIDED = (REPRODUCED, OPPOSITE, NO_DIFFERENCE, OUTSIDE)


@dataclass(frozen=True)
class Flip:
    """Two versions between which a verdict changed, by their labels; between: those that lie there
    and did not tell, or were not asked."""

    last: str
    first: str
    before: str
    after: str
    between: tuple[str, ...]


def answers(record: ByVersion, statement: str) -> dict[str, VersionAnswer]:
    """What is known of a statement, by version. Directions are corrected by Holm's method over the
    versions: of many one would seem to turn a verdict by chance."""
    found = record.of(statement)
    return dict(zip(found, corrected(list(found.values())), strict=True))


def flips(record: ByVersion, statement: str) -> list[Flip]:
    """Where its verdict changes, in the order of the versions."""
    labels = [each.label for each in record.versions]
    known = {
        label: each.verdict
        for label, each in answers(record, statement).items()
        if each.verdict in DECIDED
    }
    found = []
    for last, first in zip(known, list(known)[1:]):
        if known[last] != known[first]:
            between = labels[labels.index(last) + 1 : labels.index(first)]
            found.append(Flip(last, first, known[last], known[first], tuple(between)))
    return found
