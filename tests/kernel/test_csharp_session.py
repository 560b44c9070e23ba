"""The C# session: output, errors, interrupts, what ends it, and what completes."""

import json
import os
import time

import pytest
from made import package_for_newer_net

from benchbook import paths, runners
from benchbook.kernel.sessions import SHARED_TYPE

STARTED = "started"


def test_20000_lines_arrive_in_order(csharp):
    csharp.run("for (var i = 0; i < 20000; i++) Console.WriteLine(i);")
    assert csharp.output.text().split("\n") == [*map(str, range(20000)), ""]


def test_output_comes_while_the_cell_runs(csharp):
    future = csharp.submit('Console.WriteLine("first"); Thread.Sleep(60000);')
    csharp.output.wait_for("first")
    assert not future.done()
    csharp.session.interrupt()
    assert future.result(20).status == "interrupted"


def test_streams_keep_their_names_and_order(csharp):
    csharp.run('Console.Write("a"); Console.Error.Write("b"); Console.Write("c");')
    assert [event[:2] for event in csharp.output.events] == [
        ("stdout", "a"),
        ("stderr", "b"),
        ("stdout", "c"),
    ]


def test_a_cell_that_redirects_the_console_does_so_for_itself_alone(csharp):
    csharp.run("var kept = new StringWriter(); Console.SetOut(kept); Console.SetError(kept);")
    csharp.run(
        'Console.SetIn(new StringReader("from a reader")); Console.SetOut(kept);\n'
        "Console.WriteLine(Console.ReadLine());"
    )
    assert csharp.output.text() == ""
    csharp.run('Console.Write("out"); Console.Error.Write("error");')
    assert (csharp.output.text(), csharp.output.text("stderr")) == ("out", "error")
    future = csharp.submit("Console.ReadLine() + kept")
    csharp.output.answers.append("from the reader, ")
    assert future.result(20).data["text/plain"].strip() == "from the reader, from a reader"


def test_what_child_processes_print_is_shown(csharp):
    csharp.run('System.Diagnostics.Process.Start("echo", "from a child").WaitForExit();')
    assert "from a child" in csharp.output.text()


def test_too_much_output_is_cut_and_says_so(open_csharp):
    bench = open_csharp(max_output_chars=1000)
    bench.run(
        "var line = new string('x', 100_000); "
        "for (var i = 0; i < 10_000; i++) Console.WriteLine(line);"
    )
    text = "".join(event[1] for event in bench.output.events)
    assert text.startswith("x" * 1000) and len(text) < 1200
    assert "this cell's output ends here" in text
    assert bench.value("1 + 1") == "2"


def test_a_value_that_is_too_long_is_cut_and_the_session_lives(open_csharp):
    bench = open_csharp(max_output_chars=100_000)
    bench.run("var kept = 41;")
    shown = bench.value("new string('x', 200_000_000)")
    assert shown.startswith("xxx") and "the value ends here" in shown and len(shown) < 2000
    assert bench.value("kept + 1") == "42"


def test_a_loop_sees_what_an_earlier_cell_started_changes(csharp):
    csharp.run("int ticks = 0; var timer = new System.Timers.Timer(20);")
    csharp.run("timer.Elapsed += (sender, elapsed) => ticks++; timer.Start();")
    code = "while (ticks < 3) Thread.Sleep(5);\ntimer.Stop();\nticks >= 3"
    assert csharp.submit(code).result(20).data["text/plain"] == "True"


# ---- display


def test_a_mime_bundle_arrives_as_json(csharp):
    csharp.run(
        'display(new Dictionary<string, object> { ["application/vnd.plotly.v1+json"] = '
        'new { data = new[] { new { y = new[] { 1, 2 } } } }, ["text/html"] = "<b>x</b>" });'
    )
    ((_, data, _, _, _),) = csharp.output.displays
    assert data == {
        "application/vnd.plotly.v1+json": {"data": [{"y": [1, 2]}]},
        "text/html": "<b>x</b>",
    }


def test_text_of_a_json_type_arrives_as_json(csharp):
    csharp.run('display("{\\"data\\": [1]}", "application/vnd.plotly.v1+json");')
    ((_, data, _, _, _),) = csharp.output.displays
    assert data["application/vnd.plotly.v1+json"] == {"data": [1]}


