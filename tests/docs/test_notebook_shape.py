"""What notebooks ask of learners (tools/notebook_shape.py): nothing of it is given up again."""

import importlib.util
from dataclasses import asdict

import nbformat
import pytest

from benchbook.system import paths

SPEC = importlib.util.spec_from_file_location(
    "notebook_shape", paths.root() / "tools" / "notebook_shape.py"
)
tool = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tool)

# what each has: cells that learners write, change or fill in; pictures; plots of their own;
# questions; a take-away; and at most so many code cells, per cent of magics, unannounced cells
REACHED = {
    "00-how-benchmarks-lie": (3, 2, 1, 3, 1, 32, 72, 5),
    "01-write-vs-writeasync": (5, 1, 1, 3, 1, 24, 50, 0),
    "02-selfhost-vs-hosted": (5, 1, 1, 3, 1, 24, 62, 0),
    "03-dotnet-framework-ladder": (5, 1, 1, 3, 1, 19, 53, 0),
    "04-setheader-vs-writehead": (6, 1, 1, 3, 1, 20, 60, 0),
    "05-json-vs-templates": (5, 1, 1, 3, 1, 25, 48, 0),
    "06-node-framework-ladder": (8, 1, 1, 3, 1, 24, 54, 0),
    "07a-bytes-and-memory": (4, 1, 1, 3, 1, 25, 40, 0),
    "07b-http-and-a-line": (6, 1, 1, 3, 1, 25, 56, 0),
    "07c-the-page": (4, 1, 1, 3, 1, 23, 52, 0),
    "08-routers-and-muxes": (7, 1, 1, 3, 1, 25, 52, 0),
    "09-enum-binding": (3, 1, 1, 3, 1, 25, 48, 3),
    "10-middleware-vs-filters": (7, 1, 1, 3, 1, 25, 56, 0),
    "11-your-own-claim": (4, 1, 1, 3, 1, 15, 73, 2),
    "99-scoreboard": (0, 0, 0, 0, 0, 4, 75, 0),
    "start-csharp": (3, 0, 0, 1, 0, 5, 60, 1),
    "start-node": (3, 0, 0, 1, 0, 5, 60, 1),
}


def test_every_notebook_is_counted():
    assert set(tool.shapes()) == set(REACHED)


@pytest.mark.parametrize("name", REACHED)
def test_what_is_reached_is_kept(name):
    found = tool.shapes()[name]
    *least, code_cells, magics, unannounced = REACHED[name]
    wanted = dict(
        zip(("learner", "pictures", "own_plots", "questions", "take_away"), least, strict=True)
    )
    most = {"code_cells": code_cells, "magics_percent": magics, "unannounced": unannounced}
    assert tool.short_of(found, wanted | most) == []


def notebook(*cells: str):
    """%… and code as code cells, what begins with # as text."""
    v4 = nbformat.v4
    made = [v4.new_markdown_cell(c) if c.startswith("#") else v4.new_code_cell(c) for c in cells]
    return v4.new_notebook(cells=made)


def test_the_tool_counts_what_it_says():
    made = notebook(
        "# A question\n\nAnd a sentence of purpose.",
        "%experiment 04",
        "## Only a heading",
        "%predict b ? because …",
        "const a = 1;\nplotly([], {});",
        "%%variant b --server\n// said in a comment\nreturn 1;",
        "## Quiz\n\nThree of them, here.",
        "%quiz 1 ?",
        "%picture onion",
        "## Take it home\n\n- one",
    )
    assert asdict(tool.shape(made)) == {
        "code_cells": 6,
        "magics_percent": 67,
        "learner": 1,
        "pictures": 1,
        "own_plots": 1,
        "questions": 1,
        "take_away": 1,
        "unannounced": 3,
    }
    assert set(tool.short_of(tool.shape(made), tool.GOAL)) == {
        *("learner", "magics_percent", "questions", "unannounced")
    }


def test_what_gets_worse_is_told():
    found = tool.shape(notebook("# A question\n\nAnd a sentence of purpose.", "const a = 1;"))
    assert tool.short_of(found, {"learner": 1, "code_cells": 0}) == ["learner", "code_cells"]
    assert tool.short_of(found, {"learner": 0, "code_cells": 1, "unannounced": 0}) == []
