"""The benchbook-csharp kernel as a front end sees it, and the `#!` lines of public notebooks."""

import json
import time

import pytest
from recorders import TIMEOUT_SECONDS, Client
from jupyter_client.manager import start_new_kernel


@pytest.fixture(scope="module")
def kernel(kernelspec_environment, tmp_path_factory):
    """One kernel for all: a cell must not disturb the next."""
    folder = tmp_path_factory.mktemp("notebook")
    manager, client = start_new_kernel(
        kernel_name="benchbook-csharp", startup_timeout=TIMEOUT_SECONDS, cwd=str(folder)
    )
    yield Client(manager, client)
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def shown(cell, mime="text/plain"):
    return [content["data"].get(mime) for content in cell.of("display_data")]


def test_says_that_it_speaks_csharp(kernel):
    language = kernel.reply(kernel.client.kernel_info())["language_info"]
    assert language["name"] == "C#" and language["pygments_lexer"] == "csharp"
    assert language["mimetype"] == language["codemirror_mode"] == "text/x-csharp"
    assert language["file_extension"] == ".cs"
    assert language["version"][0].isdigit()


def test_plain_cells_are_csharp_and_keep_their_state(kernel):
    assert kernel.run("var x = await Task.FromResult(41);").of("execute_result") == []
    assert kernel.run("x + 1").value == "42"


@pytest.mark.parametrize(
    "code, value",
    [
        ('!string.IsNullOrEmpty("a")', "True"),
        ('!int.TryParse("x", out _)', "True"),
        ("!new[] { 1, 2 }.Any()", "False"),
        ("!true", "False"),
    ],
)
def test_a_cell_may_begin_with_a_negation(kernel, code, value):
    assert kernel.run(code).value == value


def test_python_bash_and_node_are_a_line_away(kernel):
    assert kernel.run("%%python\n6 * 7").value == "42"
    assert kernel.run("%%node\n[1, 2].map((n) => n * 2)").value == "[ 2, 4 ]"
    assert kernel.run("%%bash\necho from bash").text() == "from bash\n"


def test_csharp_is_a_line_away_in_a_node_notebook(open_kernel):
    node = open_kernel()
    assert node.run("%%csharp\nvar y = 20;\ny + 1").value == "21"
    assert node.run("%%csharp\ny").value == "20"


def test_an_error_points_into_the_cell_and_its_lines(kernel):
    cell = kernel.run("%lsmagic\n\nint z = nope;")
    assert "line 3, column 9: error CS0103" in "\n".join(cell.reply["traceback"])


def test_an_interrupt_keeps_the_state(kernel):
    kernel.run("var kept = 41;")
    reply = kernel.interrupt_when('Console.WriteLine("go"); while (true) { }', "go")
    assert reply["status"] == "error" and reply["ename"] == "KeyboardInterrupt"
    assert kernel.run("kept + 1").value == "42"


def test_display_updates_in_its_place(kernel):
    cell = kernel.run('var handle = display("one"); handle.Update("two");')
    (first,), (second,) = cell.of("display_data"), cell.of("update_display_data")
    assert first["transient"] == second["transient"] and first["transient"]["display_id"]
    assert second["data"]["text/plain"] == "two"


@pytest.fixture
def asked(kernel):
    """Runs a cell, gives an answer to all that it asks; the cell, and what it asked for."""

    def run(code, answer):
        requests = []

        def reply(message):
            requests.append((message["content"]["prompt"], message["content"]["password"]))
            kernel.client.input(answer)

        return kernel.run(code, allow_stdin=True, stdin_hook=reply), requests

    return run


def test_read_line_is_an_input_request(asked):
    cell, requests = asked('var who = Console.ReadLine();\nConsole.Write($"hi {who}");', "Ann")
    assert cell.reply["status"] == "ok"
    assert requests == [("", False)] and cell.text() == "hi Ann"


