"""What a race can see, and whether it said so rightly."""

import pytest

from benchbook.analysis.statistics import detectable
from benchbook.analysis.statistics.compared import Compared
from benchbook.analysis.statistics.detectable import DetectableEffect
from benchbook.race import service

PROGRAMS = {"a": 1000, "b": 1000, "c": 1000, "d": 1000}


def timed(run, seconds=60.0):
    run.timing["total_seconds"] = seconds
    return run


def test_a_noisy_machine_sees_less(make_run):
    quiet, noisy = (
        detectable.of_race(timed(make_run(PROGRAMS, noise=noise, together=True)))
        for noise in (0.005, 0.05)
    )
    assert 0 < quiet.smallest < noisy.smallest / 4


def test_differences_of_that_size_are_found_in_about_four_of_five_races(make_run):
    races = [make_run(PROGRAMS, noise=0.02, seed=n, together=True) for n in range(40)]
    seen = detectable.expected([timed(race) for race in races])
    found = 0
    for n in range(60):
        speeds = {**PROGRAMS, "b": 1000 * (1 + seen.smallest)}
        race = make_run(speeds, noise=0.02, seed=1000 + n, together=True)
        found += Compared.of(race).interval("b", "a").p < 0.05
    assert 0.6 < found / 60 < 0.95


def test_the_time_for_a_smaller_difference_grows_with_its_square():
    assert DetectableEffect(0.02, 60).seconds_for(0.02) == pytest.approx(60)
    assert DetectableEffect(0.02, 60).seconds_for(0.01) == pytest.approx(240, rel=0.02)


def test_without_a_race_before_it_nothing_is_expected(make_run):
    assert detectable.expected([]) is None
    assert detectable.of_race(make_run(PROGRAMS)) is None  # it does not know how long it took


def test_it_says_what_it_expects_and_whether_that_was_right():
    before = DetectableEffect(0.02, 60)
    assert "2.0 % and more; for 1 % it would take about 4 min" in service.effect_before(before)
    assert "2.2 % and more (2.0 % was expected)" in service.effect_after(
        before, DetectableEffect(0.022, 60)
    )
    assert "noisier this time" in service.effect_after(before, DetectableEffect(0.05, 60))


@pytest.mark.parametrize("smallest, seconds", [(0.1, 60), (0.09, 77), (0.2, 3600)])
def test_what_nobody_waits_for_is_said_in_words(smallest, seconds):
    """616 min, or 6 h, are no advice."""
    told = DetectableEffect(smallest, seconds).sentence("the last race here", "this one")
    assert "will not tell 1 %" in told and "an hour" in told and detectable.QUIETER in told
    assert "min." not in told


def test_races_that_saw_nothing_tell_nothing_of_the_next(make_run):
    tiny = timed(make_run(PROGRAMS, noise=0.6, launches=2, blocks=2, together=True), 2.0)
    assert detectable.of_race(tiny).smallest > detectable.LARGEST
    assert detectable.expected([tiny]) is None
    good = timed(make_run(PROGRAMS, noise=0.01, together=True))
    assert detectable.expected([tiny, good]) == detectable.of_race(good)
