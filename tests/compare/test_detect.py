"""What things are is found out from their names and their code."""

import os
from pathlib import Path

import pytest

from benchbook.compare import detect, programs_given, words
from benchbook_kernels.base.errors import InputError

SERVER = "import { createServer } from 'node:http';\ncreateServer().listen(process.env.PORT);\n"
CODE = {
    "server.mjs": (SERVER, detect.SERVERS),
    "server.py": ("import os\nport = int(os.environ['PORT'])\n", detect.SERVERS),
    "server.cs": ("#:sdk Microsoft.NET.Sdk.Web\nvar app = 1;\n", detect.SERVERS),
    "web.csproj": ('<Project Sdk="Microsoft.NET.Sdk.Web"></Project>', detect.SERVERS),
    "nginx.conf": ("events {}", detect.SERVERS),
    "default.mjs": ("export default () => 1;\n", detect.FUNCTIONS),
    "named.js": ("export function f() {}\nexport const g = () => 1;\n", detect.FUNCTIONS),
    "common.cjs": ("module.exports = () => 1;\n", detect.FUNCTIONS),
    "typed.ts": ("export const f = (x: number): number => x;\n", detect.FUNCTIONS),
    "bench.cs": ("class B { [Benchmark(Baseline = true)] public int A() => 1; }\n", detect.METHODS),
    "plain.cs": ("using System;\npublic static class B\n{\n    public static int A() => 1;\n}\n",)
    + (detect.METHODS,),
    "program.cs": ('using System;\nConsole.WriteLine("a");\n', detect.COMMANDS),
    "console.csproj": ('<Project Sdk="Microsoft.NET.Sdk"></Project>', detect.COMMANDS),
    "script.mjs": ("console.log(1 + 1);\n", detect.COMMANDS),
    "after.mjs": ("throw 1; export default () => 1;\n", detect.FUNCTIONS),
    "list.mjs": ("const f = () => 1; export{f};\n", detect.FUNCTIONS),
    "script.py": ("print(1)\n", detect.COMMANDS),
    "script.sh": ("echo 1\n", detect.COMMANDS),
}


@pytest.mark.parametrize("name", CODE)
def test_a_file_is_what_its_code_says(tmp_path, name):
    code, kind = CODE[name]
    (tmp_path / name).write_text(code)
    assert detect.find(name, tmp_path).kind == kind


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("sleep 0.1", detect.COMMANDS),
        ("ls", detect.COMMANDS),
        ("http://127.0.0.1:3000/x", detect.SERVERS),
    ],
)
def test_what_is_no_file_is_a_command_or_an_address(tmp_path, word, kind):
    assert detect.find(word, tmp_path).kind == kind


def test_a_function_of_a_module_is_named_after_a_colon(tmp_path):
    (tmp_path / "lib.mjs").write_text("export const f = () => 1;\n")
    assert detect.find("lib.mjs:f", tmp_path).kind == detect.FUNCTIONS
    assert detect.member_of("lib.mjs:f") == ("lib.mjs", "f")
    assert detect.member_of("lib.mjs") == ("lib.mjs", "")
    assert detect.member_of("my lib.mjs:f") == ("my lib.mjs", "f")


def test_an_executable_that_knows_port_is_a_server(tmp_path):
    for name, code, kind in (
        ("serve", b"\x7fELF\0PORT\0", detect.SERVERS),
        ("once", b"\x7fELF\0EXPORTED\0", detect.COMMANDS),
    ):
        (tmp_path / name).write_bytes(code)
        (tmp_path / name).chmod(0o755)
        assert detect.find(name, tmp_path).kind == kind


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("missing.mjs", "no such file"),
        ("", "is empty"),
        (" ", "is empty"),
        (".", "is a folder"),
        ("data.json", "no program that can be run"),
    ],
)
def test_what_can_not_be_compared_is_told(tmp_path, word, said):
    (tmp_path / "data.json").write_text("{}")
    with pytest.raises(InputError, match=said):
        detect.find(word, tmp_path)


def test_different_kinds_are_refused_with_what_each_is(tmp_path):
    (tmp_path / "a.mjs").write_text(SERVER)
    with pytest.raises(InputError) as caught:
        detect.kind_of(["a.mjs", "sleep 1"], "", tmp_path)
    assert "'a.mjs' is a server: it reads PORT" in str(caught.value)
    assert "'sleep 1' is a command" in str(caught.value)
    assert "--kind servers|functions|methods|commands" in str(caught.value)


def test_what_somebody_says_they_are_counts(tmp_path):
    (tmp_path / "a.mjs").write_text(SERVER)
    assert detect.kind_of(["a.mjs", "a.mjs"], "commands", tmp_path) == detect.COMMANDS


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
@pytest.mark.parametrize("name", ["empty.mjs", "empty.cs"])
def test_an_empty_file_is_said_to_be_empty(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "f.mjs").write_text("export default () => 1;\n")
    with pytest.raises(InputError, match=f"{name}: is empty"):
        detect.kind_of(["f.mjs", name], folder=tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["pipe.mjs", "pipe.cs", "pipe.sh"])
def test_a_pipe_is_refused_and_not_read(tmp_path, monkeypatch, name):
    os.mkfifo(tmp_path / name)
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: pytest.fail("it was read"))
    monkeypatch.setattr(Path, "open", lambda *_, **__: pytest.fail("it was opened"))
    with pytest.raises(InputError, match=f"{name}: is no regular file"):
        detect.find(name, tmp_path)


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (words.share, "200%", "--x: '200%' must be below 100 %"),
        (words.share, "0%", "--x: must be more than 0"),
        (words.share, "much", "--x: 'much' is no share"),
        (words.seconds, "0s", "--x: must be more than 0"),
        (words.seconds, "25h", "--x: '25h' is no length of time"),
    ],
)
def test_shares_and_times_that_can_not_be_are_told(read, text, said):
    with pytest.raises(InputError, match=said):
        read(text, "--x")


def test_what_somebody_says_is_a_command_may_be_the_shells_own():
    assert detect.kind_of([": $nothing", "export"], "commands") == detect.COMMANDS
    with pytest.raises(InputError, match="is empty"):
        detect.kind_of(["true", " "], "commands")


def test_what_nothing_runs_is_named_as_it_was_typed(tmp_path):
    (tmp_path / "a.py").write_text("print(1)\n")
    (tmp_path / "b.data").write_text("1\n")
    with pytest.raises(InputError, match="^b.data: nothing is known that runs a .data"):
        programs_given.variants(["a.py", "a.py", "b.data"], tmp_path)
