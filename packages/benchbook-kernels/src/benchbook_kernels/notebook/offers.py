"""What may be written after a magic: each magic says it beside its code, with `offers`.

completion.py asks it at every Tab, so an answer takes no more than what lies in memory or in a
folder. Options of magics that declare them come from there, and are not said again.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from benchbook_kernels.notebook.typed import listed

F = TypeVar("F", bound=Callable[..., Any])
MOST_FILES = 200


@dataclass(frozen=True)
class Asked:
    """What stands on a magic's line before the cursor.

    words: the whole ones; word: the one at the cursor, as far as it is written; option: the one
    whose value it is, such as "variants", '' where it is a word of its own; chosen: what the
    lines above have chosen, as the Context says.
    """

    words: tuple[str, ...]
    word: str
    option: str = ""
    chosen: Any = None


class Context:
    """What a package that adds magics knows of the cells; it says so with `use`."""

    def chosen(self, above: str) -> Any:
        """What the lines above the cursor have chosen, None for nothing."""
        return None

    def language_below(self, line: str, above: str) -> str | None:
        """The language of the lines below a `%%` line, '' where no session knows it; None where
        the line is none of the package's."""
        return None


Offer = Callable[[Asked], Iterable[str]]


@dataclass(frozen=True)
class Found:
    """What may stand in place of the last `length` characters before the cursor."""

    matches: tuple[str, ...] = ()
    length: int = 0


def offers(offer: Offer) -> Callable[[F], F]:
    """Says what may stand after a magic, as words and as the values of its options."""

    def declare(method: F) -> F:
        method.offers = offer  # type: ignore[attr-defined]
        return method

    return declare


def first(names: Callable[[Asked], Iterable[str]]) -> Offer:
    """Offers a single word."""
    return lambda asked: [] if asked.words else names(asked)


def use(shell: Any, context: Context) -> None:
    """Have Tab ask a context in this shell."""
    shell.offers_context = context


def context_of(shell: Any) -> Context:
    found: Context = getattr(shell, "offers_context", None) or Context()
    return found


def files(word: str, home: Path, folders: bool = False) -> Iterator[str]:
    """The files that a word may be the beginning of, from a folder on."""
    above, _, name = word.rpartition("/")
    folder = home / Path(f"{above}/" if "/" in word else "").expanduser()
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)[:MOST_FILES]
    except OSError:
        return
    for entry in entries:
        hidden = entry.name.startswith(".") and not name.startswith(".")
        if hidden or (folders and not entry.is_dir()):
            continue
        slash = "/" if entry.is_dir() else ""
        yield word[: len(word) - len(name)] + entry.name + slash


def after(magic: Callable[..., Any], rest: str, chosen: Any) -> Found:
    """What may stand at the end of `rest`, which stands behind the name of a magic of ours."""
    *words, word = re.split(r"\s+", listed(rest.lstrip()))
    asked = Asked(tuple(words), word, "", chosen)
    offer: Offer = getattr(magic, "offers", lambda _: ())
    command: click.Command | None = getattr(magic, "command", None)
    if command is None:
        return found(offer(asked), word)
    options = [option for option in command.params if isinstance(option, click.Option)]
    flags = {flag: (str(o.name), not o.is_flag) for o in options for flag in o.opts}
    return of_options(flags, asked, offer)


def of_options(options: Mapping[str, tuple[str, bool]], asked: Asked, offer: Offer) -> Found:
    """A word, an option that was not given yet, or the value of one: after a blank, "=" or a comma.

    options: name by flag, and whether it takes a value.
    """
    flag, equals, value = asked.word.partition("=")
    if not equals:
        flag, value = asked.words[-1] if asked.words else "", asked.word
    name, takes = options.get(flag, ("", False))
    if takes and not value.startswith("--"):
        *named, last = value.split(",")
        listed = offer(replace(asked, word=last, option=name))
        return found([each for each in listed if each not in named], last)
    given = {options[w.partition("=")[0]] for w in asked.words if w.partition("=")[0] in options}
    left = [flag for flag, option in options.items() if option not in given]
    flags = [flag for flag in left if flag.startswith("--")]
    return found([*offer(asked), *flags], asked.word)


def found(names: Iterable[str], word: str) -> Found:
    """The names that a word is the beginning of; where it is of none, those that contain it."""
    known = list(names)
    lower = word.lower()
    beginning = [name for name in known if name.lower().startswith(lower)]
    containing = [name for name in known if lower in name.lower()] if len(lower) > 1 else []
    return Found(tuple(beginning or containing), len(word))
