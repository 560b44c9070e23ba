"""`bench convert`: what it writes, says, and never overwrites."""

import nbformat
import pytest
from click.testing import CliRunner

from benchbook.commands import cli, convert

DIB = "#!csharp\n\n1 + 1\n\n#!fsharp\n\nlet x = 1\n\n#!fsharp\n\nx\n\n#!sql\n\nselect 1"


def bench(*arguments):
    return CliRunner().invoke(cli.main, ["convert", *map(str, arguments)])


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.dib"
    path.write_text(DIB)
    return path


def test_a_notebook_is_written_beside_the_old_one(old):
    done = bench(old)
    assert done.exit_code == 0, done.output
    assert "1 code cell for the kernel" in done.output
    assert "F# in cells 2, 3" in done.output and "SQL in cell 4" in done.output
    made = nbformat.read(old.with_suffix(".ipynb"), as_version=4)
    nbformat.validate(made)
    assert [cell.cell_type for cell in made.cells] == ["code", "markdown", "markdown", "markdown"]
    assert old.read_text() == DIB
    again = bench(old.with_suffix(".ipynb"))
    assert again.exit_code == 0 and (old.parent / "old-benchbook.ipynb").is_file()


def test_nothing_is_overwritten_without_force(old, tmp_path):
    target = tmp_path / "mine.ipynb"
    target.write_text("mine")
    done = bench(old, "--out", target)
    assert done.exit_code == 2 and "is there already" in done.output and "--force" in done.output
    assert target.read_text() == "mine"
    assert bench(old, "--out", target, "--force").exit_code == 0
    assert nbformat.read(target, as_version=4).cells[0].source == "1 + 1"


def test_a_write_that_fails_leaves_the_old_file(old, tmp_path, monkeypatch):
    def refuse(path, content):
        raise OSError(28, "No space left on device", str(path))

    target = tmp_path / "old.ipynb"
    target.write_text("mine")
    monkeypatch.setattr(convert, "write_atomically", refuse)
    done = bench(old, "--force")
    assert done.exit_code == 1 and "No space left" in done.output and target.read_text() == "mine"


@pytest.mark.parametrize("arguments", [[], ["--out", "x.ipynb", "a.dib", "b.dib"], ["gone.dib"]])
def test_a_wrong_call_exits_with_2(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    assert bench(*arguments).exit_code == 2
    assert list(tmp_path.iterdir()) == []
