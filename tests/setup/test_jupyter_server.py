"""What a Jupyter server saves of our figures: no photographs by plotly's extension."""

import importlib
import json
from types import SimpleNamespace

import pytest
from nbformat import v4

from benchbook.analysis.judging import judge
from benchbook.setup import jupyter_server
from benchbook.show import embed
from benchbook.show.figures.ratios import ratios_figure

PNG = "image/png"


@pytest.fixture
def save(tmp_path):
    """What the server of an environment calls before it saves a notebook."""
    jupyter_server.install(tmp_path)
    settings = json.loads((tmp_path / jupyter_server.FILE).read_text())
    (extension,) = settings["ServerApp"]["jpserver_extensions"]
    (point,) = importlib.import_module(extension)._jupyter_server_extension_points()
    hooks = []
    manager = SimpleNamespace(register_pre_save_hook=hooks.append)
    module = importlib.import_module(point["module"])
    module._load_jupyter_server_extension(SimpleNamespace(contents_manager=manager))
    (hook,) = hooks
    return lambda model: hook(model=model, path="notebooks/04.ipynb", contents_manager=manager)


def test_only_our_figures_are_saved_without_a_photograph(save, make_run, experiment):
    run = make_run({"a": 1000.0, "b": 1100.0})
    data, metadata = ratios_figure(run, judge.judge(run, experiment.claim))._repr_mimebundle_()
    ours = v4.new_output("display_data", data={**data, PNG: "drawn"}, metadata=metadata)
    theirs = v4.new_output("display_data", data={embed.PLOTLY: {}, PNG: "drawn"})
    printed = v4.new_output("stream", text="ran")
    cell = v4.new_code_cell("%race", outputs=[ours, theirs, printed])
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell("# Title"), cell])
    save({"type": "notebook", "content": notebook})
    saved = [output.get("data", {}) for output in notebook.cells[1].outputs]
    assert saved == [data, {embed.PLOTLY: {}, PNG: "drawn"}, {}]


@pytest.mark.parametrize(
    "model",
    [
        {"type": "file", "content": "text"},
        {"type": "directory", "content": None},
        {"type": "notebook", "content": {"nbformat": 3, "worksheets": []}},
    ],
)
def test_other_files_are_saved_as_they_are(save, model):
    before = json.dumps(model)
    save(model)
    assert json.dumps(model) == before
