"""What follows the words `#!share`, `#!set` and `#!value`: their options and questions."""

import argparse
import json
import re
import shlex
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook.interactive.directives import LANGUAGES, Directive, DirectiveError

NAME = re.compile(r"[A-Za-z_]\w*")
QUESTION = re.compile(r"(?:--[\w-]+=)?(@(input|password)(?::(.*))?)", re.DOTALL)
READ_BYTES = 50_000_000


@dataclass(frozen=True)
class Transfer:
    """A value to be carried: `name` of language `source` becomes `alias` here."""

    source: str
    name: str
    alias: str


@dataclass(frozen=True)
class Assignment:
    """A variable to be set: to another language's (`transfer`) or to a value (`text`, JSON)."""

    name: str
    transfer: Transfer | None
    text: str


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise DirectiveError(f"{self.prog}: {message}", self.format_usage().strip())


REQUIRED, SWITCH = {"required": True}, {"action": "store_true"}
OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "share": {
        "name": {},
        "--from": {"dest": "source", **REQUIRED},
        "--as": {"dest": "alias"},
        "--mime-type": {},
    },
    "set": {"--name": REQUIRED, "--value": REQUIRED, "--byref": SWITCH, "--mime-type": {}},
    "value": {
        "--name": REQUIRED,
        "--from-file": {},
        "--from-url": {},
        "--from-value": {},
        "--mime-type": {},
        "--share-as": {},
    },
}


def parser_of(word: str) -> argparse.ArgumentParser:
    """What reads what follows one of these words; it raises DirectiveError. Of others: nothing."""
    parser = _Arguments(f"#!{word}", add_help=False)
    for name, about in OPTIONS.get(word, {}).items():
        parser.add_argument(name, **about)
    return parser


def transfer(rest: str) -> Transfer:
    """`#!share --from python x [--as y]`. Raises DirectiveError."""
    given = parser_of("share").parse_args(_words(rest))
    return Transfer(_language(given.source), _name(given.name), _name(given.alias or given.name))


def questions(directive: Directive) -> Iterator[tuple[str, str, bool]]:
    """What to ask the reader first: (the question, its prompt, is a password asked for?)."""
    if directive.word not in ("set", "value"):
        return
    for word in _words(directive.rest):
        if match := QUESTION.fullmatch(word):
            prompt = match[3] or "Please enter a value"
            if prompt.startswith("{"):
                raise DirectiveError(f"'{word}' is not known here", f'write @{match[2]}:"a prompt"')
            yield match[1], prompt, match[2] == "password"


def assignment(directive: Directive) -> Assignment:
    """`#!set --name x --value 42`, `--value @python:y` or `@input:"y?"`. Raises DirectiveError."""
    given = parser_of("set").parse_args(_words(directive.rest))
    name = _name(given.name)
    if given.value in directive.answers:  # always a text, as in .NET Interactive
        return Assignment(name, None, json.dumps(directive.answers[given.value]))
    if given.value.startswith("@"):
        source, colon, other = given.value[1:].partition(":")
        if not colon:
            problem = f"'{given.value}' names no language"
            raise DirectiveError(f"#!set: {problem}", "write --value @python:x")
        return Assignment(name, Transfer(_language(source), _name(other), name), "")
    try:
        json.loads(given.value)
        return Assignment(name, None, given.value)
    except ValueError:
        return Assignment(name, None, json.dumps(given.value))


def text_value(directive: Directive) -> tuple[str, str]:
    """(name, text) of `#!value --name x`, its text below it, in a file or at an address.

    Raises DirectiveError where that can't be read.
    """
    given = parser_of("value").parse_args(_words(directive.rest))
    name = _name(given.name)
    file, url, value = (
        directive.answers.get(each, each)
        for each in (given.from_file, given.from_url, given.from_value)
    )
    try:
        if file:
            return name, Path(file).read_text(encoding="utf-8")
        if url:
            if not url.startswith(("http://", "https://")):
                raise DirectiveError("#!value: only http and https addresses can be read")
            with urllib.request.urlopen(url, timeout=20) as response:
                return name, response.read(READ_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        raise DirectiveError(f"#!value: {file or url} can't be read: {error}") from None
    return name, value if value is not None else directive.body


def _words(rest: str) -> list[str]:
    try:
        return shlex.split(rest)
    except ValueError as error:
        raise DirectiveError(f"'{rest}' can't be read: {error}") from None


def _language(word: str) -> str:
    if word.lower() == "value":
        return "value"
    language = LANGUAGES.get(word.lower(), "")
    language = "node" if language == "javascript" else language
    if language not in (*declared(), "python"):
        raise DirectiveError(
            f"no values can be taken from '{word}'", ", ".join([*declared(), "python or value"])
        )
    return language


def _name(word: str) -> str:
    if not NAME.fullmatch(word):
        raise DirectiveError(f"'{word}' is not the name of a variable")
    return word
