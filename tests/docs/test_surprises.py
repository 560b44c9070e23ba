"""docs/surprises.md has a row for each script in findings/, and what Benchbook does is kept."""


import pytest

from benchbook.system import paths
from tool import loaded

made = loaded("make_surprises")


def test_the_page_is_made_from_the_scripts():
    assert made.main(["--check"]) == 0, "python tools/make_surprises.py"


def test_check_finds_an_old_page_and_writes_none(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(made, "PAGE", tmp_path / "surprises.md")
    assert made.main(["--check"]) == 1
    assert "python tools/make_surprises.py" in capsys.readouterr().err
    assert not made.PAGE.exists()


def test_each_guard_has_its_script_and_its_test(monkeypatch):
    tests = {test for _, test in made.GUARDS.values()}
    assert [test for test in sorted(tests) if not (paths.root() / test).is_file()] == []
    monkeypatch.setitem(made.GUARDS, "gone", ("nothing", "tests/leftovers.py"))
    with pytest.raises(ValueError, match="there is no findings/gone.sh"):
        made.page()


def test_a_title_may_be_longer_than_a_line(tmp_path):
    script = tmp_path / "a.sh"
    script.write_text("#!/bin/sh\n# it is\n# so\n#\n# Guess: …\n", encoding="utf-8")
    assert made.title(script) == "it is so"
    script.write_text("#!/bin/sh\n# it is so\n", encoding="utf-8")
    with pytest.raises(ValueError, match="has no end"):
        made.title(script)
