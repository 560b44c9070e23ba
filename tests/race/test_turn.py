"""One race of a machine at a time: who waits, for whom, and what a killed holder leaves."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import time

import pytest

from benchbook.commands.measure.terminal import Terminal
from benchbook.race import turn
from benchbook.race.turn import Holder, StoppedWaiting, taken

HOLD = """
import sys
from benchbook.race import turn
with turn.taken("experiment 04", print) as held:
    held.told = 0
    held.write(__import__("time").time() + 115)
    print("racing", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def lock(tmp_path, monkeypatch):
    """A lock that only this test takes."""
    monkeypatch.setenv(turn.VARIABLE, str(tmp_path / "race.lock"))
    monkeypatch.setattr(turn, "LOOK_SECONDS", 0.01)
    return tmp_path / "race.lock"


@pytest.fixture
def elsewhere(lock):
    """Another process that races until its input ends, or it is killed."""
    environment = {**os.environ, turn.NOTEBOOK: "00-how-benchmarks-lie.ipynb"}
    pipe = subprocess.PIPE
    words = [sys.executable, "-c", HOLD]
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, env=environment, text=True) as process:
        assert process.stdout.readline() == "racing\n"
        yield process
        process.kill()


class Waiting(list):
    """What was told while waiting; `then` happens at the third time."""

    def __init__(self, then) -> None:
        self.then = then

    def __call__(self, text: str) -> None:
        self.append(text)
        if len(self) == 3:
            self.then()


def interrupt() -> None:
    raise KeyboardInterrupt


def endings(process):
    """Ways in which the other race comes to its end."""
    return {
        "ends": lambda: process.stdin.close(),
        "is killed": lambda: process.kill(),
        "is asked to end": lambda: process.terminate(),
    }


@pytest.mark.parametrize("how", ["ends", "is killed", "is asked to end"])
def test_the_second_waits_until_the_first_has_ended_however_it_ends(elsewhere, how):
    told = Waiting(endings(elsewhere)[how])
    with taken("experiment 01", told, anyway=False) as ours:
        assert not ours.beside
    assert "notebook 00-how-benchmarks-lie, experiment 04" in told[0]
    assert f"process {elsewhere.pid}" in told[0] and "1 min" in told[0] and "left" in told[0]
    assert "--anyway" in told[0] and told[-1] == ""


def test_who_does_not_want_to_wait_is_told_so_in_a_sentence_and_nothing_is_held(elsewhere, lock):
    told = Waiting(interrupt)
    sentence = "stopped waiting for notebook 00.*nothing was raced"
    with pytest.raises(StoppedWaiting, match=sentence) as stopped:
        with taken("experiment 01", told):
            pytest.fail("it raced")
    assert stopped.value.exit_code == 130 and "--anyway" not in told[0]
    elsewhere.kill()
    elsewhere.wait()
    with taken("experiment 01", lambda text: pytest.fail("it waited")):
        pass


def test_anyway_starts_beside_the_other_and_says_so(elsewhere, lock):
    with taken("experiment 01", pytest.fail, anyway=True) as ours:
        assert ours.beside
        assert turn.read(lock).pid == elsewhere.pid  # who holds it is still told of
    assert elsewhere.poll() is None
    elsewhere.kill()
    elsewhere.wait()
    with taken("experiment 01", pytest.fail, anyway=True) as alone:
        assert not alone.beside


def test_a_race_within_a_selfcheck_waits_for_nobody(lock):
    with taken("selfcheck", pytest.fail) as outer, taken("experiment 00", pytest.fail) as inner:
        assert inner is outer
    assert not turn.mine and not turn.about(lock).exists()


