"""%lesson: an experiment brings functions that draw, in a folder whose name is no Python name."""

import pytest

from benchbook.notebook import lessons
from benchbook_kernels.base.errors import InputError

BROUGHT = '''
"""What a made experiment teaches.

More of it.
"""
from .drawn import of_a_race, on_its_own
__all__ = ["on_its_own", "of_a_race"]
'''
DRAWN = '''
def on_its_own():
    """Something, and more.

    In detail."""
    return "alone"

def of_a_race(run, results, variant):
    """A race's samples."""
    return variant
'''


@pytest.fixture
def brought(make_experiment, monkeypatch, tmp_path):
    """brought(code) -> the chosen experiment with these lessons, and no other in snippets/."""
    monkeypatch.setenv("BENCHBOOK_ROOT", str(tmp_path / "without"))

    def bring(code: str):
        folder = make_experiment({"a": "", "b": ""}, name="7.7-made")
        (folder / lessons.FOLDER).mkdir()
        (folder / lessons.FOLDER / "__init__.py").write_text(code.lstrip())
        (folder / lessons.FOLDER / "drawn.py").write_text(DRAWN)
        return lessons.experiments.load(folder)

    return bring


def test_the_chosen_experiment_brings_its_lessons(brought):
    found = lessons.known(brought(BROUGHT))
    assert list(found) == ["on-its-own", "of-a-race"] and lessons.known() == {}
    assert found["on-its-own"].draw() == "alone" and not found["on-its-own"].of_a_race
    assert found["of-a-race"].draw(None, None, "b") == "b" and found["of-a-race"].of_a_race
    assert found["on-its-own"].usage.split(None, 2)[2] == "(something, and more)"
    assert found["of-a-race"].usage.startswith("%lesson of-a-race VARIANT ")


def test_lessons_that_can_not_be_read_say_why_each_time(brought):
    experiment = brought("one = 1\nfrom .drawn import nothing")
    for _ in range(2):
        with pytest.raises(InputError, match=r"can't be read: ImportError: .* \(line 2\)"):
            lessons.known(experiment)


def test_the_help_of_lesson_lists_them_all():
    shown = lessons.usage().splitlines()
    assert shown[0] == "What a careless reader would have seen (notebook 00)."
    assert "Usage: %lesson interleaving         (recorded races, in blocks" in lessons.usage()
    assert len(shown) == 2 + len(lessons.known())
