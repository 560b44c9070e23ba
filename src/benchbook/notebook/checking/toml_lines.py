"""In which line of a TOML file a field stands, for fields as errors name them.

The standard library's parser tells no positions, and a second parser may read a file otherwise. So
lines are looked at here, and where a value ends is asked of that parser.
"""

import re

import tomllib

NAME = r"(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')"
NAMES = rf"{NAME}(?:\s*\.\s*{NAME})*"
HEADER = re.compile(rf"\s*\[(\[)?\s*({NAMES})\s*\]")
PAIR = re.compile(rf"\s*({NAMES})\s*=(.*)", re.DOTALL)
STEP = re.compile(r"\[(\d+)\](?: \('[^']*'\))?|([^.\[\]]+)")

Place = tuple[str | int, ...]


def line_of(text: str, field: str) -> int:
    """The line, from 1, of a field such as "variants[1] ('b').file", or of what should hold it."""
    known, place = places(text), steps(field)
    while place and place not in known:
        place = place[:-1]
    return known.get(place, 1)


def steps(field: str) -> Place:
    """variants, 1, file."""
    return tuple(int(m[1]) if m[1] else m[2] for m in STEP.finditer(field))


def places(text: str) -> dict[Place, int]:
    """The line of every table and of every key that stands on a line of its own."""
    found: dict[Place, int] = {}
    counts: dict[Place, int] = {}  # of the tables of an array so far
    table: Place = ()
    lines, number = text.splitlines(keepends=True), 0
    while number < len(lines):
        first = number
        number += 1
        if header := HEADER.match(lines[first]):
            table = entered(split(header[2]), counts, is_array=bool(header[1]))
            found.setdefault(table, first + 1)
            if isinstance(table[-1], int):
                found.setdefault(table[:-1], first + 1)
        elif pair := PAIR.match(lines[first]):
            value = pair[2]
            while not is_whole(value) and number < len(lines):
                value += lines[number]
                number += 1
            names = split(pair[1])
            for length in range(1, len(names) + 1):
                found.setdefault((*table, *names[:length]), first + 1)
    return found


def entered(names: Place, counts: dict[Place, int], is_array: bool) -> Place:
    """The place of a table whose header has these names: within the last of each array."""
    place: Place = ()
    for name in names[:-1]:
        place = (*place, name)
        if place in counts:
            place = (*place, counts[place] - 1)
    place = (*place, names[-1])
    if is_array:
        counts[place] = counts.get(place, 0) + 1
        return (*place, counts[place] - 1)
    return place


def split(names: str) -> Place:
    """The names of a dotted key."""
    return tuple(each.strip("\"'") for each in re.findall(NAME, names))


def is_whole(value: str) -> bool:
    """Does a value end here, or go on in the next line?"""
    try:
        tomllib.loads(f"value = {value}")
        return True
    except ValueError:
        return False
