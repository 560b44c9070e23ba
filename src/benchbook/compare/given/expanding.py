"""Everything that is compared: each program with everything that it is given.

    with expanding.places(words, given, say) as places:
        found = [(place, detect(place.words, place.folder)) for place in places]
        variants = expanding.expanded(found, given, say)
        race …

`places` is left when the race is over: checkouts and copies go then. It yields one place without
--git and --npm: the folder in which was asked.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchbook.compare.given.asked import Given
from benchbook.model.variants import Variant

Say = Callable[[str], None]  # told what is going on, in words for the reader


@dataclass(frozen=True)
class Placed:
    """Words, placed where they mean what they mean in the folder in which was asked.

    words: as typed, but for files that lie elsewhere in this place (a path from the root), in the
    same order; folder: in which they are read and commands run; labels: what is different here, one
    for each of --git and --npm ("main", "fastify@4.29.1"); told: the same for a title, with more
    ("main (1a2b3c4)").
    """

    words: tuple[str, ...]
    folder: Path
    labels: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


@contextmanager
def places(
    words: Sequence[str], given: Given, say: Say, folder: Path | None = None
) -> Iterator[list[Placed]]:
    """The places in which programs are looked for. folder: the one in which was asked.

    Raises InputError for what can't be (no such revision, no repository, no such file in one),
    BenchError where a set-up fails or a package can't be had.
    """
    yield [Placed(tuple(words), folder or Path.cwd())]


def expanded(
    found: Sequence[tuple[Placed, Sequence[Variant]]], given: Given, say: Say
) -> list[Variant]:
    """Each of the programs that were found in each place, with everything that it is given.

    All of the first program come first, and of these that which has the first of everything: it is
    the baseline. They are named by what differs: "node-22" of one program, else "a.mjs node-22".
    Raises InputError for what a program can't be given, BenchError for a version that can't be had.
    """
    return [variant for _, variants in found for variant in variants]
