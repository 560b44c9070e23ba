"""`compare` from the words that are typed to the answer, with real programs."""

import json
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from benchbook.commands.cli import main
from benchbook.compare import question, service
from benchbook.model import results
from benchbook.model.runs import RacedExperiment
from benchbook_kernels.base import processes
from calling import call
from made import SERVER

SHORT = {"BENCHBOOK_RACE": "launches=2 blocks=2 seconds=0.5 warmup=0.5"}
BUSY = "let x = 0; while (x < 1e6) x++;"
SLOW = SERVER.replace("(request, response) => {", "(request, response) => { " + BUSY)
COMMAND = [sys.executable, "-c", "from benchbook.commands.cli import main; main()", "compare"]

posix = pytest.mark.skipif(sys.platform == "win32", reason="commands of a POSIX shell")


@pytest.fixture
def compare(tmp_path):
    """Two servers in a folder; compare.run("a.mjs", …) there, compare.start(…) as a process."""
    (tmp_path / "a.mjs").write_text(SERVER)
    (tmp_path / "b.mjs").write_text(SLOW)

    def start(*words):
        return subprocess.Popen(
            [*COMMAND, *words],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(*words):
        return call("compare", *words, "--json", tmp_path / "run.json", folder=tmp_path, **SHORT)

    return SimpleNamespace(folder=tmp_path, start=start, run=run)


def test_a_slower_server_is_found_and_the_answer_comes_first(compare):
    page = compare.folder / "page.html"
    done = compare.run("a.mjs", "b.mjs", "--html", str(page))
    assert done.code == 0, done.err
    first = done.out.strip().splitlines()[0]
    assert first.startswith("b is ") and "slower than a" in first
    assert first.endswith("times the CPU time a request")
    assert "A copy of a: " in done.out
    assert "plotly" in page.read_text(encoding="utf-8")
    run = results.load(compare.folder / "run.json")
    assert [entry.name for entry in run.entries] == ["a", "a#2", "b"]
    assert run.experiment.delta == question.DELTA


def test_a_program_against_itself_has_a_control_only(compare):
    done = compare.run("a.mjs", "a.mjs", "--delta", "3%")
    assert done.code == 0, done.err
    assert "A copy of a: " in done.out
    run = results.load(compare.folder / "run.json")
    assert [entry.name for entry in run.entries] == ["a", "a#2"]
    assert question.judged(run).judgements == ()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (SERVER.replace("hello", "other"), "answers with the body 'other'"),
        (SERVER.replace("'127.0.0.1'", "'0.0.0.0'"), "where other machines can reach it"),
        (SERVER + "const x = ;", "SyntaxError"),
        ("if (process.env.PORT) throw new Error('no luck');", "no luck"),
    ],
)
def test_a_server_that_can_not_be_compared_is_told_and_ends_the_race(compare, code, said):
    (compare.folder / "b.mjs").write_text(code)
    done = compare.run("a.mjs", "b.mjs")
    assert done.code == 1
    assert "bench: nothing is left to compare: variant 'b'" in done.err and said in done.err


def test_answers_may_differ_where_that_is_wanted(compare):
    (compare.folder / "b.mjs").write_text(SERVER.replace("hello", "other"))
    done = compare.run("a.mjs", "b.mjs", "--answers", "status")
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("a.mjs", "missing.mjs"),
        ("a.mjs", "sleep 1"),
        ("a.mjs", "b.mjs", "--for", "0s"),
        ("a.mjs", "b.mjs", "--delta", "300%"),
        ("a.mjs", "b.mjs", "--path", "x"),
        ("a.mjs", "b.mjs", "--kind", "planes"),
    ],
)
def test_a_wrong_call_says_what_would_be_right(compare, words):
    done = compare.run(*words)
    assert done.code == 2
    assert done.err.strip() and "Traceback" not in done.err


def test_ctrl_c_tells_the_answer_so_far_and_leaves_nothing(compare):
    process = compare.start("a.mjs", "b.mjs", "--for", "1h")
    for line in process.stderr:
        if ", block " in line:
            break
    started = processes.family(process.pid)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate()
    assert process.returncode == 130
    assert "INCOMPLETE" in out and "interrupted" in out
    assert not [pid for pid in started if os.path.exists(f"/proc/{pid}/cmdline")]


def test_ctrl_c_is_130_where_one_of_them_failed_too(make_run, tmp_path, monkeypatch):
    (tmp_path / "a.mjs").write_text(SERVER)
    run = make_run({"a": 1000.0, "b": 800.0})
    run.experiment = RacedExperiment("compare", "a and b", "compare", "/", delta=0.02)
    run.entry("b").status, run.entry("b").reason = "failed", "exit code 7"

    def ended(_wanted, terminal):
        terminal.run = run
        raise KeyboardInterrupt(signal.SIGINT)

    monkeypatch.setattr(service, "compare", ended)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["compare", "a.mjs", "a.mjs"])
    assert done.exit_code == 130
    assert "error: not all could be compared: b failed" in done.output


