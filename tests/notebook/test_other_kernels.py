"""What other people's kernels do that ours and tslab do not, shown by a small one that does it."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from recorders import TIMEOUT_SECONDS, Bench

from benchbook.system import kernels
from benchbook_kernels.install.languages import CSHARP
from benchbook_kernels.notebook.sessions.csharp import CSharpSession
from benchbook_kernels.notebook.sessions.jupyter import JupyterSession
from benchbook_kernels.notebook.sessions.session import SessionError

NAME = ".net-terse"
KERNEL = """
import os, time
from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

print("Now listening on a port", flush=True)

class Terse(Kernel):
    implementation = banner = "terse"
    implementation_version = "1"
    language_info = {"name": "C#", "mimetype": "text/x-csharp", "file_extension": ".cs"}
    cells = []

    def do_execute(self, code, silent, *_, **__):
        if code == "end":
            self._publish_status("idle", "shell")
            os._exit(0)
        self.cells.append(code)
        content = {"name": "stdout", "text": repr(self.cells)}
        self.send_response(self.iopub_socket, "stream", content)
        return {"status": "ok", "execution_count": len(self.cells), "user_expressions": {}}

    def do_complete(self, code, cursor_pos):
        time.sleep(1)
        return super().do_complete(code, cursor_pos)

    async def inspect_request(self, *_):
        pass

IPKernelApp.launch_instance(kernel_class=Terse)
"""


def install(prefix: Path, code: str) -> None:
    folder = prefix / "kernels" / NAME
    folder.mkdir(parents=True)
    argv = [sys.executable, "-c", code, "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": NAME, "language": "C#"}
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")


@pytest.fixture
def session(tmp_path, monkeypatch) -> Iterator[JupyterSession]:
    """A session in a kernel that is not installed yet, called as .NET Interactive's are."""
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    session = JupyterSession(CSharpSession(), NAME)
    yield session
    session.close()


@pytest.fixture
def bench(session, tmp_path) -> Bench:
    install(tmp_path, KERNEL)
    session.start()
    return Bench(session)


def test_it_is_told_first_what_our_cells_take_for_granted(bench):
    bench.run("File.Exists(path)")
    assert bench.output.text() == repr([CSHARP.preamble, "File.Exists(path)"])
    assert "System.IO" in CSHARP.preamble


def test_its_own_words_are_not_output_of_a_cell(bench, capfd):
    assert bench.run("1").status == "ok"
    assert capfd.readouterr().out == ""


def test_a_question_that_it_does_not_answer_keeps_no_cell_waiting(bench):
    assert bench.session.inspect("File", 4, 0).result(TIMEOUT_SECONDS) is None
    assert bench.run("1").status == "ok"


def test_a_cell_runs_after_a_question_was_given_up(bench):
    bench.run("1")
    question = bench.session.complete("Fi", 2)
    time.sleep(0.3)
    question.cancel()
    assert bench.run("2").status == "ok"


def test_a_kernel_that_ends_at_once_after_it_was_idle_has_not_run_the_cell(bench):
    assert bench.run("end").status == "ended"
    assert bench.run("1").status == "ok"


def test_it_lists_no_variables_and_says_who_does(bench):
    with pytest.raises(SessionError, match="%engine csharp benchbook"):
        bench.session.variables_code(False)


def test_one_that_does_not_start_is_quoted(session, tmp_path):
    install(tmp_path, "raise SystemExit('You must install .NET 9')")
    with pytest.raises(SessionError, match="You must install .NET 9"):
        session.start()


def test_one_of_net_interactive_listens_on_ports(session, tmp_path):
    install(tmp_path, KERNEL)
    with kernels.started(NAME, TIMEOUT_SECONDS) as (manager, _):
        assert manager.transport == "tcp"
