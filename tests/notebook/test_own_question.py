"""A notebook from nothing, and %compare, in the real kernels: from two cells to two sentences."""

import os
import re

import pytest

from benchbook.notebook import editions
from benchbook.notebook.headless import execute
from benchbook.system import paths
from made import SERVER

NOTEBOOK = paths.notebooks() / "11-your-own-claim.ipynb"
RACE = "launches=2 blocks=2 seconds=0.2 warmup=0"
KERNELS = ("benchbook-node", "benchbook-csharp")


@pytest.fixture
def own_kernel(open_kernel, tmp_path):
    """Starts a kernel whose races are as short as can be; it writes to tmp_path."""

    def start(name: str):
        root = tmp_path / "root"
        (root / ".benchbook").mkdir(parents=True)
        paths.builds().mkdir(parents=True, exist_ok=True)
        (root / ".benchbook" / "builds").symlink_to(paths.builds())  # the C# session is there
        env = {**os.environ, "BENCHBOOK_ROOT": str(root), "BENCHBOOK_RACE": RACE}
        env.pop("BENCHBOOK_SCORE", None)
        env["JPY_SESSION_NAME"] = "/x/mine.ipynb"
        return open_kernel(name, env=env)

    return start


def shown(cell) -> str:
    """What a cell shows as text in the end: its value, displays, or its error."""
    found = [*cell.of("execute_result"), *cell.of("display_data"), *cell.of("update_display_data")]
    return "\n".join([*(each["data"]["text/plain"] for each in found), cell.text("stderr")]).strip()


@pytest.mark.parametrize("name", KERNELS)
def test_notebook_11_runs_as_it_is_committed_and_its_solutions_pass(own_kernel, name):
    notebook = execute.read(NOTEBOOK)
    kernel = own_kernel(name)
    first, *cells = [cell.source for _, cell in execute.to_run(notebook)]
    assert shown(kernel.run(first)) == ""
    for source in cells:
        cell = kernel.run(source.replace("--for 40s", "--for 2s"))
        assert cell.reply["status"] == "ok", f"{source}\n{shown(cell)}"
        assert cell.text("stderr") == "", source
        if source == "%check 1":
            assert "The programs are still the same" in shown(cell)
        if source == "%check 2":
            assert "not done yet" in shown(cell)
    solved = editions.exercises(notebook, NOTEBOOK.name)
    for source in [*solved[1].code, "%predict b +10%", "%race --for 2s --delta 3%"]:
        assert kernel.run(source).reply["status"] == "ok", source
    assert shown(kernel.run("%check 1")) == "✔ Exercise 1 is done."
    for source in solved[2].code:
        kernel.run(source)
    assert shown(kernel.run("%check 2")) == "✔ Exercise 2 is done."


def test_whole_programs_and_what_the_other_magics_say_of_them(own_kernel):
    kernel = own_kernel("benchbook-node")
    assert "a is a server of your own" in shown(kernel.run(f"%%variant a\n{SERVER}"))
    assert "line 3" in shown(kernel.run("%%variant b --server\nconst x = 1;\nreturn x +;"))
    work = "for (let i = 0; i < 20000; i++) JSON.stringify({ i });\nreturn 'hello';"
    kernel.run(f"%%variant b --server\n{work}")
    kernel.run("%predict b -50%")
    raced = shown(kernel.run("%race --for 2s --answers status"))
    assert "b is " in raced and "slower than a" in raced or "times" in raced
    assert "A copy of a" in raced and "your guess" in raced and "▼ slower" in raced
    for magic in ("%verdict", "%plot", "%plot samples", "%evidence", "%control", "%race --last"):
        assert kernel.run(magic).reply["status"] == "ok", magic
    assert "--full: is of experiments" in shown(kernel.run("%race --full"))
    failing = "const x = 1;\nreturn nothere + x;"
    kernel.run(f"%%variant b --server\n{failing}")
    said = shown(kernel.run("%race --for 2s"))
    assert "nothere is not defined (b.mjs, line 3)" in said


def test_an_error_of_the_compiler_is_told_at_the_cells_line_before_anything_is_raced(own_kernel):
    kernel = own_kernel("benchbook-csharp")
    kernel.run("%%variant a --server\nreturn 1;")
    said = shown(kernel.run("%%variant b --server\nvar x = 1;\nreturn x"))
    assert "is no C#" in said and "line 3" in said
    kernel.run("%%variant b --server\nvar x = 1;\nreturn y;")
    said = shown(kernel.run("%race --for 2s"))
    assert "nothing is left to compare" in said and "b.cs(3," in said and "'y'" in said


def test_an_interrupt_gives_the_answer_so_far(own_kernel):
    kernel = own_kernel("benchbook-node")
    for name in "ab":
        kernel.run(f"%%variant {name} --server\nreturn 'hello';")
    number = kernel.client.execute("%race --for 5m", stop_on_error=False)
    for message in kernel.messages("iopub", number):
        told = message["content"].get("data", {}).get("text/plain", "")
        if re.search(r"^([5-9]|\d\d)/\d+ ", told, re.MULTILINE):  # samples there are
            break
    kernel.manager.interrupt_kernel()
    assert kernel.reply(number)["status"] == "error"
    again = shown(kernel.run("%race --last"))
    assert "INCOMPLETE" in again and "A copy of a" in again
    assert "INCOMPLETE" in shown(kernel.run("%verdict"))


def test_compare_in_a_notebook(own_kernel, tmp_path):
    for name, steps in (("a", 1000), ("b", 10_000)):
        (tmp_path / f"{name}.mjs").write_text(
            f"export default () => {{ let s = 0; for (let i = 0; i < {steps}; i++) s ^= i;"
            " return s & 0; };\n"
        )
    kernel = own_kernel("benchbook-node")
    raced = kernel.run("%compare a.mjs b.mjs --for 2s --delta 5%")
    assert "b is " in shown(raced) and "slower than a" in shown(raced)
    folded = [
        each
        for each in raced.of("display_data")
        if "<details>" in each["data"].get("text/html", "")
    ]
    assert len(folded) == 1
    assert "b is " in shown(kernel.run("%verdict")), "the other magics speak of it"
    assert "did you mean '--for'" in shown(kernel.run("%compare a.mjs b.mjs --fr 2s"))
    assert "there is no such file" in shown(kernel.run("%compare a.mjs c.mjs"))
    assert "needs something to compare" in shown(kernel.run("%compare"))