def test_one_of_three_that_fails_leaves_an_answer_and_is_an_error(compare):
    (compare.folder / "c.mjs").write_text("if (process.env.PORT) throw new Error('no luck');")
    done = compare.run("a.mjs", "b.mjs", "c.mjs")
    assert done.code == 1
    answers = ("b is ", "b and a are too close to call")  # the second one on a busy machine
    assert done.out.startswith(answers) and "c: no verdict, c failed" in done.out
    assert "bench: not all could be compared: c failed" in done.err


@posix
def test_commands_are_compared_with_hyperfines_options_and_files(compare):
    words = ("-N", "-r", "6", "-w", "1", "-n", "short", "-n", "long")
    done = compare.run(*words, "sleep 0.05", "sleep 0.3", "--export-json", "out.json")
    assert done.code == 0, done.err
    assert "long is " in done.out and "slower than short" in done.out
    found = json.loads((compare.folder / "out.json").read_text())["results"]
    assert [each["command"] for each in found] == ["short", "long"]
    assert [len(each["times"]) for each in found] == [6, 6]
    run = results.load(compare.folder / "run.json")
    assert [entry.title for entry in run.entries][::2] == ["short", "long"]


@posix
def test_a_sweep_compares_each_case_with_the_first_and_has_a_line_plot(compare):
    page = compare.folder / "page.html"
    sweep = ("-P", "n", "1", "3", "sleep 0.{n}")
    done = compare.run(*sweep, "-r", "4", "-p", "true", "--html", str(page))
    assert done.code == 0, done.err
    assert "sleep 0.3 is " in done.out and "slower than sleep 0.1" in done.out
    run = results.load(compare.folder / "run.json")
    assert run.experiment.title == "sleep 0.{n}: n=1, n=2 and n=3"
    assert "Fastest: sleep 0.{n} at n=1" in page.read_text(encoding="utf-8")


@posix
def test_two_commands_in_a_sweep_are_compared_in_each_case(compare):
    done = compare.run("-L", "n", "1,3", "sleep 0.0{n}", "sleep 0.01{n}", "-r", "3", "-N")
    assert done.code == 0, done.err
    found = question.judged(results.load(compare.folder / "run.json")).judgements
    pairs = [(j.statement.a, j.statement.b) for j in found]
    assert pairs == [("sleep 0.011", "sleep 0.01"), ("sleep 0.013", "sleep 0.03")]


@posix
@pytest.mark.parametrize(
    "words, code, told",
    [
        (("a.mjs", "b.mjs", "-w", "3"), 2, "--warmup: is for commands, but these are servers"),
        (("a.mjs", "b.mjs", "--export-csv", "x.csv"), 2, "--export-csv: is for commands"),
        (("sleep 0", "exit 3"), 1, "ended with exit code 3"),
        (("-N", "sleep 0", "nowhere-at-all 1"), 1, "nowhere-at-all: No such file"),
        (("sleep 0", "sleep {n}", "-P", "n", "3", "1"), 2, "1 is less than 3"),
        (("sleep 0", "sleep 0.01", "-r", "0"), 2, "--runs"),
        (("sleep 0", "sleep 0.01", "-r", "9", "--until", "1%"), 2, "--runs: goes against --until"),
        (("sleep 0", "sleep 0.01", "--export-json", "."), 2, "is a folder"),
    ],
)
def test_what_is_wrong_with_commands_is_said_once(compare, words, code, told):
    done = compare.run(*words)
    assert done.code == code and told in done.err and "Traceback" not in done.err


@posix
def test_a_cleanup_that_fails_is_an_error_after_the_answer(compare):
    done = compare.run("-N", "-r", "4", "true", "sleep 0.02", "-c", "false")
    assert done.code == 1 and "A copy of true" in done.out
    assert "bench: variant 'true' --cleanup failed: it ended with exit code 1" in done.err


@posix
def test_a_file_that_can_not_be_written_costs_neither_the_answer_nor_other_files(compare):
    taken = "rm -f page.html bad.md; mkdir -p page.html bad.md"  # when all has been checked
    files = ("--html", "page.html", "--export-markdown", "bad.md", "--export", "hyperfine=-")
    done = compare.run("-r", "4", "true", "sleep 0.02", "-s", taken, *files, "--export", "bdn=b")
    assert done.code == 1 and "A copy of true" in done.out and "run file: " in done.out
    assert "can't write page.html" in done.err and "can't write bad.md" in done.err
    assert '"results": [' in done.out and (compare.folder / "b").exists()


@posix
def test_any_format_is_shown_by_a_dash(compare):
    done = compare.run("-r", "4", "true", "sleep 0.02", "--export", "markdown=-")
    assert done.code == 0 and "| sleep 0.02 |" in done.out.replace("`", "")
    assert not (compare.folder / "-").exists()


@posix
def test_so_many_runs_as_are_wanted_are_timed_however_long_that_takes(compare):
    words = ("-N", "-r", "24", "--for", "1s", "sleep 0.05", "sleep 0.06")
    assert compare.run(*words, "--export-json", "out.json").code == 0
    found = json.loads((compare.folder / "out.json").read_text())["results"]
    assert [len(each["times"]) for each in found] == [24, 24]