def test_a_member_that_hides_another_is_shown_once(csharp):
    csharp.run("class A { public object Value => 1; }")
    csharp.run("class B : A { public new int Value => 2; }")
    shown = csharp.run("new[] { new B() }").data
    assert shown["text/html"].count("Value") == 1 and ">2<" in shown["text/html"]
    assert csharp.value("new B()").count("Value") == 1


@pytest.mark.parametrize(
    ("cell", "code", "shown"),
    [
        ("", "typeof(List<>)", "System.Collections.Generic.List<T>"),
        ("async Task<int> Slow() { await Task.Yield(); return 42; }", "Slow()", "<System.Int32> {"),
        (
            "class Chain<T> { public class Node { public T Value; } public Node Head = new(); }",
            "new Chain<int>()",
            "Head = Chain<T>.Node<System.Int32>",
        ),
    ],
)
def test_a_generic_types_parameter_is_shown_by_its_name(csharp, cell, code, shown):
    csharp.run(cell)
    assert shown in csharp.value(code)


def test_a_task_that_goes_on_is_shown_without_waiting_for_it(csharp):
    csharp.run(
        "var ends = new TaskCompletionSource<int>(); async Task<int> Wait() => await ends.Task;"
    )
    shown = csharp.value("var waits = Wait();\nwaits")
    assert "Result = (not yet computed)" in shown and "StateMachine" not in shown
    assert "Variable" in csharp.value(csharp.session.variables_code(values=True))
    assert "Result = 42" in csharp.value("ends.SetResult(42);\nwaits")


def test_what_newtonsoft_parsed_is_shown_as_json(csharp):
    csharp.run('#r "nuget: Newtonsoft.Json, 13.0.3"')
    csharp.run("var o = Newtonsoft.Json.Linq.JObject.Parse(\"{'a': 1, 'b': [2]}\");")
    assert csharp.value('o["a"]') == "1"
    assert json.loads(csharp.value("o")) == {"a": 1, "b": [2]}


def test_a_formula_is_shown_as_latex(csharp):
    code = '(LaTeXString)@"\\begin{align} x \\end{align}"'
    assert csharp.run(code).data["text/latex"] == r"\begin{align} x \end{align}"
    assert csharp.run('(MathString)"x^2"').data["text/latex"] == "$$x^2$$"


def test_a_display_is_updated_in_its_place(csharp):
    csharp.run('var shown = display("one");')
    csharp.run('shown.Update("two");')
    ((_, data, _, name, update),) = csharp.output.displays
    assert update and name and data["text/plain"] == "two"
    assert csharp.value("shown.DisplayId") == name


def test_a_formatter_that_fails_is_an_error_of_the_cell(csharp):
    csharp.run('class Bad { }\nFormatter.Register<Bad>(b => throw new Exception("no"));')
    assert "no" in csharp.error("new Bad()").evalue
    csharp.run("Formatter.ResetToDefault();")
    assert csharp.value("1") == "1"


# ---- errors


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


HELD = 'class Held : IDisposable { public void Dispose() => Console.WriteLine("disposed"); }'


def told(csharp, code: str) -> str:
    return "\n".join(csharp.error(code).traceback)


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
    assert future.result(20).status == "interrupted"
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


def test_a_span_goes_with_what_only_scripts_have(csharp, tmp_path):
    (tmp_path / "one.cs").write_text("int one = 1;")
    code = '#load "one.cs"\nrecord Two(int Value);\nSpan<int> all = [one, new Two(2).Value];'
    assert csharp.value(code + "\nall[0] + all[1]") == "3"


def test_an_exception_beside_a_span_names_the_cells_line(csharp):
    code = 'int x = 3;\nvar word = "a".AsSpan();\nConsole.Write(word.Length);\nint.Parse(word);'
    assert "cell in cell 1, line 4" in told(csharp, code)


def test_a_span_among_types_is_told_how_to_be_declared(csharp):
    error = told(csharp, "Span<int> all = [1];\nrecord R;\nall.Sort();")
    assert "types before or after" in error


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
        "Kernel.Root.ToString()",
        'new SubmitCode("1 + 1")',
        "KernelInvocationContext.Current.Command",
        "class Clock : IKernelExtension { }",
    ],
)
def test_what_belongs_to_net_interactives_kernel_is_said_to_be_missing(csharp, code):
    error = csharp.error(code)
    assert "Benchbook does not have" in "\n".join(error.traceback)


