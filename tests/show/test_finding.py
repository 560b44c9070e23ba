"""The sentence above the plot says what was decided, in words, and nothing that was not."""

from dataclasses import replace

import pytest

from benchbook.analysis.judging import judge, verdicts
from benchbook.model.claims import Statement
from benchbook.show import finding


def said(kind="faster", **more) -> Statement:
    names = "-".join(more.get("variants", ())) or f"{more.get('a')}-{more.get('b')}"
    return Statement(id=f"{kind}-{names}", says="s", type=kind, place="here", **more)


@pytest.fixture
def told(make_run, experiment):
    """told({"a": 1000, "b": 1100}, statements…) -> the sentence, and the verdicts."""

    def tell(speeds, *statements, noise=0.005, together=False):
        run = make_run(speeds, noise=noise, together=together)
        found = judge.judge(run, replace(experiment.claim, statements=statements))
        return finding.sentence(run, found), [j.verdict for j in found.judgements]

    return tell


def test_what_differs_comes_first_and_what_does_not_after_it(told):
    speeds = {"bare": 1000, "no-header": 1090, "fastify": 1000}
    statements = said(a="fastify", b="bare"), said(a="no-header", b="bare")
    text, given = told(speeds, *statements)
    assert given == [verdicts.NO_DIFFERENCE, verdicts.REPRODUCED]
    assert text == "no-header is 9.0 % faster than bare; fastify hardly differs"


@pytest.mark.parametrize("together", [True, False])
def test_a_baseline_that_is_faster_is_told_as_the_other_being_slower(told, together):
    text, given = told({"bare": 1000, "koa": 700}, said(a="bare", b="koa"), together=together)
    assert given == [verdicts.REPRODUCED]
    assert text == "koa is 30 % slower than bare"


def test_equal_programs_are_told_as_equal(told):
    same = said("same", a="b", b="a", within=0.05)
    assert told({"a": 1000, "b": 1000}, same)[0] == "b is as fast as a"
    assert told({"a": 1000, "b": 1000}, said(a="b", b="a"))[0] == "b is as fast as a"
    text, given = told({"a": 1000, "b": 1200}, same)
    assert given == [verdicts.OPPOSITE] and text == "b is 20 % faster than a"


def test_nothing_is_claimed_of_what_is_too_close(told):
    speeds = {"a": 1000, "b": 1000, "c": 1000, "d": 1000}
    one = told({"a": 1000, "b": 1000}, said(a="b", b="a"), noise=0.4)
    assert one == ("b and a are too close to call", [verdicts.TOO_CLOSE])
    two = told(speeds, said(a="b", b="a"), said(a="d", b="a"), noise=0.4)[0]
    assert two == "Nothing is decided yet: 3 comparisons are too close to call"


def test_a_published_size_that_is_ruled_out_is_told_where_nothing_else_is(told):
    text, given = told({"a": 1000, "b": 1000}, said(a="b", b="a", ratio=2.5), noise=0.15)
    assert given == [verdicts.TOO_CLOSE]
    assert text == "Too close to call, but b is surely not 2.5 times as fast as a"


def test_only_ratios_to_the_baseline_are_told_which_the_plot_shows(told):
    speeds = {"a": 1000, "b": 1000, "c": 1100}
    text = told(speeds, said("same", a="b", b="a", within=0.05), said(a="c", b="b"))[0]
    assert text == "c is 10 % faster than a; b hardly differs"


def test_many_are_counted_and_the_largest_named(told):
    speeds = {"a": 1000, "b": 1100, "c": 1200, "d": 1300, "e": 1400, "f": 2500, "g": 1000}
    statements = [said(a=name, b="a") for name in "bcdefg"]
    text = told(speeds, *statements)[0]
    assert text == (
        "f is 2.5 times as fast as a, e 40 % faster, d 30 % faster; 2 more differ; g hardly differs"
    )


def test_the_title_stays_short(told):
    speeds = {f"a-program-with-a-long-name-{i}": 1000 + 100 * (i % 3) for i in range(9)}
    text = told(speeds)[0]
    assert text.startswith("a-program-with-a-long-name-2 is 20 % faster than a-program")
    assert len(text.split("; ")) < 3


def test_a_race_without_statements_is_told_by_its_ratios(told):
    text = told({"a": 1000, "b": 1000, "c": 800})[0]
    assert text == "c is 20 % slower than a; b hardly differs"


def test_a_statement_on_a_range_is_no_claim_of_a_difference(told):
    wide = said("ratio", a="b", b="a", low=0.5, high=2.0)
    text, given = told({"a": 1000, "b": 1000}, wide)
    assert given == [verdicts.REPRODUCED] and text == "b is as fast as a"


def test_one_launch_and_excluded_figures_have_no_finding(make_run, experiment):
    run = make_run({"a": 1000, "b": 1500}, launches=1)
    assert finding.sentence(run, judge.judge(run, experiment.claim)) == "One launch decides nothing"
    run = make_run({"a": 1000, "b": 1500})
    for sample in run.samples:
        sample.flags.append("client-bound")
    assert finding.sentence(run, judge.judge(run, experiment.claim)).endswith("is valid")
