"""Every ratio, interval, p-value and verdict of recorded runs, against by_hand.py."""

import json
from dataclasses import asdict, replace

import by_hand
import pytest

from benchbook.analysis.judging import judge
from benchbook.model import experiments, results
from benchbook.model.claims import Statement

RECORDED = ("02-selfhost-vs-hosted", "04-setheader-vs-writehead", "06-node-framework-ladder")


def compare(run, claim) -> None:
    """Judge a run, and recompute all from its file."""
    pairs = [s for s in claim.statements if s.type == "faster"]
    found = judge.judge(run, replace(claim, statements=tuple(pairs)))
    fit = by_hand.Fit(json.loads(run.path.read_text(encoding="utf-8")))
    assert len(found.ratios) >= 2
    for name, interval in found.ratios.items():
        shown = (interval.ratio, interval.low, interval.high, interval.p)
        assert shown == pytest.approx(fit.ratio(name, run.baseline), rel=1e-5, abs=1e-12), name
    given = {j.statement.id: j.verdict for j in found.judgements if j.verdict != "not valid"}
    assert given == by_hand.verdicts(fit, [asdict(s) for s in pairs if s.id in given])


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_run_is_judged_as_by_hand(recorded_runs, name):
    compare(recorded_runs[name], experiments.find(name).claim)


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("noise", [0.01, 0.08])
def test_a_made_run_is_judged_as_by_hand(make_run, experiment, tmp_path, together, noise):
    speeds = {"a": 1000, "b": 1060, "c": 1000, "d": 930, "e": 1020}
    run = make_run(speeds, noise=noise, launches=4, blocks=6, together=together)
    # warm-up at the start of a launch, and samples that are missing
    run.samples = [
        replace(s, requests_per_second=s.requests_per_second / 2, requests=s.requests // 2)
        if (s.launch, s.block) == (1, 0)
        else s
        for s in run.samples
        if (s.variant, s.launch, s.block) not in (("b", 0, 3), ("d", 2, 5))
    ]
    run.path = tmp_path / "run.json"
    run.save()
    run = results.load(run.path)
    statements = [
        Statement(id=f"{name}-a", says="s", type="faster", place="here", a=name, b="a")
        for name in "bcde"
    ]
    claim = replace(experiment.claim, statements=tuple(statements))
    assert judge.judge(run, claim).left_out == (0, 1, 0, 0)
    compare(run, claim)
