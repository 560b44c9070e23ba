"""Notebooks of .NET Interactive and Polyglot Notebooks become notebooks for our C# kernel."""

import json

import nbformat
import pytest

from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.notebook.interactive import conversion

META = {
    "kernelInfo": {
        "defaultKernelName": "csharp",
        "items": [
            {"name": "csharp", "languageName": "C#", "aliases": ["c#"]},
            {"name": "shop", "languageName": "SQL", "aliases": []},
            {"name": "py", "languageName": "Python", "aliases": []},
            {"name": "app", "languageName": "C#", "aliases": []},
            {"name": "value", "aliases": []},
        ],
    }
}
OLD = {  # as Jupyter had it until 2015
    "nbformat": 3,
    "nbformat_minor": 0,
    "metadata": {"name": ""},
    "worksheets": [
        {"cells": [{"cell_type": "code", "input": "1", "language": "python", "outputs": []}]}
    ],
}
DIB = f"""#!meta

{json.dumps(META)}

#!markdown

# Tea

#!csharp

var cups = 3;

#!value

#!value --name leaves
green

#!javascript

let pots = 2;

#!fsharp

let sugar = ``` 1

#!py

milk = 1

#!shop --name orders

select 1

#!app

Here();

#!kql-events

events | take 5

#!c#

#!connect mssql --kernel-name shop
var last = 4;

#!time
last
"""


def convert(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text if isinstance(text, str) else json.dumps(text), "utf-8")
    made = conversion.convert(path)
    nbformat.validate(made.notebook)
    return made


def cells(made) -> list[tuple[str, str]]:
    return [(cell.cell_type, cell.source) for cell in made.notebook.cells]


def notebook(*cells, **metadata):
    own = {"kernelspec": {"name": ".net-csharp", "language": "C#", "display_name": ".NET (C#)"}}
    saved = [
        {
            "cell_type": "code",
            "metadata": {"polyglot_notebook": {"kernelName": language}} if language else {},
            "source": text.splitlines(keepends=True),
            "outputs": [],
            "execution_count": None,
        }
        for text, language in cells
    ]
    return {"cells": saved, "metadata": own | metadata, "nbformat": 4, "nbformat_minor": 2}


def test_a_dib_file_becomes_a_notebook_for_our_kernel(tmp_path):
    made = convert(tmp_path, "tea.dib", DIB)
    assert made.notebook.metadata.kernelspec.name == "benchbook-csharp"
    assert made.notebook.metadata.language_info.name == "C#"
    found = cells(made)
    text = [source for kind, source in found if kind == "code"]
    assert found[0] == ("markdown", "# Tea")
    assert text == [
        "var cups = 3;",
        "#!value --name leaves\ngreen",
        "#!javascript\nlet pots = 2;",
        "#!python\nmilk = 1",
        "var last = 4;\n\n#!time\nlast",
    ]
    assert made.running == len(text)


def test_what_cannot_run_here_is_kept_in_its_place_and_named(tmp_path):
    made = convert(tmp_path, "tea.dib", DIB)
    kept = {5: ["F#"], 7: ["SQL"], 8: ["app"], 9: ["KQL"], 10: ["#!connect"]}
    assert made.kept == kept
    notes = [source for kind, source in cells(made) if "here" in source]
    assert len(notes) == 5
    assert notes[0].startswith("**F#, which does not run here")
    assert notes[0].endswith("\n\n````fsharp\nlet sugar = ``` 1\n````"), "a fence that holds"
    assert "#!shop --name orders\n\nselect 1" in notes[1]
    assert notes[4].endswith("```\n#!connect mssql --kernel-name shop\n```")
    assert cells(made).index(("markdown", notes[4])) == len(cells(made)) - 2


def test_the_languages_of_cells_come_from_their_metadata(tmp_path):
    old = notebook(
        ("1 + 1", ""), ("<b>tea</b>", "html"), ("let x = 1", "fsharp"), ("# Hm", "markdown")
    )
    old["cells"][1]["metadata"] = {"dotnet_interactive": {"language": "html"}, "tags": ["kept"]}
    made = convert(tmp_path, "old.ipynb", old)
    assert [source for _, source in cells(made)[:2]] == ["1 + 1", "#!html\n<b>tea</b>"]
    assert cells(made)[3] == ("markdown", "# Hm") and made.kept == {3: ["F#"]}
    assert made.notebook.cells[1].metadata == {"tags": ["kept"]}


