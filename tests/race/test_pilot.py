"""What a machine can see: by its races so far, and by a pilot."""

import pytest

from benchbook.analysis.statistics.detectable import DetectableEffect
from benchbook.commands.begin import diagnosis
from benchbook.model import results
from benchbook.race.checks import pilot
from benchbook.race.checks.pilot import DetectableHere

PROGRAMS = {"a": 1000, "b": 1000, "c": 1000}


@pytest.fixture
def save(checkout, make_run):
    """save(noise) keeps a race of the machine that `checkout` is on."""

    def make(noise: float, number: int, together: bool = True) -> None:
        run = make_run(PROGRAMS, noise=noise, together=together)
        run.timing["total_seconds"] = 60.0
        run.path = results.folder("01-made") / f"20260101T00000{number}-abc.json"
        run.path.parent.mkdir(parents=True, exist_ok=True)
        run.save()

    return make


def test_nothing_is_known_before_the_first_race(save):
    assert pilot.by_races() is None
    save(0.01, 1, together=False)
    assert pilot.by_races() is None, "in turns is another way to measure"
    assert "./bench doctor --pilot" in diagnosis.detectable_here(pilot=False)


def test_the_newest_races_tell(save):
    save(0.01, 1)
    first = pilot.by_races()
    assert first.by == "the last race here" and 0 < first.seen.smallest < 0.1
    for number in range(2, 2 + pilot.NEWEST):
        save(0.05, number)
    later = pilot.by_races()
    assert later.by == f"the last {pilot.NEWEST} races here"
    assert later.seen.smallest > 2 * first.seen.smallest
    assert diagnosis.detectable_here(pilot=False) == later.text


def test_it_is_told_for_a_race_of_a_minute():
    text = DetectableHere(DetectableEffect(0.02, 240), "a pilot").text
    assert "differences of 4.0 % and more; for 1 % it would take about 16 min" in text


@pytest.mark.slow("races for ten seconds")
def test_a_pilot_races_two_equal_servers(checkout):
    told = []
    found = pilot.by_pilot(told.append)
    assert found.by == "a pilot just now" and found.seen.smallest > 0
    (path,) = (checkout / ".benchbook" / "runs" / "selfcheck").glob("*.json")
    run = results.load(path)
    assert run.complete and run.plan.together
    assert [entry.name for entry in run.entries] == ["work", "work#2"]
