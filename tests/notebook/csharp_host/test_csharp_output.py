"""What C# cells print and display, and how their values look."""

import json

import pytest
from recorders import TIMEOUT_SECONDS


def test_20000_lines_arrive_in_order(csharp):
    csharp.run("for (var i = 0; i < 20000; i++) Console.WriteLine(i);")
    assert csharp.output.text().split("\n") == [*map(str, range(20000)), ""]


def test_output_comes_while_the_cell_runs(csharp):
    future = csharp.submit('Console.WriteLine("first"); Thread.Sleep(60000);')
    csharp.output.wait_for("first")
    assert not future.done()
    csharp.session.interrupt()
    assert future.result(TIMEOUT_SECONDS).status == "interrupted"


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
    assert (
        future.result(TIMEOUT_SECONDS).data["text/plain"].strip()
        == "from the reader, from a reader"
    )


def test_a_display_as_the_value_of_a_cell_is_shown_once(csharp):
    result = csharp.run("5.Display()")
    assert result.data is None and [
        data["text/plain"] for _, data, *_ in csharp.output.displays
    ] == ["5"]


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
    assert csharp.submit(code).result(TIMEOUT_SECONDS).data["text/plain"] == "True"


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
