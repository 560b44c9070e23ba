"""`#!` lines, as public C# notebooks use them (.NET Interactive's magic commands).

`#!csharp`, `#!node`, `#!python`, `#!html`, `#!markdown`, `#!mermaid` say in which language the
lines below them are; the others are commands (commands.py), such as `#!share` and `#!import`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.nearest import did_you_mean
from benchbook_kernels.install.languages import declared

LINE = re.compile(r"#!([A-Za-z][\w#-]*)[ \t]*(.*)")
COMMENT = re.compile(r"""((?:[^"']|"[^"]*"|'[^']*')*?)(?:^|\s)//.*""")
# what may follow the word of a language or of a command without arguments: --name sales --flag
OPTIONS = re.compile(r"""(?:\s*--?[\w-]+(?:[=\s]+(?:"[^"]*"|'[^']*'|(?!-)[^\s;]+))?(?=\s|$))*\s*""")

SHOWN = ("html", "markdown", "mermaid", "javascript")
# what a `#!` line calls a language, and what that is here; JavaScript runs in Node.js or the page
LANGUAGES = {
    **{word: each.name for each in declared().values() for word in (each.name, *each.words)},
    **{shown: shown for shown in SHOWN},
    **{"js": "javascript", "md": "markdown"},
    **{word: "python" for word in ("python", "ipython", "pythonkernel")},
}
# what else .NET Interactive's notebooks have, which can't run here: words, and names for readers
FOREIGN = {
    **dict.fromkeys(("fsharp", "f#", "fs"), "F#"),
    **dict.fromkeys(("pwsh", "powershell"), "PowerShell"),
    **{"sql": "SQL", "kql": "KQL", "http": "HTTP", "r": "R"},
}
COMMANDS = ("share", "set", "value", "import", "who", "whos", "time", "lsmagic", "about")
BARE = ("who", "whos", "time", "lsmagic", "about")  # commands that nothing follows


class DirectiveError(BenchError):
    """A `#!` line that can't be carried out; says what to write instead."""


@dataclass(frozen=True)
class Directive:
    """One `#!` line: its word, what follows it, and for `#!value` the lines below.

    answers: what the reader answered to the questions (`@input:…`) in it.
    """

    word: str
    rest: str
    body: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)


def parse(line: str) -> Directive | None:
    """The directive on a line, without the comment at its end; None where there is none."""
    match = LINE.fullmatch(line.strip())
    if match is None:
        return None
    comment = COMMENT.fullmatch(match[2])
    return Directive(match[1].lower(), (comment or match)[1 if comment else 2].strip())


def dropped(directive: Directive) -> str:
    """The text after a word that takes none, which would be lost; '' where there is none.

    Options may follow the word of a language.
    """
    if directive.word in BARE:
        return directive.rest
    if directive.word not in LANGUAGES:
        return ""
    options = OPTIONS.match(directive.rest)
    return directive.rest[options.end() if options else 0 :]


def refused(directive: Directive, text: str) -> "DirectiveError":
    """The error of a `#!` line with text that would be lost."""
    return DirectiveError(
        f"#!{directive.word}: '{text}' on the same line would be lost", "write it on the next line"
    )


def foreign(word: str) -> str:
    """The name of a language that can't run here, '' for any other word.

    Connections to databases have names of their own: #!sql-sales, #!kql-events.
    """
    return FOREIGN.get(re.sub(r"^(sql|kql)-.*", r"\1", word.lower()), "")


def unknown(word: str) -> DirectiveError:
    """The error of a word that is neither a language nor a command."""
    if title := foreign(word):
        problem = f"#!{word}: {title} can't run in Benchbook"
        return DirectiveError(problem, "benchbook-kernels convert FILE keeps such cells as text")
    languages = ", ".join(f"#!{name}" for name in (*declared(), "python", *SHOWN))
    commands = ", ".join(f"#!{name}" for name in COMMANDS)
    return DirectiveError(
        f"#!{word} is not known here{did_you_mean(word, (*COMMANDS, *LANGUAGES))}",
        f"languages: {languages}; commands: {commands}; %lsmagic lists Benchbook's own",
    )
