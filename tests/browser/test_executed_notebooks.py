"""Every notebook is executed once, with races as short as can be, and its page is looked at."""

import re

import pytest
from front_ends import SHORTEST_RACE
from test_browser_notebook import REPRESENTATIVE
from test_browser_page import check_painted

from benchbook.notebook import editions, predictions
from benchbook.notebook.headless import execute
from benchbook.notebook.quiz import questions
from benchbook.race import limits
from benchbook.show import page
from benchbook.system import paths
from made import copy_of_checkout

# What only --all-notebooks executes here: the others are run in a front end or, cell by cell, in
# tests/notebook/test_own_question.py (11), or they take minutes, and what they race is raced in
# tests/snippets and tests/race/test_micro_runs.py.
ELSEWHERE = (*REPRESENTATIVE, "01", "03", "05", "06", "07", "08", "09", "10", "11")
STARTS = "start"  # these are executed as their learner solves them
TWO_LAUNCHES = "launches=2 blocks=1 seconds=0.2 warmup=0.2"  # without two there is no verdict
NOTEBOOKS = sorted(path.name for path in paths.notebooks().glob("*.ipynb"))
# What a program that takes the notebook for a terminal writes to move its cursor.
DRAWS = re.compile(r"\x1b(\[[?\d;]*[A-Za-ln-z]|=)")


@pytest.fixture
def executed(request, tmp_path):
    """A notebook, executed in a checkout of its own."""
    root = copy_of_checkout(tmp_path / "checkout")
    path = root / "notebooks" / request.param
    solved = path.stem.startswith(STARTS)
    if solved:
        notebook = editions.leader(execute.read(path), STARTS, "")
        path.write_text(execute.untyped.writes(notebook), encoding="utf-8")
    settings = {
        "BENCHBOOK_ROOT": str(root),
        limits.MODE: "quick",
        limits.VARIABLE: TWO_LAUNCHES if solved else SHORTEST_RACE,
        predictions.VARIABLE: "off",
    }
    return execute.execute(path, settings, lambda *_: None)


def outputs(executed) -> list:
    return [o for cell in executed.notebook.cells for o in cell.get("outputs", [])]


def pytest_generate_tests(metafunc) -> None:
    if "executed" in metafunc.fixturenames:
        every = metafunc.config.getoption("all_notebooks")
        names = [name for name in NOTEBOOKS if every or not name.startswith(ELSEWHERE)]
        metafunc.parametrize("executed", names, indirect=True, ids=[name[:-6] for name in names])


def check_solved(executed) -> None:
    """The exercise is done, with the guess that its solution has; each answer has its reason."""
    shown = "\n".join(o.get("data", {}).get("text/plain", "") for o in outputs(executed))
    assert "✔ Exercise 1 is done." in shown and "+20.0 %" in shown
    for why in questions.load(questions.OF_OWN_QUESTIONS).questions[STARTS].why.values():
        assert why in shown


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.slow("executes a notebook")
def test_a_notebook_runs_and_its_plots_are_painted(executed, browse, screenshots, tmp_path):
    assert executed.error == ""
    if executed.path.stem.startswith(STARTS):
        check_solved(executed)
    streams = [output for output in outputs(executed) if output.output_type == "stream"]
    # a wrong magic is told on stderr, without an error output
    assert [stream.text for stream in streams if stream.name == "stderr"] == []
    assert not any(DRAWS.search(stream.text) for stream in streams)
    shown = tmp_path / "page.html"
    markup = page.render("Benchbook", "today", [], [], [executed])
    shown.write_text(markup, encoding="utf-8")
    screenshot = screenshots / f"{executed.path.stem}.png"
    seen = browse("open-page.mjs", shown, width=1200, screenshot=screenshot)
    magics = [cell.source for cell in executed.notebook.cells if cell.cell_type == "code"]
    races = [m for m in magics if re.match(r"%race(?!.*--as-published)|%plot", m)]
    assert len(seen["plots"]) >= len(races)
    own = sum(len(re.findall(r"^(?:return |await )?plotly\(", m, re.M)) for m in magics)
    check_painted(seen, len(seen["plots"]), own)
    assert seen["requests"] == [] and seen["errors"] == []
