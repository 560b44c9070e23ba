"""An attack: what it races, what follows of it, how it goes on, and a flip that was planted."""

from dataclasses import replace

import pytest

from benchbook.analysis.judging import verdicts
from benchbook.analysis.judging.verdicts import NO_DIFFERENCE, OPPOSITE, REPRODUCED, TOO_CLOSE
from benchbook.compare.attack import attacking, outcome
from benchbook.compare.attack.conditions import USUAL, Condition, conditions
from benchbook.compare.attack.outcome import BEGINS, ENDS, HOLDS, OPEN, TURNS
from benchbook.model import experiments, results
from benchbook.model.profiles.attack import Attack, Attempt
from benchbook.race.options import Options
from benchbook.show.attack import shown
from benchbook_kernels.base.errors import BenchError, InputError
from quiet import Quiet


def attempt(condition: str, verdict: str, ratio: float | None = 1.1, p: float = 0.0001) -> Attempt:
    low, high = (ratio * 0.98, ratio * 1.02) if ratio else (None, None)
    return Attempt(condition, verdict, "because", ratio, low, high, p, 20.0, "")


@pytest.fixture
def setheader():
    return experiments.find("04")


@pytest.fixture
def made(setheader):
    """made(attempts…): an attack of which these are done."""

    def make(*attempts: Attempt) -> Attack:
        names = [each.condition for each in attempts]
        members = {"experiment": setheader.name, "code": "0" * 64, "delta": 0.02, "machine": {}}
        members |= {"benchbook": "1", "started": results.now(), "conditions": [*names, "last"]}
        return Attack(a="bare", b="no-header", attempts=list(attempts), **members)

    return make


@pytest.mark.parametrize(
    ("usual", "other", "expected"),
    [
        (REPRODUCED, REPRODUCED, HOLDS),
        (REPRODUCED, OPPOSITE, TURNS),
        (OPPOSITE, NO_DIFFERENCE, ENDS),
        (NO_DIFFERENCE, OPPOSITE, BEGINS),
        (NO_DIFFERENCE, NO_DIFFERENCE, HOLDS),
        (REPRODUCED, TOO_CLOSE, OPEN),
        (TOO_CLOSE, REPRODUCED, OPEN),
        (REPRODUCED, attacking.NOT_RACED, OPEN),
    ],
)
def test_what_follows_of_a_condition(made, usual, other, expected):
    told = outcome.answers(made(attempt(USUAL, usual), attempt("50 connections", other)))
    assert [each.follows for each in told] == ["", expected]


def test_one_direction_of_many_may_be_chance(made):
    """With twelve conditions a p of 0.01 is none for one of them."""
    calm = [attempt(f"{i}", NO_DIFFERENCE, 1.0, 0.6) for i in range(10)]
    told = outcome.answers(
        made(attempt(USUAL, NO_DIFFERENCE, 1.0), attempt("a", REPRODUCED, p=0.01), *calm)
    )
    assert told[1].attempt.verdict == TOO_CLOSE and told[1].follows == OPEN
    told = outcome.answers(
        made(attempt(USUAL, NO_DIFFERENCE, 1.0, 0.9), attempt("a", REPRODUCED, p=1e-4), *calm)
    )
    assert told[1].follows == BEGINS


def test_the_sentence_names_what_turns_first_and_the_figure_has_all(made):
    attack = made(
        attempt(USUAL, OPPOSITE, 0.8),
        attempt("10 connections", OPPOSITE, 0.82),
        attempt("50 connections", NO_DIFFERENCE, 1.0, 0.7),
        attempt("200 connections", REPRODUCED, 1.2),
        attempt("Node.js 22", attacking.NOT_RACED, None, 1.0),
    )
    said = shown.headline(attack)
    turned, ended = said.index(f"{TURNS[1:]} with 200 connections"), said.index(f"{ENDS} with 50")
    assert turned < ended and "10 connections" not in said
    figure = shown.attack_figure(attack)
    assert list(figure.plotly["layout"]["yaxis"]["ticktext"])[-1] == USUAL
    assert (
        "Not asked yet: last" in figure.numbers.text and attacking.NOT_RACED in figure.numbers.text
    )


def test_a_verdict_that_holds_everywhere_is_said_to(made):
    held = made(attempt(USUAL, REPRODUCED), attempt("a", REPRODUCED), attempt("b", TOO_CLOSE))
    assert "held under 1 of 1 other condition" in shown.headline(held)


def test_conditions_are_those_that_a_pair_can_be_given(setheader):
    pair = setheader.variant("bare"), setheader.variant("no-header")
    names = [each.name for each in conditions(setheader.kind, pair, swappable=False)]
    assert names[0] == USUAL and len(set(names)) == len(names)
    assert "200 connections" in names and "a heap with small steps" in names
    assert f"{setheader.kind.connections} connections" not in names
    assert "the other one as baseline" not in names
    told = tuple(replace(each, env={"NODE_OPTIONS": "--max-semi-space-size=2"}) for each in pair)
    names = [each.name for each in conditions(setheader.kind, told, swappable=True)]
    assert "a heap with small steps" not in names and "the other one as baseline" in names