def test_read_line_where_nobody_can_be_asked_says_so(kernel):
    code = 'var none = Console.ReadLine();\nnone is null ? "nobody" : "?"'
    cell = kernel.run(code, allow_stdin=False)
    assert cell.value == "nobody"
    assert "nobody can be asked" in cell.text("stderr")


# ---- #! lines


def test_language_lines_switch_within_a_cell(kernel):
    cell = kernel.run(
        '#!csharp\nConsole.WriteLine("c");\n#!python\nprint("p")\n#!node\nconsole.log("n")\n'
        '#!csharp\nConsole.WriteLine("d");'
    )
    assert cell.reply["status"] == "ok"
    assert cell.text().split() == ["c", "p", "n", "d"]


def test_an_error_below_a_language_line_keeps_its_line(kernel):
    cell = kernel.run("#!node\n1\n#!csharp\nint w = nope;")
    assert "line 4, column 9" in "\n".join(cell.reply["traceback"])


def test_html_markdown_and_mermaid_are_shown(kernel):
    assert shown(kernel.run("#!html\n<b>bold</b>"), "text/html") == ["<b>bold</b>"]
    assert shown(kernel.run("#!markdown\n# Title"), "text/markdown") == ["# Title"]
    assert shown(kernel.run("#!mermaid\ngraph TD"), "text/vnd.mermaid") == ["graph TD"]


def test_javascript_runs_in_node_and_what_is_for_the_page_goes_there(kernel):
    assert kernel.run("#!javascript\nconsole.log(6 * 7)").text() == "42\n"
    cell = kernel.run("#!javascript\n[1, 2, 3].forEach(element => console.log(element * 2));")
    assert cell.text() == "2\n4\n6\n"
    cell = kernel.run("#!javascript\ndocument.title = 'x'")
    assert shown(cell, "application/javascript") == ["document.title = 'x'"]


def test_what_is_shared_with_javascript_reaches_the_page_and_node(kernel):
    kernel.run('var told = new[] { "a" };')
    script = "document.title = `The value is ${told} ${count}`;"
    share = "#!javascript\n#!share --from csharp told\n#!set --name count --value 3\n"
    cell = kernel.run(share + script)
    declared = 'var told = ["a"];\nvar count = 3;\n'
    assert shown(cell, "application/javascript") == [declared + script]
    assert shown(cell) == [script]
    assert kernel.run("#!javascript\ntold[0] + count").value == "'a3'"


def test_javascript_may_return_its_value(kernel):
    assert kernel.run("#!javascript\nreturn 1 + 1;").value == "2"
    code = "var one = 1;\n#!javascript\nconst n = await Promise.resolve(3);\nreturn n * 2 // twice"
    assert kernel.run(code).value == "6"
    reply = kernel.run("#!javascript\nif (true) return null.x").reply
    assert any(":2:23" in line for line in reply["traceback"]), reply
    cell = kernel.run("#!javascript\nconsole.log('once')\neval('return 1')")
    assert cell.text() == "once\n" and cell.reply["ename"] == "SyntaxError"
    assert kernel.run("%%node\nreturn 1").reply["status"] == "error"


def test_time_is_told(kernel):
    cell = kernel.run("#!time\nThread.Sleep(20);")
    (text,) = shown(cell)
    assert text.startswith("Wall time: ") and text.endswith(" ms")


@pytest.mark.parametrize("source", ["csharp", "node", "python"])
@pytest.mark.parametrize("into", ["csharp", "node", "python"])
def test_values_are_shared_between_languages(kernel, source, into):
    if source == into:
        return
    declare = {"csharp": "var sent = new[] { 1, 2, 40 };", "python": "sent = [1, 2, 40]"}
    last = {
        "csharp": "got.RootElement[2].GetInt32() + 2",
        "node": "got[2] + 2",
        "python": "got[2] + 2",
    }
    assert kernel.run(f"#!{source}\n{declare.get(source, 'var sent = [1, 2, 40]')}").reply[
        "status"
    ] == ("ok")
    cell = kernel.run(f"#!{into}\n#!share --from {source} sent --as got\n{last[into]}")
    assert cell.value == "42", cell.reply


