"""Changes to documents by chance: what somebody's editor, disk or malice may do to them."""

import copy
import json
import re
from random import Random
from typing import Any

ODD: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**63,
        -(2**63),
        2**70,
        10**400,
        1e308,
        -1e308,
        1e-320,
        0.5,
    ),
    *("", " ", "\x1b[31m", "\x00", "\ud800", "a" * 10_000, "../../etc/passwd", "<b>x</b>", "🎉"),
    *([], {}, [[]], [None], {"": None}, "1", "NaN", [1] * 1000),
]


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value in a document."""
    found = [at]
    if isinstance(value, dict):
        inner: Any = value.items()
    else:
        inner = enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        found += places(item, (*at, key))
    return found


def mutated(document: Any, draw: Random) -> Any:
    """A copy with one to three values replaced, removed, doubled, renamed or nested deeply."""
    document = copy.deepcopy(document)
    for _ in range(draw.randint(1, 3)):
        *way, key = draw.choice([place for place in places(document) if place])
        holder = document
        for step in way:
            holder = holder[step]
        match draw.randrange(6):
            case 0 | 1:
                holder[key] = copy.deepcopy(draw.choice(ODD))
            case 2:
                del holder[key]
            case 3 if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(holder[key]))
            case 3:
                holder[f"{key}x"] = holder.pop(key)
            case 4:
                holder[key] = f"nested {draw.choice([50, 99, 150, 600, 100_000])}"
            case 5:
                other = draw.choice([place for place in places(document) if place])
                found = document
                for step in other:
                    found = found[step]
                holder[key] = copy.deepcopy(found)
        if not document:
            break
    return document


def deep(text: str) -> str:
    """The written document, with lists as deep as `mutated` asked for: no writer makes such."""
    return re.sub(r'"nested (\d+)"', lambda m: "[" * int(m[1]) + "0" + "]" * int(m[1]), text)


def damaged(content: bytes, draw: Random) -> bytes:
    """Bytes cut short, with some of them changed, or with others among them."""
    at = draw.randrange(len(content) + 1)
    match draw.randrange(5):
        case 0:
            return content[:at]
        case 1:
            changed = bytearray(content)
            for _ in range(draw.randint(1, 20)):
                changed[draw.randrange(len(changed))] = draw.randrange(256)
            return bytes(changed)
        case 2:
            return content[:at] + draw.randbytes(draw.randint(1, 100)) + content[at:]
        case 3:
            return content[at:] + content[:at]
        case _:
            return b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n")


def as_json(document: Any) -> bytes:
    return deep(json.dumps(document)).encode()
