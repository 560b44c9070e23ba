"""Programs that were not asked alike get no verdict, whichever load generator asked them."""

from dataclasses import replace

import pytest

from benchbook.analysis.judging import connections, judge
from benchbook.analysis.judging.verdicts import NOT_VALID
from benchbook.model.samples import UsedTool
from benchbook.show.figures.ratios import ratios_figure


def tried(http: str, answers: int, tool: bool = True) -> dict:
    return {"http": http, "asked": 5, "answers": answers, "tool": tool}


def with_shares(run, **shares):
    """The run with these shares of requests on kept connections, by entry (a stands for a#2)."""
    run.samples = [
        replace(s, evidence={**s.evidence, "reused": shares[s.variant.partition("#")[0]]})
        for s in run.samples
    ]
    return run


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(
    ("a", "b", "shares"),
    [
        (0.0, 1.0, "0 % against 100 %"),
        (1.0, 0.0, "0 % against 100 %"),
        (0.5, 1.0, "50 % against 100 %"),
        (0.9, 0.99, "90 % against 99.0 %"),
        (0.99, 1.0, ""),  # closed after a hundred, as some servers do
        (0.999, 1.0, ""),
        (0.0, 0.0, ""),
        (None, None, ""),  # an older run, or another system
        (None, 1.0, ""),
    ],
)
def test_kept_and_closed_connections_are_not_compared(make_run, experiment, a, b, shares, together):
    run = with_shares(make_run({"a": 1000, "b": 3500}, together=together), a=a, b=b)
    found = judge.judge(run, experiment.claim)
    judgement = found.judgements[0]
    assert (judgement.verdict == NOT_VALID) == bool(shares)
    assert shares in judgement.why
    assert ("b" in found.ratios) != bool(shares) and "a#2" in found.ratios
    if shares:
        assert judgement.why in found.remarks and found.unlike["b"].startswith("not compared")
        assert found.unlike["b"] in " ".join(ratios_figure(run, found).numbers.text.split())


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        (
            [tried("1.0", 1), tried("1.1", 5, False)],
            [tried("1.0", 5), tried("1.1", 5, False)],
            "a cl",
        ),
        (
            [tried("1.0", 5), tried("1.1", 5, False)],
            [tried("1.0", 1), tried("1.1", 5, False)],
            "b cl",
        ),
        (
            [tried("1.0", 1), tried("1.1", 5, False)],
            [tried("1.0", 1), tried("1.1", 5, False)],
            "b and a close",
        ),
        ([tried("1.1", 1)], [tried("1.1", 5)], "a closes its connections and b keeps them"),
        ([tried("1.0", 5), tried("1.1", 5, False)], [tried("1.0", 5), tried("1.1", 5, False)], ""),
        ([tried("1.0", 1), tried("1.1", 1, False)], [tried("1.0", 1), tried("1.1", 1, False)], ""),
        ([tried("1.1", 5)], [tried("1.1", 5)], ""),
        ([], [], ""),
        ("?", [None, {"tool": True}], ""),  # a file that somebody made
    ],
)
def test_where_samples_don_t_tell_the_requests_before_the_race_do(make_run, experiment, a, b, why):
    run = make_run({"a": 1000, "b": 3500})
    run.tool = UsedTool("ab", "2.3")
    run.parity = {"a": {"connections": a}, "b": {"connections": b}}
    judgement = judge.judge(run, experiment.claim).judgements[0]
    assert (judgement.verdict == NOT_VALID) == bool(why) and why in judgement.why
    if why and "1.0" in str(a):
        assert judgement.why.startswith("ab speaks HTTP/1.0")
        assert "race with wrk or autocannon" in judgement.why


def test_samples_say_more_than_the_requests_before_them(make_run, experiment):
    run = with_shares(make_run({"a": 1000, "b": 1200}), a=1.0, b=1.0)
    run.parity = {n: {"connections": [tried("1.1", count)]} for n, count in (("a", 5), ("b", 3))}
    assert judge.judge(run, experiment.claim).judgements[0].verdict == "reproduced"


@pytest.mark.parametrize(
    ("version", "answers", "told"),
    [
        ("1.0", (1, 5), "ab speaks HTTP/1.0, in which a closes its connections"),
        ("1.0", (1, 1), "in which a, b close their connections"),
        ("1.1", (5, 3), "b closes its connections"),
        ("1.1", (1, 1), ""),
        ("1.1", (5, 5), ""),
    ],
)
def test_it_is_said_before_the_race(make_run, version, answers, told):
    run = make_run({"a": 1000, "b": 1000})
    run.tool = UsedTool("ab", "2.3")
    pairs = zip("ab", answers, strict=True)
    run.parity = {name: {"connections": [tried(version, count)]} for name, count in pairs}
    said = list(connections.warnings(run))
    assert len(said) == bool(told) and told in "".join(said)


@pytest.mark.parametrize(
    "a, b, told", [("gzip", "", 1), ("", "br", 1), ("br", "br", 0), ("", "", 0)]
)
def test_encodings_that_differ_are_told(make_run, a, b, told):
    run = make_run({"a": 1000, "b": 1000})
    run.parity = {"a": {"compressed": a}, "b": {"compressed": b}}
    said = list(connections.warnings(run))
    assert len(said) == told and all(f"a {a or 'none'}, b {b or 'none'}" in text for text in said)
