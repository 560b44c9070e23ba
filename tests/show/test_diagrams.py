"""The pictures that explain something: readable by all, on light and on dark, with no network."""

import re
import runpy
from collections.abc import Iterator
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from benchbook.show.pictures import diagrams
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {"svg", "title", "desc", "style", "rect", "text", "path"}
SMALLEST = 11  # px of text, where the picture is 700 px wide
CONTRAST = 4.5  # WCAG 2.2, success criterion 1.4.3
WORDS = ("light", "dark")

Colour = tuple[float, float, float]


def tree(name: str) -> ElementTree.Element:
    return ElementTree.parse(diagrams.path_of(name)).getroot()


def schemes(name: str) -> Iterator[tuple[Colour, Colour]]:
    """The colours of words and of the page, on light and on dark, as the file says them."""
    style = tree(name).findtext(f"{SVG}style") or ""
    found = re.findall(r"color: (#\w{6}); background: (#\w{6})", style)
    assert len(found) == 2 and "prefers-color-scheme: dark" in style
    for ink, page in found:
        yield of_hex(ink), of_hex(page)


def of_hex(text: str) -> Colour:
    red, green, blue = (int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def luminance(colour: Colour) -> float:
    """WCAG's relative luminance."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def behind(text: ElementTree.Element, root: ElementTree.Element, ink: Colour, page: Colour) -> list:
    """The colours that a line of words stands on, from its left end to its right one, with all
    shapes that lie there, also those above it."""
    size, said = float(text.get("font-size", "13")), text.text or ""
    wide = len(said) * size * 0.62
    start = float(text.get("x", "0"))
    left = start - {"start": 0, "middle": wide / 2, "end": wide}[text.get("text-anchor", "start")]
    y = float(text.get("y", "0")) - size / 3
    return [colour_at(left + wide * i / 20, y, root, ink, page) for i in range(21)]


def colour_at(x: float, y: float, root: ElementTree.Element, ink: Colour, page: Colour) -> Colour:
    colour = page
    for box in root.iter(f"{SVG}rect"):
        left, top, w, h = (float(box.get(name, "0")) for name in ("x", "y", "width", "height"))
        if left <= x <= left + w and top <= y <= top + h:
            fill = box.get("fill", "")
            share = float(box.get("fill-opacity", "1"))
            over = ink if fill == "currentColor" else of_hex(fill)
            colour = tuple(share * a + (1 - share) * b for a, b in zip(over, colour, strict=True))
    return colour


@pytest.fixture(params=diagrams.names())
def name(request):
    return request.param


def test_there_are_nine():
    assert len(diagrams.names()) == 9


def test_a_picture_says_in_words_what_it_shows(name):
    shown = diagrams.shown(name)
    twin = diagrams.part(diagrams.path_of(name).read_text(encoding="utf-8"), "desc")
    assert len(twin.split()) >= 40
    assert twin in shown.text and diagrams.title(name) in shown.text
    assert ElementTree.fromstring(shown.html).find("div").get("aria-label").endswith(twin)


def test_a_picture_asks_for_nothing_and_runs_nothing(name):
    svg = diagrams.path_of(name).read_text(encoding="utf-8")
    for element in tree(name).iter():
        assert element.tag.removeprefix(SVG) in ALLOWED
        assert not {a for a in element.attrib if a.startswith("on") or "href" in a or a == "id"}
    outside = svg.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|url\(|@import|javascript:", outside)
    assert "<style" not in diagrams.shown(name).html  # which would be the whole page's


def test_words_are_large_enough_and_lie_within_the_picture(name):
    root = tree(name)
    _, _, width, height = map(float, root.get("viewBox").split())
    assert width == 700
    for text in root.iter(f"{SVG}text"):
        assert float(text.get("font-size")) >= SMALLEST, text.text
        wide = len(text.text) * float(text.get("font-size")) * 0.55
        x, anchor = float(text.get("x")), text.get("text-anchor")
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
        assert 0 <= left and left + wide <= width, text.text
        assert 0 < float(text.get("y")) < height, text.text


@pytest.mark.parametrize("scheme", WORDS)
def test_words_can_be_read_on_light_and_on_dark(name, scheme):
    ink, page = list(schemes(name))[WORDS.index(scheme)]
    assert contrast(ink, page) > 12
    root = tree(name)
    for text in root.iter(f"{SVG}text"):
        assert text.get("fill") == "currentColor"
        worst = min(contrast(ink, each) for each in behind(text, root, ink, page))
        assert worst >= CONTRAST, (text.text, round(worst, 2))


def test_the_check_of_contrast_would_find_words_on_a_colour_like_theirs():
    grey, page = (0.5, 0.5, 0.5), (0.45, 0.45, 0.45)
    assert contrast(grey, page) < CONTRAST < contrast((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    root = ElementTree.fromstring(
        '<svg xmlns="http://www.w3.org/2000/svg"><rect x="0" y="0" width="200" height="40"'
        ' fill="#101010" fill-opacity="1"/><text x="10" y="20" font-size="13">words</text></svg>'
    )
    found = behind(root.find(f"{SVG}text"), root, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    assert min(contrast((0.0, 0.0, 0.0), each) for each in found) < CONTRAST


def test_the_files_are_what_the_script_draws():
    drawn = runpy.run_path(str(paths.root() / "tools" / "make_diagrams.py"))["files"]()
    assert {path.stem for path in drawn} == {"pictures", *diagrams.names()}
    for path, text in drawn.items():
        assert path.read_text(encoding="utf-8") == text, f"python tools/make_diagrams.py: {path}"


def test_a_misspelt_picture_is_answered_with_the_nearest():
    with pytest.raises(InputError, match="onion"):
        diagrams.shown("onoin")


def test_no_two_pictures_are_alike():
    texts = sorted(diagrams.shown(name).text for name in diagrams.names())
    assert all(one != other for one, other in pairwise(texts))
