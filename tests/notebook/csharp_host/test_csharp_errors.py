"""Errors of C# cells: their message, and their place in the cell."""

import pytest
from csharp_bench import told
from recorders import TIMEOUT_SECONDS


def test_a_compiler_error_points_into_the_cell(csharp):
    error = csharp.error("var fine = 1;\n\n  int x = unknown + 1;")
    text = "\n".join(error.traceback)
    assert f"cell {csharp.count}, line 3, column 11: error CS0103" in text
    assert "  int x = unknown + 1;\n              ^^^^^^^" in text
    assert csharp.value("1") == "1"


@pytest.mark.parametrize("code", ["int x = ;", "if (", 'var s = "open;', "class {", "}"])
def test_a_syntax_error_is_told_and_nothing_runs(csharp, code):
    error = csharp.error('Console.Write("ran");\n' + code)
    assert error.ename == "CompilationError"
    assert "error CS" in error.traceback[0]
    assert csharp.output.text() == ""


def test_an_error_in_a_namespace_points_into_the_cell(csharp):
    error = csharp.error("namespace A\n{\n    class B { int C => nothing; }\n}")
    assert "line 3, column 24: error CS0103" in error.traceback[0]


def test_an_exception_of_a_cells_own_type_has_its_name(csharp):
    error = told(csharp, "class TooCold : Exception;\nthrow new TooCold();")
    assert "TooCold: " in error and "Submission#" not in error


def test_an_exception_shows_the_frames_of_the_cells(csharp):
    csharp.run(  # as in any Release program, small functions may be inlined
        "using System.Runtime.CompilerServices; "
        "[MethodImpl(MethodImplOptions.NoInlining)] void Outer()\n{\n    Inner();\n}\n"
        "void Inner()\n{\n"
        '    throw new FormatException("x");\n}'
    )
    error = csharp.error("\nOuter();")
    text = "\n".join(error.traceback)
    assert error.ename == "System.FormatException"
    first = csharp.count - 1
    assert f"Inner() in cell {first}, line 7" in text
    assert f"Outer() in cell {first}, line 3" in text
    assert f"cell in cell {csharp.count}, line 2" in text
    assert "Submission" not in text and "Benchbook" not in text and "MoveNext" not in text


def test_an_index_out_of_range_names_the_cell(csharp):
    error = csharp.error("var q = new int[2];\nq[5]")
    assert error.traceback[1:] == (f"   at cell in cell {csharp.count}",)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        # where an index is out of range, .NET's optimised code knows the loop, not the statement
        ("Console.WriteLine(data[i]);", ", line 2"),
        ("throw new FormatException(data.Length.ToString());", ", line 4"),
    ],
)
def test_an_error_in_a_loop_is_the_cells_own(csharp, body, line):
    csharp.run("int[] data = { 5, 3, 9 };")
    error = csharp.error(f"\nfor (int i = 0; i <= data.Length; i++)\n{{\n    {body}\n}}")
    assert error.traceback[1:] == (f"   at cell in cell {csharp.count}{line}",)


def test_an_exception_after_an_await_and_its_cause(csharp):
    error = csharp.error(
        "async Task Fail()\n{\n    await Task.Yield();\n"
        '    try { throw new ArgumentException("why"); }\n'
        '    catch (Exception e) { throw new InvalidOperationException("what", e); }\n'
        "}\nawait Fail();"
    )
    text = "\n".join(error.traceback)
    assert error.evalue == "what"
    assert "caused by System.ArgumentException: why" in text
    assert "line 5" in text and "line 4" in text


def test_variables_assigned_before_an_exception_keep_their_values(csharp):
    csharp.run("var x = 1;")
    csharp.error('x = 2; throw new Exception("stop");')
    assert csharp.value("x") == "2"


@pytest.mark.parametrize(
    "code",
    [
        "Kernel.Root.KernelEvents",
        "Kernel.Root.AddMiddleware(null)",
        'new SendValue("x", 1)',
        "KernelInvocationContext.Current.Publish(null)",
        "class Clock : IKernelExtension { }",
    ],
)
def test_what_belongs_to_net_interactives_kernel_is_said_to_be_missing(csharp, code):
    error = csharp.error(code)
    assert "Benchbook does not have" in "\n".join(error.traceback)


def test_an_error_beside_a_loop_is_told_at_its_own_place(csharp):
    result = csharp.submit("foreach (var x in new[] { 1 }) foo(x);").result(TIMEOUT_SECONDS)
    assert result.status == "error" and "line 1, column 32" in result.traceback[0]
    library = "namespace N { class E { int F(int x) { while (true) foo(x); } } }"
    result = csharp.submit(library).result(TIMEOUT_SECONDS)
    assert result.status == "error" and "line 1, column 53" in result.traceback[0]


def test_warnings_are_shown_in_one_block_and_the_cell_runs(csharp):
    assert csharp.value("int Early()\n{\n    return 1;\n    Console.Write(2);\n}\nEarly()") == "1"
    said = csharp.output.text("stderr")
    assert said == f"cell {csharp.count}, line 4: warning CS0162: Unreachable code detected\n"
    csharp.run("namespace Alarm { class Bell { int rings; } }\nclass Ring { void Go() { int n; } }")
    assert [line.split(": ")[1:2] for line in csharp.output.text("stderr").splitlines()] == [
        ["warning CS0169"],
        ["warning CS0168"],
    ]


@pytest.mark.parametrize(
    "code",
    [
        "string? none = null;\nnone?.Length",
        "#pragma warning disable CS0162\nint Late() { return 1; Console.Write(2); }\nLate()",
        "var sum = 0;\nfor (var i = 0; i < 3; i++) sum += i;\nwhile (true) if (sum++ > 9) break;",
        'using System.Linq;\nusing System.Linq;\nusing var text = new StringReader("");',
        "int[] all = [1];\nref var one = ref all[0];\none = 2;",
    ],
)
def test_what_nobody_needs_to_be_warned_of_is_not(csharp, code):
    assert csharp.run(code).status == "ok"
    assert csharp.output.text("stderr") == ""


def test_a_file_is_read_without_being_compiled(csharp):
    def errors(code: str) -> str:
        return csharp.session.syntax_errors(code, "cell").result(TIMEOUT_SECONDS)

    assert errors("public class A { public int X() => nothing; }") == ""
    said = errors("\npublic class A\n{\n    int X() => 1\n}").splitlines()
    assert said[0].startswith("cell, line 4, column 17: error CS1002")
    assert said[1:] == ["        int X() => 1", "                    ^"]
