"""The benchbook-node kernel as a front end sees it."""

import json
import os
import signal
import sys
import time

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from positions import answer_everywhere
from recorders import TIMEOUT_SECONDS

from benchbook.system import kernels

# ---- languages


def test_says_that_it_speaks_javascript(kernel):
    info = kernel.reply(kernel.client.kernel_info())
    language = info["language_info"]
    assert language["name"] == language["codemirror_mode"] == "javascript"
    assert language["pygments_lexer"] == "javascript"
    assert language["mimetype"] == "text/javascript"
    assert language["file_extension"] == ".js"
    assert language["version"] == kernel.run("process.versions.node").value.strip("'")
    assert "debugger" not in info.get("supported_features", [])


def test_a_plain_cell_is_javascript_and_keeps_its_state(kernel):
    assert kernel.run("const x = await Promise.resolve(41)").of("execute_result") == []
    cell = kernel.run("x + 1")
    assert cell.value == "42"
    (result,) = cell.of("execute_result")
    (shown,) = cell.of("execute_input")
    assert result["execution_count"] == shown["execution_count"] == cell.reply["execution_count"]
    assert kernel.run("x").reply["execution_count"] == cell.reply["execution_count"] + 1


def test_printing_is_plain_and_in_order(kernel):
    cell = kernel.run("console.log({ a: 1 }); for (let i = 0; i < 20000; i++) console.log(i)")
    assert cell.text().split("\n") == ["{ a: 1 }", *map(str, range(20000)), ""]


def test_python_cells_run_in_the_kernels_own_python(kernel):
    kernel.run("%%python\nshared = 6")
    cell = kernel.run(
        "%%python\nfrom IPython.display import display\n"
        "display({'application/vnd.plotly.v1+json': {'data': [shared]}}, raw=True)\nprint('p')\n"
        "shared * 7"
    )
    assert cell.value == "42"
    assert cell.text() == "p\n"
    (shown,) = cell.of("display_data")
    assert shown["data"] == {"application/vnd.plotly.v1+json": {"data": [6]}}
    assert kernel.run("%%python\n1/0").reply["ename"] == "ZeroDivisionError"
    assert kernel.run("typeof shared").value == "'undefined'"


def test_other_cells_and_lines_of_ipython(kernel):
    assert kernel.run("%%bash\necho from bash").text().strip() == "from bash"
    assert kernel.run("!echo from a shell").text().strip() == "from a shell"
    assert kernel.run("!echo $TERM $DOTNET_NOLOGO").text().split() == ["dumb", "1"]
    assert kernel.run("%%node\n6 * 7").value == "42"
    assert kernel.run("%nosuchmagic").reply["status"] == "error"


def test_magics_at_the_head_run_before_the_javascript(kernel):
    cell = kernel.run("// a comment\n%env BENCHBOOK_TEST=1\n!echo shell\nconsole.log('node'); 5")
    assert cell.text().split() == ["env:", "BENCHBOOK_TEST=1", "shell", "node"]
    assert cell.value == "5"
    failed = kernel.run("%nosuchmagic\nconsole.log('not run')")
    assert failed.reply["status"] == "error"
    assert "not run" not in failed.text()
    number = kernel.run("1").reply["execution_count"]
    mixed = kernel.run("%time 7\n8")
    counts = {each["execution_count"] for each in mixed.of("execute_result")}
    assert counts == {number + 1}


@pytest.mark.parametrize(
    "cell, meant",
    [
        ("%rase", "%race"),
        ("%verdct", "%verdict"),
        ("%%varaint no-header\nx", "%%variant"),
        ("%%bechmark\npublic class A { }", "%%benchmark"),
        ("%race --foto 1", "no option '--foto'"),
        ("%race --tol wrk", "'--tool'"),
        ("%race --tool wkr", "'wrk'"),
        ("%race --varaints a", "'--variants'"),
        ("%experiment 44", "'04-setheader-vs-writehead'"),
        ("%experiment setheader", "'04-setheader-vs-writehead'"),
        ("%lesson interleving", "'interleaving'"),
        ("%plot sampels", "'samples'"),
        ("%engine cshap x", "'csharp'"),
    ],
)
def test_a_misspelt_word_gets_the_nearest(kernel, cell, meant):
    reply = kernel.run(cell).reply
    assert reply["status"] == "error" and meant in reply["evalue"]


def test_an_interrupt_of_pythons_cells_is_a_sentence(kernel):
    reply = kernel.interrupt_when("%%python\nprint('on', flush=True)\nwhile True: pass", "on")
    assert reply["status"] == "error"
    assert len(reply["traceback"]) == 1 and "was interrupted" in reply["traceback"][0]


def test_a_language_without_a_session_says_what_there_is(kernel):
    reply = kernel.run("%engine fsharp somewhere").reply
    assert reply["status"] == "error"
    assert "no fsharp session" in reply["evalue"] and "%%csharp" in reply["evalue"]


