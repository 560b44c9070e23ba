"""The languages of the notebooks: each is declared by the file of its session, and nowhere else.

A file in notebook/sessions/ that begins `LANGUAGE = Language(…)` declares a language. It is read
here and not imported, so that set-up, which has the standard library alone, can write the
kernelspecs, and every room can ask.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SESSIONS = Path(__file__).resolve().parents[1] / "notebook" / "sessions"


@dataclass(frozen=True)
class Language:
    """What a language is called, and what belongs to it; all fields are literals.

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


@cache
def declared(folder: Path = SESSIONS) -> Mapping[str, Language]:
    """The declared languages by name, in the order of their names.

    Raises ValueError for a declaration that is not in literals, or not in the file of its name.
    """
    found = {}
    for path in sorted(folder.glob("*.py")):
        if (language := _declaration(path)) is not None:
            if language.name != path.stem:
                raise ValueError(f"{path} declares {language.name!r}, whose file is another")
            found[language.name] = language
    return found


def _declaration(path: Path) -> Language | None:
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        match statement:
            case ast.Assign(targets=[ast.Name("LANGUAGE")], value=ast.Call(keywords=fields)):
                values = {str(field.arg): ast.literal_eval(field.value) for field in fields}
                return Language(**values)
    return None
