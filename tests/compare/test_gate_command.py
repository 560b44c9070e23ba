"""`compare` as CI runs it: exit codes with differences that were planted, and files for others."""

import json
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from calling import Called, call

WAITS = "sleep {}\n"  # seconds, which a busy machine keeps, of a program that starts at once


@pytest.fixture
def bench(tmp_path):
    """bench("compare", …) in a folder with programs that take 20 and 500 ms."""
    (tmp_path / "short.sh").write_text(WAITS.format(0.02), encoding="utf-8")
    (tmp_path / "long.sh").write_text(WAITS.format(0.5), encoding="utf-8")

    def run(*arguments: str) -> Called:
        root = {"BENCHBOOK_ROOT": str(tmp_path), "BENCHBOOK_HOME": str(tmp_path)}
        return call("compare", *arguments, folder=tmp_path, **root)

    return run


FORMATS = ("bdn", "mitata", "bencher", "action", "hyperfine")
GATE = ("--fail-if-slower", "5%", "--for", "3s", "--launches", "3", "--blocks", "2", "--no-details")


def test_surely_slower_is_exit_code_3_and_the_comment_says_so(bench, tmp_path):
    exports = ("--export", "markdown=comment.md", "--export", "junit=tests.xml")
    done = bench("short.sh", "long.sh", *GATE, "--undecided", "ok", *exports)
    assert done.code == 3, done.out + done.err
    assert "✘ long.sh is " in done.out and "surely slower by more than 5 %" in done.out
    assert "surely slower by more than 5 %" in (tmp_path / "comment.md").read_text("utf-8")
    suite = xml.parse(tmp_path / "tests.xml").getroot()[0]
    assert suite.attrib["failures"] == "1"


def test_surely_not_slower_is_exit_code_0(bench):
    done = bench("long.sh", "short.sh", *GATE)
    assert done.code == 0, done.out + done.err
    assert "surely not slower by more than 5 %" in done.out


def test_what_can_not_be_told_is_exit_code_4_or_0(bench):
    gate = ("--fail-if-slower", "5%", "--for", "1s", "--launches", "1", "--blocks", "2")
    one_launch = ("sleep 0.01", "sleep 0.02", *gate)
    done = bench(*one_launch)
    assert done.code == 4, done.out + done.err
    assert "can't tell: fewer than two launches" in done.out
    done = bench(*one_launch, "--undecided", "ok")
    assert done.code == 0, done.out + done.err
    assert "let through" in done.out


def test_without_a_gate_a_difference_is_no_error(bench, tmp_path):
    exports = [f"--export={name}={name}.json" for name in FORMATS]
    done = bench("short.sh", "long.sh", *GATE[2:], *exports)
    assert done.code == 0, done.out + done.err
    (row,) = json.loads((tmp_path / "action.json").read_text("utf-8"))
    assert row["value"] > 1 and row["name"].startswith("long.sh: time a run")
    first, second = json.loads((tmp_path / "bdn.json").read_text("utf-8"))["Benchmarks"]
    assert [first["Method"], second["Method"]] == ["short.sh", "long.sh"]
    assert second["Statistics"]["Min"] > 500e6
    commands = json.loads((tmp_path / "hyperfine.json").read_text("utf-8"))["results"]
    assert min(commands[1]["times"]) > 0.5 > min(commands[0]["times"])


def test_a_program_that_fails_is_exit_code_1_even_where_undecided_is_ok(bench, tmp_path):
    (tmp_path / "broken.sh").write_text("exit 7\n", encoding="utf-8")
    done = bench("short.sh", "broken.sh", *GATE, "--undecided", "ok")
    assert done.code == 1, done.out + done.err
    assert "broken" in done.out + done.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--undecided", "ok"), "--undecided: needs --fail-if-slower"),
        (("--fail-if-slower", "5"), "'5' is 500 %, and must be below 100 %"),
        (("--fail-if-slower", "110%"), "'110%' must be below 100 %"),
        (("--fail-if-slower", "x"), "'x' is no share"),
        (("--export", "excel=x.xls"), "excel"),
        (("--json", "x.json", "--export", "bdn=x.json"), "is --json's, too"),
        (("--export-json", "x.json", "--export", "bdn=x.json"), "is --export's, too"),
        (("--html", "x", "--json", "./x"), "--json: 'x' is --html's, too"),
        (("--json", "x", "--export-json", "x"), "--export-json: 'x' is --json's, too"),
        (("--export", "bdn=x", "--export", "mitata=./x"), "'x' is --export's, too"),
        (("--output", "./x", "--export-csv", "x"), "--export-csv: 'x' is --output's, too"),
        (("--html", "-"), "--html: needs a file"),
        (("--json", "-"), "--json: needs a file"),
        (("--export-json", "nowhere/x.json"), "there is no folder nowhere"),
        (("--export-json", "x.json", "--export", "hyperfine=y.json"), "asked for twice"),
        (("--export", "hyperfine="), "is not FORMAT=FILE"),
    ],
)
def test_a_wrong_call_is_exit_code_2_before_anything_runs(bench, tmp_path, arguments, problem):
    before = sorted(Path(tmp_path).iterdir())
    done = bench("short.sh", "long.sh", *arguments)
    assert done.code == 2 and problem in done.err
    assert sorted(Path(tmp_path).iterdir()) == before


def test_base_and_head_of_a_repository_race_in_one_job(bench, tmp_path):
    """As the workflow on docs/ci.md does it: a head that was planted to be slower fails."""
    git = ("git", "-C", str(tmp_path), "-c", "user.name=us", "-c", "user.email=us@example.org")
    subprocess.run([*git, "init", "-q"], check=True)
    for name, seconds in (("base", 0.02), ("head", 0.5)):
        (tmp_path / "program.sh").write_text(WAITS.format(seconds), encoding="utf-8")
        subprocess.run([*git, "add", "program.sh"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "it waits"], check=True)
        subprocess.run([*git, "tag", name], check=True)
    setup = "node -e \"fs.writeFileSync('set-up', '')\""
    given = ("--git", "base..head", "--setup", setup, *GATE)
    done = bench(*given, "--export", "markdown=comment.md", "--", "./program.sh")
    assert done.code == 3, done.out + done.err
    comment = (tmp_path / "comment.md").read_text("utf-8")
    assert "✘ head is " in comment and "slower than base" in comment
    assert not (tmp_path / "set-up").exists()