def test_a_condition_gives_both_programs_the_same(setheader):
    changed = Condition("c", env={"X": "1"}, needs=("node:22",)).applied(setheader)
    assert all(each.env["X"] == "1" and "node:22" in each.needs for each in changed.variants)
    assert Condition("c", connections=200).options(Options()).connections == 200


def test_the_pair_is_the_first_statements_or_the_one_that_is_named(setheader):
    first = next(s for s in setheader.claim.statements if len(s.names) == 2)
    assert {each.name for each in attacking.pair_of(setheader, ())} == set(first.names)
    a, b = attacking.pair_of(setheader, ("no-header", setheader.baseline))
    assert (a.name, b.name) == (setheader.baseline, "no-header")
    with pytest.raises(InputError, match="name two variants"):
        attacking.pair_of(setheader, ("bare",))
    with pytest.raises(InputError, match="no variant 'bear'"):
        attacking.pair_of(setheader, ("bare", "bear"))


# ── One after the other ──────────────────────────────────────────────────────────────────────────


@pytest.fixture
def race(monkeypatch, setheader, tmp_path):
    """race(fate…): what the races of an attack say from then on; an exception is raised."""
    monkeypatch.setattr(results, "folder", lambda name: tmp_path)
    fates: list[str | BaseException] = []

    def raced(experiment, pair, condition, options, seconds, found, audience) -> Attempt:
        fate = fates.pop(0) if fates else NO_DIFFERENCE
        if isinstance(fate, BaseException):
            raise fate
        return attempt(condition.name, fate)

    monkeypatch.setattr(attacking, "raced", raced)

    def attack(*said: str | BaseException, seconds: float = 1e6, afresh: bool = False):
        fates[:] = said
        audience = Quiet()
        return attacking.attack(setheader, (), audience, Options(), seconds, afresh), audience.told

    return attack


def test_one_that_is_interrupted_goes_on_where_it_was(race):
    with pytest.raises(attacking.AttackStopped) as stopped:
        race(REPRODUCED, OPPOSITE, KeyboardInterrupt())
    assert len(stopped.value.attack.attempts) == 2
    attack, told = race(REPRODUCED)
    assert any("2 of" in each for each in told) and not attack.left
    assert [each.verdict for each in attack.attempts][:3] == [REPRODUCED, OPPOSITE, REPRODUCED]
    again, told = race()
    assert again.path != attack.path and not any("continues" in each for each in told)


def test_afresh_begins_anew_and_an_edited_program_does_too(race, monkeypatch):
    with pytest.raises(attacking.AttackStopped):
        race(REPRODUCED, KeyboardInterrupt())
    anew, told = race(afresh=True, seconds=1.0)
    assert len(anew.attempts) == 1 and not any("continues" in each for each in told)
    monkeypatch.setattr(attacking, "continues", lambda new, older: new.code != older.code)
    assert race()[0].path != anew.path


def test_what_can_not_be_raced_is_told_and_the_others_go_on(race):
    attack, _ = race(REPRODUCED, BenchError("it died", "look"))
    assert attack.attempts[1].verdict == attacking.NOT_RACED and "it died" in attack.attempts[1].why
    assert not attack.left
    with pytest.raises(BenchError, match="not even"):
        race(BenchError("not even as usual"), afresh=True)


def test_it_ends_when_its_time_is_over(race):
    attack, _ = race(seconds=1.0)
    assert len(attack.attempts) == 1 and attack.left


@pytest.mark.slow("races two servers twice")
def test_servers_are_raced_under_each_condition(monkeypatch, setheader, tmp_path):
    monkeypatch.setattr(results, "folder", lambda name: tmp_path)
    monkeypatch.setenv("BENCHBOOK_RACE", "launches=2 blocks=1 seconds=0.3 warmup=0.3")
    asked = [Condition(USUAL), Condition("200 connections", connections=200)]
    monkeypatch.setattr(attacking, "conditions", lambda *_: asked)
    attack = attacking.attack(setheader, ("bare", "no-header"), Quiet(), Options(), 1e3, True)
    assert [each.condition for each in attack.attempts] == [each.name for each in asked]
    assert all(each.verdict in verdicts.VERDICTS and each.ratio for each in attack.attempts)
    assert attack.path
    runs = [results.load(attack.path.parent / each.run) for each in attack.attempts]
    assert [run.plan.connections for run in runs] == [setheader.kind.connections, 200]
    assert attacking.read(attack.path) == attack
