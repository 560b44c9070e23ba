"""`#!` lines that say in which language the lines below them are."""

import pytest
from recorders import shown

pytestmark = pytest.mark.slow("starts a C# session")


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
