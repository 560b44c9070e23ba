"""The notebooks as committed: no outputs, cells equal to their snippets, no stray metadata."""

import json

import pytest

from benchbook import experiments, paths

NOTEBOOKS = sorted(paths.notebooks().glob("*.ipynb"))
METADATA = {"kernelspec", "language_info"}


def cells(path, kind="code"):
    document = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in document["cells"] if cell["cell_type"] == kind]


def source(cell) -> str:
    return "".join(cell["source"])


def test_there_is_a_notebook_for_every_experiment():
    wanted = {e.notebook for e in experiments.load_all()}
    assert wanted and wanted <= set(NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_committed_without_outputs(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    assert set(document["metadata"]) <= METADATA
    assert document["metadata"]["kernelspec"]["name"].startswith("benchbook-")
    for cell in document["cells"]:
        assert cell["metadata"] == {}, source(cell)
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, source(cell)


@pytest.mark.parametrize("experiment", experiments.load_all(), ids=lambda e: e.name)
def test_every_variant_stands_in_the_notebook_as_in_its_snippet(experiment):
    shown = {}
    for cell in cells(experiment.notebook):
        first, _, body = source(cell).partition("\n")
        if first.startswith("%%variant"):
            shown[first.split()[1]] = body.rstrip()
    assert shown == {v.name: v.code.rstrip() for v in experiment.variants}


@pytest.mark.parametrize("experiment", experiments.load_all(), ids=lambda e: e.name)
def test_a_notebook_tells_the_whole_story(experiment):
    text = "\n".join(
        source(c) for kind in ("code", "markdown") for c in cells(experiment.notebook, kind)
    )
    for part in ("%experiment", "%predict", "%race", "%plot", "%verdict", "## Why", "## Your turn"):
        assert part in text, part
    assert "<details>" in text, "an exercise needs its collapsible solution"
