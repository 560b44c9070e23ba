"""What was computed from a run as JSON, as a run file keeps it under `results`."""

from typing import cast

from benchbook.analysis.judging.judge import Judgement, Results
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.schemas.saved_results import (
    SavedInterval,
    SavedResults,
    SavedTest,
    SavedVerdict,
)

METHOD = (
    "ratio = exp(mean over launches of the difference of two entries' centres); centres: ln(speed) "
    "= block + entry in each launch, the entry by Hodges and Lehmann over blocks; 95 % interval: "
    "t moderated over the entries (Smyth 2004), Welch-Satterthwaite; equality by two one-sided "
    "tests (Schuirmann 1987); p corrected over the statements of the experiment (Holm 1979)"
)


def to_json(results: Results) -> SavedResults:
    """The member `results` of a run file."""
    return {
        "method": METHOD,
        "control": interval_json(results.control) if results.control else None,
        "medians": dict(results.medians),
        "remarks": list(results.remarks),
        "shares": dict(results.shares),
        "left_out": list(results.left_out),
        "ratios": {name: interval_json(each) for name, each in results.ratios.items()},
        "verdicts": [judgement_json(each) for each in results.judgements],
    }


def judgement_json(judgement: Judgement) -> SavedVerdict:
    return {
        "id": judgement.statement.id,
        "says": judgement.statement.says,
        "type": judgement.statement.type,
        "verdict": judgement.verdict,
        "why": judgement.why,
        "published": judgement.published,
        "size": judgement.size,
        "delta": judgement.delta,
        "seconds_more": judgement.seconds_more,
        "tests": [
            cast(
                SavedTest,
                {"a": t.a, "b": t.b, "p_adjusted": t.p_adjusted, **interval_json(t.interval)},
            )
            for t in judgement.tests
        ],
        "tau": (
            None
            if judgement.tau is None
            else [judgement.tau, judgement.tau_low, judgement.tau_high]
        ),
    }


def interval_json(interval: Interval) -> SavedInterval:
    return {
        "ratio": interval.ratio,
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "p": interval.p,
        "launches": interval.launches,
        "within_one_launch": interval.within_one_launch,
        "error": interval.error,
        "freedom": interval.freedom,
    }
