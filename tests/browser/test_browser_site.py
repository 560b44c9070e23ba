"""The site of ./bench report and the page of a room, from disk in a real browser, no network."""

import nbformat
import pytest
from test_browser_page import check_painted, display_data

from benchbook.analysis.judging import judge
from benchbook.model import experiments, results
from benchbook.notebook import site
from benchbook.show import room_page
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.figures.samples import samples_figure
from benchbook.system import paths

STATEMENT = """
[[statements]]
id = "{id}"
says = "{says}"
type = "faster"
a = "{a}"
b = "a"
place = "there"
ratio = {ratio}
"""


@pytest.fixture
def written(checkout, make_experiment, make_run):
    """A site of an experiment with five statements, its run, and its executed notebook."""
    folder = make_experiment({name: "1" for name in "abcd"})
    with (folder / "claim.toml").open("a", encoding="utf-8") as claim:
        for i, (name, ratio) in enumerate((("c", 1.5), ("d", 10.0), ("d", 2.0), ("c", 1.2))):
            says = f"{name} {'beats' if name == 'd' else 'is faster than'} a, number {i}"
            claim.write(STATEMENT.format(id=f"s{i}", says=says, a=name, ratio=ratio))
    (checkout / "snippets").mkdir()
    folder.rename(checkout / "snippets" / "77-made")
    run = make_run({"a": 1000.0, "b": 1100.0, "c": 700.0, "d": 2000.0})
    run.path = results.folder("77-made") / "20260101T000000-000000.json"
    run.save()
    found = judge.judge(run, experiments.find("77").claim)
    shown = (ratios_figure(run, found), samples_figure(run))
    outputs = [display_data(figure) for figure in shown]
    cell = nbformat.v4.new_code_cell("%race", outputs=outputs)
    notebook = nbformat.v4.new_notebook(cells=[cell])
    (paths.state() / "report").mkdir()
    nbformat.write(notebook, paths.state() / "report" / "77-made.ipynb")
    site.write(checkout / "site", paths.state() / "report")
    return checkout / "site"


PLOTS = {"index.html": 0, "scoreboard.html": 1, "notebooks/77-made.html": 2}
SEEN = [*((page, "light") for page in PLOTS), ("scoreboard.html", "dark")]


@pytest.mark.parametrize(("page", "scheme"), SEEN)
def test_every_page_is_painted_from_disk_and_asks_for_nothing(
    browse, written, screenshots, page, scheme
):
    name = screenshots / f"site-{page.replace('/', '-')}-{scheme}.png"
    seen = browse("open-page.mjs", written / page, width=900, scheme=scheme, screenshot=name)
    check_painted(seen, PLOTS[page])
    assert seen["requests"] == [] and seen["errors"] == []
    assert seen["overflow"] == 0


def test_the_scoreboard_filters_and_sorts_with_the_keyboard(browse, written):
    board = written / "scoreboard.html"
    seen = browse("use-board.mjs", board, words="d beats", verdict="opp", column=4)
    b, c0, d1, d2, c3 = seen["all"]
    assert seen["words"] == [d1, d2]
    assert seen["count"] == "2 of 5 statements"
    assert seen["verdict"] == [c0, c3]
    assert seen["again"] == seen["all"]
    assert seen["ascending"] == [b, c3, c0, d2, d1]  # published: 1.1, 1.2, 1.5, 2, 10
    assert seen["descending"] == [d1, d2, c0, c3, b]
    assert seen["sorted"] == ["ascending", "descending"]
    assert seen["followed"] == "77-made"
    assert seen["requests"] == [] and seen["errors"] == []


@pytest.mark.parametrize("machines", [5, 40])
def test_a_room_is_painted(browse, make_run, tmp_path, screenshots, machines):
    for i in range(machines):
        run = make_run({"a": 1000.0, "b": 1100.0 + 5 * i, "c": 990.0}, seed=i)
        run.path = tmp_path / "files" / f"attendee-{i}.json"
        run.save()
    assert room_page.merge([tmp_path / "files"], tmp_path / "room.html") == 0
    name = screenshots / f"room-{machines}.png"
    seen = browse("open-page.mjs", tmp_path / "room.html", width=900, screenshot=name)
    check_painted(seen, 1)
    assert seen["requests"] == [] and seen["errors"] == []
    assert seen["overflow"] == 0