def test_an_exclamation_mark_before_a_name_of_the_session_is_javascript(kernel):
    kernel.run("let done = false")
    assert kernel.run("!done").value == "true"


def test_an_exclamation_mark_before_a_word_of_the_language_is_javascript(kernel):
    cell = kernel.run("!function () { console.log('iife') }()")
    assert (cell.text(), cell.value) == ("iife\n", "true")
    assert kernel.run("!0").value == "true"


def test_node_cells_inside_python_code(kernel):
    code = "get_ipython().run_cell_magic('node', '', 'console.log(1); 6 * 7'); print('after')"
    cell = kernel.run(f"%%python\n{code}")
    assert cell.text().split() == ["1", "after"]
    assert cell.of("display_data")[0]["data"]["text/plain"] == "42"


# ---- questions


def page(cell) -> str:
    (payload,) = cell.reply["payload"]
    assert payload["source"] == "page"
    return payload["data"]["text/plain"]


def test_questions(kernel):
    kernel.run("function half(x) { return x / 2 }")
    assert "Signature: half(x)" in page(kernel.run("half?"))
    assert "return x / 2" in page(kernel.run("half??"))
    assert "Docstring" in page(kernel.run("%time?"))
    assert "Node.js session" in page(kernel.run("%%node?"))
    assert "not found" in kernel.run("nothingOfTheKind?").text()


def test_completion_in_the_language_at_the_cursor(kernel):
    kernel.run("const measured = 1")
    assert kernel.complete("measu")["matches"] == ["measured"]
    found = kernel.complete("'😀'; process.ver")
    assert found["matches"] == ["version", "versions"]
    assert (found["cursor_start"], found["cursor_end"]) == (13, 16)
    assert "%%bash" in kernel.complete("%%bas")["matches"]
    assert kernel.complete("%ra")["matches"][0] == "%race"
    code = "%%python\nimport os\nos.pathco"
    found = kernel.complete(code)
    assert any(each.endswith("pathconf") for each in found["matches"])
    assert found["cursor_end"] == len(code)
    assert "floor" in kernel.complete("%env\nMath.flo")["matches"]


def test_completion_on_lines_of_magics(kernel):
    answer_everywhere(kernel)


def test_inspection_in_the_language_at_the_cursor(kernel):
    assert "Signature: Math.max" in kernel.inspect("Math.max(1, ")["data"]["text/plain"]
    assert "len" in kernel.inspect("%%python\nlen")["data"]["text/plain"]
    assert kernel.inspect("nothingOfTheKind")["found"] is False


# ---- errors


def test_an_error_is_an_error_for_front_ends(kernel):
    cell = kernel.run("const f = () => {\n  throw new TypeError('wrong')\n}\nf()")
    number = cell.reply["execution_count"]
    (error,) = cell.of("error")
    assert error["ename"] == cell.reply["ename"] == "TypeError"
    assert error["evalue"] == "wrong"
    assert f"    at f (cell {number}:2:9)" in error["traceback"]
    assert not any("node" in line for line in error["traceback"])


def test_line_numbers_are_the_cells_own_below_magics(kernel):
    cell = kernel.run("%env\n\nthrow new Error('x')")
    assert any(":3:7" in line for line in cell.reply["traceback"])
    cell = kernel.run("%%node\nlet a = ;")
    assert any(line.endswith(":2") for line in cell.reply["traceback"])


def test_nbclient_stops_at_an_error(kernelspec_environment, tmp_path):
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(code) for code in ("1 + 1", "throw new Error('stop')")],
        metadata={"kernelspec": {"name": "benchbook-node", "display_name": "", "language": ""}},
    )
    client = NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}})
    with kernels.private_address(client.create_kernel_manager()):
        with pytest.raises(CellExecutionError, match="stop"):
            client.execute()
    assert notebook.cells[0].outputs[0]["data"]["text/plain"] == "2"
    assert notebook.cells[1].outputs[0]["output_type"] == "error"


# ---- interrupt


@pytest.mark.parametrize(
    "code",
    [
        "console.log('up'); while (true) {}",
        "await 1; console.log('up'); while (true) {}",
        "console.log('up'); await new Promise(() => {})",
        "%env\nconsole.log('up'); while (true) {}",
        "%%python\nget_ipython().run_cell_magic('node', '', 'console.log(`up`); while(true) {}')",
        # no single long sleep: Python misses a signal that comes just before it begins one
        "%%python\nimport time\nprint('up', flush=True)\nwhile True: time.sleep(0.05)",
    ],
)
def test_an_interrupt_ends_the_cell_and_keeps_the_session(kernel, code):
    kernel.run("var kept = 41")
    reply = kernel.interrupt_when(code, "up")
    assert reply["status"] == "error"
    assert kernel.run("kept + 1").value == "42"
    assert kernel.run("%%python\n6 * 7").value == "42"


