"""Every relative link, anchor and picture in the Markdown files and notebooks leads somewhere.

Nothing is fetched: links to the web are left alone.
"""

import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import benchbook_kernels
from benchbook.system import paths

AWAY = {".git", ".benchbook", ".venv", "node_modules", "bin", "obj", ".ipynb_checkpoints"}
FENCED = re.compile(r"^ *(```+|~~~+).*?^ *\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
INLINE = re.compile(r"\]\(([^\s()]+(?:\([^\s()]*\)[^\s()]*)*)(?:\s+\"[^\"]*\")?\)")
NAMED = re.compile(r"^ {0,3}\[[^\]^]+\]:\s*(\S+)", re.MULTILINE)
HTML = re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]+)\"", re.IGNORECASE)
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
KERNELS = Path(benchbook_kernels.__file__).parent
FILE = re.compile(r"`([\w.-]+/[\w./-]*)`")  # a path in backticks
ELSEWHERE = re.compile(r"\[`[^`]*`\]\(https?:")  # a path in another repository
MADE_LATER = (".benchbook", ".venv", "node_modules", "workshop")
PLACE = re.compile(r"<a\b[^>]*?\b(?:id|name)=\"([^\"]+)\"", re.IGNORECASE)


def documents() -> Iterator[Path]:
    """The Markdown files and notebooks of the checkout, without what set-up brings."""
    for folder, folders, files in os.walk(paths.root()):
        folders[:] = sorted(set(folders) - AWAY)
        yield from (Path(folder, n) for n in sorted(files) if n.endswith((".md", ".ipynb")))


@cache
def prose(path: Path) -> str:
    """The Markdown of a file, without blocks of code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    return FENCED.sub("", text)


def targets(text: str) -> list[str]:
    text = CODE.sub("", text)
    return [found for pattern in (INLINE, NAMED, HTML) for found in pattern.findall(text)]


def anchor(heading: str) -> str:
    """The anchor that GitHub and JupyterLab's table of contents make of a heading's text."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


@cache
def anchors(path: Path) -> set[str]:
    text = prose(path)
    return {anchor(heading) for heading in HEADING.findall(text)} | set(PLACE.findall(text))


def broken(path: Path, text: str) -> list[str]:
    """The links in a document's text that lead nowhere."""
    found = []
    for target in targets(text):
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        place = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not place.exists() or not place.is_relative_to(paths.root()):
            found.append(target)
        elif parts.fragment and place.suffix in (".md", ".ipynb"):
            if unquote(parts.fragment) not in anchors(place):
                found.append(target)
    return found


@pytest.mark.parametrize("path", documents(), ids=lambda p: str(p.relative_to(paths.root())))
def test_every_link_leads_somewhere(path):
    assert broken(path, prose(path)) == []


def lost(text: str) -> list[str]:
    """The paths that a text names, of the checkout or of the package, where there is nothing."""
    return [
        name
        for name in FILE.findall(ELSEWHERE.sub("", text))
        if not name.startswith(MADE_LATER)
        and not re.search("NN|NAME|LAYER", name)
        and not any((place / name).exists() for place in (paths.root(), paths.PACKAGE, KERNELS))
    ]


@pytest.mark.parametrize("path", documents(), ids=lambda p: str(p.relative_to(paths.root())))
def test_every_path_that_is_named_exists(path):
    assert lost(prose(path)) == []


def test_a_broken_link_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_ROOT", str(tmp_path))
    path = tmp_path.resolve() / "a.md"
    path.write_text("# One `two`, three\n[up](#one-two-three)\n```\n[in code](no.md)\n```\n")
    text = prose(path) + "[web](https://x.test/y) [a](no.md) ![b](no.png) [c](a.md#no) `[d](no)`"
    assert broken(path, text) == ["no.md", "no.png", "a.md#no"]
    assert lost("`race/no.py` `race` `race/` `.venv/x` [`lib/x.js`](https://x.test)") == [
        "race/no.py"
    ]
