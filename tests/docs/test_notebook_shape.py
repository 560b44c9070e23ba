"""What notebooks ask of learners (tools/notebook_shape.py): the goal, and how it is counted."""

from dataclasses import asdict

import nbformat
import pytest

from benchbook.system import paths
from tool import loaded

tool = loaded("notebook_shape")

# what these still lack of the goal, and have instead
LACKS = {
    "99-scoreboard": {
        **dict.fromkeys(("learner", "pictures", "own_plots", "questions", "take_away"), 0),
        "magics_percent": 75,
    },
}
NOTEBOOKS = sorted(path.stem for path in paths.notebooks().glob("*.ipynb"))


@pytest.fixture(scope="module")
def shapes():
    return tool.shapes()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_asks_of_its_learners_what_it_should(name, shapes):
    assert tool.short_of(shapes[name], tool.goal_of(name) | LACKS.get(name, {})) == []


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
        "magics_percent": 33,
        "learner": 1,
        "pictures": 1,
        "own_plots": 1,
        "questions": 1,
        "take_away": 1,
        "unannounced": 3,
    }
    assert set(tool.short_of(tool.shape(made), tool.GOAL)) == {
        *("learner", "questions", "unannounced")
    }


@pytest.mark.parametrize(
    "cell, is_one",
    {
        "%race\n\n%verdict": True,
        "%predict b ? because …\n%race --variants b\n%check 1": False,
        "%quiz 2 ?": False,
        "%quiz 2 --answers": True,
        "%predict onion --seen": True,
        "%picture rope\nconst a = b ? 1 : 2;": False,
        "%variant b": False,
        "": False,
    }.items(),
)
def test_a_cell_that_learners_fill_in_is_no_magic(cell, is_one):
    (made,) = notebook(cell).cells
    assert tool.is_magic(made) is is_one


def test_what_gets_worse_is_told():
    found = tool.shape(notebook("# A question\n\nAnd a sentence of purpose.", "const a = 1;"))
    assert tool.short_of(found, {"learner": 1, "code_cells": 0}) == ["learner", "code_cells"]
    assert tool.short_of(found, {"learner": 0, "code_cells": 1, "unannounced": 0}) == []
