"""What the commands among `#!` lines do.

`#!share`, `#!set` and `#!value` carry values between languages, or from the reader, whom
`@input:"How many?"` and `@password:token` in them ask; `#!who`, `#!whos`, `#!lsmagic` and
`#!about` list what there is. `#!import` and `#!time` are about the parts of a cell: the run of a
cell (cell_run.py) sees to them.
"""

import platform
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchbook_kernels import __version__
from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook.cells import Part
from benchbook_kernels.notebook.interactive import arguments, page
from benchbook_kernels.notebook.interactive.directives import (
    COMMANDS,
    LANGUAGES,
    Directive,
    DirectiveError,
    dropped,
    refused,
    unknown,
)
from benchbook_kernels.notebook.interactive.values import Values
from benchbook_kernels.notebook.open_sessions import Sessions
from benchbook_kernels.notebook.sessions.session import Collected

VERSION_SECONDS = 0.1
# Asks the reader, given a prompt and whether it is for a password; None where nobody can be asked.
Ask = Callable[[str, bool], str | None]
Bundle = dict[str, Any]


class Commands:
    """Carries out the `#!` lines of one notebook. python: the variables of IPython."""

    def __init__(self, sessions: Sessions, python: dict[str, Any]):
        self.sessions = sessions
        self.values = Values(sessions, python)

    def carry_out(self, part: Part) -> Bundle | None:
        """Do what a part says that no session runs; what it shows. Raises BenchError."""
        directive = part.directive
        if directive is None:
            return page.bundle(part.language, part.code, self.values.page)
        if lost := dropped(directive):
            raise refused(directive, lost)
        match directive.word:
            case "share":
                self.values.carry(arguments.transfer(directive.rest), part.into)
            case "set":
                self._set(directive, part.into)
            case "value":
                name, text = arguments.text_value(directive)
                self.values.texts[name] = text
            case "who" | "whos":
                return self._variables(directive.word, part.into)
            case "lsmagic":
                return _lsmagic()
            case "about":
                return self._about()
            case "time":
                pass
            case _:
                raise unknown(directive.word)
        return None

    def _set(self, directive: Directive, into: str) -> None:
        wanted = arguments.assignment(directive)
        if wanted.transfer:
            self.values.carry(wanted.transfer, into)
        else:
            self.values.put(into, wanted.name, wanted.text)

    def _variables(self, word: str, language: str) -> Bundle | None:
        """A table of a session's variables. Raises BenchError."""
        if language not in declared():
            raise DirectiveError(f"#!{word} is for C#", "%whos lists Python's variables")
        session = self.sessions.get(language)
        code = session.variables_code(values=word == "whos")
        result = session.submit(code, f"#!{word}", Collected()).result()
        if result.status != "ok":
            raise DirectiveError(f"#!{word}: {result.evalue}")
        return result.data

    def _about(self) -> Bundle:
        lines = [f"Benchbook {__version__}", f"Python {platform.python_version()}"]
        versions = self.sessions.versions(VERSION_SECONDS)
        lines += [f"{title} {version}" for title, version in versions.items()]
        return {"text/plain": "\n".join(lines)}


def _lsmagic() -> Bundle:
    languages = " ".join(f"#!{name}" for name in sorted(LANGUAGES))
    commands = " ".join(f"#!{name}" for name in COMMANDS)
    return {"text/plain": f"languages: {languages}\ncommands:  {commands}\n%lsmagic lists the rest"}


def answered(directive: Directive, ask: Ask) -> Directive:
    """A directive with the reader's answers to the questions in it. Raises DirectiveError."""
    answers: dict[str, str] = {}
    for question, prompt, password in arguments.questions(directive):
        answer = ask(prompt, password)
        if answer is None:
            problem = f"#!{directive.word}: nobody can be asked here for {question}"
            raise DirectiveError(problem, "write the value in its place")
        answers[question] = answer
    return replace(directive, answers=answers)
