"""Figures and the page of ./bench run in a real browser, with no network: painted, and legible."""

import nbformat
import pytest

from benchbook.analysis import judge
from benchbook.notebook.execute import Executed
from benchbook.show import embed, page
from benchbook.show.figures.latencies import latencies_figure
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.figures.samples import samples_figure

COLUMNS = {"light": "", "dark": "body{background:#111;color:#eee}"}


@pytest.fixture
def shown(make_run, experiment):
    """The three figures of a run with nine entries, one of them with a long name."""
    speeds = {"a": 1000.0, "b": 1100.0, "a-variant-with-quite-a-long-name-of-its-own": 1020.0}
    run = make_run({**speeds, **{f"variant-{i}": 900.0 + 20 * i for i in range(5)}})
    run.samples[5].flags.append("server-idle")
    found = judge.judge(run, experiment.claim)
    return [ratios_figure(run, found), samples_figure(run), latencies_figure(run)]


def check_painted(seen: dict, count: int) -> None:
    assert len(seen["plots"]) == count
    for plot in seen["plots"]:
        assert plot["width"] > 300 and plot["height"] > 200
        assert plot["marks"] > 0
        assert plot["clipped"] == []
        assert plot["colours"]
        for colour, pixels in plot["pixels"].items():
            assert pixels > 20, f"{colour} is not to be seen in '{plot['title']}'"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [600, 1200])
def test_figures_are_painted_from_disk(browse, shown, tmp_path, screenshots, width, scheme):
    style = f"<style>body{{font-family:sans-serif}}{COLUMNS[scheme]}</style>"
    path = tmp_path / "figures.html"
    path.write_text(
        f"<!doctype html><meta charset=utf-8>{style}" + "".join(f.html() for f in shown)
    )
    seen = browse(
        "open-page.mjs",
        path,
        width=width,
        scheme=scheme,
        screenshot=screenshots / f"figures-{scheme}-{width}.png",
    )
    check_painted(seen, 3)
    assert seen["requests"] == [] and seen["errors"] == []
    assert seen["overflow"] == 0


def test_a_single_figure_is_painted_beside_an_amd_loader(browse, shown, tmp_path):
    """Notebook 6 has require.js, where plotly.js would register instead of in the window."""
    path = tmp_path / "amd.html"
    loader = "<script>window.define = () => { throw new Error('AMD'); }; define.amd = {};</script>"
    path.write_text(f"<!doctype html><meta charset=utf-8>{loader}{shown[0].html()}")
    seen = browse("open-page.mjs", path)
    check_painted(seen, 1)
    assert seen["errors"] == []


def test_without_plotly_js_the_numbers_remain(browse, shown, tmp_path, screenshots):
    path = tmp_path / "bare.html"
    path.write_text("<!doctype html><meta charset=utf-8>" + shown[0].html(library=False))
    seen = browse("open-page.mjs", path, screenshot=screenshots / "no-plotly.png")
    assert seen["plots"] == [] and seen["errors"] == []
    assert "plotly.js is missing: ./bench setup" in seen["text"]
    assert "to a" in seen["text"] and "95 % interval" in seen["text"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_painted_with_plotly_once(browse, shown, tmp_path, screenshots, scheme):
    outputs = [
        nbformat.v4.new_output("display_data", data=figure._repr_mimebundle_()) for figure in shown
    ]
    cells = [
        nbformat.v4.new_markdown_cell("# A notebook\n\nwith *text* and `code`."),
        nbformat.v4.new_code_cell("const x = 41;\nx + 1", outputs=outputs),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["language_info"] = {"name": "javascript", "pygments_lexer": "javascript"}
    markup = page.render("Benchbook", "today", [("CPU", "one")], [], [Executed(tmp_path, notebook)])
    assert markup.count(embed.packed_library()) == 1
    path = tmp_path / "index.html"
    path.write_text(markup, encoding="utf-8")
    name = screenshots / f"page-{scheme}.png"
    seen = browse("open-page.mjs", path, width=600, scheme=scheme, screenshot=name)
    check_painted(seen, 3)
    assert seen["requests"] == [] and seen["errors"] == []
    assert seen["overflow"] == 0
