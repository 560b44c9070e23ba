"""How figures come into notebooks and pages: small, legible in every theme, from nowhere else."""

import json
import re

import pytest

from benchbook.analysis import judge
from benchbook.setup import jupyter_server
from benchbook.show import embed
from benchbook.show.figures.latencies import latencies_figure
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.figures.samples import samples_figure
from benchbook.show.pictures import picture


@pytest.fixture
def figures(make_run, experiment) -> list[embed.Figure]:
    run = make_run({"a": 1000.0, "b": 1100.0, "c": 950.0})
    found = judge.judge(run, experiment.claim)
    return [ratios_figure(run, found), samples_figure(run), latencies_figure(run)]


@pytest.fixture
def figure(figures) -> embed.Figure:
    return figures[0]


def test_a_figure_comes_as_plotly_json_a_picture_and_text(figure):
    data, metadata = figure._repr_mimebundle_(include=None, exclude=None)
    # no HTML: it would come before the picture
    assert set(data) == {embed.PLOTLY, embed.SVG, "text/plain"}
    assert json.loads(json.dumps(data[embed.PLOTLY])) == figure.plotly
    assert data[embed.SVG] == picture.svg(figure.label, figure.plotly)
    assert data["text/plain"] == f"{figure.label}\n\n{figure.numbers.text}"
    assert metadata == {jupyter_server.OURS: {"label": figure.label}}


def test_a_figure_in_a_page_has_its_numbers(figure):
    assert figure.numbers.html in figure.html()
    assert f'role="img" aria-label="{figure.label}"' in figure.html()


def test_no_numbers_are_hidden_in_binary_and_no_template_is_left(figures):
    """plotly 6 and newer encode arrays that an older plotly.js does not know."""
    for figure in figures:
        text = json.dumps(figure.plotly)
        assert "bdata" not in text
        assert "template" not in figure.plotly["layout"]


def test_only_vs_code_is_told_to_let_figures_follow_the_window(make_run, monkeypatch):
    """JupyterLab does by itself, and with both figures lose their height there."""
    run = make_run({"a": 1000.0, "b": 1100.0})
    for variables, expected in (({}, False), ({"VSCODE_CWD": "/"}, True)):
        monkeypatch.delenv("VSCODE_CWD", raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert samples_figure(run).plotly["config"]["responsive"] is expected


def luminance(colour: str) -> float:
    """As WCAG defines it, of a colour like #336699."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def text_colours(plotly) -> set[str]:
    """What the fonts of a figure say, wherever they stand."""
    if isinstance(plotly, list):
        return set().union(*map(text_colours, plotly))
    if not isinstance(plotly, dict):
        return set()
    mine = {v["color"] for k, v in plotly.items() if k.endswith("font") and "color" in v}
    return mine | text_colours(list(plotly.values()))


def test_text_is_legible_whatever_the_theme(figures):
    """A figure has paper of its own: front ends draw it on light and on dark pages."""
    for figure in figures:
        layout = figure.plotly["layout"]
        paper = layout["paper_bgcolor"]
        assert paper == layout["plot_bgcolor"]
        colours = text_colours(figure.plotly)
        assert colours and all(contrast(colour, paper) >= 7 for colour in colours)


def test_our_pages_draw_figures_on_their_own_ground(figure):
    drawn = json.loads(re.search(r"drawFigure\('\w+', (.*)\);", figure.html())[1])
    assert drawn["layout"]["paper_bgcolor"] == drawn["layout"]["plot_bgcolor"] == embed.TRANSPARENT
    assert figure.plotly["layout"]["paper_bgcolor"] != embed.TRANSPARENT


def test_the_html_needs_nothing_from_elsewhere(figure):
    assert not re.search(r"\b(src|href)\s*=", figure.html())
    assert "import" not in embed.asset("figure.js")
    assert 100_000 < len(embed.packed_library()) < 700_000
    assert embed.packed_library() in embed.page_script()
    assert len(figure.html()) < 25_000


def test_nothing_in_a_figure_ends_its_script():
    layout = {"title": "</script><!-- \u2028"}
    markup = embed.to_html({"data": [], "layout": layout})
    drawn = re.search(r"drawFigure\('\w+', (.*)\);", markup)[1]
    assert "<" not in drawn
    assert json.loads(drawn)["layout"] == layout
