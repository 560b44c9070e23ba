"""The notebooks as committed: what `./bench check` asks of any, and what ours have besides."""

import pytest

from benchbook.model import experiments
from benchbook.notebook import editions, slides
from benchbook.notebook.checking import story
from benchbook.notebook.headless import execute
from benchbook.system import paths

NOTEBOOKS = sorted(paths.notebooks().glob("*.ipynb"))


def test_there_is_a_notebook_for_every_experiment():
    wanted = {e.notebook for e in experiments.load_all()}
    assert wanted and wanted <= set(NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
@pytest.mark.parametrize("check", [story.outputs, story.kernel, story.code, story.predictions])
def test_a_notebook_is_as_that_of_any_experiment_should_be(path, check):
    """Without outputs, with its kernel, with each file as it is, and with fair guesses."""
    assert [each.text for each in check(execute.read(path), path)] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_its_metadata_are_ours_and_a_talk_has_a_slide_for_each_section(path):
    notebook = execute.read(path)
    found = [cell.metadata for cell in notebook.cells]
    wanted = slides.metadata(notebook.cells)
    assert found == wanted, "cells were added or moved: python tools/tidy_notebooks.py"
    sections = [cell for cell in notebook.cells if cell.source.startswith(("# ", "## "))]
    least = 3 if path.stem.startswith("start-") else 5
    assert slides.types(notebook.cells).count(slides.SLIDE) == len(sections) >= least


WITH_EXERCISES = sorted({e.notebook for e in experiments.load_all()})


@pytest.mark.parametrize("path", WITH_EXERCISES, ids=lambda p: p.stem)
def test_a_notebook_tells_the_whole_story(path):
    assert [each.text for each in story.order(execute.read(path), path)] == []
    text = "\n".join(cell.source for cell in execute.read(path).cells)
    assert "%plot" in text
    assert "<details>" in text, "an exercise needs its collapsible solution"


@pytest.mark.parametrize("path", WITH_EXERCISES, ids=lambda p: p.stem)
def test_every_exercise_has_a_text_a_check_and_a_solution(path):
    """That solutions pass: tests/notebook/test_checking.py."""
    found = editions.exercises(execute.read(path), path.name)  # raises for one without
    assert list(found) == list(range(1, len(found) + 1)) and len(found) >= 2
    assert all(exercise.checks for exercise in found.values())
