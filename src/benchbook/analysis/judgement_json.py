"""What was computed from a run as JSON, as a run file keeps it under `results`."""

from typing import Any

from benchbook.analysis.judge import Judgement, Results
from benchbook.analysis.stats import Interval

METHOD = (
    "ratio = exp(mean over launches of the Hodges-Lehmann centre over blocks of "
    "ln(requests/s of a / requests/s of b)); "
    "95 % interval: Student's t on the launches' centres (Kalibera & Jones 2013); "
    "floor = how far from 1 the interval of the A/A copy reaches; "
    "p corrected over all tests of the experiment (Holm 1979)"
)


def to_json(results: Results) -> dict[str, Any]:
    """The member `results` of a run file; see model/schemas/run.schema.json."""
    return {
        "method": METHOD,
        "floor": interval_json(results.floor) if results.floor else None,
        "medians": dict(results.medians),
        "remarks": list(results.remarks),
        "ratios": {name: interval_json(each) for name, each in results.ratios.items()},
        "verdicts": [judgement_json(each) for each in results.judgements],
    }


def judgement_json(judgement: Judgement) -> dict[str, Any]:
    return {
        "id": judgement.statement.id,
        "says": judgement.statement.says,
        "type": judgement.statement.type,
        "verdict": judgement.verdict,
        "why": judgement.why,
        "published": judgement.published,
        "published_inside": judgement.published_inside,
        "tests": [
            {"a": t.a, "b": t.b, "p_adjusted": t.p_adjusted, **interval_json(t.interval)}
            for t in judgement.tests
        ],
        "tau": (
            None
            if judgement.tau is None
            else [judgement.tau, judgement.tau_low, judgement.tau_high]
        ),
    }


def interval_json(interval: Interval) -> dict[str, Any]:
    return {
        "ratio": interval.ratio,
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "p": interval.p,
        "launches": interval.launches,
        "within_one_launch": interval.within_one_launch,
    }
