"""Replays as a reader starts them: the command line and the notebook."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from benchbook.load import installed, registry
from benchbook.model import results
from benchbook.notebook.magics.experiment_magics import ExperimentMagics
from benchbook.notebook.magics.race_magics import RaceMagics
from benchbook.show.cards import replay_cards
from benchbook.system import paths
from replays import WRK


def bench(*arguments, **more):
    environment = {**os.environ, "PYTHONPATH": paths.pythonpath()}
    command = [sys.executable, "-m", "benchbook", "race", *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
    )


@pytest.mark.slow("replays an article's race for seconds")
def test_the_command_prints_the_table_and_writes_the_file(published, tmp_path):
    folder, file = published(WRK).folder, tmp_path / "f.json"
    process = bench(folder, "--as-published", "--shorten", 10, "--json", file)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "wrk -t 2 -c 10 -d 10s" in out and "SHORTENED 10 times" in out
    assert out.index("article: requests/s") < out.index("Why the two may differ")
    assert "b is faster than a" in out and f"run file: {file.name}" in out
    assert results.load(file).complete and "s left" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--shorten", "2"], "--shorten: needs --as-published"),
        (["--as-published", "--full"], "--full: changes the article's method"),
        (["--as-published", "--tool", "ab"], "--tool: changes the article's method"),
        (["--as-published", "--shorten", "0"], "--shorten"),
    ],
)
def test_options_that_contradict_are_refused(published, arguments, words):
    process = bench(published(WRK).folder, *arguments)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2 and words in err


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow("replays an article's race for seconds")
def test_ctrl_c_keeps_a_valid_file_and_leaves_no_process(published, tmp_path, how):
    file = tmp_path / "f.json"
    table = WRK.replace("duration_seconds = 10", "duration_seconds = 1\nwarmup_seconds = 4")
    process = bench(
        published(table).folder, "--as-published", "--json", file, start_new_session=True
    )
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not runs_in(file):
            time.sleep(0.05)
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        process.send_signal(how)
        _, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 128 + how and "interrupted" in err
    _, alive = psutil.wait_procs(children, timeout=120)
    assert alive == []
    run = results.load(file)
    assert run.status == "incomplete" and run.reason == "interrupted"
    a, b = run.replay.measured
    assert a.status == "measured" and len(a.runs) == 1 and b.runs == []
    assert "INCOMPLETE" in replay_cards.summary(run).text
    assert run.replay.rows[1].note == "not measured yet"


def runs_in(file: Path) -> int:
    try:
        return sum(len(m["runs"]) for m in json.loads(file.read_text())["replay"]["measured"])
    except (OSError, ValueError):
        return 0


@pytest.fixture
def magics():
    shell = InteractiveShell.instance()
    chosen = ExperimentMagics(shell)
    chosen.race = RaceMagics(shell, lambda: chosen.bench).race
    yield chosen
    InteractiveShell.clear_instance()


@pytest.mark.slow("replays an article's race for seconds")
def test_the_magic_replays_and_leaves_the_last_race_alone(published, magics):
    magics.experiment(str(published(WRK).folder))
    with capture_output() as captured:
        magics.race("--as-published --shorten 10")
    assert magics.bench.run is None
    output = captured.outputs[-1]
    text, page = output.data["text/plain"], output.data["text/html"]
    assert "wrk -t 2 -c 10 -d 10s" in text and "SHORTENED 10 times" in text
    assert page.count("<table") == 2 and "article: requests/s" in page
    (file,) = (results.folder("77-made") / "as-published").glob("*.json")
    assert results.load(file).complete


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--shorten 10", "--shorten: needs --as-published"),
        ("--as-published --full", "--full: changes the article's method"),
        ("--as-published --shorten 0", "at least 1"),
    ],
)
def test_the_magic_refuses_what_the_command_refuses(published, magics, line, words):
    magics.experiment(str(published(WRK).folder))
    with pytest.raises(Exception, match=words):
        magics.race(line)


def test_the_tools_of_these_tests_are_here():
    tools = map(registry.get, ("wrk", "ab", "autocannon"))
    assert [tool.name for tool in tools if installed.missing(tool)] == []
