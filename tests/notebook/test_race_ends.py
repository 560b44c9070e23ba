"""A kernel that is interrupted, restarted or killed in the midst of %race: nothing stays behind,
and what was raced can be read."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from recorders import TIMEOUT_SECONDS, Client

from benchbook.model import results
from benchbook_kernels.base.untrusted import read_json

PLOTLY = "application/vnd.plotly.v1+json"
RACE = "launches=3 blocks=200 seconds=0.2 warmup=0"  # it does not end by itself in a test


@pytest.fixture
def racing(open_kernel, two_servers, tmp_path) -> Callable[[str], Client]:
    """A kernel in which a race is under way, with servers and load generators running."""

    def start(options: str) -> Client:
        env = {**os.environ, "BENCHBOOK_ROOT": str(tmp_path), "BENCHBOOK_RACE": RACE}
        kernel = open_kernel(env=env)
        kernel.run(f"%experiment {two_servers}")
        kernel.client.execute(f"%race {options}")
        wait_for(lambda: runs_of(tmp_path) and has_samples(runs_of(tmp_path)[0]))
        return kernel

    return start


def wait_for(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def runs_of(root: Path) -> list[Path]:
    return list((root / ".benchbook" / "runs").rglob("*.json"))


def has_samples(file: Path) -> bool:
    return bool(read_json(file, file.name)["samples"])


def process_of(kernel: Client) -> psutil.Process:
    return psutil.Process(kernel.manager.provisioner.pid)


def gone(family: list[psutil.Process]) -> bool:
    return psutil.wait_procs(family, timeout=TIMEOUT_SECONDS)[1] == []


@pytest.mark.parametrize("options", ["", "--in-turns"], ids=["together", "in turns"])
@pytest.mark.parametrize("how", ["restarted", "killed"])
def test_a_race_ends_with_its_kernel(racing, tmp_path, options, how):
    kernel = racing(options)
    process = process_of(kernel)
    family = process.children(recursive=True)
    assert len(family) > 3  # the session, servers, load generators
    if how == "killed":
        process.kill()
    else:
        kernel.manager.restart_kernel()
    assert gone(family)
    (file,) = runs_of(tmp_path)
    run = results.load(file)
    assert run.samples and not run.complete


@pytest.mark.parametrize("options", ["", "--in-turns"], ids=["together", "in turns"])
def test_an_interrupted_race_is_kept_and_shown_and_the_next_cell_runs(racing, tmp_path, options):
    kernel = racing(options)
    kernel.manager.interrupt_kernel()
    shown = outputs(kernel)
    assert one_sentence(shown).startswith("Interrupted: the race was interrupted: ")
    assert "samples are kept" in one_sentence(shown) and "%race --last" in one_sentence(shown)
    assert any("INCOMPLETE" in text for text in texts(shown))
    assert any(PLOTLY in content["data"] for _, content in shown if "data" in content)
    assert any("to baseline" in text for text in texts(shown))
    # what is asked while the cell ends is aborted by the kernel, as after any error
    wait_for(lambda: kernel.run("1 + 1").value == "2")
    wait_for(lambda: not [e for e in process_of(kernel).children(True) if is_loading(e)])
    (file,) = runs_of(tmp_path)
    run = results.load(file)
    assert run.samples and not run.complete and run.reason
    again = kernel.run("%race --last")
    assert again.reply["status"] == "ok"
    assert any("INCOMPLETE" in text for text in texts(again.messages))
    assert any(PLOTLY in content["data"] for _, content in again.messages if "data" in content)


def is_loading(process: psutil.Process) -> bool:
    """Is it a load generator that runs? One that has ended may wait to be asked for its exit."""
    try:
        return process.name() == "wrk" and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def outputs(kernel: Client) -> list[tuple[str, dict]]:
    """What comes until an error does."""
    found = []
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not found or found[-1][0] != "error":
        assert time.monotonic() < deadline
        if message := kernel.next("iopub"):
            found.append((message["msg_type"], message["content"]))
    return found


def texts(shown: list[tuple[str, dict]]) -> list[str]:
    return [content["data"].get("text/plain", "") for _, content in shown if "data" in content]


def one_sentence(shown: list[tuple[str, dict]]) -> str:
    """The traceback of the error that ends a cell, which is one line."""
    (line,) = shown[-1][1]["traceback"]
    assert "\n" not in line and "Traceback" not in line
    assert not [
        content for kind, content in shown if kind == "stream" and "File " in content["text"]
    ]
    return line


def test_two_kernels_of_one_language_have_sessions_of_their_own(open_kernel, ends):
    first, second = open_kernel(), open_kernel()
    first.run("var who = 'first'")
    second.run("var who = 'second'")
    pids = first.session_pid(), second.session_pid()
    assert pids[0] != pids[1] and first.run("who").value == "'first'"
    second.client.shutdown()
    assert ends(pids[1])
    assert first.run("who").value == "'first'" and first.session_pid() == pids[0]
