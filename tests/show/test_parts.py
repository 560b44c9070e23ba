"""The figure of parts: a bar for each entry, whatever parts it has."""

import pytest

from benchbook.show.figures.parts import parts_figure
from benchbook_kernels.base.errors import InputError


@pytest.fixture
def run(make_run):
    """A run in which b's operations have a part that a's lack."""
    made = make_run({"a": 1000.0, "b": 1100.0})
    for sample in made.samples:
        sample.parts_ms.update({"GET": 1.0, "decode": 3.0})
        if sample.variant == "b":
            sample.parts_ms["unpack"] = 4.0
    return made


def test_an_entry_without_a_part_has_a_bar_without_it(run):
    figure = parts_figure(run)
    bars = {trace["name"]: trace["x"] for trace in figure.plotly["data"]}
    assert bars == {"GET": [1.0, 1.0], "decode": [3.0, 3.0], "unpack": [4.0, 0.0]}
    assert figure.plotly["layout"]["yaxis"]["ticktext"] == ["b", "a"]
    assert "—" in figure.numbers.text and "4 ms" in figure.numbers.text


def test_the_title_says_what_the_last_part_takes_of_the_baseline(run):
    assert parts_figure(run).label == "a: decode is 75% of the time"


def test_without_parts_there_is_no_figure(make_run):
    with pytest.raises(InputError, match="has no parts to plot"):
        parts_figure(make_run({"a": 1000.0}))
