"""Tab on lines of our own: magics, their options and what goes with them, `#!` words, packages.

Nothing here waits for a session or for IPython, whose completer knows Python's names alone.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook import nuget, offers
from benchbook_kernels.notebook.cells import IPYTHON, PYTHON, Part, Place
from benchbook_kernels.notebook.interactive import arguments
from benchbook_kernels.notebook.interactive.directives import COMMANDS, LANGUAGES
from benchbook_kernels.notebook.offers import Found
from benchbook_kernels.notebook.shell import is_ours

Reply = dict[str, Any]  # a complete_reply's content
NAME = re.compile(r"\s*(%{1,2})(\w*)$")
MAGIC = re.compile(r"\s*(%{1,2})(\w+)[ \t]+(.*)", re.DOTALL)


class MagicCompletion:
    """What IPython's shell has registered, as Tab shows it. shell: an InteractiveShell."""

    def __init__(self, shell: Any):
        self.shell = shell

    def at(self, place: Place) -> Found | None:
        """What may stand at the cursor, None where a session or IPython is to be asked."""
        line = place.before.rpartition("\n")[2]
        if line.startswith("#!") and place.part.language != IPYTHON:
            return of_directive(line)
        if place.part.language == "csharp" and (package := nuget.complete(line)):
            return offers.found(package[0], package[1])
        if not place.magic:
            return None
        if match := NAME.fullmatch(place.magic):
            return offers.found(self.names(*match.groups()), "".join(match.groups()))
        match = MAGIC.fullmatch(place.magic)
        return self.after(match[1], match[2], match[3], place) if match else Found()

    def names(self, signs: str, word: str) -> list[str]:
        """The magics that a word begins, ours first: of cells alone behind `%%`."""
        kinds = {"%": ("line", "cell"), "%%": ("cell",)}[signs]
        known = [
            (not is_ours(magic), kind == "cell", name)
            for kind in kinds
            for name, magic in self.registered(kind).items()
            if name.startswith(word)
        ]
        return [("%%" if is_cell else "%") + name for _, is_cell, name in sorted(known)]

    def registered(self, kind: str) -> dict[str, Any]:
        """The magics of a kind, "line" or "cell", by name."""
        found: dict[str, Any] = self.shell.magics_manager.magics[kind]
        return {name: magic for name, magic in found.items() if hasattr(magic, "__module__")}

    def after(self, signs: str, name: str, rest: str, place: Place) -> Found | None:
        """What may stand behind a magic's name; None where it is IPython's."""
        kinds = {"%": ("line", "cell"), "%%": ("cell", "line")}[signs]
        found = [self.registered(kind).get(name) for kind in kinds]
        magic = found[0] or found[1]
        if magic is None:
            return Found()  # nobody knows it
        if not is_ours(magic):
            return None
        try:
            return offers.after(magic, rest, offers.context_of(self.shell).chosen(place.above))
        except BenchError:  # what it offers can't be read: the magic itself will say why
            return Found()

    def inside(self, place: Place) -> Place:
        """A place in the lines below a `%%` line of ours: in the language that they are in."""
        first, newline, body = place.code.partition("\n")
        start = len(first) + len(newline)
        if place.part.language != IPYTHON or not newline or place.pos < start:
            return place
        language = offers.context_of(self.shell).language_below(first, place.above)
        if language is None:
            return place
        return Place(Part(language, body), body, place.pos - start, place.shift + start)


def of_directive(line: str) -> Found:
    """What may stand at the end of a `#!` line."""
    word, *rest = re.split(r"[ \t]+", line, maxsplit=1)
    if not rest:
        return offers.found([f"#!{each}" for each in (*COMMANDS, *LANGUAGES)], word)
    *words, last = re.split(r"[ \t]+", rest[0])
    if word == "#!import":
        return offers.found(offers.files(last, Path.cwd()), last)
    asked = offers.Asked(tuple(words), last)
    actions = arguments.parser_of(word[2:])._option_string_actions  # told in no other way
    flags = {flag: (action.dest, action.nargs != 0) for flag, action in actions.items()}
    return offers.of_options(flags, asked, directive_values)


def directive_values(asked: offers.Asked) -> Iterable[str]:
    """What an option of a `#!` line takes."""
    if asked.option == "source":
        return [*declared(), PYTHON, "value"]
    return offers.files(asked.word, Path.cwd()) if asked.option == "from_file" else ()


def reply(place: Place, matches: Iterable[tuple[str, str]], start: int, end: int) -> Reply:
    """A complete_reply with (text, type) pairs; positions are those in the place's text.

    Where the cursor is inside a word and one match begins with that word as it stands, it goes in
    the word's place.
    """
    found = list(matches)
    rest = re.match(r"[\w.-]*", place.code[end:])
    whole = place.code[start:end] + (rest[0] if rest else "")
    if rest and rest[0] and any(text.startswith(whole) for text, _ in found):
        end += len(rest[0])
    start, end = start + place.shift, end + place.shift
    types = [{"text": t, "type": kind, "start": start, "end": end} for t, kind in found]
    return {
        "status": "ok",
        "matches": [text for text, _ in found],
        "cursor_start": start,
        "cursor_end": end,
        "metadata": {"_jupyter_types_experimental": types},
    }
