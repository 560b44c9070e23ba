"""Which lines of two programs' own code stand for each other.

Handlers of two files are never the same function, and would never cancel: one row would say what A
spends in its handler, another what B does. So lines that are alike are one row, and so are those
that stand in each other's place, by the longest common runs of lines (difflib).
"""

import difflib
from collections.abc import Iterable, Mapping

from benchbook.model.profiles.comparison import OwnLines
from benchbook.model.profiles.profile import OWN, Profile

LONGEST = 60  # characters of code in a label


def joined(codes: Mapping[str, str], files: Mapping[str, str]) -> list[OwnLines]:
    """The rows of one program's lines, or of two's; lines of other files of theirs are rows of
    their own. codes: by program; files: their names, for readers."""
    if len(codes) == 1:
        [(name, code)] = codes.items()
        lines = enumerate(code.splitlines(), 1)
        return [alike({name: number}, text, files) for number, text in lines if text.strip()]
    (a, before), (b, after) = ((name, code.splitlines()) for name, code in codes.items())
    first, second = ([line.strip() for line in lines] for lines in (before, after))
    found = []
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    for tag, first_a, end_a, first_b, end_b in matcher.get_opcodes():
        if tag == "equal":
            found += [
                alike({a: first_a + i + 1, b: first_b + i + 1}, before[first_a + i], files)
                for i in range(end_a - first_a)
                if before[first_a + i].strip()
            ]
            continue
        places = {a: (first_a + 1, end_a), b: (first_b + 1, end_b)}
        there = {name: place for name, place in places.items() if place[0] <= place[1]}
        found.append(replaced(there, before[first_a:end_a], after[first_b:end_b], files))
    return found


def alike(places: Mapping[str, int], text: str, files: Mapping[str, str]) -> OwnLines:
    """A line that all have."""
    where = dict.fromkeys(f"line {line} of {files[name]}" for name, line in places.items())
    return OwnLines(" / ".join(where), short([text]), {n: (at, at) for n, at in places.items()})


def replaced(
    places: Mapping[str, tuple[int, int]],
    before: Iterable[str],
    after: Iterable[str],
    files: Mapping[str, str],
) -> OwnLines:
    """Lines of one that stand where the other has others, or none."""
    where = " / ".join(f"{lines_of(*at)} of {files[name]}" for name, at in places.items())
    texts = filter(None, (short(before, LONGEST // 2), short(after, LONGEST // 2)))
    return OwnLines(where, " → ".join(texts), dict(places))


def lines_of(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}–{last}"


def short(lines: Iterable[str], longest: int = LONGEST) -> str:
    """Code in one line, cut where it is long."""
    text = " ".join(line.strip() for line in lines if line.strip())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def used(rows: Iterable[OwnLines], profiles: Mapping[str, list[Profile]]) -> list[OwnLines]:
    """Those rows that a profile has a line of, as few as are needed."""
    seen = {
        (name, frame.line)
        for name, every in profiles.items()
        for profile in every
        for frame in profile.frames
        if frame.layer == OWN
    }
    return [
        row
        for row in rows
        if any(
            first <= line <= last and name == of
            for of, line in seen
            for name, (first, last) in row.places.items()
        )
    ]
