"""Notebooks in Notebook and JupyterLab as people see them: run, plotted, coloured, interrupted."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import nbformat
import pytest
from front_ends import SHORTEST_RACE, installed, running

from benchbook.system import paths

AT_ONCE = 2  # a notebook mostly builds, starts and waits, and no speed is looked at here
NOTEBOOKS = sorted(path.name for path in paths.notebooks().glob("*.ipynb"))
# One for each kernel; the page of every notebook is looked at in test_executed_notebooks.py.
REPRESENTATIVE = ("02", "04")
# of an executed notebook; the figure of a profile has 45,000, one by version 36,000
MOST_BYTES = 450_000


def notebook(*sources: str) -> nbformat.NotebookNode:
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    made = nbformat.v4.new_notebook(cells=cells)
    made.metadata["kernelspec"] = {
        "name": "benchbook-node",
        "display_name": "Benchbook (Node.js)",
        "language": "javascript",
    }
    made.metadata["language_info"] = {"name": "javascript"}
    return made


def look(browse, server, name: str, screenshot, **options):
    return browse(
        "notebook.mjs",
        server.url,
        server.token,
        f"notebooks/{name}",
        front_end=server.front_end,
        screenshot=screenshot / f"{server.front_end}-{name}.png",
        **options,
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """All notebooks with --all-notebooks, else one for each kernel."""
    if "name" in metafunc.fixturenames:
        every = metafunc.config.getoption("all_notebooks")
        chosen = [name for name in NOTEBOOKS if every or name.startswith(REPRESENTATIVE)]
        metafunc.parametrize("name", chosen)


@pytest.fixture(scope="module")
def seen_in(
    request, browse, screenshots, tmp_path_factory
) -> Iterator[Callable[[str, str], dict[str, Any]]]:
    """What is seen of a notebook in a front end. All that are asked for run, a few at once."""

    def see(front_end: str, name: str) -> dict[str, Any]:
        with running(front_end, tmp_path_factory.mktemp("seen"), SHORTEST_RACE) as server:
            seen = look(browse, server, name, screenshots, seconds=540)
            return {**seen, "bytes": (server.root / "notebooks" / name).stat().st_size}

    asked = [
        (item.callspec.params["front_end"], item.callspec.params["name"])
        for item in request.session.items
        if "seen_in" in getattr(item, "fixturenames", ())
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        looks = {each: pool.submit(see, *each) for each in asked}
        yield lambda *each: looks[each].result()
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("front_end", installed())
def test_a_notebook_runs_and_its_plots_are_painted(seen_in, front_end, name):
    seen = seen_in(front_end, name)
    assert [error for cell in seen["cells"] for error in cell["errors"]] == []
    text = (paths.notebooks() / name).read_text(encoding="utf-8")
    # a wrong magic is told on stderr, without an error output, and the cells after it do not run;
    # what has become a program waits for its reader
    became = tuple(f"%%variant {each}\n" for each in re.findall(r"%variant (\S+) --edit", text))
    assert sum(cell["source"].startswith(became) for cell in seen["cells"] if became) >= len(became)
    waits = [cell["source"] for cell in seen["cells"] if not cell["ran"]]
    assert [source for source in waits if not source.startswith(became)] == []
    assert [cell for cell in seen["cells"] if cell["stderr"] or cell["draws"]] == []
    assert seen["requests"] == []
    assert seen["coloured"] > 0
    assert seen["bytes"] < MOST_BYTES
    races = text.count('"%race') - text.count('"%race --as-published')
    assert len(seen["plots"]) >= races + text.count('"%plot')
    for plot in seen["plots"]:
        assert plot["marks"] > 0 and plot["width"] > 300 and plot["height"] > 200, plot
        assert all(pixels > 20 for pixels in plot["pixels"].values()), plot
    # a learner's plot leaves its colours to plotly
    without = [plot["title"] for plot in seen["plots"] if not plot["pixels"]]
    assert len(without) <= len(
        re.findall(r"^\s*\"(?:return |await )?plotly\(", text, re.M)
    ), without


UPDATED_PLOT = """\
%%python
from benchbook.show import embed, markup
from benchbook.show.figures.base import COLOURS, axis, figure, frame

square = {"symbol": "square", "color": COLOURS[0], "size": 20}
points = {"type": "scatter", "mode": "markers", "x": [1], "y": [1], "marker": square}
axes = {"xaxis": axis(""), "yaxis": axis("")}
none = markup.note("")
first, last = (figure(n, [points], frame(n, "", 300, **axes), none) for n in ("1st", "2nd"))
place = display(embed.Still(first), display_id=True)
place.update(embed.Still(first))
place.update(last)
"""


def test_a_plot_is_replaced_a_promise_awaited_an_endless_cell_interrupted(
    browse, server, screenshots
):
    cells = (UPDATED_PLOT, "const x = await Promise.resolve(41)", "x + 1", "while (true) {}", "x")
    nbformat.write(notebook(*cells), server.root / "notebooks" / "interrupt.ipynb")
    seen = look(browse, server, "interrupt.ipynb", screenshots, task="interrupt", seconds=300)
    assert ["2nd" in plot["title"] for plot in seen["plots"]] == [True]
    plotted, first, second, endless, last = seen["cells"]
    assert plotted["errors"] == first["errors"] == second["errors"] == last["errors"] == []
    assert second["output"].endswith("42")
    assert endless["errors"], "the endless cell was not interrupted"
    assert last["output"].endswith("41")
    assert seen["coloured"] >= 4
