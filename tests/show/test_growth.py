"""The plot of growth: a line a series, its points the levels or ratios of each case."""

import pytest

from benchbook.analysis.statistics.compared import Compared
from benchbook.model.kinds.client import Client
from benchbook.model.kinds.functions import Functions
from benchbook.show.figures import growth
from benchbook.show.themed import OPENED, themed
from benchbook_kernels.base.errors import InputError

SPEEDS = {"slow-1": 800.0, "slow-100": 320.0, "fast-1": 900.0, "fast-100": 800.0}


@pytest.fixture
def run(make_run):
    made = make_run(SPEEDS)
    for entry in made.entries:
        series, _, size = entry.name.partition("#")[0].partition("-")
        entry.series, entry.case = series, f"{size} paths"
    return made


def lines(figure) -> dict[str, dict]:
    return {trace["name"]: trace for trace in figure.plotly["data"]}


def test_each_series_is_a_line_over_the_cases_without_the_copy(run):
    shown = lines(growth.growth_figure(run))
    assert set(shown) == {"slow", "fast"}
    assert shown["slow"]["y"] == pytest.approx([880, 352], rel=0.1)
    assert shown["fast"]["y"] == pytest.approx([990, 880], rel=0.1)
    assert shown["slow"]["x"] == shown["fast"]["x"] == [0.0, 2.0]  # powers of ten


def test_its_legend_has_the_colour_of_the_page(run):
    shown = themed(growth.growth_figure(run).plotly)["data"]
    assert all(trace["name"].startswith(OPENED) for trace in shown)


def test_the_versions_of_what_ran_stand_on_the_plot(run):
    for entry in run.entries:
        entry.software = ["Gerbil 0.16"] if entry.series == "fast" else ["Node.js 20.20.2"]
    shown = growth.growth_figure(run).plotly["layout"]["title"]["text"]
    assert "with Node.js 20.20.2, Gerbil 0.16" in shown.replace("<br>", " ")


def test_a_ratio_is_taken_within_the_case_and_from_paired_blocks(run):
    figure = growth.growth_figure(run, to="Slow")
    shown = lines(figure)
    assert set(shown) == {"fast"}
    expected = Compared.of(run).interval("fast-100", "slow-100")
    assert shown["fast"]["y"][1] == pytest.approx(expected.ratio)
    up, down = shown["fast"]["error_y"]["array"][1], shown["fast"]["error_y"]["arrayminus"][1]
    assert [expected.ratio + up, expected.ratio - down] == pytest.approx(
        [expected.high, expected.low]
    )
    assert "2.5" in figure.numbers.text and "Fastest: fast" in figure.label


@pytest.mark.parametrize(
    ("kind", "named"), [(Functions, "an operation, ms"), (Client, "a load, ms")]
)
def test_times_are_in_a_unit_that_suits_them_and_say_of_what(run, kind, named):
    run.kind = kind
    figure = growth.growth_figure(run)
    assert figure.plotly["layout"]["yaxis"]["title"]["text"] == f"time of {named}"
    assert lines(figure)["slow"]["y"] == pytest.approx([1.14, 2.84], rel=0.1)


def test_a_case_that_failed_leaves_a_gap_and_no_error(run):
    run.samples = [sample for sample in run.samples if sample.variant != "fast-100"]
    assert len(lines(growth.growth_figure(run))["fast"]["y"]) == 1


def test_cases_are_in_order_of_size_where_the_first_series_lacks_some(run):
    run.entries.sort(key=lambda entry: entry.name != "slow-100")
    figure = growth.growth_figure(run)
    assert figure.plotly["layout"]["xaxis"]["ticktext"] == ["1 paths", "100 paths"]
    assert figure.label == "Fastest: fast at 1 paths, fast at 100 paths"


def test_cases_without_one_number_each_stand_side_by_side(run):
    for entry in run.entries:
        entry.case = {"1": "flat", "100": "nested"}[entry.case.partition(" ")[0]]
    axis = growth.growth_figure(run).plotly["layout"]["xaxis"]
    assert axis["tickvals"] == [0, 1] and axis["ticktext"] == ["flat", "nested"]


def test_an_unknown_series_and_a_run_without_cases_are_told(run):
    with pytest.raises(InputError, match="no series 'quick' .there are: slow, fast"):
        growth.growth_figure(run, to="quick")
    for entry in run.entries:
        entry.case = ""
    with pytest.raises(InputError, match="has no cases.*\n.*`series` and `case`"):
        growth.growth_figure(run)


def test_it_is_the_first_plot_for_times_of_jobs_of_several_sizes_only(run):
    assert not growth.suits(run)  # requests/s: the ratios come first
    run.kind = Functions
    assert growth.suits(run)
    run.entries[-1].series = ""  # one that has no line of its own does not change that
    assert growth.suits(run)
    for entry in run.entries:
        entry.case = "1 path"
    assert not growth.suits(run)
