"""From samples to verdicts, on runs made for the purpose."""

from dataclasses import replace

import pytest

from benchbook.analysis.judging import judge, verdicts
from benchbook.analysis.statistics import stats
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


def test_a_real_difference_is_reproduced_and_its_size_compared(make_run, experiment):
    found = judged(make_run({"a": 1000, "b": 1100}), experiment.claim).judgements[0]
    assert found.verdict == "reproduced" and found.why == "b is faster than a, by more than 5 %"
    assert found.published == pytest.approx(1.1) and found.size == verdicts.AS_PUBLISHED
    far = judged(make_run({"a": 1000, "b": 1500}), experiment.claim).judgements[0]
    assert far.verdict == "reproduced" and far.size == verdicts.LARGER
    near = judged(make_run({"a": 1000, "b": 1050}), experiment.claim).judgements[0]
    assert near.verdict == "reproduced" and near.size == verdicts.SMALLER


def test_a_published_size_is_ruled_out_where_there_is_no_difference(make_run, experiment):
    found = judged(make_run({"a": 1000, "b": 1000}), experiment.claim).judgements[0]
    assert found.verdict == "no difference" and found.size == verdicts.RULED_OUT


def test_together_the_ratio_is_that_of_the_cpu_time(make_run, experiment):
    """All answer as many requests/s; what they cost differs."""
    run = make_run({"a": 1000, "b": 1100}, together=True)
    for each in run.samples:
        assert run.speed(each) == pytest.approx(1e6 / each.cpu_microseconds)
    found = judged(run, experiment.claim)
    assert found.judgements[0].verdict == "reproduced"
    assert found.ratios["b"].low < 1.1 < found.ratios["b"].high
    assert found.shares == pytest.approx({"a": 1, "a#2": 1, "b": 1})


def test_unequal_shares_of_the_cpu_widen_the_interval(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, together=True)
    equal = judged(run, experiment.claim).ratios["b"]
    run.samples = [
        (
            replace(s, requests=2 * s.requests, evidence={**s.evidence, "server_cpu_seconds": 0.66})
            if s.variant == "b"
            else s
        )
        for s in run.samples
    ]
    found = judged(run, experiment.claim)
    assert found.shares["b"] == pytest.approx(1.5)
    assert found.ratios["b"].half_width > 3 * equal.half_width
    assert any("shares of the CPU were not equal" in r and "b 1.50" in r for r in found.remarks)


def test_the_other_way_round_is_opposite(make_run, experiment):
    assert verdict(make_run({"a": 1000, "b": 900}), experiment.claim) == ["opposite"]


def test_equal_programs_are_no_difference(make_run, experiment):
    runs = [make_run({"a": 1000, "b": 1000}, seed=seed) for seed in range(20)]
    found = [verdict(run, experiment.claim)[0] for run in runs]
    assert found.count("no difference") >= 19  # a false claim in one of twenty may happen


def test_noise_is_too_close_to_call_and_says_how_much_longer_it_takes(make_run, experiment):
    run = make_run({"a": 1000, "b": 1000}, noise=0.3)
    run.timing["total_seconds"] = 60.0
    found = judged(run, experiment.claim).judgements[0]
    assert found.verdict == "too close to call"
    assert found.why == "it may be nothing, and it may be more than 5 %"
    assert found.seconds_more > 60


@pytest.mark.parametrize(
    ("low", "p", "p_adjusted", "why"),
    [(1.14, 0.02, 0.12, "corrected p 0.12"), (0.9, 0.2, 0.4, "may be nothing")],
)
def test_what_is_too_close_is_told_by_what_is_missing(low, p, p_adjusted, why):
    found = verdicts.Test("a", "b", stats.Interval(1.36, low, 1.62, p, 3), p_adjusted)
    found = replace(found, interval=replace(found.interval, error=0.1, freedom=8.0))
    assert verdicts.direction(found, 0.05)[0] == "too close to call"
    assert why in verdicts.direction(found, 0.05)[1]


@pytest.mark.parametrize("seen", [0.0, 0.02, 0.04, 0.08])
def test_the_error_that_decides_does(seen):
    """A little less than that error is a verdict, a little more is none."""
    for factor, decided in ((0.98, True), (1.02, False)):
        undecided = verdicts.Test("a", "b", stats.Interval.of(seen, 0.1, 6.0, 4), 1.0)
        undecided = replace(undecided, p_adjusted=undecided.interval.p)
        error = factor * verdicts.error_to_decide(undecided, 0.05)
        interval = stats.Interval.of(seen, error, 6.0, 4)
        given = verdicts.direction(verdicts.Test("a", "b", interval, interval.p), 0.05)[0]
        assert (given != "too close to call") == decided


