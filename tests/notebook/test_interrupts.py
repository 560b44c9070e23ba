"""An interrupt of a magic, whichever it is: one sentence of what is kept, and no traceback."""

import pytest
from recorders import Places

from benchbook.model.experiments import Experiment
from benchbook.notebook import progress, workbench
from benchbook.notebook.magics import benchmark_magics, race_magics
from benchbook.notebook.workbench import Workbench
from benchbook.race import turn
from benchbook.race.options import RaceRequest
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.notebook import typed
from benchbook_kernels.notebook.typed import Interrupted


@pytest.fixture
def shown(monkeypatch) -> Places:
    found = Places()
    for module in (progress, race_magics, benchmark_magics):
        monkeypatch.setattr(module, "display", found)
    return found


class Going:
    """A race that is interrupted: as far as it has come."""

    def __init__(self, run) -> None:
        self.run = run

    def events(self):
        raise KeyboardInterrupt
        yield


@pytest.fixture
def partial(make_run, tmp_path):
    run = make_run({"a": 1000, "b": 1100}, launches=2)
    run.status, run.reason, run.finished = "incomplete", "interrupted", run.started
    run.path = tmp_path / "run.json"
    return run


def test_a_race_shows_what_there_is(shown, partial, experiment: Experiment, monkeypatch):
    monkeypatch.setattr(
        race_magics.service, "race", lambda *found: found[-1].follow(Going(partial))
    )
    with pytest.raises(
        Interrupted, match=r"interrupted: \d+ samples are kept in .*run.json.*--last"
    ):
        race_magics.race(Workbench(experiment), RaceRequest())
    assert "INCOMPLETE" in shown.text and "to baseline" in shown.text and "Figure" in shown.text


def test_a_race_without_samples_says_that_nothing_is_kept(shown, experiment, monkeypatch):
    def build(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(race_magics.service, "race", build)
    with pytest.raises(Interrupted, match="before its first sample"):
        race_magics.race(Workbench(experiment), RaceRequest())


def test_a_replay_says_where_it_is_kept(shown, experiment, monkeypatch):
    monkeypatch.setattr(race_magics.service, "as_published", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):  # what is no interrupt goes on
        race_magics.replay(Workbench(experiment), RaceRequest(as_published=True))

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(race_magics.service, "as_published", stop)
    with pytest.raises(Interrupted, match="^the replay was interrupted: nothing"):
        race_magics.replay(Workbench(experiment), RaceRequest(as_published=True))


def test_any_other_magic_says_that_it_was_interrupted():
    @typed.plainly
    def lesson(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="^%lesson was interrupted before its end") as caught:
        lesson("")
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


def test_the_last_race_is_told_even_if_it_was_cut_short(partial, experiment, monkeypatch):
    bench = Workbench(experiment)
    monkeypatch.setattr(workbench.results, "saved", lambda _: [partial.path])
    monkeypatch.setattr(workbench.picker, "readable", lambda _: [partial])
    assert bench.newest(replay=False) is partial and partial.reason == "interrupted"
    partial.finished = None  # as where the kernel was killed
    monkeypatch.setattr(turn, "holder", lambda: None)
    assert bench.newest(replay=False).reason.startswith("it ended without")
    holder = turn.Holder("notebook 04", 1, 0.0, since=0.0)
    monkeypatch.setattr(turn, "holder", lambda: holder)
    with pytest.raises(InputError, match="still running, with .* samples so far"):
        bench.newest(replay=False)
    with pytest.raises(InputError, match="has not been raced here"):
        bench.newest(replay=True)


def test_a_race_tells_of_an_edit_that_was_refused(experiment):
    bench = Workbench(experiment)
    assert bench.refusals() == ""
    bench.edit("b", bench.experiment.variant("b").code + "\n// mine")
    with pytest.raises(InputError):
        bench.edit("b", "const x = ;")
    assert bench.edits == {} and bench.refused == {"b"}
    assert "of b could not be read" in bench.refusals() and "b.mjs" in bench.refusals()
    bench.edit("b", bench.experiment.variant("b").code)
    assert bench.refusals() == ""
