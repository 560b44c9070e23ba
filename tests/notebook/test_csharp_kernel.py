"""The benchbook-csharp kernel as a front end sees it."""

import time

import pytest
from positions import answer_everywhere
from recorders import TIMEOUT_SECONDS, shown

pytestmark = pytest.mark.slow("starts a C# session")


@pytest.fixture
def kernel(csharp_kernel):
    return csharp_kernel


def test_says_that_it_speaks_csharp(kernel):
    language = kernel.reply(kernel.client.kernel_info())["language_info"]
    assert language["name"] == "C#" and language["pygments_lexer"] == "csharp"
    assert language["mimetype"] == language["codemirror_mode"] == "text/x-csharp"
    assert language["file_extension"] == ".cs"
    assert language["version"][0].isdigit()


def test_plain_cells_are_csharp_and_keep_their_state(kernel):
    assert kernel.run("var x = await Task.FromResult(41);").of("execute_result") == []
    assert kernel.run("x + 1").value == "42"


def test_completion_on_lines_of_magics(kernel):
    answer_everywhere(kernel)


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


def test_read_line_is_an_input_request(asked):
    cell, requests = asked('var who = Console.ReadLine();\nConsole.Write($"hi {who}");', "Ann")
    assert cell.reply["status"] == "ok"
    assert requests == [("", False)] and cell.text() == "hi Ann"


@pytest.mark.parametrize(
    "asks",
    [
        "Console.ReadLine()",
        "Console.Read()",
        'await Kernel.GetInputAsync("Who?")',
        'await Kernel.GetPasswordAsync("Word?")',
    ],
)
def test_a_cell_that_asks_where_nobody_can_be_asked_ends_with_an_error(kernel, asks):
    """Null would be no answer to a loop that asks until it likes one."""
    reply = kernel.run(f"while (true) {{ var answer = {asks}; }}", allow_stdin=False).reply
    assert reply["status"] == "error" and "nobody can be asked here" in reply["evalue"]
    assert kernel.run("1 + 1").value == "2"


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


def test_the_host_ends_with_the_kernel(open_kernel, ends):
    kernel = open_kernel("benchbook-csharp")
    pid = int(kernel.run("Environment.ProcessId").value)
    kernel.manager.shutdown_kernel(now=True)
    assert ends(pid)


def test_a_build_in_a_cell_says_how_it_went_and_no_more(kernel, tmp_path):
    """It has a terminal there, and would show its progress by moving the cursor."""
    properties = "<TargetFramework>net10.0</TargetFramework>"
    project = (
        f'<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>{properties}</PropertyGroup></Project>'
    )
    (tmp_path / "quiet.csproj").write_text(project)
    (tmp_path / "A.cs").write_text("class A;")
    command = f"dotnet build {tmp_path} -v quiet -nologo --disable-build-servers"
    said = kernel.run(f"!TMPDIR={tmp_path} {command}").text()  # NuGet leaves empty folders there
    assert "Build succeeded." in said and "\x1b" not in said and len(said.splitlines()) < 12
