"""The page of slides in Chromium: each is reached by its keys, fits a screen, asks for nothing."""

import pytest

from benchbook.notebook.talks import deck


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    out = tmp_path_factory.mktemp("slides") / "talk.html"
    deck.write(out, ["04", "07"])  # the usual one, and the one with most parts
    return out


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_slides_are_shown_one_by_one(page, browse, scheme):
    seen = browse("look-at-slides.mjs", page, scheme=scheme)
    assert seen["requests"] == [] and seen["errors"] == []
    ids = [slide["id"] for slide in seen["slides"]]
    assert ids[0] == seen["home"] == "contents" and seen["reached"] == ids[1:]
    assert len(ids) > 20
    assert [s for s in seen["slides"] if s["higher"] or s["wider"]] == []
