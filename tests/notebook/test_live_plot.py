"""The plot of a race that is under way: after each launch it is drawn anew, in the same place."""

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
from benchbook.race.record import Event, Note, RaceProgress
from benchbook.show import embed
from benchbook.show.embed import Figure, Still


@dataclass
class Launches:
    """A race whose samples are known, launch by launch."""

    run: Run
    samples: list[Sample]
    told: list[int] = field(default_factory=list)

    def events(self) -> Iterator[Event]:
        yield Note("here we go")
        for launch in range(self.run.plan.launches):
            yield RaceProgress(0, 1, 1.0, "starting", landed=launch)
            self.told.append(launch)
            self.run.samples += [s for s in self.samples if s.launch == launch]
            yield RaceProgress(1, 1, 1.0, "a block")


@pytest.fixture
def places(monkeypatch) -> Places:
    made = Places()

    def display(shown: object, display_id: bool) -> Place:
        assert display_id
        return made(shown)

    for module in (progress, race_magics):
        monkeypatch.setattr(module, "display", display)
    return made


def test_the_intervals_shrink_while_the_race_runs(places, make_run, two_servers, checkout):
    run = make_run({"a": 1000, "b": 1200}, launches=5, together=True)
    samples, run.samples = run.samples, []
    bench = Workbench(experiments.load(two_servers))
    block = RaceBlock(bench)
    race = Launches(run, samples)
    block.follow(race)
    assert race.told == [0, 1, 2, 3, 4] and bench.run is run
    _, plot = places  # beside the progress there is one more output, however long the race is
    assert len(plot.shown) == 3  # after 2, 3 and 4 launches
    # JupyterLab would go on showing the first of several plotly figures
    assert all(isinstance(shown, Still) for shown in plot.shown)
    assert all(embed.PLOTLY not in shown._repr_mimebundle_()[0] for shown in plot.shown)
    widths = [max(whiskers(shown.figure)) for shown in plot.shown]
    assert widths[0] > widths[-1] > 0
    block.plot(run, judge.judge(run, bench.experiment.claim))
    assert embed.PLOTLY in plot.shown[-1]._repr_mimebundle_()[0] and len(places) == 2


def whiskers(figure: Figure) -> list[float]:
    """How wide the intervals of a plot of ratios are."""
    lines = [trace for trace in figure.plotly["data"] if trace.get("mode", "").startswith("lines")]
    return [line["x"][-1] - line["x"][0] for line in lines]