# ---- interrupts


@pytest.mark.parametrize(
    "code",
    [
        "while (true) { }",
        "for (long i = 0; ; i++) kept++;",
        "Thread.Sleep(Timeout.Infinite);",
        "await Task.Delay(-1);",
        "Task.Delay(-1).Wait();",
        "while (true) Console.WriteLine(1);",
        "await Task.Delay(-1, Interrupted);",
        "while (true) { try { Thread.Sleep(1); } catch { } }",
        "while (true) { foreach (var x in Enumerable.Range(0, 100).Where(i => i > 3)) { } }",
        "while (true) { try { kept++; } finally { kept--; } }",
        "while (true) System.Text.Json.JsonSerializer.Serialize(new[] { 1, 2 });",
        "for (long i = 0; i < long.MaxValue; i++) kept++;",
        "await Task.Delay(1); while (true) { }",
        "await Task.Run(() => { while (true) Math.Abs(-1); });",
    ],
)
def test_an_interrupt_ends_the_cell_and_keeps_the_state(csharp, code):
    csharp.run("long kept = 40;")
    future = csharp.submit(f'Console.WriteLine("{STARTED}");\n{code}')
    csharp.output.wait_for(STARTED)
    time.sleep(0.2)
    csharp.session.interrupt()
    assert future.result(20).status == "interrupted"
    csharp.run("kept = 41;")
    assert csharp.value("kept + 1") == "42"


def test_many_interrupts_of_one_session_keep_its_state(csharp):
    csharp.run("long kept = 41;")
    for code in ("while (true) { }", "while (true) Console.WriteLine(1);", "for (;;) kept = 41;"):
        for _ in range(3):
            csharp.output.events.clear()
            future = csharp.submit(f'Console.WriteLine("{STARTED}");\n{code}')
            csharp.output.wait_for(STARTED)
            csharp.session.interrupt()
            assert future.result(20).status == "interrupted", code
    assert csharp.value("kept + 1") == "42"


def test_loops_that_an_earlier_cell_started_go_on_when_another_is_interrupted(csharp):
    csharp.run(
        "long turns = 0; var all = Task.Run(() => { while (true) { turns++; Thread.Sleep(1); } });"
    )
    future = csharp.submit(f'Console.WriteLine("{STARTED}");\nwhile (true) Thread.Sleep(1);')
    csharp.output.wait_for(STARTED)
    csharp.session.interrupt()
    assert future.result(20).status == "interrupted"
    csharp.run("var before = turns; Thread.Sleep(100);")
    assert csharp.value("turns > before") == "True"


def test_an_error_beside_a_loop_is_told_at_its_own_place(csharp):
    result = csharp.submit("foreach (var x in new[] { 1 }) foo(x);").result(60)
    assert result.status == "error" and "line 1, column 32" in result.traceback[0]
    library = "namespace N { class E { int F(int x) { while (true) foo(x); } } }"
    result = csharp.submit(library).result(60)
    assert result.status == "error" and "line 1, column 53" in result.traceback[0]


def test_a_cell_that_watches_for_interrupts_ends_in_its_own_way(csharp):
    watches = "while (!Interrupted.IsCancellationRequested) Thread.Sleep(10);"
    future = csharp.submit(f'Console.WriteLine("{STARTED}");\n{watches}\n"done"')
    csharp.output.wait_for(STARTED)
    csharp.session.interrupt()
    assert future.result(20).data["text/plain"] == "done"


def test_what_computes_on_after_an_await_ends_the_host_with_a_message(csharp):
    future = csharp.submit(
        f'await Task.Delay(1); Console.WriteLine("{STARTED}"); again: goto again;'
    )
    csharp.output.wait_for(STARTED)
    csharp.session.interrupt()
    result = future.result(30)
    assert result.status == "ended"
    assert "could not be stopped" in result.evalue and "variables are lost" in result.evalue
    assert csharp.value("1 + 1") == "2"


