"""How figures come into notebooks and pages: small, legible in every theme, from nowhere else."""

import json
import re

import pytest

from benchbook.analysis.judging import judge
from benchbook.setup import jupyter_server
from benchbook.show import embed
from benchbook.show.figures.base import COLOURS, GREY, TEXT
from benchbook.show.figures.latencies import latencies_figure
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.figures.samples import samples_figure
from benchbook.show.markup import VERDICT_COLOURS
from benchbook.show.pictures import picture
from benchbook.show.themed import CLOSED, OPENED, themed


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
    assert json.loads(json.dumps(data[embed.PLOTLY])) == themed(figure.plotly)
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


# white; dark grounds of our pages, of JupyterLab and of VS Code
LIGHT, DARK = "#ffffff", ("#111111", "#111317", "#1e1e1e")


def shown_texts(plotly) -> list[str]:
    """Every text of a figure, wherever it stands."""
    layout = plotly["layout"]
    axes = [layout["xaxis"], layout["yaxis"]]
    parts = [layout["title"], *(axis["title"] for axis in axes), *layout.get("annotations", ())]
    found = [part["text"] for part in parts if part.get("text")]
    found += [text for axis in axes for text in axis.get("ticktext", ())]
    found += [f"{a['tickprefix']}1{a['ticksuffix']}" for a in axes if "ticktext" not in a]
    if layout.get("showlegend"):
        found += [trace["name"] for trace in plotly["data"]]
    return found


def test_all_text_takes_the_colour_of_the_page_whatever_its_theme(figures):
    for figure in figures:
        data, _ = figure._repr_mimebundle_()
        layout = data[embed.PLOTLY]["layout"]
        assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
        texts = shown_texts(data[embed.PLOTLY])
        assert len(texts) >= 10
        assert all(text.startswith(OPENED) and text.endswith(CLOSED) for text in texts)
        drawn = json.loads(re.search(r"drawFigure\('\w+', (.*)\);", figure.html())[1])
        assert drawn["layout"] == layout
    assert "currentColor" in OPENED


@pytest.mark.parametrize("colour", [*COLOURS, *VERDICT_COLOURS.values(), GREY, TEXT])
@pytest.mark.parametrize("ground", [LIGHT, *DARK])
def test_marks_are_seen_on_light_and_on_dark(colour, ground):
    """WCAG asks for 3 of graphics; a picture's text, which can't know its ground, has more."""
    assert contrast(colour, ground) >= (3.6 if colour == TEXT else 3)
    assert contrast(TEXT, LIGHT) >= 4.5


def test_no_button_uploads_a_figure_or_selects_in_it(figures):
    for figure in figures:
        config = figure._repr_mimebundle_()[0][embed.PLOTLY]["config"]
        buttons = [button for group in config["modeBarButtons"] for button in group]
        assert buttons == ["toImage", "zoom2d", "pan2d", "resetScale2d"]
        assert config["plotlyServerURL"] == "" and not config["showSendToCloud"]
        assert f'"modeBarButtons": {json.dumps(config["modeBarButtons"])}' in figure.html()


def test_figures_of_others_upload_nothing_in_our_pages():
    assert "showSendToCloud: false, showLink: false, plotlyServerURL: ''" in embed.asset(
        "figure.js"
    )


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


def test_a_page_without_plotly_js_shows_a_picture(figures, monkeypatch):
    """As from the wheel alone, where Python's plotly is Debian's, which brings none."""
    for library, drawn in (("packed", True), ("", False)):
        monkeypatch.setattr(embed, "packed_library", lambda library=library: library)
        for figure in figures:
            page = figure.html()
            assert ("<script>" in page, "<svg" in page) == (drawn, not drawn)
            assert figure.numbers.html in page
