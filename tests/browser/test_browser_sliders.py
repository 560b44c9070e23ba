"""Figures to be moved, in Chromium: a click on the slider changes what is said and drawn."""

import pytest

from benchbook.show import page
from benchbook.show.figures import explored


@pytest.fixture(scope="module")
def moved(browse, tmp_path_factory):
    out = tmp_path_factory.mktemp("sliders") / "page.html"
    figures = [draw().html() for draw in explored.LAWS.values()]
    out.write_text(page.render_room("Sliders", "", [("all", figures)]), encoding="utf-8")
    seen = browse("move-slider.mjs", out)
    assert seen["errors"] == seen["requests"] == []
    return seen["moved"]


def test_a_slider_moves_its_figure(moved):
    assert len(moved) == len(explored.LAWS)
    for figure in moved:
        for part in ("title", "place", "marks"):
            assert figure["before"][part] != figure["after"][part], part
