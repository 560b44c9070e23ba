"""A reader's way through a notebook: guess, edit, race, %check and %score, in the real kernel."""

import json
import os

import pytest

CHECKS = """
from benchbook.notebook.exercises import View


def exercise_1(view: View):
    if "HELLO" not in view.edited("b"):
        yield "b should shout."
    view.raced("b")


def exercise_2(view: View):
    if view.value("answer") != 42:
        yield "answer is another number."


def exercise_3(view: View):
    yield view.nothing
"""
RACE = "launches=2 blocks=2 seconds=0.2 warmup=0"


@pytest.fixture
def notebook(open_kernel, two_servers, tmp_path):
    """A kernel that has chosen an experiment with checks; it writes to tmp_path."""
    (two_servers / "exercises.py").write_text(CHECKS)
    env = {**os.environ, "BENCHBOOK_ROOT": str(tmp_path), "BENCHBOOK_RACE": RACE}
    env.pop("BENCHBOOK_SCORE", None)
    kernel = open_kernel(env=env)
    card = shown(kernel.run(f"%experiment {two_servers}"))
    assert "guess first" in card and "Statements that the race judges" not in card
    return kernel


def shown(cell) -> str:
    """What a cell shows as text: its value, displays, or its error."""
    found = [*cell.of("execute_result"), *cell.of("display_data")]
    return "\n".join(each["data"]["text/plain"] for each in found) or cell.text("stderr")


def test_an_exercise_from_untouched_to_done(notebook, two_servers, tmp_path):
    assert "The code of b (b.mjs) is still the snippet" in shown(notebook.run("%check 1"))
    code = (two_servers / "b.mjs").read_text()
    # the answer must stay: it is the header that shouts
    edited = code.replace("response.end", "const word = 'HELLO';\n  response.end")
    notebook.run(f"%%variant b\n{edited}")
    assert "Nothing was raced yet" in shown(notebook.run("%check 1"))
    guessed = notebook.run("%predict b +9%\n%predict b +400%")
    assert "+9.0 %" in shown(guessed) and len(guessed.of("display_data")) == 1
    card, update = (e["data"]["text/plain"] for e in guessed.of("update_display_data"))
    assert "Statements that the race judges" in card, "the first guess unfolds the claim"
    assert "5.0×" in update, "one table, brought up to date"
    notebook.run("%race --seed 1")
    assert shown(notebook.run("%check 1")) == "✔ Exercise 1 is done."

    scored = shown(notebook.run("%score"))
    assert "Of 1 guess" in scored and "77-made" in scored
    file = tmp_path / ".benchbook" / "predictions.json"
    (kept,) = json.loads(file.read_text())["predictions"]
    assert (kept["variant"], kept["guess"], kept["edited"]) == ("b", 5.0, True)
    assert "b (edited)" in shown(notebook.run(f"%score {two_servers}"))


def test_variables_of_the_session_and_wrong_checks(notebook):
    assert "answer has no value yet" in shown(notebook.run("%check 2"))
    notebook.run("var answer = 41;")
    assert "another number" in shown(notebook.run("%check 2"))
    notebook.run("answer += 1;")
    assert shown(notebook.run("%check 2")) == "✔ Exercise 2 is done."
    wrong = notebook.run("%check 3").text("stderr")
    assert "exercises.py: exercise_3: AttributeError" in wrong and "Traceback" not in wrong
    assert "'one' is no exercise's number" in notebook.run("%check one").text("stderr")
    assert "there are: 1, 2, 3" in notebook.run("%check 7").text("stderr")