def test_cells_that_wait_behind_an_interrupted_one_still_run(csharp):
    first = csharp.submit(f'Console.WriteLine("{STARTED}"); while (true) {{ }}')
    csharp.output.wait_for(STARTED)
    second = csharp.submit("6 * 7")
    csharp.session.interrupt()
    assert first.result(20).status == "interrupted"
    assert second.result(20).data["text/plain"] == "42"


# ---- what ends the host


def test_exit_in_a_cell_is_told_and_the_next_cell_starts_anew(csharp):
    csharp.run("var lost = 1;")
    result = csharp.run('Console.WriteLine("last words"); Environment.Exit(3);')
    assert result.status == "ended" and "exit code 3" in result.evalue
    assert "last words" in csharp.output.text()
    assert csharp.value("1 + 1") == "2"
    assert csharp.error("lost").ename == "CompilationError"


def test_a_stack_overflow_is_told_and_the_next_cell_starts_anew(csharp):
    result = csharp.run("int Deep(int n) => Deep(n + 1) + 1;\nDeep(0)")
    assert result.status == "ended" and "stack overflow" in result.evalue
    assert csharp.value("1 + 1") == "2"


def test_an_unhandled_exception_of_a_thread_is_told(csharp):
    result = csharp.run(
        'new Thread(() => throw new Exception("in a thread")).Start(); Thread.Sleep(5000);'
    )
    assert result.status == "ended"
    assert "in a thread" in csharp.output.text("stderr")
    assert csharp.value("1 + 1") == "2"


# ---- files and packages


def test_load_runs_a_file_and_r_refers_to_a_library(csharp):
    with open(os.path.join(csharp.session.directory, "more.cs"), "w") as file:
        file.write("int FromFile() => 7;")
    csharp.run('#load "more.cs"')
    assert csharp.value("FromFile()") == "7"
    assert "nothere.dll" in csharp.error('#r "nothere.dll"\n1').traceback[0]


def test_an_assembly_of_a_file_is_found_when_the_cell_runs(csharp):
    projects = paths.root() / "snippets" / "07-serializers" / "serializers"
    project = projects / "MemoryPackByHand" / "MemoryPackByHand.csproj"
    folder = runners.build_folder(project)
    runners.dotnet_build(project, "build", folder, lambda: None)
    for name in ("Contract", "MemoryPackByHand"):
        csharp.run(f'#r "{(folder / "out" / name).as_posix()}.dll"')
    assert csharp.value("using Serializers; new MemoryPackByHand().Serialize([]).Length") == "4"


def test_a_package_that_does_not_exist_is_a_clear_error(csharp):
    error = csharp.error('#r "nuget: No.Such.Package.Benchbook, 1.2.3"')
    assert error.ename == "PackageError"
    assert "No.Such.Package.Benchbook" in error.evalue
    assert csharp.value("1 + 1") == "2"


def test_a_package_is_restored_and_used(csharp):
    code = '#r "nuget: Humanizer.Core, 2.14.1"\nusing Humanizer;\n"PascalCase".Humanize()'
    assert csharp.value(code) == "Pascal case"
    assert csharp.value('"AnotherOne".Humanize()') == "Another one"


def test_the_newest_package_that_this_net_can_use_is_taken(open_csharp, tmp_path, monkeypatch):
    """As with .NET's own packages, whose newest version is for the newest .NET alone."""
    name = package_for_newer_net(tmp_path)
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path / "packages"))
    csharp = open_csharp()
    csharp.run(f'#i "nuget: {tmp_path}"\n#r "nuget: {name}"')
    assert "1.0.0" in os.listdir(tmp_path / "packages" / name.lower())
    error = told(csharp, f'#r "nuget: {name}, 2.0.0"')
    assert "NU1202" in error and name in error


