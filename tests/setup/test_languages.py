"""The languages of the notebooks are what the sessions' files declare."""

import pytest

from benchbook_kernels.install import languages

FILE = """\
from nowhere import Language, Session

LANGUAGE = Language(
    name="{name}",
    title="Toy",
    syntax="toy",
    mimetype="text/x-toy",
    codemirror_mode="toy",
    highlighter="text",
    suffixes=(".toy",),
    needs="nothing",
    about="Run this cell in the Toy session.",
)
"""


def test_a_new_language_is_known_by_its_sessions_file_alone(tmp_path):
    (tmp_path / "toy.py").write_text(FILE.format(name="toy"))
    (tmp_path / "helpers.py").write_text("LANGUAGES = 1")
    found = languages.declared(tmp_path)
    assert list(found) == ["toy"]
    assert found["toy"].kernel == "benchbook-toy"
    assert found["toy"].info["file_extension"] == ".toy"


def test_a_declaration_in_the_file_of_another_language_is_told(tmp_path):
    (tmp_path / "toy.py").write_text(FILE.format(name="play"))
    with pytest.raises(ValueError, match="declares 'play'"):
        languages.declared(tmp_path)


def test_the_languages_of_today():
    assert list(languages.declared()) == ["csharp", "node"]
