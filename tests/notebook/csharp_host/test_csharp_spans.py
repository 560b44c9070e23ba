"""What a cell's top level may hold as a program's may: using declarations, spans, references."""

from pathlib import Path

import pytest
from csharp_bench import STARTED, told
from recorders import TIMEOUT_SECONDS

HELD = 'class Held : IDisposable { public void Dispose() => Console.WriteLine("disposed"); }'


def test_what_a_cell_holds_is_disposed_when_it_fails(csharp):
    csharp.run(HELD)
    error = told(csharp, "using var held = new Held();\nint.Parse(held.ToString());")
    assert "FormatException" in error and "line 2" in error
    assert csharp.output.text() == "disposed\n"


def test_what_a_cell_holds_is_disposed_when_it_is_interrupted(csharp):
    csharp.run(HELD)
    future = csharp.submit(
        f'using var held = new Held(); Console.WriteLine("{STARTED}");\n'
        "while (true) Thread.Sleep(1);"
    )
    csharp.output.wait_for(STARTED)
    csharp.session.interrupt()
    assert future.result(TIMEOUT_SECONDS).status == "interrupted"
    assert csharp.run("held is null").data["text/plain"] == "False"
    assert csharp.run("1").data["text/plain"] == "1"


def test_a_failure_to_dispose_is_the_cells_error(csharp):
    csharp.run('class Bad : IDisposable { public void Dispose() => throw new Exception("kept"); }')
    error = told(csharp, 'using var a = new Bad();\nusing var b = new StringReader("");')
    assert "kept" in error


def test_what_can_not_be_disposed_is_an_error_at_its_line(csharp):
    error = told(csharp, "\nusing var three = 3;")
    assert "line 2" in error and "IDisposable" in error and "Disposal" not in error


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("int x = 3;\n\nSpan<int> all = [1];\nall.Lenght", "line 4, column 5"),
        ("int x = 3;\n  Span<int> all = [];\nall = x;\n", "line 3, column 7"),
        ('var x = 3;\nstring s = x;\n"a".AsSpan()', "line 2, column 12"),
        ("Span<int> all = [1];\nawait Task.Yield();\nall[0] = 2;", "line 3, column 1"),
        ("var all = new[] { 1 };\nref int first = ref all[0];\nfirst = true;", "line 3, column 9"),
    ],
)
def test_an_error_beside_a_span_is_told_at_its_own_place(csharp, code, place):
    error = told(csharp, code)
    assert place in error and error.count("error CS") == 1
    assert code.split("\n")[int(place.split(",")[0].split()[1]) - 1] in error


def test_a_syntax_error_beside_a_span_is_told_alone(csharp):
    error = told(csharp, "Span<int> all = [1];\nif (all.Length > 0) {\nall.Sort();")
    assert "line 3, column 12" in error and "} expected" in error


def test_a_span_goes_with_what_only_scripts_have(csharp):
    Path(csharp.session.directory, "one.cs").write_text("int one = 1;")
    code = '#load "one.cs"\nrecord Two(int Value);\nSpan<int> all = [one, new Two(2).Value];'
    assert csharp.value(code + "\nall[0] + all[1]") == "3"


def test_an_exception_beside_a_span_names_the_cells_line(csharp):
    code = 'int x = 3;\nvar word = "a".AsSpan();\nConsole.Write(word.Length);\nint.Parse(word);'
    error = told(csharp, code)
    assert f"cell in cell {csharp.count}, line 4" in error


def test_a_span_among_types_is_told_how_to_be_declared(csharp):
    error = told(csharp, "Span<int> all = [1];\nrecord R;\nall.Sort();")
    assert "types before or after" in error