@pytest.mark.parametrize(
    "source, code, into, last",
    [
        ("csharp", "var large = Enumerable.Range(0, 500_000).ToArray();", "node", "large.length"),
        (
            "node",
            "var large = Array.from({ length: 500_000 }, (_, i) => i)",
            "python",
            "len(large)",
        ),
    ],
)
def test_a_value_larger_than_a_cells_output_is_shared(kernel, source, code, into, last):
    kernel.run(f"#!{source}\n{code}")
    cell = kernel.run(f"#!{into}\n#!share --from {source} large\n{last}")
    assert cell.value == "500000", cell.reply


def test_numbers_that_json_lacks_are_shared_as_null(kernel):
    kernel.run("#!python\nx = [1.0, float('nan'), {'a': float('inf')}]")
    cell = kernel.run("#!node\n#!share --from python x\nJSON.stringify(x)")
    assert cell.value == "'[1,null,{\"a\":null}]'", cell.reply


def test_set_and_value(kernel):
    both = '#!set --name n --value 41\n#!set --name s --value "two words"'
    cell = kernel.run(both + '\n$"{n + 1} {s}"')
    assert cell.value == "42 two words"
    kernel.run("#!value --name text\nline one\nline two")
    cell = kernel.run("#!share --from value text\ntext.Split('\\n').Length")
    assert cell.value == "2"
    kernel.run("#!python\np = 'from python'")
    assert kernel.run("#!set --name q --value @python:p\nq").value == "from python"


def test_set_and_value_ask_the_reader(kernel, asked):
    cell, requests = asked('#!set --name answer --value @input:"How many?"\nanswer + 1', "@x 4")
    assert requests == [("How many?", False)]
    assert cell.value == "@x 41", cell.reply
    cell, requests = asked("#!value --name secret --from-value @password:token", "--007")
    assert requests == [("token", True)]
    assert kernel.run("#!share --from value secret\nsecret").value == "--007", cell.reply
    assert asked("#!set --name word --value=@input\nword", "w")[0].value == "w"
    cell, requests = asked("#!share --from python @input:x", "y")
    assert not requests and cell.reply["status"] == "error"


@pytest.mark.parametrize("options", [{"allow_stdin": False}, {"silent": True}])
def test_a_question_where_nobody_can_be_asked_says_so(kernel, options):
    reply = kernel.run("#!set --name none --value @input:x", **options).reply
    assert reply["status"] == "error" and "nobody can be asked" in reply["evalue"]
    assert kernel.run("1 + 1").value == "2"


def test_a_question_can_be_interrupted(kernel):
    def interrupt(_):
        kernel.manager.interrupt_kernel()

    code = "#!set --name none --value @input:x"
    reply = kernel.run(code, allow_stdin=True, stdin_hook=interrupt).reply
    assert reply["status"] == "error" and reply["ename"] == "KeyboardInterrupt"
    assert kernel.run("1 + 1").value == "2"


@pytest.mark.parametrize(
    "code, wanted",
    [
        ("#!share --from csharp no_such_variable", "no_such_variable"),
        ("#!share --from fsharp x", "fsharp"),
        ("#!share x", "--from"),
        ("#!set --name 1x --value 2", "not the name of a variable"),
        ("""#!set --name x --value @input:'{"prompt": "y"}'""", '@input:"a prompt"'),
        ("#!value --name v --from-file nowhere.txt", "nowhere.txt"),
        ("#!fsharp\nlet x = 1", "#!fsharp is not known here"),
    ],
)
def test_a_line_that_cannot_be_done_says_why(kernel, code, wanted):
    cell = kernel.run(f"#!python\n{code}" if "no_such" in code else code)
    assert cell.reply["status"] == "error" and wanted in cell.reply["evalue"]
    assert kernel.run("1 + 1").value == "2"


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
        ("missing.dib", "can't be read"),
        ("itself.dib", "imports itself"),
        ("other.ipynb", "cells of 'fsharp'"),
        ("torn.ipynb", "not a notebook"),
        ("text.txt", "does not know .txt"),
    ],
)
def test_a_file_that_cannot_be_imported_says_why(kernel, files, name, wanted):
    cell = kernel.run(f"#!import {files}/{name}")
    assert cell.reply["status"] == "error" and wanted in cell.reply["evalue"]


