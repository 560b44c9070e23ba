"""Headings, paragraphs, tables: HTML for a notebook, with a plain-text twin for terminals.

HTML is made from the templates in templates/, which escape what they are given. It carries its few
styles inline and takes its colours from the page, so that it looks right in light and dark themes,
in every front end and in static pages.
"""

import functools
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2
from markupsafe import Markup, escape

from benchbook.analysis.judging import verdicts
from benchbook.show.wording import marked
from benchbook.system import paths
from benchbook_kernels.base.errors import printable

TEMPLATES = paths.PACKAGE / "show" / "templates"
# of marks: told apart by the colour-blind, and seen on light and on dark
VERDICT_COLOURS = {
    verdicts.REPRODUCED: "#0072b2",
    verdicts.OPPOSITE: "#cc4400",
    verdicts.OUTSIDE: "#cc4400",
    verdicts.NO_DIFFERENCE: "#737373",
    verdicts.TOO_CLOSE: "#737373",
    verdicts.NOT_VALID: "#cc79a7",
    verdicts.NOT_YET: "#737373",
}
WIDEST = 56  # characters in a column of a text table
TERMINAL = 100  # characters in its lines, where the words are not too long for that
NARROWEST = 12  # a column of text is not made narrower than that
UNBROKEN = "\u00a0%"  # no line ends between a number and its %
IN_A_PATH = re.compile(r"(?<=\w)/(?=[\w-]+[/.])")  # the slashes of a path, not that of requests/s
INTERVAL = re.compile(r"\[[^\[\]\n]{1,24}\]")
WITH_HYPHEN = re.compile(r"(?<!\S)(\S*-\w\S*)")  # browsers break lines after a hyphen
KEPT, KEPT_END = "<nobr>", "</nobr>"  # obsolete, known to all browsers, and short
LONGEST_WORD = 36  # characters, from which on a word may be broken


@dataclass(frozen=True)
class Output:
    """Something to show: HTML and its plain-text twin."""

    text: str
    html: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", printable(self.text))
        object.__setattr__(self, "html", printable(self.html))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self.html}

    def __add__(self, other: "Output") -> "Output":
        return Output(f"{self.text}\n\n{other.text}", self.html + other.html)


# ── Templates ────────────────────────────────────────────────────────────────────────────────────


def fill(template: str, **values: Any) -> str:
    """The HTML that a template makes of values; what they contain is escaped."""
    return environment().get_template(template).render(**values)


@functools.cache
def environment() -> jinja2.Environment:
    """Where our templates are, with the filters that they use."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True
    )
    made.filters |= {"lines": lines, "cell": cell, "unbroken": unbroken}
    made.policies["json.dumps_kwargs"] = {}  # in the order given
    return made


def lines(text: str) -> Markup:
    """Text as HTML, with its line breaks."""
    return Markup("<br>").join(text.split("\n"))


def cell(text: str) -> Markup:
    """A cell's HTML: a verdict in its colour, anything else as text; a path may break after a /."""
    verdict = text[2:]
    if verdict in VERDICT_COLOURS and text == marked(verdict):
        colour = VERDICT_COLOURS[verdict]
        return Markup(fill("verdict.html.j2", colour=colour, mark=text[0], verdict=verdict))
    return unbroken(text)


def unbroken(text: str) -> Markup:
    """Text whose lines end in no number, interval, name or word of a command; in long paths after
    a slash."""
    parts = WITH_HYPHEN.split(glued(text))  # every second is such a word
    kept = [
        f"{KEPT}{escape(part)}{KEPT_END}"
        if i % 2 and len(part) < LONGEST_WORD
        else at_slashes(part)
        for i, part in enumerate(parts)
    ]
    return lines(Markup("".join(kept)))


def glued(text: str) -> str:
    """Text in which no line ends within an interval, or between a number and its %."""
    return INTERVAL.sub(lambda found: found[0].replace(" ", "\u00a0"), text).replace(" %", UNBROKEN)


def at_slashes(text: str) -> str:
    """Text as HTML; a path that is long may break after its slashes."""
    words = str(escape(text)).split(" ")
    return " ".join(
        IN_A_PATH.sub("/<wbr>", word) if len(word) >= LONGEST_WORD else word for word in words
    )