def test_a_library_finds_those_beside_it(csharp, tmp_path):
    for name, text, more in (
        ("Inner", "public class Inside { public static int Answer => 42; }", ""),
        (
            "Outer",
            "public class Outside { public static int Ask() => Inside.Answer; }",
            '<ItemGroup><ProjectReference Include="../Inner/Inner.csproj" /></ItemGroup>',
        ),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "Code.cs").write_text(text)
        target = "<PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>"
        project = f'<Project Sdk="Microsoft.NET.Sdk">{target}{more}</Project>'
        (folder / f"{name}.csproj").write_text(project)
    command = ["dotnet", "build", str(folder / "Outer.csproj"), "-o", str(tmp_path / "out")]
    code, output = runners.run([*command, "-nodeReuse:false"], tmp_path)
    assert code == 0, output
    assert csharp.value(f'#r "{tmp_path}/out/Outer.dll"\nOutside.Ask()') == "42"


def test_a_source_that_can_not_be_reached_costs_no_later_cell(csharp, tmp_path):
    csharp.run(f'#i "nuget: {tmp_path}/nowhere"')
    csharp.run('#r "nuget: Humanizer.Core, 2.14.1"')  # may fail, as the source is not there
    csharp.run('#r "nuget: Humanizer.Core, 2.14.1"')
    assert csharp.value('using Humanizer;\n"PascalCase".Humanize()') == "Pascal case"


# ---- namespaces and extension classes, which are libraries


def test_a_namespace_that_a_later_cell_uses_can_be_declared_again(csharp):
    csharp.run('namespace Shop { class Item { public string Name = "pen"; } }')
    csharp.run("var item = new Shop.Item();")
    csharp.run('namespace Shop { class Item { public string Name = "book"; } }')
    assert csharp.value("new Shop.Item().Name + item.Name") == "bookpen"


def test_an_extension_class_that_a_later_cell_uses_can_be_declared_again(csharp):
    csharp.run("static class Ext { public static int Times(this int n) => 2 * n; }")
    csharp.run("var four = 2.Times();")
    csharp.run("static class Ext { public static int Times(this int n) => 3 * n; }")
    assert csharp.value("2.Times() + four") == "10"


def test_types_that_are_not_declared_again_stay_and_use_those_that_are(csharp):
    csharp.run(
        "using Sums = System.Collections.Generic.List<int>;\n"
        "namespace Zoo { class Cat { public int Legs = 4; } delegate Sums Count(Cat cat);\n"
        "class Dog { public Cat Foe = new(); public int Fail() => throw new Exception(); } }"
    )
    csharp.run("var dog = new Zoo.Dog();")
    csharp.run("namespace Zoo { class Cat { public int Legs = 3; } }")
    assert csharp.value("new Zoo.Dog().Foe.Legs * 10 + dog.Foe.Legs") == "34"
    assert csharp.value("Zoo.Count count = cat => [cat.Legs];\ncount(new())") == "[ 3 ]"
    assert "in cell 1, line 3" in "\n".join(csharp.error("new Zoo.Dog().Fail()").traceback)


def test_a_namespace_that_uses_another_keeps_its_version_until_it_is_run_again(csharp):
    zoo = "namespace Zoo {{ class Cat {{ public int Legs = {}; }} }}"
    farm = "namespace Farm { class Barn { public Zoo.Cat Cat = new(); } }"
    csharp.run(zoo.format(4))
    csharp.run(farm)
    csharp.run("var barn = new Farm.Barn();")
    csharp.run(zoo.format(3))
    assert csharp.value("new Farm.Barn().Cat.Legs") == "4"
    csharp.run(farm)
    assert csharp.value("new Farm.Barn().Cat.Legs") == "3"


def test_a_cell_that_declares_types_of_several_anew_replaces_them_all(csharp):
    csharp.run("namespace A { class One { public int N = 1; } class Other { public int N = 10; } }")
    csharp.run("namespace B { class Two { public int N = 2; } }")
    csharp.run("var sum = new A.One().N + new B.Two().N;")
    both = "namespace A {{ class One {{ public int N = {0}; }} }}\n"
    both += "namespace B {{ class Two {{ public int N = {0}; }} }}"
    for n in (5, 7):
        assert csharp.run(both.format(n)).status == "ok"
        assert csharp.value("new A.One().N + new B.Two().N + new A.Other().N") == str(2 * n + 10)
    assert csharp.value("sum") == "3"


