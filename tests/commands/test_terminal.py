"""A race in the terminal: a line for each statement, drawn over; in a log when it is decided."""

import io
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from benchbook.analysis.judging import judge
from benchbook.commands.measure.terminal import Terminal
from benchbook.model.runs import Run
from benchbook.model.samples import Sample
from benchbook.race.record import Event, RaceProgress


@dataclass
class Launches:
    """A race whose samples are known; its clock goes on for two seconds with each launch."""

    run: Run
    samples: list[Sample]
    now: float = 0.0
    written: list[str] = field(default_factory=list)

    def events(self) -> Iterator[Event]:
        for launch in range(self.run.plan.launches):
            where = f"launch {launch + 1} of {self.run.plan.launches}"
            yield RaceProgress(len(self.run.samples), 60, 1.0, f"{where}: starting", landed=launch)
            self.run.samples += [s for s in self.samples if s.launch == launch]
            self.now += 2.0
            yield RaceProgress(len(self.run.samples), 60, 1.0, f"{where}: blocks", between=True)


@pytest.fixture
def follow(make_run, experiment, monkeypatch):
    """follow(tty) -> what a terminal or a log got of a race"""

    def followed(tty: bool) -> str:
        run = make_run({"a": 1000, "b": 1200})
        samples, run.samples = run.samples, []
        race = Launches(run, samples)
        monkeypatch.setattr(sys, "stderr", written := io.StringIO())
        terminal = Terminal(lambda run: judge.judge(run, experiment.claim))
        terminal.tty, terminal.so_far.clock = tty, lambda: race.now
        terminal.follow(race)
        return written.getvalue()

    return followed


def test_each_statement_has_a_line_that_is_drawn_over(follow, monkeypatch):
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_, **__: os.terminal_size((60, 24)))
    frames = follow(tty=True).split("\r")[1:]
    assert all(len(line) < 60 for frame in frames for line in frame.split("\n")[1:])
    lines = [frame.split("\n") for frame in frames if "launch" in frame]
    assert all(len(each) == 2 for each in lines)
    assert lines[0][1].startswith("… not decided yet") and lines[-1][1].startswith("✔ reproduced")
    # each goes up to where the one before began, and in the end nothing is left
    assert all(frame.startswith("\x1b[1A\x1b[J") for frame in frames[1:])
    assert frames[-1] == "\x1b[1A\x1b[J"


def test_a_small_terminal_shows_what_it_has_room_for(capsys, monkeypatch):
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_, **__: os.terminal_size((80, 6)))
    terminal = Terminal()
    terminal.draw([f"line {i}" for i in range(9)])
    assert capsys.readouterr().err.split("\n")[1:] == ["line 1", "line 2", "and 6 more"]


def test_in_a_log_a_statement_has_its_line_once_it_is_decided(follow):
    lines = follow(tty=False).splitlines()
    (decided,) = [line for line in lines if "b is faster than a" in line]
    assert decided.startswith("✔ reproduced") and "\x1b" not in "".join(lines)