def test_who_and_whos_list_variables(kernel):
    assert kernel.run("var listed = 41;").reply["status"] == "ok"
    assert kernel.run("var listed = 42.5;").reply["status"] == "ok"
    assert "listed" in shown(kernel.run("#!who"))[0]
    rows = [line.split() for line in shown(kernel.run("#!whos"))[0].splitlines()]
    assert ["listed", "System.Double", "42.5"] in rows
    reply = kernel.run("#!python\n#!whos").reply
    assert reply["status"] == "error" and "%whos" in reply["evalue"]


def test_lsmagic_and_about(kernel):
    (text,) = shown(kernel.run("#!lsmagic"))
    assert "#!share" in text and "#!csharp" in text
    (text,) = shown(kernel.run("#!about"))
    assert "Benchbook" in text and "C#" in text


# ---- completion, another engine, the end


def test_tab_and_shift_tab_answer(kernel):
    kernel.run("1")
    code = "Console.Wri"
    deadline = time.monotonic() + TIMEOUT_SECONDS
    matches = []
    while not matches and time.monotonic() < deadline:  # the first answer may come late
        matches = kernel.reply(kernel.client.complete(code, len(code)))["matches"]
    assert "WriteLine" in matches
    reply = kernel.reply(kernel.client.inspect("Math.Max(", 9))
    assert reply["found"] and "Math.Max(" in reply["data"]["text/plain"]


def test_another_kernel_can_run_the_cells(open_kernel):
    host = open_kernel()
    cell = host.run("%engine csharp benchbook-node")
    assert cell.reply["status"] == "ok", cell.reply
    cell = host.run("%%csharp\nconsole.log('relayed'); display.html('<b>b</b>'); 6 * 7")
    assert cell.text() == "relayed\n"
    assert [each for each in shown(cell, "text/html") if each] == ["<b>b</b>"]
    assert cell.value == "42"
    cell = host.run("%%csharp\nthrow new TypeError('relayed error')")
    assert cell.reply["ename"] == "TypeError"
    assert host.run("%engine csharp benchbook").reply["status"] == "ok"
    assert host.run("%%csharp\nnew[] { 1 }.Length").value == "1"


def test_an_engine_that_is_not_installed_is_a_clear_error(kernel):
    cell = kernel.run("%engine csharp .net-nowhere")
    assert "no Jupyter kernel '.net-nowhere'" in "\n".join(cell.reply["traceback"]) + cell.text(
        "stderr"
    )
    assert kernel.run("1 + 1").value == "2"


def test_the_host_ends_with_the_kernel(kernelspec_environment, ends, tmp_path):
    manager, client = start_new_kernel(
        kernel_name="benchbook-csharp", startup_timeout=TIMEOUT_SECONDS, cwd=str(tmp_path)
    )
    bench = Client(manager, client)
    pid = int(bench.run("Environment.ProcessId").value)
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    assert ends(pid)


def test_a_build_in_a_cell_says_how_it_went_and_no_more(kernel, tmp_path):
    """It has a terminal there, and would show its progress by moving the cursor."""
    properties = "<TargetFramework>net10.0</TargetFramework>"
    project = (
        f'<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>{properties}</PropertyGroup></Project>'
    )
    (tmp_path / "quiet.csproj").write_text(project)
    (tmp_path / "A.cs").write_text("class A;")
    said = kernel.run(f"!dotnet build {tmp_path} -v quiet -nologo --disable-build-servers").text()
    assert "Build succeeded." in said and "\x1b" not in said and len(said.splitlines()) < 12
