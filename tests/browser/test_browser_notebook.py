"""Notebooks in Notebook and JupyterLab as people see them: run, plotted, coloured, interrupted."""

import nbformat
import pytest

from benchbook import paths

NOTEBOOKS = sorted(path.name for path in paths.notebooks().glob("*.ipynb"))


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


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_its_plots_are_painted(browse, server, screenshots, name):
    seen = look(browse, server, name, screenshots, seconds=240)
    assert [error for cell in seen["cells"] for error in cell["errors"]] == []
    # a wrong magic is told on stderr, without an error output, and the cells after it do not run
    assert [(cell["source"], cell["output"]) for cell in seen["cells"] if not cell["ran"]] == []
    assert seen["requests"] == []
    assert seen["coloured"] > 0
    magics = (server.root / "notebooks" / name).read_text(encoding="utf-8")
    assert len(seen["plots"]) >= magics.count('"%race') + magics.count('"%plot')
    for plot in seen["plots"]:
        assert plot["marks"] > 0 and plot["width"] > 300 and plot["height"] > 200, plot
        assert plot["pixels"] and all(pixels > 20 for pixels in plot["pixels"].values()), plot


def test_a_promise_is_awaited_and_an_endless_cell_interrupted(browse, server, screenshots):
    cells = ("const x = await Promise.resolve(41)", "x + 1", "while (true) {}", "x")
    nbformat.write(notebook(*cells), server.root / "notebooks" / "interrupt.ipynb")
    seen = look(browse, server, "interrupt.ipynb", screenshots, task="interrupt", seconds=60)
    first, second, endless, last = seen["cells"]
    assert first["errors"] == second["errors"] == last["errors"] == []
    assert second["output"].endswith("42")
    assert endless["errors"], "the endless cell was not interrupted"
    assert last["output"].endswith("41")
    assert seen["coloured"] >= 4
