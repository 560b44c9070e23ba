"""Figures to be moved: each step says what is judged or calculated there, and all can be read."""

import pytest

from benchbook.analysis.judging import judge
from benchbook.model import experiments, picker
from benchbook.show.embed import PLOTLY
from benchbook.show.figures import explored

NAME = "04-setheader-vs-writehead"


@pytest.fixture(scope="module")
def recorded():
    return picker.reference_runs()[NAME], experiments.find(NAME).claim


@pytest.fixture(scope="module")
def figures(recorded):
    run, claim = recorded
    laws = {name: draw() for name, draw in explored.LAWS.items()}
    of_race = {
        "delta": explored.delta_figure(run, claim),
        "level": explored.level_figure(run, judge.judge(run, claim)),
    }
    return laws | of_race


def steps(figure) -> list[dict]:
    (slider,) = figure.plotly["layout"]["sliders"]
    return slider["steps"]


@pytest.mark.parametrize("name", [*explored.LAWS, "delta", "level"])
def test_each_step_sets_all_that_is_drawn(name, figures):
    figure = figures[name]
    data = figure.plotly["data"]
    for step in steps(figure):
        moved, layout = step["args"]
        assert [len(x) for x in moved["x"]] == [len(y) for y in moved["y"]]
        assert len(moved["x"]) == len(data) and layout["title.text"]
        assert step["label"] in figure.numbers.text
    first = steps(figure)[figure.plotly["layout"]["sliders"][0]["active"]]["args"][0]
    assert first == {axis: [trace[axis] for trace in data] for axis in ("x", "y")}
    bundle, _ = figure._repr_mimebundle_()
    texts = [
        step["args"][1]["title.text"] for step in bundle[PLOTLY]["layout"]["sliders"][0]["steps"]
    ]
    assert all("currentColor" in text for text in texts), "legible on light and dark"


def test_the_verdicts_change_with_the_smallest_difference_that_matters(figures, recorded):
    run, claim = recorded
    table = figures["delta"].numbers.text
    for delta in (0.01, 0.2):
        found = judge.judge(run, explored.with_delta(claim, delta)).judgements
        assert {each.delta for each in found} == {delta}
    assert "no difference" not in table.splitlines()[2] and "opposite" not in table.splitlines()[-1]
    bands = [step["args"][1]["shapes"][0] for step in steps(figures["delta"])]
    widths = [band["x1"] - band["x0"] for band in bands]
    assert widths == sorted(widths) and widths[0] < widths[3]


def test_what_is_sure_is_less_so_at_a_higher_level(figures):
    rows = figures["level"].numbers.text.splitlines()
    assert "bare#2" in rows[2], "at 50 % even two copies of a program differ"
    assert "bare#2" not in rows[-1]
    reach = [
        [abs(x[1] - x[0]) for x in step["args"][0]["x"] if len(x) == 2]
        for step in steps(figures["level"])
    ]
    assert all(a < b for one, more in zip(reach, reach[1:]) for a, b in zip(one, more))
    titles = [step["args"][1]["title.text"] for step in steps(figures["level"])]
    assert all(
        f"{level:.5g} % interval" in t for level, t in zip((50, 80, 90, 95, 99, 99.9), titles)
    )


def test_laws_are_what_they_are_called(figures):
    amdahl, little = figures["amdahl"].numbers.text, figures["little"].numbers.text
    assert "50 % of the time, made 4 times as fast" in amdahl and "1.6 times as fast" in amdahl
    assert "10,000 requests a second, 100" in little and "take 10 ms each" in little
    assert "seems 4.8 % slower" in figures["scanner"].numbers.text  # 200 / 210


def test_a_larger_room_tells_the_mean_and_not_the_next_machine(figures):
    def width(step: dict, series: int) -> float:
        low, high = step["args"][0]["x"][series]
        return high - low

    few, many = steps(figures["room"])[2], steps(figures["room"])[-1]
    assert width(many, 0) < width(few, 0) / 4
    assert width(many, 2) > 16, "four times the scatter of 4 %"
