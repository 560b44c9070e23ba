"""Which of some names somebody may have meant by a word that is none of them: one rule for all.

Commands, magics, options, experiments, variants, lessons, plots and fields of files ask it, and
the launcher before set-up: standard library only.
"""

import difflib
import re
from collections.abc import Iterable, Sequence

ALIKE = 0.6  # of 1: as difflib's own
ALIKE_NUMBERS = 0.5  # of two digits one
PART_SHARE = 0.95  # a name that only contains the word is a worse guess than one that is like it
SHORTEST_PART = 3
FEW = 8  # names that are listed although one of them is near


def nearest(word: str, known: Iterable[str]) -> str:
    """The known name that is most like a word, '' where none is much like it.

    Case and punctuation don't count. A name may also be meant by a part of it: `setheader` is
    04-setheader-vs-writehead, and `44` is nearest to what begins with 04.
    """
    scored = [(likeness(word, name), name) for name in known]
    best, name = max(scored, key=lambda each: each[0], default=(0.0, ""))
    return name if best > 0 else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'race'?`, to go behind a problem; '' where nothing is near."""
    found = nearest(word, known)
    return f"; did you mean '{found}'?" if found else ""


def unknown(kind: str, name: str, known: Sequence[str]) -> str:
    """That there is none of that name: which one may be meant, and where that is not clear all."""
    hint = did_you_mean(name, known)
    listed = "" if hint and len(known) > FEW else f" (there are: {', '.join(known) or 'none'})"
    return f"no {kind} '{name}'{hint}{listed}"


def likeness(word: str, name: str) -> float:
    """How much a name is like a word, from 0 to 1; 0 also where that is too little to be meant."""
    wanted, whole = squeezed(word), squeezed(name)
    if not wanted or not whole:
        return 0.0
    found = [alike(wanted, whole)]
    if len(wanted) >= SHORTEST_PART and wanted in whole:
        found.append(PART_SHARE)
    found += [PART_SHARE * alike(wanted, part) for part in re.findall(r"[a-z0-9]+", name.lower())]
    return max(found)


def alike(word: str, other: str) -> float:
    """The share of characters that two words have in common, 0 where it is too little."""
    least = ALIKE_NUMBERS if word.isdigit() and other.isdigit() else ALIKE
    share = difflib.SequenceMatcher(None, word, other).ratio()
    if sorted(word) == sorted(other):
        share = max(share, PART_SHARE)  # letters in another order: rnu, vrdeict
    return share if share >= least else 0.0


def squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