def test_a_type_that_does_not_go_with_what_is_declared_anew_is_dropped(csharp):
    csharp.run(
        "namespace Zoo { class Cat { public int Legs = 4; }"
        " class Dog { public int N = new Cat().Legs; } }"
    )
    csharp.run("namespace Zoo { class Cat { public int Paws = 3; } }")
    assert csharp.value("new Zoo.Cat().Paws") == "3"
    assert "Dog" in csharp.error("new Zoo.Dog()").evalue


# ---- input, sharing, completion


def test_read_line_asks_the_reader(csharp):
    future = csharp.submit("Console.ReadLine() + Console.ReadLine()")
    csharp.output.answers.extend(["a", "b"])
    assert future.result(20).data["text/plain"] == "ab"


def test_a_password_is_asked_for_without_showing_it(csharp):
    asked = []
    future = csharp.submit('password("Key: ")')
    csharp.output.input = lambda prompt, password: asked.append((prompt, password)) or "secret"
    assert future.result(20).data["text/plain"] == "secret"
    assert asked == [("Key: ", True)]


def test_a_kernel_asks_as_net_interactives_does(csharp):
    running = csharp.submit(
        'var name = await Kernel.GetInputAsync("Who?");\n'
        'var secret = await Microsoft.DotNet.Interactive.Kernel.GetPasswordAsync("Word?");\n'
        '$"{name} {secret} {secret.GetClearTextPassword()}"'
    )
    csharp.output.answers += ["Ada", "abc"]
    assert running.result(60).data["text/plain"] == "Ada *** abc"


def test_a_type_may_be_called_kernel(csharp):
    csharp.run("namespace Popcorn { public class Kernel { public int Size = 4; } }")
    assert csharp.value("using Popcorn;\nnew Kernel().Size") == "4"
    assert csharp.value("Kernel later = new();\nlater.Size") == "4"


@pytest.mark.parametrize("value", [1, 2**40, 1.5, 'a"b\n', True, [1, 2], {"a": [1, {"b": None}]}])
def test_values_go_in_and_come_out_as_json(csharp, value):
    assert csharp.run(csharp.session.import_code("given", json.dumps(value))).status == "ok"
    exported = csharp.run(csharp.session.export_code("given"))
    assert json.loads(exported.data[SHARED_TYPE]) == value


def test_what_is_not_finite_comes_out_as_null(csharp):
    csharp.run(
        "var all = new { A = new[] { 1.5, double.NaN }, B = float.PositiveInfinity, "
        "C = (double?)0.1, D = new Dictionary<double, Half> { [0.5] = Half.NaN } };"
    )
    exported = csharp.run(csharp.session.export_code("all"))
    wanted = {"A": [1.5, None], "B": None, "C": 0.1, "D": {"0.5": None}}
    assert json.loads(exported.data[SHARED_TYPE]) == wanted


def matches(bench, code):
    return [m.text for m in bench.session.complete(code, len(code)).result(20).matches]


def test_completion_knows_members_variables_and_keywords(csharp):
    csharp.run("var number = 5; string Hello(int times) => null;")
    assert "WriteLine" in matches(csharp, "Console.Wr")
    assert "Select" in matches(csharp, "new[] { 1 }.Sel")
    assert "number" in matches(csharp, "1 + num")
    assert "Hello" in matches(csharp, "Hel")
    assert "foreach" in matches(csharp, "fore")
    assert "Length" in matches(csharp, 'var s = "é😀";\ns.Len')
    assert "StringBuilder" in matches(csharp, "new Stri")
    assert matches(csharp, "number.") and "WriteLine" not in matches(csharp, "number.")


def test_completion_says_what_it_replaces(csharp):
    csharp.run("")
    code = 'var s = "😀"; Console.Wri + 1'
    found = csharp.session.complete(code, code.index(" + 1")).result(20)
    assert code[found.start : found.end] == "Wri"


def test_inspection_shows_signatures(csharp):
    csharp.run("/// <summary>Says hello.</summary>\nstring Hello(int times) => null;")
    shown = csharp.session.inspect("Hello(", 6, 0).result(20)["text/plain"]
    assert "string Hello(int times)" in shown
    shown = csharp.session.inspect("Math.Max(1, ", 12, 0).result(20)["text/plain"]
    assert "int Math.Max(int val1, int val2)" in shown and "double" in shown
    assert csharp.session.inspect("nothing_here", 3, 0).result(20) is None
