"""How many runs of typed commands a block has, and what is said of them, without a run."""

import pytest

from benchbook.compare import commands
from benchbook.compare.commands import CommandOptions
from benchbook.race.kinds.commands import remarks
from benchbook.race.kinds.commands.deal import Deal
from benchbook.race.kinds.commands.remarks import Start
from benchbook.race.kinds.commands.timing import Runs


def test_runs_are_dealt_evenly():
    exact = Deal(13, 13, 6, 0.001)
    dealt = [exact.of(block, 99.0) for block in range(6)]
    assert sum(least for least, _ in dealt) == 13 and {least for least, _ in dealt} == {2, 3}
    assert all(least == most for least, most in dealt)
    free = Deal(10, None, 4, 1.0)
    assert free.of(7, 3.0) == free.of(3, 3.0)  # of a longer race


def test_how_many_runs_a_block_has_is_known_before_it_begins():
    free = Deal(10, None, 4, run_seconds=0.5)
    assert [free.of(block, 3.25)[1] for block in range(4)] == [6, 7, 6, 7]
    free.took(10.0, 10)  # caches were cold, or the machine is slower than in the pilot
    assert free.of(0, 3.25)[1] == 6
    free.learn()
    assert [free.of(block, 3.25)[1] for block in range(4)] == [3, 3, 3, 4]
    assert Deal(10, 12, 4, 0.5).of(3, 99.0)[1] == 3


def test_remarks_are_made_as_hyperfine_makes_them():
    kind = commands.kind(commands.variants(["a"], CommandOptions()), CommandOptions())
    times = [0.05, *[0.010, 0.011, 0.009, 0.010] * 4]
    (said,) = remarks.of_runs({"a": times, "a#2": times}, kind, ["a", "a#2"])
    assert "a: the first run was much slower (50.0 ms, usually 10.0)" in said and "--warmup" in said
    (said,) = remarks.of_runs({"a": times[::-1]}, kind, ["a", "a#2"])
    assert "outliers: 1 of a's 17 runs" in said
    (said,) = remarks.of_runs({"a": [0.002, 0.0021, 0.0019]}, kind, ["a", "a#2"])
    assert "less than 5 ms" in said and "--shell none" in said
    assert list(remarks.of_runs({"a": [0.002, 0.0021, 0.0019]}, kind, [])) == []
    options = CommandOptions(warmup=3, prepare=("sync",))
    kind = commands.kind(commands.variants(["a"], options), options)
    (said,) = remarks.of_runs({"a": times}, kind, [])
    assert "more runs" in said and "does --prepare" in said


def test_what_the_shell_takes_is_the_middle_of_its_runs():
    told = [[0.001, 0.0005, 0.0, 1, 0], [0.002, 0.0, 0.0, 1, 0], [0.1, 0.001, 0.0, 1, 0]]
    start = Start.of(Runs.of(told), ("sh", "-c"))
    assert start.seconds == 0.002 and start.user == pytest.approx(0.0005)
