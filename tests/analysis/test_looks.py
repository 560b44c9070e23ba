"""Races that are looked at after each launch: boundaries, verdicts that stay, and when they end."""

import math
from dataclasses import replace

import numpy as np
import pytest

from benchbook.analysis import simulation
from benchbook.analysis.judging import judge, stopping, verdicts
from benchbook.analysis.statistics.looks import LEVEL, Interim, boundary
from benchbook.model.claims import Statement
from benchbook.race import service

RACES, LAUNCHES, BLOCKS = 60, 4, 5


def pair(a, b, number=1):
    return Statement(id=f"s{number}", says="s", type="faster", place="here", a=a, b=b)


# ── Boundaries ───────────────────────────────────────────────────────────────────────────────────


def test_all_looks_together_err_as_often_as_one():
    """By a simulation of sums of normal numbers, which shares no code with the integral."""
    draw = np.random.default_rng(1)
    for most in (3, 6, 12):
        sums = np.cumsum(draw.normal(size=(100_000, most)), 1)
        seen = np.abs(sums) / np.sqrt(np.arange(1, most + 1))
        asked = [boundary(most) * Interim(n, most).scale for n in range(2, most + 1)]
        share = (seen[:, 1:] > asked).any(1).mean()
        assert share == pytest.approx(1 - LEVEL, abs=0.003)


def test_a_race_with_one_look_is_tested_as_always():
    only = Interim(2, 2)
    assert only.level == pytest.approx(LEVEL) and only.adjusted(0.03) == 0.03


def test_early_looks_ask_for_more():
    errors = [Interim(launches, 6).error for launches in range(2, 7)]
    assert errors == sorted(errors) and errors[-1] < 1 - LEVEL
    adjusted = [Interim(launches, 6).adjusted(0.01) for launches in range(2, 7)]
    assert adjusted == sorted(adjusted, reverse=True)
    for launches in range(2, 7):
        look = Interim(launches, 6)
        assert look.adjusted(look.error) == pytest.approx(1 - LEVEL, rel=1e-6)


@pytest.mark.parametrize("p", [0.0, 1e-300, 1e-9, 0.5, 1.0])
def test_adjusted_p_values_are_probabilities(p):
    assert p <= Interim(2, 12).adjusted(p) <= 1


# ── Promises ─────────────────────────────────────────────────────────────────────────────────────


def slack(share):
    return 2 * math.sqrt(share * (1 - share) / RACES)


@pytest.mark.parametrize("name", ["heavy-tailed", "warming up", "unequal", "bimodal"])
def test_looking_keeps_the_promises(name):
    """As tests/analysis/test_simulation.py; `./bench selfcheck --full` has more races."""
    given = {"launches": LAUNCHES, "blocks": BLOCKS, "races": RACES, "looked_at": True}
    differs = simulation.study(simulation.MODELS[name], 1.1, seed=3, **given)
    equal = simulation.study(simulation.MODELS[name], 1.0, seed=4, **given)
    assert 0.93 - slack(0.95) <= differs.covered <= 0.98 + slack(0.98)
    assert equal.false <= 0.06 + slack(0.06)
    assert 2 <= differs.launches <= LAUNCHES


# ── Verdicts ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def looked(make_run, experiment):
    """A race of so many launches, of at most six, and its claim."""

    def make(speeds, launches=2, **more):
        run = make_run(speeds, launches=launches, **more)
        run.plan = replace(run.plan, looks=6)
        return run

    return make


@pytest.fixture
def noisy():
    """A run in which an entry's launches differ by this standard deviation, on the log scale."""

    def make(run, name, sd):
        factors = np.exp(sd * np.random.default_rng(2).normal(size=run.plan.launches))
        for i, sample in enumerate(run.samples):
            if sample.variant == name:
                speed = sample.requests_per_second * factors[sample.launch]
                run.samples[i] = replace(sample, requests_per_second=speed)
        return run

    return make


def claim_of(experiment, *statements):
    return replace(experiment.claim, statements=statements)


def test_a_race_ends_when_all_is_decided(looked, experiment):
    run = looked({"a": 1000, "b": 1500})
    seen = stopping.look(run, claim_of(experiment, pair("b", "a")))
    assert seen.why == "stopped after 2 of 6 launches: decided"


def test_who_is_decided_is_not_raced_further(looked, experiment, noisy):
    run = noisy(looked({"a": 1000, "b": 1500, "c": 1015}), "c", 0.1)
    seen = stopping.look(run, claim_of(experiment, pair("b", "a"), pair("c", "a", 2)))
    assert not seen.why and seen.names == {"a", "a#2", "c"}


def test_a_race_that_can_decide_nothing_more_ends(looked, experiment, noisy):
    run = noisy(looked({"a": 1000, "b": 1025}, launches=5), "b", 0.2)
    seen = stopping.look(run, claim_of(experiment, pair("b", "a")))
    assert "too close to call" in seen.why and seen.why.startswith("stopped after 5 of 6 launches")


def test_a_race_goes_on_where_its_copies_differ(looked, experiment):
    run = looked({"a": 1000, "b": 1500})
    for i, sample in enumerate(run.samples):
        if sample.variant == "a#2":
            speed = 1.3 * sample.requests_per_second
            run.samples[i] = replace(sample, requests_per_second=speed)
    seen = stopping.look(run, claim_of(experiment, pair("b", "a")))
    assert not seen.why and seen.names == {"a", "a#2", "b"}


def test_what_else_is_asked_keeps_a_race_going(looked, experiment):
    run = looked({"a": 1000, "b": 1500})
    seen = stopping.look(run, claim_of(experiment, pair("b", "a")), lambda run, found: {"b"})
    assert not seen.why and seen.names == {"a", "a#2", "b"}


def test_what_was_decided_stays_as_it_was(looked, experiment):
    """b is twice as fast in two launches, and then gone: later ones of others change nothing."""
    claim = claim_of(experiment, pair("b", "a"), pair("c", "a", 2))
    run = looked({"a": 1000, "b": 2000, "c": 1010}, launches=4)
    early = run.until(2)
    run.samples = [s for s in run.samples if s.variant != "b" or s.launch < 2]
    first, later = judge.judge(early, claim), judge.judge(run, claim)
    assert later.judgements[0].verdict == verdicts.REPRODUCED
    assert later.judgements[0].tests == first.judgements[0].tests
    assert later.ratios["b"] == first.ratios["b"]
    assert later.ratios["b"].launches == 2 and later.ratios["c"].launches == 4


def test_intervals_are_wider_where_there_were_looks(looked, experiment):
    claim = claim_of(experiment, pair("b", "a"))
    run = looked({"a": 1000, "b": 1100})
    found = judge.judge(run, claim).ratios["b"]
    run.plan = replace(run.plan, looks=None)
    fixed = judge.judge(run, claim).ratios["b"]
    assert found.low < fixed.low < fixed.high < found.high
    assert found.p > fixed.p and found.level > fixed.level


def test_those_whose_answers_others_must_equal_are_raced_on(looked, experiment, noisy):
    """Seen: they were dropped as decided, and with them all that is compared with them."""
    names = {"b": "b", "c": "b"}  # whose answers they must equal
    a = experiment.variants[0]
    like_b = (a, *(replace(a, name=name, answers_like=b) for name, b in names.items()))
    run = noisy(looked({"a": 1000, "b": 1500, "c": 1015}), "c", 0.1)
    claim = claim_of(experiment, pair("b", "a"), pair("c", "a", 2))
    seen = service.looked(run, replace(experiment, variants=like_b, claim=claim), None)
    assert not seen.why and seen.names == {"a", "a#2", "b", "c"}