@pytest.mark.parametrize(
    "left",
    ["", "{", "[]", '{"what": "x"}', "gone"],
    ids=["empty", "half", "a list", "fields missing", "a process that was killed"],
)
def test_what_a_killed_holder_left_is_not_believed(lock, left):
    if left == "gone":
        gone = Holder("experiment 04", os.getpid(), started=1.0, since=time.time())
        left = turn.json.dumps(turn.asdict(gone))
    lock.parent.mkdir(exist_ok=True)
    turn.about(lock).write_text(left)
    assert turn.read(lock) is None
    with taken("experiment 01", pytest.fail):
        assert turn.read(lock).what.endswith("experiment 01")


def test_programs_that_a_race_starts_do_not_keep_its_lock(lock, tmp_path):
    with contextlib.ExitStack() as stack:
        with taken("experiment 01", pytest.fail):
            child = stack.enter_context(
                subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
            )
        stack.callback(child.kill)
        with taken("experiment 02", pytest.fail):
            assert child.poll() is None


@pytest.mark.parametrize("what", ["a file", "a folder in its place", "no locks there"])
def test_a_race_starts_where_there_is_no_place_for_a_lock(tmp_path, monkeypatch, what):
    blocked = tmp_path / "blocked"
    if what == "a folder in its place":
        blocked.joinpath("race.lock").mkdir(parents=True)
    elif what == "a file":
        blocked.write_text("")
    else:
        monkeypatch.setattr(turn, "try_lock", lambda descriptor: interrupt_system())
    monkeypatch.setenv(turn.VARIABLE, str(blocked / "race.lock"))
    with taken("experiment 01", pytest.fail) as ours:
        assert not ours.beside and ours.path is None


def interrupt_system() -> bool:
    raise OSError(37, "No locks available")


def test_the_lock_is_one_for_all_checkouts_of_a_user_and_for_each_start_of_a_machine(
    tmp_path, monkeypatch
):
    monkeypatch.delenv(turn.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    before = list(turn.places())
    monkeypatch.setenv("BENCHBOOK_ROOT", str(tmp_path / "another"))
    assert list(turn.places()) == before
    boot = tmp_path / "boot"
    boot.write_text("another\n")
    monkeypatch.setattr(turn, "BOOT", boot)
    assert list(turn.places())[0] != before[0]
    monkeypatch.setattr(turn.paths, "cache", lambda: tmp_path)
    old = tmp_path / "benchbook" / "race-of-long-ago.lock"
    old.parent.mkdir()
    old.write_text("")
    os.utime(old, (1, 1))
    with taken("experiment 01", pytest.fail):
        assert not old.exists()


def test_the_time_left_is_told_again_as_the_race_goes_on(lock, monkeypatch):
    monkeypatch.setattr(turn, "TELL_SECONDS", 0.0)
    with taken("experiment 01", pytest.fail):
        assert turn.read(lock).until is None
        turn.expect(50)
        first = turn.read(lock).until
        turn.expect(10)
        assert turn.read(lock).until < first


def test_in_a_log_one_line_a_minute_in_a_terminal_one_that_counts_down(monkeypatch, capsys):
    terminal = Terminal()
    for text in ("waiting, 2 s left", "waiting, 1 s left", ""):
        terminal.wait(text)
    assert capsys.readouterr().err == "… waiting, 2 s left\n"
    monkeypatch.setattr(sys, "stderr", drawn := io.StringIO())
    terminal.tty = True
    for text in ("waiting, 2 s left", "waiting, 1 s left", ""):
        terminal.wait(text)
    assert drawn.getvalue().split("\r\x1b[K") == ["", "waiting, 2 s left", "waiting, 1 s left", ""]


def test_ctrl_c_while_waiting_ends_the_command_with_130(elsewhere, two_servers, checkout):
    words = [sys.executable, "-m", "benchbook", "race", str(two_servers)]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    try:
        assert "waiting for notebook 00" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        told = process.stderr.read()
        assert process.wait(60) == 130 and told.count("\n") == 1
        assert told.startswith("bench: stopped waiting") and "Traceback" not in told
    finally:
        process.kill()
        process.communicate()
