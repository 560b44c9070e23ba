"""The languages of the notebooks. What runs the cells of one is notebook/sessions/NAME.py."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """What a language is called, and what belongs to it.

    name: as in `%%name`, and the name of the session's file; title: for readers; syntax: as
    Jupyter's language_info and GitHub call it; highlighter: Pygments' name; suffixes: of its
    source files, the usual one first; words: what a `#!` line may call it, besides its name;
    needs: what must be installed; about: the help of `%%name`; expression_words: the words that
    make a leading `!` a negation, where it would else begin a shell command; preamble: what
    %engine tells another kernel of the language first, so that our cells run in it.
    """

    name: str
    title: str
    syntax: str
    mimetype: str
    codemirror_mode: str
    highlighter: str
    suffixes: tuple[str, ...]
    needs: str
    about: str
    words: tuple[str, ...] = ()
    expression_words: str = ""
    preamble: str = ""

    @property
    def kernel(self) -> str:
        """The name of its kernelspec."""
        return f"benchbook-{self.name}"

    @property
    def info(self) -> dict[str, str]:
        """Jupyter's language_info, without the version."""
        return {
            "name": self.syntax,
            "mimetype": self.mimetype,
            "codemirror_mode": self.codemirror_mode,
            "pygments_lexer": self.highlighter,
            "file_extension": self.suffixes[0],
            "nbconvert_exporter": "script",
        }


CSHARP = Language(
    name="csharp",
    title="C#",
    syntax="C#",
    mimetype="text/x-csharp",
    codemirror_mode="text/x-csharp",
    highlighter="csharp",
    suffixes=(".cs", ".csx"),
    words=("c#", "cs"),
    needs="the .NET SDK 10 or newer",
    about="""Run this cell in the notebook's C# session.

Variables, methods, types and usings persist from cell to cell and may be declared again;
await works at the top level; the value of the last expression is shown; display(value),
HTML("…") and #r "nuget: Package, 1.2.3" work as in .NET Interactive; a cell may even declare
a namespace.
""",
    expression_words="string int bool char double decimal object new typeof true false this await"
    " default nameof sizeof",
    preamble="using System.IO; using System.Net.Http; using System.Threading;",
)

NODE = Language(
    name="node",
    title="Node.js",
    syntax="javascript",
    mimetype="text/javascript",
    codemirror_mode="javascript",
    highlighter="javascript",
    suffixes=(".js", ".mjs"),
    needs="Node.js 20.12 or newer",
    about="""Run this cell in the notebook's Node.js session.

Variables persist from cell to cell and may be declared again; await, import and require
work at the top level; the value of the last expression is shown; display(value) and
display.html('…') show more.
""",
    expression_words="function new typeof await async this void true false null",
)

DECLARED: Mapping[str, Language] = {each.name: each for each in (CSHARP, NODE)}


def declared() -> Mapping[str, Language]:
    """The languages by name, in the order of their names."""
    return DECLARED
