"""The pictures that notebooks explain something with, each with its twin in words.

They are SVG files in assets/diagrams, which tools/make_diagrams.py draws. As a file (in docs/) a
picture follows the reader's system (`prefers-color-scheme`). In an output it stands in the page
itself, and its words have the colour of the words around it: JupyterLab, Notebook and VS Code have
themes of their own, of which a file would not know.
"""

import re
from html import unescape
from pathlib import Path

from markupsafe import Markup

from benchbook.show import markup
from benchbook.show.embed import ASSETS
from benchbook.show.markup import Output
from benchbook_kernels.base import nearest
from benchbook_kernels.base.errors import InputError

FOLDER = ASSETS / "diagrams"
FIGURE = Markup(
    '<div style="margin:.5em 0;max-width:700px"><div role="img" aria-label="{}">{}</div>{}</div>'
)
OF_THE_FILE = re.compile(r"<(title|desc|style)>.*?</\1>\s*", re.DOTALL)


def names() -> list[str]:
    """What there is."""
    return sorted(path.stem for path in FOLDER.glob("*.svg"))


def path_of(name: str) -> Path:
    """The file of a picture. Raises InputError where there is none of this name."""
    if name not in names():
        raise InputError("%picture", "", nearest.unknown("picture", name, names()))
    return FOLDER / f"{name}.svg"


def part(svg: str, tag: str) -> str:
    """The text of an element that says something of the picture: its title, its desc."""
    found = re.search(rf"<{tag}>(.*?)</{tag}>", svg, re.DOTALL)
    return unescape(found[1]) if found else ""


def title(name: str) -> str:
    """What a picture shows, in a few words. Raises InputError as path_of() does."""
    return part(path_of(name).read_text(encoding="utf-8"), "title")


def shown(name: str) -> Output:
    """A picture, with what it says in words below it. Raises InputError as path_of() does."""
    svg = path_of(name).read_text(encoding="utf-8")
    what, twin = part(svg, "title"), part(svg, "desc")
    drawn = Markup(OF_THE_FILE.sub("", svg))  # ours
    words = markup.folded(f"{what}: in words", markup.paragraph(twin))
    return Output(f"{what}\n{twin}", FIGURE.format(f"{what}. {twin}", drawn, Markup(words.html)))
