"""A race that is under way: its plot is drawn anew in the same place, and a line for each statement
turns from grey to its verdict."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from recorders import Place, Places

from benchbook.analysis.judging import judge
from benchbook.model import experiments
from benchbook.model.runs import Run
from benchbook.model.samples import Sample
from benchbook.notebook import progress
from benchbook.notebook.magics import race_magics
from benchbook.notebook.magics.race_magics import RaceBlock
from benchbook.notebook.workbench import Workbench
from benchbook.race import turn
from benchbook.race.record import Event, Note, RaceProgress
from benchbook.show import embed
from benchbook.show.embed import Figure, Still


@dataclass
class Launches:
    """A race whose samples are known, launch by launch, and whose clock goes on for a second with
    each block, and stands still meanwhile."""

    run: Run
    samples: list[Sample]
    now: float = 0.0
    told: list[int] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def events(self) -> Iterator[Event]:
        yield Note("here we go")
        for launch in range(self.run.plan.launches):
            yield RaceProgress(0, 1, 1.0, "starting", landed=launch)
            self.told.append(launch)
            for block in range(self.run.plan.blocks):
                there = [s for s in self.samples if (s.launch, s.block) == (launch, block)]
                self.run.samples += there
                yield RaceProgress(1, 1, 1.0, "a block")
                self.now += 1.0
                yield RaceProgress(1, 1, 1.0, "a block", between=True)


@pytest.fixture
def places(monkeypatch) -> Places:
    made = Places()

    def display(shown: object, display_id: bool = False) -> Place:
        return made(shown)

    monkeypatch.delenv(turn.NOTEBOOK, raising=False)
    for module in (progress, race_magics):
        monkeypatch.setattr(module, "display", display)
    return made


@pytest.fixture
def followed(places, make_run, two_servers, checkout):
    """followed() -> the block of a race that it has followed, and the race"""

    def follow() -> tuple[RaceBlock, Launches]:
        run = make_run({"a": 1000, "b": 1200}, launches=5, together=True)
        samples, run.samples = run.samples, []
        race = Launches(run, samples)
        block = RaceBlock(Workbench(experiments.load(two_servers)))
        if block.so_far:
            block.so_far.clock = race.clock
        block.follow(race)
        return block, race

    return follow


def test_the_intervals_shrink_while_the_race_runs(followed, places):
    block, race = followed()
    assert race.told == [0, 1, 2, 3, 4] and block.bench.run is race.run
    _, plot = places  # beside the progress there is one more output, however long the race is
    assert len(plot.shown) == 5 * 4 + 4  # after each block, and each launch but the last
    # JupyterLab would go on showing the first of several plotly figures
    assert all(isinstance(shown, Still) for shown in plot.shown)
    assert all(embed.PLOTLY not in shown._repr_mimebundle_()[0] for shown in plot.shown)
    widths = [max(whiskers(shown.figure)) for shown in plot.shown]
    assert widths[0] >= 200  # of one launch: as far as the axis goes
    assert widths[9] > widths[-1] > 0  # of two launches, and of all
    axes = {tuple(shown.figure.plotly["layout"]["xaxis"]["range"]) for shown in plot.shown}
    assert len(axes) < len(plot.shown) / 2  # it stands still, so that one sees them shrink


def test_a_statement_is_grey_until_a_launch_decides_it(followed, places):
    block, _ = followed()
    told = [shown.text for shown in places[0].shown]
    first = next(i for i, text in enumerate(told) if "✔ reproduced" in text)
    assert any("… not decided yet" in text for text in told[:first])
    assert not any("… not decided yet" in text for text in told[first:])  # it does not come and go
    assert "#0072b2" in places[0].shown[first].html


def test_in_the_end_the_plot_and_the_verdicts_stand_there_once(followed, places):
    block, race = followed()
    bench, run = block.bench, race.run
    race_magics.show(bench, block, run, judge.judge(run, bench.experiment.claim))
    card, plot, _ratios = (place.shown[-1] for place in places)
    assert embed.PLOTLY in plot._repr_mimebundle_()[0]
    assert card.text.count("✔ reproduced") == 1 and "left" not in card.text


def test_where_nobody_looks_on_nothing_is_drawn_before_the_end(followed, places, monkeypatch):
    monkeypatch.setenv(turn.NOTEBOOK, "04")
    block, _ = followed()
    assert block.plotted is None and len(places) == 1


def whiskers(figure: Figure) -> list[float]:
    """How wide the intervals of a plot of ratios are."""
    lines = [trace for trace in figure.plotly["data"] if trace.get("mode", "").startswith("lines")]
    return [line["x"][-1] - line["x"][0] for line in lines]
