"""Splits a cell into what IPython runs, what a language session runs, and `#!` lines."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook.interactive import directives
from benchbook_kernels.notebook.interactive.directives import Directive

IPYTHON = "ipython"
PYTHON = "python"
LANGUAGE_MAGICS = (*declared(), PYTHON)

NAME = r"[\w$]+(?:\??\.[\w$]+)*"
HELP = re.compile(rf"\s*(?:(\?\??)\s*({NAME})|({NAME})(\?\??))\s*;?\s*")
COMMENT = re.compile(r"\s*(?://.*|/\*(?:(?!\*/).)*\*/\s*)?$")
CELL_MAGIC = re.compile(r"%%(\w+)[ \t]*(\??\??)(.*)")
CELL_LINE = re.compile(r"\s*%%\w*[ \t]*")
SHELL = re.compile(r"!\s*([\w./~$-]+)?")
NUMBER = re.compile(r"\d[\d_.]*n?")

DIRECTIVE = "directive"


@dataclass(frozen=True)
class Part:
    """Consecutive lines of a cell for one language; `line` lines of the cell stand before them.

    A `#!` line that is a command is a part of the language "directive", with its `directive`;
    `into` is then the language of the lines around it. `source` is the file that an imported part
    is from.
    """

    language: str
    code: str
    line: int = 0
    directive: Directive | None = None
    into: str = ""
    source: str = ""

    @property
    def is_ipythons(self) -> bool:
        """Is it for IPython: a magic, a command, or its own Python?"""
        return self.language in (IPYTHON, PYTHON)

    @property
    def word(self) -> str:
        """The word of a `#!` line that is a command, '' of any other part."""
        return self.directive.word if self.directive else ""

    @property
    def placed(self) -> str:
        """The code at its own line numbers: blank lines stand for what is before it."""
        return "\n" * self.line + self.code

    @property
    def as_function(self) -> str:
        """JavaScript as the body of an async function that is called, at its own line numbers."""
        head = "await (async () => {"
        before = "\n" * (self.line - 1) + head + "\n" if self.line else head
        return f"{before}{self.code}\n}})()"


@dataclass(frozen=True)
class Help:
    """A cell that only asks: `name?`, `name??`, `?name`. `detail` is 1 where source is wanted."""

    name: str
    detail: int


@dataclass(frozen=True)
class Place:
    """Where a cursor is: in which part of a cell, and where in that part's text.

    code: the part's text just as it stands in the cell, from character `shift` on; pos: the
    cursor's in it; above: the lines of the cell before the part.
    """

    part: Part
    code: str
    pos: int
    shift: int
    above: str = ""

    @property
    def before(self) -> str:
        """The text of the part before the cursor."""
        return self.code[: self.pos]

    @property
    def magic(self) -> str:
        """The line of a magic up to the cursor, '' where the cursor is on none.

        Continued lines are one: a backslash and the end of its line are blanks here.
        """
        line = self.before.replace("\\\n", "  ")
        is_magic = self.part.language == IPYTHON and line.lstrip().startswith("%")
        return line if is_magic and "\n" not in line else ""


def place(code: str, pos: int, language: str) -> Place:
    """Where the cursor is in a cell of a notebook in this language; pos counts characters."""
    pos = min(max(pos, 0), len(code))
    lines = code.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    number = code.count("\n", 0, pos)
    part = split("\n".join(lines[: number + 1]), language)[-1]
    start, prefix = part.line, 0
    if part.language in LANGUAGE_MAGICS and (start > number or _is_on_its_magic(part, lines)):
        start = min(start, number)
        head = CELL_LINE.match(lines[start])
        prefix = head.end() if head else 0
        if part.line > number or pos < starts[start] + prefix:  # on the magic's own name
            part, prefix = Part(IPYTHON, lines[start], start), 0
    elif _is_over(part, lines, number):
        part, start = Part(language, "", number), number
    later = [each.line for each in split(code, language) if each.line > start]
    end = min([*later, len(lines)])
    shift = starts[start] + prefix
    text = code[shift : starts[end] - 1]
    return Place(part, text, pos - shift, shift, "\n".join(lines[:start]))


def _is_on_its_magic(part: Part, lines: list[str]) -> bool:
    """Does the code of a part begin behind `%%node`, on that line?"""
    return lines[part.line].lstrip().startswith("%%") and not part.code.startswith(lines[part.line])


def _is_over(part: Part, lines: list[str], number: int) -> bool:
    """Does the part, a `%` line perhaps, end above the line of that number?"""
    if part.directive:
        return part.line < number
    if part.language != IPYTHON or part.code.startswith("%%"):
        return False
    return any(not line.endswith("\\") for line in lines[part.line : number])


def split(code: str, language: str, is_name: Callable[[str], bool] = lambda _: False) -> list[Part]:
    """The parts of a cell, in order, in a notebook of this language.

    Lines that start with `%` or `!` at the head of the cell are IPython's, one by one; the rest
    is the notebook's language. A `%%` line gives all below it to its magic: to a session
    (`%%node`, and there `#!` lines mean what they do elsewhere), to IPython's own Python
    (`%%python`), or to IPython to find out. Blank lines
    and comments may stand before. `!word` can also be an expression of the notebook's language:
    it is one if the word is a number or the language's own, or if `is_name("word")`. A `#!` line
    (directives.py) says what the lines below it are.
    """
    lines = code.split("\n")
    parts: list[Part] = []
    at = 0
    while at < len(lines):
        head = at
        while head < len(lines) and COMMENT.match(lines[head]):
            head += 1
        line = lines[head].strip() if head < len(lines) else ""
        if line.startswith("%%"):
            part = _cell_magic("\n".join([line, *lines[head + 1 :]]), head)
            if part.language in declared() and part.line > head and "\n#!" in f"\n{part.code}":
                return [*parts, *_by_directives(lines, head + 1, part.language)]
            return [*parts, part]
        if not (line.startswith("%") or _is_shell(line, language, is_name)):
            break
        end = head + 1
        while lines[end - 1].endswith("\\") and end < len(lines):
            end += 1
        parts.append(Part(IPYTHON, "\n".join([line, *lines[head + 1 : end]]), head))
        at = end
    rest = _by_directives(lines, at, language)
    return [*parts, *rest] if rest or parts else [Part(language, "\n".join(lines), 0)]


def _by_directives(lines: list[str], start: int, language: str) -> list[Part]:
    """The parts from a line on, each in the language that the last `#!` line above it says."""
    parts: list[Part] = []
    begin = start

    def close(end: int) -> None:
        code = "\n".join(lines[begin:end])
        if not code.strip():
            return
        if parts and parts[-1].directive and parts[-1].directive.word == "value":
            parts[-1] = replace(parts[-1], directive=replace(parts[-1].directive, body=code))
        else:
            parts.append(Part(language, code, begin))

    for number in range(start, len(lines)):
        found = directives.parse(lines[number]) if lines[number].startswith("#!") else None
        if found is None:
            continue
        close(number)
        begin = number + 1
        if found.word in directives.LANGUAGES:
            language = directives.LANGUAGES[found.word]
        if found.word not in directives.LANGUAGES or directives.dropped(found):
            parts.append(Part(DIRECTIVE, lines[number], number, found, language))
    close(len(lines))
    return parts


def _is_shell(line: str, language: str, is_name: Callable[[str], bool]) -> bool:
    match = SHELL.match(line)
    word = match and match[1]
    if not word:
        return False
    if word[0] in "./~":
        return True
    head = re.split(r"[^\w$]", word)[0]
    known = declared().get(language)
    # words after which `!` is an expression's, though no session knows them as names
    own = known and head in known.expression_words.split() or NUMBER.fullmatch(word)
    return not (own or is_name(head))


def _cell_magic(code: str, line: int) -> Part:
    first, _, body = code.partition("\n")
    match = CELL_MAGIC.match(first)
    if match and match[1] in LANGUAGE_MAGICS and not match[2]:
        name, rest = match[1], match[3].strip()
        if rest:  # code on the magic's own line
            return Part(name, f"{rest}\n{body}", line)
        return Part(name, body, line + 1)
    return Part(IPYTHON, code, line)


def as_help(code: str) -> Help | None:
    """What a cell asks about, None where it is not a question."""
    match = HELP.fullmatch(code)
    if match is None:
        return None
    marks = match[1] or match[4]
    return Help(match[2] or match[3], len(marks) - 1)
