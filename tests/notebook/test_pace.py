"""How long notebooks take, and the share of their races that fits into given minutes."""

import json
from pathlib import Path

import pytest

from benchbook.notebook.headless import execute, pace
from benchbook.notebook.headless.pace import Pace
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

ROOT = Path(__file__).resolve().parents[2]


def record(checkout: Path, **times: list[float]) -> list[tuple[str, list[str]]]:
    """Notebooks whose cells are called 0, 1, …, with how long each took."""
    by_id = {n: {str(i): s for i, s in enumerate(cells)} for n, cells in times.items()}
    (checkout / "data").mkdir(exist_ok=True)
    (checkout / "data" / "notebook-seconds.json").write_text(json.dumps({"quick": by_id}))
    return [(name, list(cells)) for name, cells in by_id.items()]


def test_what_fits_is_not_shortened(checkout):
    notebooks = record(checkout, a=[1, 60], b=[60])
    for minutes in (None, 10):
        made = pace.make(notebooks, minutes)
        assert (made.share, made.seconds()) == (1, 121 + pace.START_SECONDS)


def test_races_are_shortened_so_that_all_fits(checkout):
    notebooks = record(checkout, a=[1, 600, 2], b=[3, 600])
    made = pace.make(notebooks, 15)
    assert 0 < made.share < 1
    assert made.seconds() == pytest.approx(15 * 60, rel=0.02)


def test_no_race_is_shortened_to_nothing(checkout):
    assert pace.make(record(checkout, a=[600], b=[600]), 1).share == pace.LEAST


def test_what_is_left_counts_the_cells_that_are_to_run():
    made = Pace(((1, 60, 2), (3, 60)))
    assert made.left(0, 0) == 126 + pace.START_SECONDS
    assert made.left(0, 2) == 65 + pace.START_SECONDS
    assert made.left(1, 1) == 60


@pytest.mark.parametrize("seconds", [1, 6, 80])
def test_what_a_shortened_cell_took_tells_how_long_the_whole_one_takes(seconds):
    shortened = Pace((), share=0.5)
    assert shortened.unshortened(shortened.expected(seconds)) == pytest.approx(seconds)


def test_notebooks_that_nobody_recorded_are_not_known(checkout):
    record(checkout, a=[600])
    made = pace.make([("a", ["0"]), ("mine", ["0"])], 5)
    assert not made.known
    (checkout / "data" / "notebook-seconds.json").unlink()
    assert pace.make([("a", ["0"])], None).cells == (None,)


def test_a_cell_keeps_its_time_where_others_were_added_or_moved(checkout):
    record(checkout, a=[1, 600, 2])
    assert pace.make([("a", ["2", "new", "1", "0"])], None).cells == ((2, 0, 600, 1),)


def test_a_file_that_can_not_be_read_is_named(checkout):
    record(checkout)
    (checkout / "data" / "notebook-seconds.json").write_text("{")
    with pytest.raises(InputError, match="data/notebook-seconds.json"):
        pace.recorded()


def test_every_cell_that_races_is_recorded_and_nothing_that_is_gone():
    times = json.loads((ROOT / "data" / "notebook-seconds.json").read_text())["quick"]
    notebooks = {path.stem: execute.read(path) for path in paths.notebooks().glob("*.ipynb")}
    assert set(times) == set(notebooks)
    for name, notebook in notebooks.items():
        code = {cell.id: cell.source for _, cell in execute.to_run(notebook)}
        raced = {each for each, source in code.items() if "%race" in source}
        assert raced <= set(times[name]) <= set(code), f"{name}: python tools/record_seconds.py DIR"
        assert all(second >= 0 for second in times[name].values())


@pytest.mark.parametrize("seconds, words", [(40, "about 40 s"), (130, "about 2 min")])
def test_times_in_words(seconds, words):
    assert pace.in_words(seconds) == words
