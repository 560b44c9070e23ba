"""`#!` lines, as public C# notebooks use them (.NET Interactive's magic commands).

`#!csharp`, `#!node`, `#!python`, `#!html`, `#!markdown`, `#!mermaid` say in which language the
lines below them are; `#!share`, `#!set` and `#!value` carry values between languages, or from the
reader, whom `@input:"How many?"` and `@password:token` in them ask; `#!import` runs a file;
`#!who`, `#!whos`, `#!time`, `#!lsmagic` and `#!about` tell something.
"""

import argparse
import json
import math
import platform
import re
import shlex
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from benchbook import __version__
from benchbook.errors import BenchError
from benchbook.kernel import page

LINE = re.compile(r"#!([A-Za-z][\w#-]*)[ \t]*(.*)")
NAME = re.compile(r"[A-Za-z_]\w*")
QUESTION = re.compile(r"(?:--[\w-]+=)?(@(input|password)(?::(.*))?)", re.DOTALL)

# what a `#!` line calls a language, and what that is here
LANGUAGES = {
    "csharp": "csharp",
    "c#": "csharp",
    "cs": "csharp",
    "node": "node",
    "javascript": "javascript",
    "js": "javascript",
    "python": "python",
    "ipython": "python",
    "pythonkernel": "python",
    "html": "html",
    "markdown": "markdown",
    "md": "markdown",
    "mermaid": "mermaid",
}
SHOWN = ("html", "markdown", "mermaid", "javascript")
COMMANDS = ("share", "set", "value", "import", "who", "whos", "time", "lsmagic", "about")
READ_BYTES = 50_000_000


class DirectiveError(BenchError):
    """A `#!` line that can't be done; says what to write instead."""


@dataclass(frozen=True)
class Directive:
    """One `#!` line: its word, what follows it, and for `#!value` the lines below.

    `answers` are what the reader said to the questions (`@input:…`) in it.
    """

    word: str
    rest: str
    body: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)


def parse(line: str) -> Directive | None:
    """The directive on a line, None where it is none."""
    match = LINE.fullmatch(line.strip())
    return Directive(match[1].lower(), match[2].strip()) if match else None


def unknown(word: str) -> DirectiveError:
    languages = ", ".join(f"#!{name}" for name in ("csharp", "node", "python", *SHOWN))
    commands = ", ".join(f"#!{name}" for name in COMMANDS)
    return DirectiveError(
        f"#!{word} is not known here",
        f"languages: {languages}; commands: {commands}; %lsmagic lists Benchbook's own",
    )


