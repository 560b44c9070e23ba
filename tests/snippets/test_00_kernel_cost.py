"""%lesson kernel: one loop as a program, in our session, and in any Jupyter kernel for C#."""

import pytest

from benchbook_kernels.base.errors import BenchError
from notebook_00 import kernel_cost

Place = kernel_cost.Place

LOOP = """\
#:property PublishAot=false
using System;
Console.WriteLine("12.5 and more");
"""


@pytest.fixture
def loop(tmp_path):
    path = tmp_path / "loop.cs"
    path.write_text(LOOP)
    return path


@pytest.mark.slow("builds a .NET program and starts two C# sessions")
def test_the_loop_runs_in_every_place_in_each_round(loop):
    places = kernel_cost.measure(loop, other="benchbook-csharp")
    assert [place.reason for place in places] == ["", "", ""]
    assert all(place.milliseconds == [12.5] * kernel_cost.ROUNDS for place in places)
    assert all(place.first > 0 for place in places)


@pytest.mark.slow("builds a .NET program and starts a C# session")
def test_a_kernel_that_is_not_there_is_told_with_the_remedy(loop, monkeypatch):
    monkeypatch.setattr(kernel_cost, "INTERACTIVE", "no-such-kernel")
    places = kernel_cost.measure(loop, other="no-such-kernel")
    assert "dotnet tool install" in places[2].reason and not places[2].milliseconds


def test_a_loop_that_can_not_be_compiled_is_an_error(loop):
    loop.write_text("Console.WriteLine(")
    with pytest.raises(BenchError, match="can't be built"):
        kernel_cost.measure(loop)


def test_what_fails_in_a_cell_is_told_and_not_asked_again(loop):
    def fail() -> str:
        raise BenchError("not today")

    place = Place("there", fail)
    place.round()
    assert (place.reason, place.milliseconds) == ("not today", [])


def test_the_figure_compares_with_the_program():
    alone, cell = Place("a program"), Place("a cell")
    alone.milliseconds, cell.milliseconds = [10, 11, 12], [22, 20, 23]
    shown = kernel_cost.draw([alone, cell, Place("elsewhere", reason="not installed")])
    assert "2.00 times its time in a cell" in shown.label
    assert [trace["name"] for trace in shown.plotly["data"]] == ["a program", "a cell"]
    assert "not installed" in shown.numbers.text and "2.00" in shown.numbers.text


def test_the_lesson_prints_its_own_time_first():
    assert "TotalMilliseconds" in kernel_cost.LOOP.read_text()
