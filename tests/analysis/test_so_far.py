"""When one looks at a race that goes on, and what is then said of its statements."""

from dataclasses import dataclass

import pytest

from benchbook.analysis.judging import judge
from benchbook.analysis.judging.so_far import SHARE, SoFar
from benchbook.analysis.judging.verdicts import NOT_VALID, NOT_YET, REPRODUCED

BLOCK, SAMPLE = {"between": True}, {}


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def landed(count: int) -> dict[str, int]:
    return {"landed": count}


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def looks(make_run, experiment, clock):
    """looks(event, seconds, cost) -> is the race looked at, so long after the event before? To look
    costs so many seconds."""
    run = make_run({"a": 1000, "b": 1200})
    so_far = SoFar(lambda run: judge.judge(run, experiment.claim), clock)

    def look(event: dict, seconds: float, cost: float = 0.01) -> bool:
        seen = []
        clock.now += seconds

        def show(found):
            seen.append(found)
            clock.now += cost

        so_far.look(run, show, **event)
        return bool(seen)

    return look


def test_it_is_looked_at_between_blocks_and_launches_alone(looks):
    assert not looks(SAMPLE, 5)
    assert not looks(BLOCK, 5)  # nobody knows what it costs
    assert looks(landed(1), 5)
    assert not looks(SAMPLE, 5)
    assert looks(BLOCK, 5) and looks(landed(2), 5)


def test_not_more_than_once_in_a_second_nor_for_more_than_a_share_of_the_time(looks):
    assert looks(landed(1), 5)
    assert not looks(BLOCK, 0.5) and looks(BLOCK, 0.6)
    assert looks(landed(2), 2, cost=0.3)
    assert not looks(BLOCK, 0.3 / SHARE - 1) and looks(BLOCK, 2)


def test_blocks_that_are_shorter_than_a_look_are_left_alone(looks):
    assert looks(landed(1), 5, cost=0.3)
    assert not any([looks(BLOCK, 0.2) for _ in range(100)])
    assert looks(landed(2), 0.2)


def test_the_first_moment_of_a_race_shows_what_is_not_decided(make_run, experiment, clock):
    run = make_run({"a": 1000, "b": 1200})
    run.samples = []
    so_far = SoFar(lambda run: judge.judge(run, experiment.claim), clock)
    told = []
    so_far.look(run, told.append)
    assert [j.verdict for found in told for j in found.judgements] == [NOT_YET]


def test_half_a_launch_changes_the_ratio_and_not_the_verdict(make_run, experiment):
    run = make_run({"a": 1000, "b": 1200}, launches=3)
    so_far = SoFar(lambda run: judge.judge(run, experiment.claim))
    found = so_far.judged(run)
    assert found.judgements[0].verdict == REPRODUCED
    (early,) = so_far.known(found, launch_over=False).judgements
    assert early.verdict == NOT_YET and early.tests == found.judgements[0].tests
    (decided,) = so_far.known(found, launch_over=True).judgements
    assert decided.verdict == REPRODUCED
    other = judge.judge(make_run({"a": 1000, "b": 1001}, launches=3), experiment.claim)
    (kept,) = so_far.known(other, launch_over=False).judgements
    assert kept.verdict == REPRODUCED and kept.tests == other.judgements[0].tests


def test_what_does_not_race_gets_no_other_verdict(make_run, experiment):
    run = make_run({"a": 1000, "b": 1200}, launches=3)
    run.entry("b").status, run.entry("b").reason = "failed", "it died"
    so_far = SoFar(lambda run: judge.judge(run, experiment.claim))
    (said,) = so_far.known(so_far.judged(run), launch_over=False).judgements
    assert said.verdict == NOT_VALID and "it died" in said.why
