"""The line of `./bench run`: it goes on inside a race, and fits the terminal."""

import asyncio
import io

import pytest
from nbformat import v4

from benchbook.notebook.headless import batch, execute
from benchbook.notebook.headless.pace import Pace

RACE = "12/48 launch 1 of 3, block 2 of 4, about 20 s left"


def cell(*texts):
    made = v4.new_code_cell("%race")
    made.outputs = [v4.new_output("display_data", {"text/plain": text}) for text in texts]
    return made


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        ([RACE], RACE),
        (["a note", f"b is left out\n{RACE}\na hint"], RACE),
        ([RACE, "something else"], RACE),
        (["verdict  measured\n───"], ""),
        ([], ""),
    ],
)
def test_what_a_race_says_of_itself_is_found(texts, line):
    assert execute.doing(cell(*texts)) == line


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_line_goes_on_while_a_cell_runs(monkeypatch):
    monkeypatch.setattr(execute.sys, "stderr", Terminal())
    monkeypatch.setattr(execute, "TICK_SECONDS", 0.01)
    monkeypatch.setenv("COLUMNS", "200")
    progress = execute.NotebookProgress("04", "[1/1]", lambda index: 90.0)
    progress(13, 23)

    async def run():
        with execute.reporting(progress, cell(RACE)):
            while RACE not in execute.sys.stderr.getvalue():
                await asyncio.sleep(0.01)

    asyncio.run(run())
    last = execute.sys.stderr.getvalue().rpartition("\r")[2]
    assert "cell 13 of 23" in last and RACE in last and "about" in last


def test_the_line_is_no_wider_than_the_terminal(monkeypatch):
    monkeypatch.setattr(execute.sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "40")
    progress = execute.NotebookProgress("04", "[1/1]")
    progress(1, 2)
    progress.tick(RACE)
    lines = execute.sys.stderr.getvalue().replace("\x1b[K", "").split("\r")
    assert all(len(line) < 40 for line in lines)


def test_minutes_that_are_too_few_are_said_to_be():
    long = Pace(((300.0, 300.0),), 0.25)
    assert "4 min are too few" in batch.outlook(long, 4)
    assert "too few" not in batch.outlook(long, 30)
