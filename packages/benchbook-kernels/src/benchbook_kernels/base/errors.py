"""The two kinds of error a user meets: wrong input (exit 2) and work that failed (exit 1)."""

import re
import signal
from pathlib import Path

from benchbook_kernels.base.paths import typed

ESCAPES = re.compile(  # ECMA-48: colours, cursors, titles, links; with ESC or in one byte
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-~]"
)
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """Text without what upsets a terminal, a notebook or a file: escape sequences, which go without
    a trace, control characters and lone surrogates."""
    return marked(ESCAPES.sub("", text))


def marked(text: str) -> str:
    """A name, in which nothing may go without a trace: such characters are marked."""
    return UNPRINTABLE.sub("\ufffd", text)


def code_after(interrupt: KeyboardInterrupt) -> int:
    """The exit code, as a shell has it: 130 after Ctrl-C, 143 after SIGTERM."""
    number = next(iter(interrupt.args), signal.SIGINT)
    return 128 + (number if isinstance(number, int) else signal.SIGINT)


class BenchError(Exception):
    """Work that failed; says what happened and what to do about it."""

    exit_code = 1

    def __init__(self, message: str, remedy: str = ""):
        self.message = printable(message)  # it may name a file, and quote what is in it
        super().__init__(self.message)
        self.remedy = remedy

    def __str__(self) -> str:
        """As it is told here: with the commands that there are."""
        return typed(f"{self.message}\n  → {self.remedy}" if self.remedy else self.message)


class InputError(BenchError):
    """A file or an argument that is wrong: names the file, the field and what was expected."""

    exit_code = 2

    def __init__(self, where: str | Path, field: str, problem: str, remedy: str = ""):
        place = marked(f"{where}: {field}" if field else str(where))
        super().__init__(f"{place}: {problem}", remedy)
        self.where = str(where)
        self.problem = problem
        self.field = field
