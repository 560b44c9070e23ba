"""From samples to verdicts, on runs made for the purpose."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook.analysis import judge, stats, verdicts
from benchbook.model.claims import Statement
from made import sample


def judged(run, claim, *statements):
    if statements:
        claim = replace(claim, statements=statements)
    return judge.judge(run, claim)


def statement(kind, **more):
    return Statement(id="s", says="s", type=kind, place="here", **more)


def verdict(run, claim, *statements):
    return [j.verdict for j in judged(run, claim, *statements).judgements]


def test_ratio_and_interval_can_be_recomputed_from_the_samples(recorded, experiment):
    found = judged(recorded, experiment.claim)
    speeds = {}
    for s in recorded.samples:
        speeds.setdefault(s.variant, {})[s.launch, s.block] = s.requests_per_second
    centres = []
    for launch in range(5):
        logs = [np.log(speeds["b"][launch, k] / speeds["a"][launch, k]) for k in range(4)]
        pairs = [(x + y) / 2 for i, x in enumerate(logs) for y in logs[i:]]
        centres.append(np.median(pairs))
    assert found.ratios["b"].ratio == pytest.approx(np.exp(np.mean(centres)))
    half = 2.7764451 * np.std(centres, ddof=1) / np.sqrt(5)
    assert found.ratios["b"].high == pytest.approx(np.exp(np.mean(centres) + half))
    assert found.floor == found.ratios["a#2"]


def test_a_real_difference_is_reproduced_and_its_size_compared(make_run, experiment):
    found = judged(make_run({"a": 1000, "b": 1100}), experiment.claim).judgements[0]
    assert found.verdict == "reproduced"
    assert found.published == pytest.approx(1.1) and found.published_inside
    far = judged(make_run({"a": 1000, "b": 1500}), experiment.claim).judgements[0]
    assert far.verdict == "reproduced" and far.published_inside is False


def test_the_other_way_round_is_opposite(make_run, experiment):
    assert verdict(make_run({"a": 1000, "b": 900}), experiment.claim) == ["opposite"]


def test_equal_programs_are_no_difference_or_too_close(make_run, experiment):
    found = [
        verdict(make_run({"a": 1000, "b": 1000}, seed=seed), experiment.claim)[0]
        for seed in range(20)
    ]
    assert set(found) <= {"no difference", "too close to call"}
    assert found.count("no difference") >= 5


def test_a_noisy_machine_says_so_and_never_no_difference(make_run, experiment):
    found = judged(make_run({"a": 1000, "b": 1000}, noise=0.3), experiment.claim).judgements[0]
    assert found.verdict == "too close to call"
    assert "quieter machine" in found.why


@pytest.mark.parametrize(
    ("low", "p", "p_adjusted", "why"),
    [(1.14, 0.02, 0.12, "p is 0.12 once"), (0.9, 0.2, 0.4, "includes 1")],
)
def test_what_is_too_close_is_told_by_what_is_missing(low, p, p_adjusted, why):
    found = verdicts.Test("a", "b", stats.Interval(1.36, low, 1.62, p, 3), p_adjusted)
    assert verdicts.direction(found, floor=0.126)[0] == "too close to call"
    assert why in verdicts.direction(found, floor=0.126)[1]


def test_same(make_run, experiment):
    same = statement("same", a="b", b="a", within=0.05)
    assert verdict(make_run({"a": 1000, "b": 1010}), experiment.claim, same) == ["reproduced"]
    assert verdict(make_run({"a": 1000, "b": 1200}), experiment.claim, same) == ["opposite"]
    wide = make_run({"a": 1000, "b": 1030}, noise=0.1)
    assert verdict(wide, experiment.claim, same) == ["too close to call"]


def test_ratio(make_run, experiment):
    between = statement("ratio", a="b", b="a", low=1.05, high=1.15)
    assert verdict(make_run({"a": 1000, "b": 1100}), experiment.claim, between) == ["reproduced"]
    assert verdict(make_run({"a": 1000, "b": 1300}), experiment.claim, between) == ["opposite"]
    assert verdict(make_run({"a": 1000, "b": 1000}), experiment.claim, between) != ["reproduced"]


def test_a_ratio_under_a_wide_floor_is_no_finding(make_run, experiment):
    between = statement("ratio", a="b", b="a", low=1.17, high=1.53)
    noisy = make_run({"a": 1000, "b": 1150}, noise=0.6, launches=3)
    found = judged(noisy, experiment.claim, between)
    assert found.floor.reach > 0.17
    assert found.judgements[0].verdict == "too close to call"
    quiet = judged(make_run({"a": 1000, "b": 1001}), experiment.claim, between).judgements[0]
    assert quiet.verdict in ("no difference", "opposite")


def test_a_large_smallest_effect_is_not_taken_for_noise(make_run, experiment):
    faster = statement("faster", a="b", b="a", smallest_effect=0.2)
    found = judged(make_run({"a": 1000, "b": 1005}), experiment.claim, faster).judgements[0]
    assert found.verdict == "no difference" and "±20.0%" in found.why


def test_order(make_run, experiment):
    order = statement("order", variants=("c", "b", "a"))
    right = make_run({"a": 1000, "b": 1100, "c": 1300})
    found = judged(right, experiment.claim, order).judgements[0]
    assert found.verdict == "reproduced" and found.tau == 1.0
    assert found.tau_low <= 1.0 <= found.tau_high
    wrong = make_run({"a": 1300, "b": 1100, "c": 1200})
    found = judged(wrong, experiment.claim, order).judgements[0]
    assert found.verdict == "opposite" and "a > b" in found.why
    unclear = make_run({"a": 1000, "b": 1000, "c": 1300})
    assert verdict(unclear, experiment.claim, order) == ["too close to call"]


def test_several_statements_are_corrected(make_run, experiment):
    run = make_run({"a": 1000, "b": 1012, "c": 1000, "d": 1000}, noise=0.015)
    alone = judged(run, experiment.claim).judgements[0].tests[0]
    others = [statement("faster", a=x, b="a") for x in ("c", "d")]
    first = experiment.claim.statements[0]
    together = judged(run, experiment.claim, first, *others).judgements
    assert alone.p_adjusted == alone.interval.p
    raw = [j.tests[0].interval.p for j in together]
    assert [j.tests[0].p_adjusted for j in together] == pytest.approx(stats.holm(raw))
    assert together[0].tests[0].p_adjusted > alone.p_adjusted


def test_failed_requests_make_a_statement_not_valid(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100})
    run.samples = [
        replace(s, non_2xx=round(s.requests / 100), flags=["non-2xx"]) if s.variant == "b" else s
        for s in run.samples
    ]
    found = judged(run, experiment.claim).judgements[0]
    assert found.verdict == "not valid" and "requests failed" in found.why


def test_mostly_flagged_samples_make_a_statement_not_valid(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100})
    run.samples = [replace(s, flags=["client-bound"] if s.launch < 3 else []) for s in run.samples]
    found = judged(run, experiment.claim).judgements[0]
    assert found.verdict == "not valid" and "client-bound" in found.why


def test_a_variant_that_was_not_raced_is_not_valid_with_the_reason(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100})
    run.entry("b").status, run.entry("b").reason = "failed", "it fell over"
    found = judged(run, experiment.claim).judgements[0]
    assert found.verdict == "not valid" and "it fell over" in found.why
    run = make_run({"a": 1000})
    found = judged(run, experiment.claim).judgements[0]
    assert found.verdict == "not valid" and "left out" in found.why


def test_one_launch_carries_no_verdict(make_run, experiment):
    found = judged(make_run({"a": 1000, "b": 1100}, launches=1), experiment.claim).judgements[0]
    assert found.verdict == "not valid" and "two launches" in found.why


def test_no_floor_no_verdict(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100})
    run.samples = [s for s in run.samples if s.variant != "a#2"]
    found = judged(run, experiment.claim)
    assert found.floor is None
    assert found.judgements[0].verdict == "not valid"


def test_a_cut_short_run_is_judged_by_what_it_has(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100})
    run.samples = [s for s in run.samples if s.launch < 3]
    run.samples.append(sample("b", 3, 0, 1100.0))
    found = judged(run, experiment.claim)
    assert found.ratios["b"].launches == 3


def test_calm_runs_get_no_remarks_and_drift_gets_one(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, launches=8, blocks=4)
    assert [r for r in judged(run, experiment.claim).remarks if "drift" in r] == []
    run.samples = [
        replace(s, requests_per_second=s.requests_per_second * (1 - s.started_seconds / 150))
        for s in run.samples
    ]
    assert any("drift: a became" in r for r in judged(run, experiment.claim).remarks)
    assert any("so it cancels" in r for r in judged(run, experiment.claim).remarks)
    run.plan = replace(run.plan, interleaved=False)
    assert any("only more launches" in r for r in judged(run, experiment.claim).remarks)


def test_an_outlier_is_remarked(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, launches=8, blocks=4)
    run.samples = [
        replace(s, requests_per_second=s.requests_per_second / 3)
        if (s.variant, s.launch, s.block) == ("b", 2, 1)
        else s
        for s in run.samples
    ]
    assert any("b in launch 3, block 2" in r for r in judged(run, experiment.claim).remarks)


def test_slow_first_rounds_are_called_warm_up(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, launches=4, blocks=8)
    run.samples = [
        replace(s, requests_per_second=s.requests_per_second / 3)
        if (s.variant, s.block) == ("b", 0)
        else s
        for s in run.samples
    ]
    found = judged(run, experiment.claim)
    assert any("warm-up: 4 of these rounds" in r for r in found.remarks)
    assert abs(found.ratios["b"].ratio - 1.1) < 0.02  # nothing is left out, and it does not matter


def test_a_band_is_told_as_percent_until_that_says_nothing():
    assert verdicts.band_text(0.05) == "±5.0%"
    assert verdicts.band_text(4823.4) == "a factor of 4,824.4"