def test_the_time_that_is_missing_follows_the_square_of_the_error(make_run, experiment):
    run = make_run({"a": 1000, "b": 1000}, noise=0.1)
    run.timing["total_seconds"] = 60.0
    found = judged(run, experiment.claim).judgements[0]
    (test,) = found.tests
    goal = verdicts.error_to_decide(test, 0.05)
    assert found.seconds_more == pytest.approx(60 * ((test.interval.error / goal) ** 2 - 1))
    run.timing.clear()
    assert judged(run, experiment.claim).judgements[0].seconds_more is None


def test_same(make_run, experiment):
    same = statement("same", a="b", b="a", within=0.05)
    assert verdict(make_run({"a": 1000, "b": 1010}), experiment.claim, same) == ["reproduced"]
    assert verdict(make_run({"a": 1000, "b": 1200}), experiment.claim, same) == ["opposite"]
    wide = make_run({"a": 1000, "b": 1030}, noise=0.1)
    assert verdict(wide, experiment.claim, same) == ["too close to call"]


def test_ratio(make_run, experiment):
    between = statement("ratio", a="b", b="a", low=1.05, high=1.15)
    assert verdict(make_run({"a": 1000, "b": 1100}), experiment.claim, between) == ["reproduced"]
    assert verdict(make_run({"a": 1000, "b": 1300}), experiment.claim, between) == [
        "outside the range"
    ]
    assert verdict(make_run({"a": 1000, "b": 1000}), experiment.claim, between) != ["reproduced"]


def test_a_noisy_ratio_is_no_finding(make_run, experiment):
    between = statement("ratio", a="b", b="a", low=1.17, high=1.53)
    noisy = make_run({"a": 1000, "b": 1150}, noise=0.6, launches=3)
    assert verdict(noisy, experiment.claim, between) == ["too close to call"]
    quiet = make_run({"a": 1000, "b": 1001})
    assert verdict(quiet, experiment.claim, between) == ["no difference"]


def test_a_statement_declares_the_smallest_effect_that_matters(make_run, experiment):
    run = make_run({"a": 1000, "b": 1060})
    large = statement("faster", a="b", b="a", smallest_effect=0.2)
    found = judged(run, experiment.claim, large)
    assert found.judgements[0].verdict == "no difference"
    assert "by less than 20 %" in found.judgements[0].why
    assert found.delta("a", "b") == 0.2 and found.delta("a", "a#2") == verdicts.SMALLEST_EFFECT
    assert verdict(run, experiment.claim, statement("faster", a="b", b="a")) == ["reproduced"]


def test_the_first_statement_about_a_pair_is_found_either_way_round(make_run, experiment):
    found = judged(make_run({"a": 1000, "b": 1100, "c": 1200}), experiment.claim)
    assert found.about("a", "b") is found.about("b", "a") is found.judgements[0]
    assert found.about("a", "c") is None


def test_order(make_run, experiment):
    order = statement("order", variants=("c", "b", "a"))
    right = make_run({"a": 1000, "b": 1100, "c": 1300})
    found = judged(right, experiment.claim, order).judgements[0]
    assert found.verdict == "reproduced" and found.tau == 1.0
    assert found.tau_low <= 1.0 <= found.tau_high
    wrong = make_run({"a": 1300, "b": 1100, "c": 1200})
    found = judged(wrong, experiment.claim, order).judgements[0]
    assert found.verdict == "opposite" and "a > b" in found.why
    tied = make_run({"a": 1000, "b": 1000, "c": 1300})
    found = judged(tied, experiment.claim, order).judgements[0]
    assert found.verdict == "no difference" and "less than 5 % between b and a" in found.why
    unclear = make_run({"a": 1000, "b": 1020, "c": 1300}, noise=0.1)
    found = judged(unclear, experiment.claim, order).judgements[0]
    assert found.verdict == "too close to call" and "told apart: b and a" in found.why


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
    assert found.verdict == "not valid" and found.why.endswith("client-bound")
    run.tool = replace(run.tool, name="autocannon")
    found = judged(run, experiment.claim).judgements[0]
    assert found.why.endswith("client-bound; wrk needs less CPU (./bench doctor)")


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


def test_the_control_is_shown_and_no_threshold(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100})
    found = judged(run, experiment.claim)
    assert found.control == found.ratios["a#2"]
    run.samples = [s for s in run.samples if s.variant != "a#2"]
    without = judged(run, experiment.claim)
    assert without.control is None
    assert without.judgements[0].verdict == found.judgements[0].verdict == "reproduced"


