"""What the things are that somebody wants compared: found out from their names and their code.

A server listens on the port in the variable PORT; a function is what a JavaScript module exports, a
method what a C# class has; all else runs to its end, as a command does.
"""

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook_kernels.base.errors import InputError

SERVERS, FUNCTIONS, METHODS, COMMANDS = "servers", "functions", "methods", "commands"
KINDS = (SERVERS, FUNCTIONS, METHODS, COMMANDS)
SCRIPTS = (".mjs", ".js", ".cjs", ".ts", ".mts")
PORT = re.compile(r"\bPORT\b")
EXPORTS = re.compile(
    r"(?:^|[;}])\s*export(?:\s|[{*])|\bmodule\.exports\b|(?:^|[;}])\s*exports\.\w", re.MULTILINE
)
WEB = re.compile(r"Microsoft\.NET\.Sdk\.Web|\bWebApplication\b|\bHttpListener\b")
BENCHMARK = re.compile(r"\[\s*(?:\w+\.)*Benchmark(?:Attribute)?\s*[(\],]")
PUBLIC_TYPE = re.compile(r"^\s*public\s+(?:\w+\s+)*(?:class|struct|record)\s+\w", re.MULTILINE)
STATEMENT = re.compile(r"^(?!using\b|namespace\b|public\b|internal\b|\[)[A-Za-z_][^\n]*;\s*$", re.M)
MEMBER = re.compile(r"^(?P<file>.+\.\w+):(?P<member>[\w$.]+)$")
SAMPLE_BYTES = 1 << 24  # of a binary, in which the name of the variable is looked for


@dataclass(frozen=True)
class Thing:
    """What one thing is. word: as it was typed; kind: one of KINDS; why: how that is known, as the
    end of a sentence: "b.mjs is a server: it reads PORT"."""

    word: str
    kind: str
    why: str

    @property
    def sentence(self) -> str:
        one = {COMMANDS: "a command"}.get(self.kind, f"of {self.kind}")
        one = {SERVERS: "a server", FUNCTIONS: "a module of functions"}.get(self.kind, one)
        one = {METHODS: "a file of methods"}.get(self.kind, one)
        return f"'{self.word}' is {one}: {self.why}"


def kind_of(words: Sequence[str], wanted: str = "", folder: Path = Path()) -> str:
    """The one kind that all things are of. folder: where their paths begin; wanted: what somebody
    says that they are, '' for what they seem to be.

    Raises InputError where one is not there, and where they are of several kinds.
    """
    if wanted == COMMANDS:  # the shell may know what is none of the system's commands
        for word in words:
            check_word(word)
        return wanted
    found = [find(word, folder) for word in words]
    if wanted:
        return wanted
    kinds = dict.fromkeys(each.kind for each in found)
    if len(kinds) > 1:
        told = "; ".join({each.kind: each.sentence for each in found}.values())
        problem = f"can't be compared, they are of different kinds: {told}"
        raise InputError("compare", "", problem, f"say what they are: --kind {'|'.join(KINDS)}")
    return found[0].kind


def find(word: str, folder: Path = Path()) -> Thing:
    """What a thing is. Raises InputError where there is no such file, and no such command."""
    if is_address(word):
        return Thing(word, SERVERS, "it is an address")
    path = file_of(word, folder)
    if path is None:
        return command(word)
    if path.is_dir():
        raise InputError(word, "", "is a folder", "name the program in it: a file, or a .csproj")
    return of_file(word, path)


def is_address(word: str) -> bool:
    """Is it the address of a server? A command line may have one, too, but does not begin so."""
    return word.startswith(("http://", "https://"))


def member_of(word: str, folder: Path = Path()) -> tuple[str, str]:
    """`lib.mjs:parse` as ("lib.mjs", "parse"); the second is '' where none is named, and where a
    file is called so. folder: where paths begin."""
    match = None if os.path.lexists(folder / word) else MEMBER.match(word)
    return (match["file"], match["member"]) if match else (word, "")


def file_of(word: str, folder: Path) -> Path | None:
    """The file or folder that is meant; None where there is none of that name."""
    path = folder / member_of(word, folder)[0]
    return path if word.strip() and os.path.lexists(path) else None


def command(word: str) -> Thing:
    """A command line, or the name of a command. Raises InputError where it can be neither."""
    check_word(word)
    if len(word.split()) > 1:
        return Thing(word, COMMANDS, "it is a command line")
    if shutil.which(word):
        return Thing(word, COMMANDS, "it is a command of this system")
    problem = "there is no such file, and no such command"
    raise InputError(word, "", problem, "name a file, an address, or a command in quotes")


def check_word(word: str) -> None:
    """Raises InputError for one that is empty."""
    if not word.strip():
        raise InputError("compare", "", "one of the things is empty", "name a file or a command")


def of_file(word: str, path: Path) -> Thing:
    """What a file is. Raises InputError where it can't be run."""
    refuse_special(word, path)
    name = path.name
    if name.endswith(SCRIPTS):
        return script(word, text_of(path))
    if name.endswith((".cs", ".csproj")):
        return csharp(word, text_of(path), path.suffix == ".csproj")
    if name.endswith(".conf"):
        return Thing(word, SERVERS, "it is a configuration of nginx")
    known = name.endswith((".py", ".sh", ".ss"))
    if not known and not os.access(path, os.X_OK):
        problem = "is no program that can be run"
        raise InputError(word, "", problem, f"chmod +x {word}, or give a command in quotes")
    with path.open("rb") as file:
        mentions = re.search(rb"\bPORT\b", file.read(SAMPLE_BYTES))
    if mentions:
        return Thing(word, SERVERS, "it mentions PORT")
    return Thing(word, COMMANDS, "it does not mention PORT, so it runs to its end")


def script(word: str, text: str) -> Thing:
    """What a file of JavaScript or TypeScript is."""
    if PORT.search(text):
        return Thing(word, SERVERS, "it reads PORT")
    if EXPORTS.search(text):
        return Thing(word, FUNCTIONS, "it exports something")
    return Thing(word, COMMANDS, "it exports nothing and does not read PORT, so it runs to its end")


def csharp(word: str, text: str, project: bool) -> Thing:
    """What a C# file or project is."""
    if PORT.search(text) or WEB.search(text):
        return Thing(word, SERVERS, "it serves HTTP")
    if not project and BENCHMARK.search(text):
        return Thing(word, METHODS, "it has [Benchmark] methods")
    if not project and PUBLIC_TYPE.search(text) and not STATEMENT.search(text):
        return Thing(word, METHODS, "it has a public class and no statements of its own")
    return Thing(word, COMMANDS, "it serves no HTTP, so it runs to its end")


def refuse_special(word: str, path: Path) -> None:
    """Raises InputError for a pipe, a device or a socket, whose reader might wait for ever."""
    if path.exists() and not path.is_file():
        problem = "is no regular file but a pipe, a device or a socket"
        raise InputError(word, "", problem, "save the program in a file")


def text_of(path: Path) -> str:
    """Raises InputError where it can't be read as text, or is empty."""
    try:
        text = path.read_text(encoding="utf-8")
        if text.strip("\ufeff \t\r\n"):
            return text
        raise InputError(str(path), "", "is empty", "write the program into it")
    except UnicodeDecodeError as error:
        raise InputError(
            str(path), "", f"is not UTF-8 (byte {error.start})", "save it so"
        ) from None
    except OSError as error:
        raise InputError(str(path), "", f"can't be read: {error.strerror}") from None
