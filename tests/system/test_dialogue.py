"""Processes that are asked line by line: answers, silence, ends, and what they said."""

import select
import sys
import threading

import pytest

from benchbook.system.dialogue import Dialogue, Ended, Silent, end_all
from benchbook_kernels.base.processes import Keeper

ECHO = """
import json, sys
for line in sys.stdin:
    print("by the way")
    print("answer: 5 or so")
    print("answer:", json.dumps({"said": line.strip()}), flush=True)
"""


@pytest.fixture
def start():
    with Keeper() as keeper:
        begun = []

        def begin(code: str) -> Dialogue:
            begun.append(Dialogue.start(keeper, [sys.executable, "-c", code]))
            return begun[-1]

        yield begin
        end_all(begun, keeper)
        for dialogue in begun:
            assert dialogue.process.poll() is not None


def test_a_line_is_answered_and_other_lines_are_passed_over(start):
    echo = start(ECHO)
    answers = [echo.ask(word, 20, "answer:") for word in ("one", "two")]
    assert [answer["said"] for answer in answers] == ["one", "two"]


def test_an_empty_answer_is_an_answer(start):
    assert start("print('{}', flush=True); input()").hear(20) == {}


def test_a_process_that_is_silent_is_ended(start):
    silent = start("import time; time.sleep(60)")
    with pytest.raises(Silent):
        silent.hear(0.2)
    assert silent.process.wait(120) != 0


def test_one_that_falls_silent_within_a_line_is_ended(start):
    silent = start("print('{', end='', flush=True); import time; time.sleep(60)")
    with pytest.raises(Silent):
        silent.hear(2)


@pytest.mark.parametrize("way", ["polled", "watched"])
def test_lines_come_one_by_one_the_last_without_an_end(start, way):
    if way == "polled" and not hasattr(select, "poll"):
        way = "watched"
    talker = start("print('a\\nb'); print('c', end='')")
    assert [line.strip() for line in getattr(talker, way)(20)] == [b"a", b"b", b"c"]


def test_an_interrupt_just_before_it_listens_leaves_nothing_to_wait_for(start, monkeypatch):
    """A watchdog left behind keeps the whole program for its time, although all else has ended."""
    begin = threading.Timer.start
    watchdogs = []

    def interrupted(watchdog):
        begin(watchdog)
        watchdogs.append(watchdog)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Timer, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        next(start("input()").watched(60))
    (watchdog,) = watchdogs
    watchdog.join(20)
    assert not watchdog.is_alive() and watchdog.daemon


def test_one_that_has_ended_tells_what_it_said(start):
    ended = start("import sys; sys.exit('no, \\n\\nthank you')")
    ended.process.wait(120)
    with pytest.raises(Ended):
        ended.ask("hello", 20)
    assert ended.process.returncode == 1
    assert [line.strip() for line in ended.said()] == ["no,", "thank you"]


def test_after_hanging_up_one_ends_by_itself(start):
    echo = start(ECHO)
    echo.hang_up()
    assert echo.process.wait(120) == 0