# ── Parts of a card ──────────────────────────────────────────────────────────────────────────────


def heading(text: str) -> Output:
    return Output(text, fill("heading.html.j2", text=text))


def paragraph(text: str) -> Output:
    return Output(text, fill("paragraph.html.j2", text=text))


def note(text: str) -> Output:
    """Text with its line breaks and blanks kept: a message, a diff."""
    return Output(text, fill("note.html.j2", text=text))


def bullets(texts: Sequence[str]) -> Output:
    """A list, an item for each text."""
    text = "\n".join(f"– {each}" for each in texts)
    return Output(text, fill("bullets.html.j2", texts=texts))


def folded(summary: str, body: Output) -> Output:
    """Something that HTML shows only once the summary is clicked; in text it is the body."""
    return Output(body.text, fill("folded.html.j2", summary=summary, body=body.html))


def classed(name: str, output: Output) -> Output:
    """An output that style sheets know by the name of a class."""
    return Output(output.text, f'<div class="{name}">{output.html}</div>')


def more(output: Output) -> Output:
    """What slides leave out, because a slide has no room for it (assets/slides.css)."""
    return classed("benchbook-more", output)


def table(
    headers: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()
) -> Output:
    """A table of text; columns in `right` are aligned to the right (numbers)."""
    cells, aligned = [list(map(str, row)) for row in rows], set(right)
    text = text_table([list(headers), *cells], aligned)
    return Output(text, fill("table.html.j2", headers=headers, rows=cells, right=aligned))


def text_table(rows: Sequence[Sequence[str]], right: set[int]) -> str:
    """Rows (the first is the header) in aligned columns; long cells go on in the next line."""
    limits = column_widths(rows, right)
    wrapped = [
        [cell_lines(cell, limit) for cell, limit in zip(row, limits, strict=True)] for row in rows
    ]
    columns = range(len(rows[0]))
    widths = [max(len(line) for row in wrapped for line in row[i]) for i in columns]
    rule = "  ".join("─" * width for width in widths)
    head, *body = (row_lines(row, widths, right) for row in wrapped)
    return "\n".join([*head, rule, *(line for row in body for line in row)])


def cell_lines(cell: str, width: int) -> list[str]:
    """A cell in lines of at most so many characters, where its words allow that."""
    wrapped = (
        textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
        for line in glued(cell).split("\n")
    )
    return [line.replace("\u00a0", " ") for some in wrapped for line in some] or [""]


def column_widths(rows: Sequence[Sequence[str]], right: set[int]) -> list[int]:
    """How wide columns may be: as their cells, but the widest give way to the terminal.

    Cells of text give way down to NARROWEST or their longest word, of numbers only headers do.
    """
    columns = [[cell.split("\n") for cell in column] for column in zip(*rows, strict=True)]
    widths = [min(WIDEST, max(len(line) for c in column for line in c)) for column in columns]
    least = []
    for i, (head, *body) in enumerate(columns):
        whole = [line for lines in body for line in lines] if i in right else []
        breakable = [head] if i in right else [head, *body]
        words = [word for lines in breakable for line in lines for word in line.split(" ")]
        narrowest = 1 if i in right else NARROWEST
        least.append(max([narrowest, *map(len, whole), *map(len, words)]))
    while sum(widths) + 2 * (len(widths) - 1) > TERMINAL:
        free = [i for i, width in enumerate(widths) if width > least[i]]
        if not free:
            break
        widths[max(free, key=lambda i: widths[i])] -= 1
    return [max(1, width) for width in widths]


def row_lines(row: Sequence[Sequence[str]], widths: Sequence[int], right: set[int]) -> list[str]:
    """The lines of one row, whose cells are lists of lines."""
    found = []
    for n in range(max(map(len, row))):
        parts = [cell[n] if n < len(cell) else "" for cell in row]
        padded = (
            part.rjust(width) if i in right else part.ljust(width)
            for i, (part, width) in enumerate(zip(parts, widths))
        )
        found.append("  ".join(padded).rstrip())
    return found


def total(parts: Sequence[Output]) -> Output:
    """Several outputs as one, in order."""
    return Output(
        "\n\n".join(part.text for part in parts),
        f"<div>{''.join(part.html for part in parts)}</div>",
    )