def test_the_error_of_an_interrupted_cell(kernel):
    reply = kernel.interrupt_when("console.log('up'); while (true) {}", "up")
    assert reply["ename"] == "KeyboardInterrupt"
    assert reply["traceback"] == [
        "KeyboardInterrupt: the cell was interrupted; the session and its variables are kept"
    ]


def test_an_interrupt_between_cells_changes_nothing(kernel):
    kernel.run("var kept = 41")
    kernel.manager.interrupt_kernel()
    assert kernel.run("kept").value == "41"


def test_a_front_end_may_interrupt_with_a_message(kernel, monkeypatch):
    monkeypatch.setattr(kernel.manager.kernel_spec, "interrupt_mode", "message")
    kernel.run("var kept = 41")
    reply = kernel.interrupt_when("console.log('up'); while (true) {}", "up")
    assert reply["ename"] == "KeyboardInterrupt"
    assert kernel.run("kept + 1").value == "42"


AS_ON_WINDOWS = """
from benchbook.notebook import __main__
from benchbook_kernels.notebook import cell_run, kernel
from benchbook_kernels.notebook.sessions import session

kernel.WINDOWS = True
cell_run.WAKE_SECONDS = session.WAKE_SECONDS = 0.2
__main__.main()
"""


def test_an_interrupt_without_signals_as_on_windows(open_kernel, tmp_path, monkeypatch):
    folder = tmp_path / "kernels" / "as-on-windows"
    folder.mkdir(parents=True)
    spec = {
        "argv": [sys.executable, "-c", AS_ON_WINDOWS, "node", "-f", "{connection_file}"],
        "display_name": "",
        "language": "javascript",
        "interrupt_mode": "message",
    }
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    kernel = open_kernel("as-on-windows")
    kernel.run("var kept = 41")
    for code in (
        "console.log('up'); while (true) {}",
        "%%python\nget_ipython().run_cell_magic('node', '', 'console.log(`up`); while(true) {}')",
        "%%python\nprint('up', flush=True)\nimport time\nwhile True: time.sleep(0.1)",
    ):
        assert kernel.interrupt_when(code, "up")["status"] == "error"
        assert kernel.run("kept + 1").value == "42"


# ---- output that comes late, or comes updated


def test_output_after_the_cell_appears_under_it(kernel):
    number = kernel.client.execute("setTimeout(() => console.log('late'), 300); undefined")
    assert kernel.reply(number)["status"] == "ok"
    came = kernel.messages("iopub", number)
    assert any("late" in message["content"].get("text", "") for message in came)


def test_display_and_its_update(kernel):
    cell = kernel.run("const shown = display.html('<b>1</b>'); shown.update({ 'text/html': '2' })")
    (first,) = cell.of("display_data")
    (second,) = cell.of("update_display_data")
    assert first["data"] == {"text/html": "<b>1</b>", "text/plain": "<b>1</b>"}
    assert second["data"] == {"text/html": "2"}
    assert first["transient"] == second["transient"]


# ---- ends


def test_the_end_of_the_session_is_an_error_and_the_next_cell_works(kernel):
    reply = kernel.run("process.exit(3)").reply
    assert reply["status"] == "error"
    assert "the Node.js session ended (exit code 3)" in reply["evalue"]
    assert kernel.run("1 + 1").value == "2"


def test_shutting_down_ends_the_session(open_kernel, ends):
    kernel = open_kernel()
    pid = kernel.session_pid()
    kernel.client.shutdown()
    assert ends(pid)


def test_restarting_ends_the_session_and_begins_anew(open_kernel, ends):
    kernel = open_kernel()
    kernel.run("var x = 1")
    pid = kernel.session_pid()
    kernel.manager.restart_kernel()
    kernel.client.wait_for_ready(timeout=TIMEOUT_SECONDS)
    assert ends(pid)
    assert kernel.run("typeof x").value == "'undefined'"


def test_killing_the_kernel_ends_a_busy_session_and_its_children(open_kernel, ends):
    kernel = open_kernel()
    pid = kernel.session_pid()
    code = "require('child_process').spawn('sleep', ['600']).pid"
    child = int(kernel.run(code).value)
    kernel_pid = int(kernel.run("%%python\nimport os; os.getpid()").value)
    kernel.client.execute("while (true) {}")
    time.sleep(0.3)
    os.kill(kernel_pid, signal.SIGKILL)
    assert ends(pid)
    assert ends(child)


def test_without_node_the_kernel_runs_python_and_says_what_is_missing(open_kernel, tmp_path):
    kernel = open_kernel(env={**os.environ, "PATH": str(tmp_path)})
    assert kernel.run("%%python\n6 * 7").value == "42"
    reply = kernel.run("1 + 1").reply
    assert reply["status"] == "error"
    assert "Node.js was not found" in reply["evalue"]


def test_a_notebooks_directory_does_not_shadow_modules(open_kernel, tmp_path):
    (tmp_path / "json.py").write_text("raise RuntimeError('shadowed')")
    assert open_kernel().run("1 + 1").value == "2"
