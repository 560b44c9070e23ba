"""Figures and the page of ./bench run in a real browser, with no network: painted, and legible."""

import nbformat
import pytest

from benchbook.analysis.judging import judge
from benchbook.notebook.headless.execute import Executed
from benchbook.show import embed, page
from benchbook.show.figures.growth import growth_figure
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


def display_data(figure: embed.Figure) -> nbformat.NotebookNode:
    """A figure as an output in a notebook."""
    data, metadata = figure._repr_mimebundle_()
    return nbformat.v4.new_output("display_data", data=data, metadata=metadata)


def check_painted(seen: dict, count: int, own: int = 0) -> None:
    """own: how many plots of a learner's may be among them, whose colours are left to plotly."""
    assert len(seen["plots"]) == count
    assert sum(not plot["colours"] for plot in seen["plots"]) <= own
    for plot in seen["plots"]:
        assert plot["width"] > 300 and plot["height"] > 200
        assert plot["marks"] > 0
        assert plot["clipped"] == []
        for colour, pixels in plot["pixels"].items():
            assert pixels > 20, f"{colour} is not to be seen in '{plot['title']}'"


@pytest.mark.parametrize(("width", "scheme"), [(600, "dark"), (1200, "light")])
def test_figures_are_painted_from_disk(browse, shown, tmp_path, screenshots, width, scheme):
    style = f"<style>body{{font-family:sans-serif}}{COLUMNS[scheme]}</style>"
    path = tmp_path / "figures.html"
    path.write_text(
        f"<!doctype html><meta charset=utf-8>{style}{embed.page_script()}"
        + "".join(f.html() for f in shown)
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


def test_long_legends_are_whole(browse, make_run, tmp_path, screenshots):
    run = make_run({f"way-{i}-which-has-a-name-of-two-lines": 1000.0 + 9 * i for i in range(24)})
    for i, entry in enumerate(run.entries):
        entry.series, entry.case = f"the {i // 2}th way to do it", f"N={10 ** (i % 2)}"
    path = tmp_path / "legends.html"
    figures = (samples_figure(run), growth_figure(run))
    body = "".join(figure.html() for figure in figures)
    path.write_text(f"<!doctype html><meta charset=utf-8>{embed.page_script()}{body}")
    seen = browse("open-page.mjs", path, width=600, screenshot=screenshots / "legends.png")
    assert [plot["clipped"] for plot in seen["plots"]] == [[], []]


def test_a_single_figure_is_painted_beside_an_amd_loader(browse, shown, tmp_path):
    """Notebook 6 has require.js, where plotly.js would register instead of in the window."""
    path = tmp_path / "amd.html"
    loader = "<script>window.define = () => { throw new Error('AMD'); }; define.amd = {};</script>"
    page_script = embed.page_script()
    path.write_text(f"<!doctype html><meta charset=utf-8>{loader}{page_script}{shown[0].html()}")
    seen = browse("open-page.mjs", path)
    check_painted(seen, 1)
    assert seen["errors"] == []


def test_without_plotly_js_the_numbers_remain(browse, shown, tmp_path, screenshots):
    path = tmp_path / "bare.html"
    path.write_text("<!doctype html><meta charset=utf-8>" + shown[0].html())
    seen = browse("open-page.mjs", path, screenshot=screenshots / "no-plotly.png")
    assert seen["plots"] == [] and seen["errors"] == []
    assert "plotly.js is missing: ./bench setup" in seen["text"]
    text = seen["text"].replace("\xa0", " ")
    assert "to a" in text and "95 % interval" in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_painted_with_plotly_once(browse, shown, tmp_path, screenshots, scheme):
    outputs = [display_data(figure) for figure in shown]
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