def bundle(kind: str, text: str, values: Mapping[str, str]) -> dict[str, Any]:
    """The MIME bundle that shows html, markdown, mermaid or JavaScript for the page.

    values: what the JavaScript may use by name, as JSON texts.

    Mermaid is text/vnd.mermaid, which JupyterLab draws without a network; elsewhere its source is
    shown.
    """
    text = text.strip("\n")
    if kind == "html":
        plain = re.sub(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", "", text, flags=re.S | re.I)
        return {"text/html": text, "text/plain": plain.strip()}
    if kind == "markdown":
        return {"text/markdown": text, "text/plain": text}
    if kind == "mermaid":
        return {"text/vnd.mermaid": text, "text/plain": text}
    script = page.with_values(text, values)
    html = f'<script type="text/javascript">{script}</script>'
    return {"application/javascript": script, "text/html": html, "text/plain": text}


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise DirectiveError(f"{self.prog}: {message}", self.format_usage().strip())


@dataclass(frozen=True)
class Share:
    """A value to be carried: `name` of language `source` becomes `alias` here."""

    source: str
    name: str
    alias: str


@dataclass(frozen=True)
class Set:
    """A variable to be set: to another language's (`share`) or to a value (`text`, JSON)."""

    name: str
    share: Share | None
    text: str


def parse_share(rest: str) -> Share:
    """`#!share --from python x [--as y]`. Raises DirectiveError."""
    parser = _Arguments("#!share", add_help=False)
    parser.add_argument("name")
    parser.add_argument("--from", dest="source", required=True)
    parser.add_argument("--as", dest="alias")
    parser.add_argument("--mime-type")
    given = parser.parse_args(_words(rest))
    return Share(_language(given.source), _name(given.name), _name(given.alias or given.name))


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


def parse_set(directive: Directive) -> Set:
    """`#!set --name x --value 42`, `--value @python:y` or `@input:"y?"`. Raises DirectiveError."""
    parser = _Arguments("#!set", add_help=False)
    parser.add_argument("--name", required=True)
    parser.add_argument("--value", required=True)
    parser.add_argument("--byref", action="store_true")
    parser.add_argument("--mime-type")
    given = parser.parse_args(_words(directive.rest))
    name = _name(given.name)
    if given.value in directive.answers:  # always a text, as in .NET Interactive
        return Set(name, None, json.dumps(directive.answers[given.value]))
    if given.value.startswith("@"):
        source, colon, other = given.value[1:].partition(":")
        if not colon:
            problem = f"'{given.value}' names no language"
            raise DirectiveError(f"#!set: {problem}", "write --value @python:x")
        return Set(name, Share(_language(source), _name(other), name), "")
    try:
        json.loads(given.value)
        return Set(name, None, given.value)
    except ValueError:
        return Set(name, None, json.dumps(given.value))


def read_value(directive: Directive) -> tuple[str, str]:
    """(name, text) of `#!value --name x`, its text below it, in a file or at an address.

    Raises DirectiveError where that can't be read.
    """
    parser = _Arguments("#!value", add_help=False)
    parser.add_argument("--name", required=True)
    parser.add_argument("--from-file")
    parser.add_argument("--from-url")
    parser.add_argument("--from-value")
    parser.add_argument("--mime-type")
    parser.add_argument("--share-as")
    given = parser.parse_args(_words(directive.rest))
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
    if language not in ("csharp", "node", "python"):
        raise DirectiveError(f"no values can be had from '{word}'", "csharp, node, python or value")
    return language


def _name(word: str) -> str:
    if not NAME.fullmatch(word):
        raise DirectiveError(f"'{word}' is not the name of a variable")
    return word


def about(versions: Mapping[str, str]) -> dict[str, Any]:
    """What `#!about` shows."""
    lines = [f"Benchbook {__version__}", f"Python {platform.python_version()}"]
    lines += [f"{title} {version}" for title, version in versions.items()]
    return {"text/plain": "\n".join(lines)}


def lsmagic() -> dict[str, Any]:
    """What `#!lsmagic` shows."""
    languages = " ".join(f"#!{name}" for name in sorted(LANGUAGES))
    commands = " ".join(f"#!{name}" for name in COMMANDS)
    return {"text/plain": f"languages: {languages}\ncommands:  {commands}\n%lsmagic lists the rest"}


def finite(value: Any) -> Any:
    """A value for JSON, with null for NaN and infinities, as JavaScript has it."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


class Values:
    """Carries values between the sessions and Python.

    run: runs code in a session and gives what it prints; raises DirectiveError where it fails.
    python: the variables of IPython.
    """

    def __init__(self, run: Callable[[str, str], str], code: Callable, python: dict[str, Any]):
        self.run = run
        self.code = code  # (language, "export" or "import", *arguments) -> code
        self.python = python
        self.texts: dict[str, str] = {}
        self.page: dict[str, str] = {}  # JSON texts, for scripts that run in the page

    def get(self, language: str, name: str) -> str:
        """A variable as JSON text. Raises DirectiveError where there is none."""
        if language in ("value", "python"):
            known = self.texts if language == "value" else self.python
            if name not in known:
                raise DirectiveError(f"{language} has no variable '{name}'")
            try:
                return json.dumps(finite(_plain(known[name])))
            except (TypeError, ValueError) as error:
                raise DirectiveError(f"'{name}' can't be shared: {error}") from None
        text = self.run(language, self.code(language, "export", name))
        try:
            json.loads(text)
        except ValueError:
            raise DirectiveError(f"{language} gave no JSON for '{name}': {text[:200]}") from None
        return text

    def put(self, language: str, name: str, text: str) -> None:
        """Declare a variable with the value of a JSON text."""
        if language == "python":
            self.python[name] = json.loads(text)
        elif language == "value":
            self.texts[name] = json.loads(text)
        elif language == "javascript":  # which runs in Node.js or in the page
            self.page[name] = text
            self.put("node", name, text)
        else:
            self.run(language, self.code(language, "import", name, text))

    def share(self, share: Share, into: str) -> None:
        self.put(into, share.alias, self.get(share.source, share.name))


def _plain(value: Any) -> Any:
    """Arrays of numpy and tables of pandas as JSON can hold them."""
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return value.to_dict("records")
    return value.tolist() if hasattr(value, "tolist") else value
