"""`bench convert`: what it writes, says, and never overwrites."""

import json

import nbformat
import pytest
from click.testing import CliRunner

from benchbook.commands import cli
from benchbook.notebook.headless import execute
from benchbook_kernels.commands import convert

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


STREAM = {"output_type": "stream", "name": "stdout", "text": ["tea\n", "milk\n"]}
SAVED = {
    "stream": (STREAM, "tea\nmilk\n"),
    "stream in one text, no name": ({"output_type": "stream", "text": "tea"}, "tea"),
    "display_data": (
        {"output_type": "display_data", "data": {"text/html": ["<b>", "1</b>"]}, "metadata": {}},
        "<b>1</b>",
    ),
    "execute_result, no metadata": (
        {"output_type": "execute_result", "data": {"text/plain": "42"}},
        "42",
    ),
    "error": (
        {"output_type": "error", "ename": "E", "evalue": "spilt", "traceback": ["at tea"]},
        "spilt",
    ),
}


def old_notebook(*outputs, minor=4):
    return {
        "nbformat": 4,
        "nbformat_minor": minor,
        "metadata": {"kernelspec": {"name": ".net-csharp", "display_name": ".NET (C#)"}},
        "cells": [
            {
                "cell_type": "code",
                "execution_count": 1,
                "metadata": {},
                "source": ["1 + 1"],
                "outputs": list(outputs),
            }
        ],
    }


def converted(tmp_path, notebook):
    """The notebook that is written, as Jupyter reads it."""
    path = tmp_path / "old.ipynb"
    path.write_text(json.dumps(notebook))
    done = bench(path)
    assert done.exit_code == 0, done.output
    made = nbformat.read(tmp_path / "old-benchbook.ipynb", as_version=4)
    nbformat.validate(made)
    return made


@pytest.mark.parametrize("minor", [0, 5])
@pytest.mark.parametrize("kind", SAVED)
def test_saved_outputs_are_in_the_file(tmp_path, kind, minor):
    output, text = SAVED[kind]
    (cell,) = converted(tmp_path, old_notebook(output, STREAM, minor=minor)).cells
    assert [each.output_type for each in cell.outputs] == [output["output_type"], "stream"]
    first = cell.outputs[0]
    assert text in [first.get("text"), first.get("evalue"), *first.get("data", {}).values()]


def test_a_notebook_in_format_3_keeps_its_outputs(tmp_path):
    outputs = [
        {"output_type": "stream", "stream": "stdout", "text": ["tea\n"]},
        {"output_type": "pyout", "prompt_number": 1, "text": ["2"], "metadata": {}},
        {"output_type": "pyerr", "ename": "E", "evalue": "spilt", "traceback": ["at tea"]},
    ]
    code = {"cell_type": "code", "language": "csharp", "input": ["var a = 1;\n", "a"]}
    sheet = {"cells": [{**code, "collapsed": False, "prompt_number": 1, "outputs": outputs}]}
    old = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": old_notebook()["metadata"],
        "worksheets": [sheet],
    }
    (cell,) = converted(tmp_path, old).cells
    assert cell.source == "var a = 1;\na"
    kinds = [each.output_type for each in cell.outputs]
    assert kinds == ["stream", "execute_result", "error"] and cell.outputs[0].text == "tea\n"
    (tmp_path / "old.ipynb").write_text(json.dumps({"worksheets": 5}))
    done = bench(tmp_path / "old.ipynb")
    assert (
        done.exit_code == 2 and "worksheets: is not a notebook in Jupyter's format 3" in done.output
    )


def test_lines_without_newlines_are_not_glued_together(tmp_path):
    old = old_notebook()
    old["cells"][0]["source"] = ["#!time", '#r "nuget: Tea, 1.0.0"', "var cups = 1;\n", "cups"]
    (cell,) = converted(tmp_path, old).cells
    assert cell.source == '#!time\n#r "nuget: Tea, 1.0.0"\nvar cups = 1;\ncups'
    (cell,) = execute.read(tmp_path / "old.ipynb").cells  # for bench run
    assert cell.source == '#!time\n#r "nuget: Tea, 1.0.0"\nvar cups = 1;\ncups'


@pytest.mark.parametrize("line", ["#!csharp var a = 1;", "#!html <b>1</b>", "#!c# --flag x y"])
def test_text_after_the_word_of_a_language_is_an_error(tmp_path, line):
    path = tmp_path / "old.dib"
    path.write_text(f"#!csharp\n1\n{line}\n2")
    done = bench(path)
    lost = line.rpartition("--flag x ")[2].split(" ", 1)[-1]
    assert done.exit_code == 2 and f"'{lost}' after #!" in done.output and "line 3" in done.output
    assert list(tmp_path.iterdir()) == [path]
