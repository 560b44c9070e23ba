"""Reads JSON that anybody may have written: errors name the file, the field and what to do."""

import json
import math
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchbook_kernels.base.errors import InputError, printable

MOST_BYTES = 256 << 20
MOST_DEPTH = 100  # lists and objects in one another; a run file has 7
HOLD: tuple[type, ...] = (dict, list)  # as parsers give objects and lists
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # a half of a pair, as JSON escapes it
AGAIN = "get it again from where it came"


def read_json(path: Path, where: str, *, finite: bool = False) -> Any:
    """The JSON value in a file; a byte order mark is passed over.

    where: the file as a message names it. finite: NaN and infinities are errors; otherwise they are
    left to who checks the fields. Raises InputError where the file can't be read, is larger than
    256 MiB, is not UTF-8 or not JSON, is nested too deeply, or has a key twice in an object. Where
    there are halves of characters (lone surrogates), with which no file can be written, text comes
    as `printable`.
    """

    def parse(text: str) -> tuple[Any, bool]:
        found = json.loads(
            text,
            object_pairs_hook=lambda pairs: unique(pairs, where),
            parse_constant=(lambda name: refuse(name, where)) if finite else None,
        )
        return found, bool(SURROGATE.search(text))

    value, halves = read(path, where, "JSON", parse)
    check_depth(value, where)
    return clean(value) if halves else value


def read(path: Path, where: str, language: str, parse: Callable[[str], Any]) -> Any:
    """What a parser makes of a file's text. Raises InputError where either can't be read."""
    text = None
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):  # reading a pipe or a device might never end
            raise InputError(where, "", "is not a regular file", "give one")
        if about.st_size > MOST_BYTES:
            problem = f"is too large: {about.st_size >> 20} MiB, at most {MOST_BYTES >> 20}"
            raise InputError(where, "", problem, AGAIN)
        text = path.read_text(encoding="utf-8-sig")  # as some editors of Windows save it
        return parse(text)
    except OSError as error:
        raise InputError(where, "", f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 (byte {error.start})"
        raise InputError(where, "", problem, f"save it as UTF-8, or {AGAIN}") from None
    except MemoryError:
        raise InputError(where, "", "needs more memory than there is", AGAIN) from None
    except RecursionError:
        raise InputError(where, "", f"is not {language}: nested too deeply", AGAIN) from None
    except ValueError as error:
        if text is not None and not text.strip():
            raise InputError(where, "", "is empty", AGAIN) from None
        problem = f"is not {language}: {message_of(error)}"
        raise InputError(where, "", problem, f"mend it, or {AGAIN}") from None


def message_of(error: Exception) -> str:
    """Why a parser refuses a text; of a number that is too long, Python speaks of itself."""
    if "set_int_max_str_digits" in str(error):
        return f"a number has more than {sys.get_int_max_str_digits():,} digits"
    return str(error)


def clean(value: Any) -> Any:
    """A JSON value whose text, keys too, is printable."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    return value


def unique(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    """The object that these pairs make. Raises InputError where a key is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        double = next(key for key in keys if keys.count(key) > 1)
        raise InputError(where, double, "is there twice in one object", "leave one of them out")
    return found


def refuse(name: str, where: str) -> None:
    raise InputError(where, "", f"contains {name}, which is not a number in JSON", AGAIN)


def is_number(value: Any) -> bool:
    """Is it one to calculate with? JSON Schema takes 3.0 for an integer, and passes NaN."""
    return (
        type(value) is int and abs(value) < 2**63 or type(value) is float and math.isfinite(value)
    )


def check_depth(value: Any, where: str) -> None:
    """Raise InputError where lists and objects lie in one another deeper than anybody needs."""
    level: list[Any] = [[value]]
    for _ in range(MOST_DEPTH + 1):
        inner = [each.values() if type(each) is dict else each for each in level]
        level = [each for some in inner for each in some if type(each) in HOLD]
        if not level:
            return
    raise InputError(where, "", f"is nested deeper than {MOST_DEPTH} levels", AGAIN)