def test_noise_excludes_nothing_but_a_server_that_idles_does(make_run, experiment):
    for flag, given in (("cpu-stolen", "reproduced"), ("server-idle", "not valid")):
        run = make_run({"a": 1000, "b": 1100})
        run.samples = [replace(s, flags=[flag]) for s in run.samples]
        assert verdict(run, experiment.claim) == [given]


@pytest.mark.parametrize(("together", "given"), [(True, "reproduced"), (False, "not valid")])
def test_latencies_that_do_not_fit_exclude_what_took_turns_only(
    make_run, experiment, together, given
):
    run = make_run({"a": 1000, "b": 1100}, together=together)
    run.samples = [replace(s, flags=["littles-law"]) for s in run.samples]
    assert verdict(run, experiment.claim) == [given]


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
    assert any("what all share cancels" in r for r in judged(run, experiment.claim).remarks)
    run.plan = replace(run.plan, interleaved=False)
    assert any("only more launches" in r for r in judged(run, experiment.claim).remarks)


def test_a_machine_that_changes_its_speed_is_remarked(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, launches=5, blocks=4)

    def told():
        return [r for r in judged(run, experiment.claim).remarks if r.startswith("speed")]

    assert told() == []
    run.samples = [
        replace(s, requests_per_second=s.requests_per_second / (2 if s.launch > 2 else 1))
        for s in run.samples
    ]
    (found,) = told()
    times = float(found.split("was ")[1].split()[0])
    assert 1.9 < times < 2.4 and "race again at another time" in found
    run.plan = replace(run.plan, interleaved=False)
    assert told() == []  # there a block is no moment


def test_an_outlier_is_remarked(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, launches=8, blocks=4)
    run.samples = [
        replace(s, requests_per_second=s.requests_per_second / 3)
        if (s.variant, s.launch, s.block) == ("b", 2, 1)
        else s
        for s in run.samples
    ]
    assert any("b in launch 3, block 2" in r for r in judged(run, experiment.claim).remarks)


def test_many_outliers_are_counted_and_few_named(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, launches=8, blocks=8)
    run.samples = [
        replace(s, requests_per_second=s.requests_per_second / 3)
        if (s.variant, s.block) == ("b", 4)
        else s
        for s in run.samples
    ]
    (remark,) = (r for r in judged(run, experiment.claim).remarks if "outliers" in r)
    assert "8 rounds are far" in remark and remark.count("in launch") == 3 and "…" in remark


def test_blocks_that_were_still_warm_up_are_left_out_and_said(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, launches=4, blocks=8)
    slow = {0: 3.0, 1: 1.5}
    run.samples = [
        replace(s, requests_per_second=s.requests_per_second / slow.get(s.block, 1.0))
        for s in run.samples
    ]
    found = judged(run, experiment.claim)
    assert found.left_out == (2, 2, 2, 2)
    assert any("warm-up: 8 of 32 blocks" in r for r in found.remarks)
    assert abs(found.ratios["b"].ratio - 1.1) < 0.02


def test_a_slow_round_in_the_middle_is_not_left_out(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, launches=4, blocks=8)
    run.samples = [
        replace(s, requests_per_second=s.requests_per_second / 2) if s.block == 3 else s
        for s in run.samples
    ]
    assert judged(run, experiment.claim).left_out == (0, 0, 0, 0)


def test_a_single_sample_knows_nothing_of_its_spread(make_run, experiment):
    found = judged(make_run({"a": 1000, "b": 1100}, launches=1, blocks=1), experiment.claim)
    assert found.ratios["b"].low == 0 and found.ratios["b"].high > 1e300
    assert found.ratios["b"].p == 1


def test_pairs_that_are_stated_twice_count_once(make_run, experiment):
    run = make_run({"a": 1000, "b": 1012}, noise=0.015)
    once = statement("faster", a="b", b="a")
    twice = [once, replace(once, id="again", a="a", b="b")]
    alone = judged(run, experiment.claim, once).judgements[0].tests[0]
    both = judged(run, experiment.claim, *twice).judgements
    assert [j.tests[0].p_adjusted for j in both] == pytest.approx([alone.p_adjusted] * 2)


def test_a_band_is_told_as_percent_until_that_says_nothing():
    assert verdicts.band_text(0.05) == "±5 %" and verdicts.band_text(0.025) == "±2.5 %"
    assert verdicts.band_text(4823.4) == "a factor of 4,824.4"
