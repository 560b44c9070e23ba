"""`#!import` runs notebooks, scripts and source files."""

import json

import pytest

pytestmark = pytest.mark.slow("starts a C# session")


def notebook(*cells):
    """An .ipynb notebook of C#; each cell is its kind, its text and its own language, if any."""
    return json.dumps(
        {
            "metadata": {"kernelspec": {"name": ".net-csharp", "language": "C#"}},
            "cells": [
                {
                    "cell_type": kind,
                    "metadata": {"polyglot_notebook": {"kernelName": language}} if language else {},
                    "source": text.splitlines(keepends=True),
                }
                for kind, text, language in cells
            ],
        }
    )


FILES = {
    "lib.cs": "namespace Imported { public class Ear { public int Hears() => 7; } }",
    "first.dib": '#!meta\n\n{"kernelInfo": {}}\n\n#!markdown\n\nNot *run*.\n\n'
    "#!csharp\n\nvar dib = 1;\n\n"
    '#!csharp\n\n#!import {folder}/lib.cs\nConsole.Write("dib");',
    "second.ipynb": notebook(
        ("markdown", "# Title", ""),
        ("code", "var book = 2;\nbook++;", ""),
        ("code", "var js = 5;", "javascript"),
    ),
    "wrong.dib": "#!markdown\n\nfirst\n\n#!csharp\n\nnothing.At.All();",
    "wrong.ipynb": notebook(("code", "var one = 1;", ""), ("code", "\nnothing.At.All();", "")),
    "itself.dib": "#!import {folder}/itself.dib",
    "other.ipynb": notebook(("code", "let x = 1", "fsharp")),
    "torn.ipynb": "{",
    "text.txt": "text",
    "empty.dib": "#!markdown\n\nOnly text.",
}


@pytest.fixture
def files(tmp_path):
    """A folder with files to import."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text.replace("{folder}", str(tmp_path)), "utf-8")
    return tmp_path


def test_import_runs_files_and_notebooks(kernel, files):
    cell = kernel.run(f'#!import "{files}/first.dib"\n#!import {files}/second.ipynb\ndib + book')
    assert cell.value == "4" and cell.text() == "dib"
    assert kernel.run("new Imported.Ear().Hears()").value == "7"
    assert kernel.run("%%node\njs").value == "5"
    assert not cell.of("display_data"), "what explains is not shown"
    assert kernel.run(f"#!import {files}/empty.dib").reply["status"] == "ok"


def test_a_file_that_the_cell_itself_writes_is_imported(kernel, tmp_path):
    path = tmp_path / "new.cs"
    cell = kernel.run(f'#!csharp\nFile.WriteAllText("{path}", "var fresh = 3;");\n#!import {path}')
    assert cell.reply["status"] == "ok"
    assert kernel.run("fresh").value == "3"


@pytest.mark.parametrize(
    "name, place",
    [("wrong.dib", "wrong.dib, line 7"), ("wrong.ipynb", "wrong.ipynb, cell 2, line 2")],
)
def test_an_error_of_an_imported_file_points_into_it(kernel, files, name, place):
    reply = kernel.run(f"#!import {files}/{name}").reply
    assert reply["status"] == "error" and place in "\n".join(reply["traceback"])


@pytest.mark.parametrize(
    "name, wanted",
    [
        ("missing.dib", "cannot be read"),
        ("itself.dib", "imports itself"),
        ("other.ipynb", "has F# cells"),
        ("torn.ipynb", "is not JSON"),
        ("text.txt", "does not know .txt"),
    ],
)
def test_a_file_that_cannot_be_imported_says_why(kernel, files, name, wanted):
    cell = kernel.run(f"#!import {files}/{name}")
    assert cell.reply["status"] == "error" and wanted in cell.reply["evalue"]
