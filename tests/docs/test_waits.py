"""The study of what a person waits for: its rows, turns that go on where they ended, the table."""

import importlib
import subprocess
import sys
from types import ModuleType

import pytest

from benchbook.system import paths
from benchbook_kernels.base.processes import Keeper

COMMITS = {"then": "aaaaaaa", "now": "bbbbbbb"}
SLEEPS = [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"]


@pytest.fixture
def waits(monkeypatch) -> ModuleType:
    monkeypatch.syspath_prepend(paths.root() / "studies")
    return importlib.import_module("waits")


@pytest.fixture
def versions(waits, tmp_path):
    with Keeper() as keeper:
        yield {n: waits.Version(n, commit, tmp_path, keeper) for n, commit in COMMITS.items()}


def test_rows_are_chosen_by_their_name_or_its_first_word(waits):
    every = waits.select([])
    races = waits.select(["race"])
    assert set(waits.select(["kernel", "tests"])) == {"kernel csharp", "kernel node", "tests"}
    assert {"race 01", "race 05/memory", "race 10"} <= set(races) < set(every)
    with pytest.raises(SystemExit, match="no row 'rcae'"):
        waits.select(["rcae"])


def test_turns_go_on_where_they_ended_and_what_fails_is_told(waits, versions, tmp_path):
    ran, path = [], tmp_path / "waits.json"

    def fine(version):
        ran.append(version.name)
        return {"a thing": waits.Measured(2.0 if version.name == "then" else 1.0, note="3 of 4")}

    def broken(version):
        if version.name == "now":
            raise RuntimeError("it ended with exit code 1\nand said why")
        return {"another": waits.Measured(1.0)}

    kept = waits.Results.kept(path, COMMITS)
    waits.measure(versions, {"fine": fine, "broken": broken}, 1, kept, path)
    assert ran == ["then", "now"]
    again = waits.Results.kept(path, COMMITS)
    waits.measure(versions, {"fine": fine}, 3, again, path)
    assert ran == ["then", "now", "now", "then", "then", "now"]  # who comes first changes
    page = waits.Results.kept(path, COMMITS).page(["fine", "broken", "long"], 3)
    assert "| a thing | 2 s<br>3 of 4 | 1 s<br>3 of 4 | 0.50 | 3 |" in page
    assert "- broken: 0 of 3; bbbbbbb: it ended with exit code 1\n- long: 0 of 3\n" in page
    assert "another" not in page  # of one version alone
    other = {**COMMITS, "now": "ccccccc"}
    assert waits.Results.kept(path, other).taken == {}  # another version's would be no good


def test_a_command_that_fails_says_how(waits, versions):
    done = versions["now"].run(sys.executable, "-c", "print('well')")
    assert done.printed == "well\n" and done.seconds > 0 and done.cpu_seconds > 0
    failing = (sys.executable, "-c", "print('no'); raise SystemExit(3)")
    with pytest.raises(RuntimeError, match="exit code 3\nno"):
        versions["now"].run(*failing)
    assert versions["now"].run(*failing, fine=(3,)).printed == "no\n"


def test_memory_is_counted_without_programs_under_test(waits):
    with Keeper() as keeper:
        process = keeper.start(SLEEPS, stdout=subprocess.PIPE)
        server = keeper.start(SLEEPS, env={"PORT": "1"}, stdout=subprocess.PIPE)
        assert [each.stdout.readline() for each in (process, server)] == [b"\n"] * 2  # they run
        assert waits.memory_below(process.pid)["ours"] > 1e6
        assert waits.memory_below(server.pid)["ours"] == 0


def test_statements_without_a_verdict_are_not_decided(waits):
    said = ["reproduced", "too close to call", "not valid", "no difference"]
    run = {"results": {"verdicts": [{"verdict": each} for each in said]}}
    assert waits.decided_in(run) == "2 of 4 decided"