def test_a_cell_of_several_languages_is_taken_apart_where_one_cannot_run(tmp_path):
    text = "var one = 1;\n#!html\n<i>a</i>\n#!fsharp\nlet two = 2\n#!csharp\none"
    made = convert(tmp_path, "old.ipynb", notebook((text, "")))
    kinds, sources = zip(*cells(made))
    assert kinds == ("code", "markdown", "code")
    assert sources[0] == "var one = 1;\n#!html\n<i>a</i>" and sources[2] == "#!csharp\none"
    assert made.kept == {1: ["F#"]}


def test_outputs_stay_unless_jupyter_refuses_them(tmp_path):
    old = notebook(("1", ""))
    good = {"output_type": "stream", "name": "stdout", "text": ["tea\n"]}
    bad = {"output_type": "error", "ename": "E", "evalue": "v", "traceback": [None]}
    old["cells"][0] |= {"outputs": [good, bad], "execution_count": 4}
    made = convert(tmp_path, "old.ipynb", old).notebook.cells[0]
    assert made.outputs == [good] and made.execution_count == 4


def test_a_cell_that_begins_with_what_it_is_gets_no_second_line(tmp_path):
    made = convert(tmp_path, "old.ipynb", notebook(("#!js\n1", "javascript"), ("", "html")))
    assert cells(made) == [("code", "#!js\n1"), ("code", "")]


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("gone.dib", None, "cannot be read"),
        ("notes.txt", "1", ".dib or .ipynb"),
        ("torn.ipynb", "{", "not JSON"),
        ("list.ipynb", "[]", "cells: is missing"),
        ("cell.ipynb", {"cells": [5], "metadata": {}}, "cells[0]: is not a cell"),
        (
            "kernel.ipynb",
            {"cells": [{"cell_type": "code", "source": ""}]},
            "kernelspec: is missing",
        ),
        ("bytes.dib", b"\xff\xfe1", "UTF-8"),
        ("meta.dib", '#!meta\n\n{"kernelInfo": \n\n#!csharp\n\n1', "#!meta: is not JSON"),
        ("items.dib", '#!meta\n\n{"kernelInfo": {"items": [1]}}\n\n#!csharp\n\n1', "kernelInfo"),
        ("python.ipynb", notebook(("1", ""), kernelspec={"name": "python3"}), "kernelspec"),
        ("attached.ipynb", notebook(("1", "")) | {"metadata": []}, "metadata: is not an object"),
        ("null.ipynb", notebook(("1", "")) | {"metadata": None}, "metadata: is not an object"),
        ("list.dib", "#!meta\n\n[1]\n\n#!csharp\n\n1", "#!meta: is not an object"),
        ("empty.ipynb", "", "is empty"),
        ("five.ipynb", {"cells": 5, "metadata": {}}, "cells: is not a list"),
        ("old.ipynb", OLD, "kernelspec: is missing, as this is Jupyter's format 3"),
    ],
)
def test_a_file_that_is_no_such_notebook_is_told(tmp_path, name, text, wanted):
    path = tmp_path / name
    if isinstance(text, bytes):
        path.write_bytes(text)
    elif text is not None:
        path.write_text(text if isinstance(text, str) else json.dumps(text))
    with pytest.raises(InputError) as told:
        conversion.convert(path)
    assert name in str(told.value) and wanted in str(told.value)


def test_a_broken_cell_is_told(tmp_path):
    old = notebook(("1", ""))
    old["cells"][0]["execution_count"] = "one"
    with pytest.raises(InputError, match=r"cells\[0\]: is broken"):
        convert(tmp_path, "old.ipynb", old)


def test_a_notebook_of_which_nothing_could_run_is_refused(tmp_path):
    with pytest.raises(BenchError, match=r"none of its code can run in Benchbook \(F#\)"):
        convert(tmp_path, "all.dib", "#!fsharp\n\nlet x = 1")


def test_what_was_converted_runs(tmp_path, csharp_kernel):
    text = (
        "var brewed = 6;\n\n#!fsharp\n\nlet x = 1\n\n#!html\n\n<b>hot</b>\n\n#!csharp\n\nbrewed * 7"
    )
    made = convert(tmp_path, "tea.dib", text).notebook
    ran = [csharp_kernel.run(c.source) for c in made.cells if c.cell_type == "code"]
    assert ran[2].value == "42"
    (shown,) = ran[1].of("display_data")
    assert shown["data"]["text/html"] == "<b>hot</b>"
