"""tools/make_polyglot_table.py runs the cells of a folder's notebooks and tells why some fail."""

from types import ModuleType

import pytest

from benchbook_kernels.install import kernelspecs
from tool import loaded

DIB = """#!csharp

int cups = 3;

#!csharp

cups.Nothing();

#!csharp

#r "nuget: benchbook-none, 1.0.0"
var pot = cups; var

#!csharp

pot

#!html

<b>tea</b>

#!fsharp

let x = 1
"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("make_polyglot_table")


@pytest.mark.slow("starts a C# session")
def test_cells_are_run_and_counted(script, tmp_path, monkeypatch):
    kernelspecs.install(tmp_path / "prefix")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "prefix" / "share" / "jupyter"))
    folder = tmp_path / "own" / "teas"
    folder.mkdir(parents=True)
    (folder / "tea.dib").write_text(DIB.replace('#r "nuget: benchbook-none, 1.0.0"\n', ""))
    (folder / "none.dib").write_text("#!fsharp\n\nlet x = 1")
    (folder / "torn.ipynb").write_text("{")
    found = script.run_folder("benchbook-csharp", folder)
    assert found.notebooks == 1
    assert found.cells == [script.RAN, "do not compile", "do not compile", script.FOLLOWS]
    assert found.others == {True: 1} and found.kept == {"F#": 1}
    made = script.table(["own/teas", "all"], [found, found + found], [])
    assert "| C# cells in them | 4 | 8 |" in made and "| **run** | **1** | **2** |" in made


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("PackageError\nThe package X can't be restored: NU1101", "need a package"),
        ("System.Net.Http.HttpRequestException\nno route", "need the network"),
        ("System.IO.FileNotFoundException\ndata.csv", "need a file"),
        ("DirectiveError\n#!clock is not known here", "use something of .NET Interactive"),
        ("CompilationError\nerror CS1002: ; expected", "do not compile"),
        ("error CS0103: The name 'pot' does not exist", "need what a cell above"),
        ("System.Exception\nboo", "throw something else"),
    ],
)
def test_a_failure_has_the_reason_that_its_error_gives(script, said, wanted):
    assert script.reason(said, ["var pot = 1;"]).startswith(wanted)


@pytest.mark.parametrize(
    ("above", "follows"), [("int cups;", False), ("var pot = 1;", True), ('#r "nuget: Pots"', True)]
)
def test_a_name_that_a_lost_cell_could_bring_is_no_reason_of_its_own(script, above, follows):
    said = "CompilationError\nerror CS0103: The name 'pot' does not exist"
    assert (script.reason(said, [above]) == script.FOLLOWS) is follows


def test_the_table_is_written_under_its_heading(script):
    committed = script.TARGET.read_text(encoding="utf-8")
    made = script.page(committed, "| new |\n")
    assert made.startswith(committed.partition(script.HEADING)[0])
    assert made.endswith("\n\n| new |\n")


def test_cells_that_one_of_the_kernels_runs_are_counted(script):
    ours, theirs = [script.RAN, script.RAN, script.LATE], [script.RAN, script.THROWS, script.RAN]
    made = script.table(["all"], [script.Outcome(1, ours)], [script.Outcome(1, [*theirs[:2], "x"])])
    assert "| run in .NET Interactive | 1 |" in made and "| run here only | 1 |" in made
    made = script.table(["all"], [script.Outcome(1, ours)], [script.Outcome(1, theirs)])
    assert "| run there only | 1 |" in made and f"| {script.LATE} | 1 |" in made
