"""Words that people write for a time, for a share and for ids of processes."""

import re

from benchbook_kernels.base import words
from benchbook_kernels.base.errors import InputError

UNITS = {"ms": 1e-3, "": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
LONGEST_SECONDS = 24 * 3600.0


def seconds(text: str, what: str) -> float:
    """`30s`, `2m`, `1.5 min`, `90` in seconds. what: the option. Raises InputError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|min|m|h|)\s*", text)
    found = float(match[1]) * UNITS[match[2]] if match else 0.0
    if match and not found:
        raise InputError(what, "", "must be more than 0", "write 30s, 2m or 1h")
    if not match or found > LONGEST_SECONDS:
        raise InputError(what, "", f"'{text}' is no length of time", "write 30s, 2m or 1h")
    return found


def share(text: str, what: str) -> float:
    """`3%`, `0.03` as a share below 1. what: the option. Raises InputError."""
    found = words.share(text)
    if found is None:
        raise InputError(what, "", f"'{text}' is no share", "write 3% or 0.03")
    if not 0 < found < 1:
        told = f"'{text}'" if "%" in text else f"'{text}' is {found * 100:g} %, and"
        problem = f"{told} must be below 100 %" if found else "must be more than 0"
        raise InputError(what, "", problem, "write 3% or 0.03")
    return found


def numbers(text: str, what: str) -> tuple[int, ...]:
    """`12,34`: ids of processes. what: the option. Raises InputError."""
    found = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and int(word) for word in found):
        raise InputError(what, "", f"'{text}' are no processes", "write their ids: 12,34")
    return tuple(map(int, found))
