"""The little markup that plotly's texts have (bold, line breaks, spans), and how wide text is."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

TAG = re.compile(r"(<[^>]*>)")
STYLE = re.compile(r"(color|font-size):([^;']+)")
LINE_HEIGHT = 1.3

# Widths in parts of the font's size, on the wide side: fonts differ from machine to machine.
NARROW, MIDDLE, WIDE = " .,:;'|!ijl", "frt()[]-/I·", "mwMW@%—…●◆◇○✔✘✕×"


@dataclass(frozen=True)
class Font:
    size: float
    colour: str
    bold: bool = False


@dataclass(frozen=True)
class RichWord:
    """Text in one font."""

    text: str
    font: Font

    @property
    def width(self) -> float:
        return self.font.size * sum(map(part, self.text)) * (1.08 if self.font.bold else 1)


@dataclass(frozen=True)
class RichLine:
    words: tuple[RichWord, ...]
    height: float

    @property
    def width(self) -> float:
        return sum(word.width for word in self.words)


def part(character: str) -> float:
    """A character's width, in parts of the font's size."""
    if character in NARROW:
        return 0.32
    if character in MIDDLE:
        return 0.42
    return 0.95 if character in WIDE else 0.68 if character.isupper() else 0.61


def lines(markup: str, font: Font) -> list[RichLine]:
    """Plotly's text as lines of words, each in its font."""
    found: list[list[RichWord]] = [[]]
    for word in words(markup, font):
        if word is None:
            found.append([])
        else:
            found[-1].append(word)
    return [
        RichLine(tuple(line), LINE_HEIGHT * max((w.font.size for w in line), default=font.size))
        for line in found
    ]


def words(markup: str, font: Font) -> Iterator[RichWord | None]:
    """What is written in which font; None for a line's end."""
    fonts = [font]
    for text in TAG.split(markup):
        if text == "<br>":
            yield None
        elif text.startswith("</"):
            fonts.pop()
        elif text.startswith("<"):
            fonts.append(changed(fonts[-1], text))
        elif text:
            yield RichWord(html.unescape(text), fonts[-1])


def changed(font: Font, tag: str) -> Font:
    """The font within a tag: <b>, or a <span> with a style."""
    style = dict(STYLE.findall(tag))
    size = float(style.get("font-size", str(font.size)).removesuffix("px"))
    bold = font.bold or tag == "<b>"
    return replace(font, bold=bold, size=size, colour=style.get("color", font.colour))
