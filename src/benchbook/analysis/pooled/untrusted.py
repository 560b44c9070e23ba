"""Checks run files that other people made, before anything is calculated from them.

A document that is not what it should be raises InputError with the reason.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from benchbook.analysis.judging.verdicts import VERDICTS
from benchbook.model import documents, results
from benchbook.model.runs import CONTROL, FORMAT, Run
from benchbook.model.samples import Sample
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.untrusted import clean, is_number

SHARED = "benchbook-share/1"  # the format of a file of `./bench share`
SLOWEST, FASTEST = 1e-9, 1e15  # per second; beyond them a file is wrong, not a machine

Pair = tuple[str, str]  # the variant a compared with b


@dataclass(frozen=True)
class SharedVerdict:
    """A machine's verdict on a statement; pair: what it compares, None where that is not a pair."""

    says: str
    verdict: str
    pair: Pair | None


def runs_in(document: Any, where: str) -> tuple[str, list[dict[str, Any]]]:
    """(attendee, run documents) of a shared file; ('', the run) of a run file.

    Raises InputError for any other format.
    """
    kind = document.get("format") if isinstance(document, dict) else None
    if kind == SHARED:
        documents.check(document, "share", where)
        return document["attendee"], document["runs"]
    if kind == FORMAT:
        return "", [document]
    problem = f"expected {FORMAT} or {SHARED}, found {documents.formatted(kind)}"
    raise InputError(where, "format", problem)


def checked_run(document: dict[str, Any], where: str) -> Run:
    """The whole run in a document.

    Raises InputError where it does not fit the schema, is not a whole race, or contradicts itself.
    Of the long members only what is needed here is read, and checked by hand, because the schema
    checker is too slow for the samples of 1,000 files.
    """
    long: dict[str, Any] = {"samples": [], "warmups": [], "results": None}
    light = clean({key: long.get(key, value) for key, value in document.items()})
    if isinstance(light.get("plan"), dict) and "order" in light["plan"]:
        light["plan"] = {**light["plan"], "order": []}
    documents.check(light, "run", where)
    try:
        run = results.from_document({**light, "samples": document["samples"]}, None, where)
    except TypeError as error:
        raise InputError(where, "samples", f"are not samples: {error}") from None
    check_race(run, where)
    check_samples(run, where)
    return run


def check_race(run: Run, where: str) -> None:
    """Raise InputError where a run is not a whole race in random order, with its control."""
    if run.replay:
        raise InputError(where, "", "is a replay of the article's method, not a race")
    if not run.complete:
        reason = run.reason.partition("\n")[0] or "no reason is given"
        raise InputError(where, "", f"was cut short: {reason}")
    if not run.kind.takes_turns(run.plan):
        problem = "ran its programs one after another: drift looks like a result"
        raise InputError(where, "", problem)
    roles = Counter(entry.role for entry in run.entries)
    names = {entry.name for entry in run.entries}
    if roles["baseline"] != 1 or roles[CONTROL] != 1 or len(names) != len(run.entries):
        problem = "need one baseline, one control, and different names"
        raise InputError(where, "entries", problem)


def check_samples(run: Run, where: str) -> None:
    """Raise InputError where samples are missing, or can't be calculated with."""
    entries = len(run.entries) if run.plan.together else 1
    if run.plan.launches * run.plan.blocks > len(run.samples) * entries:
        raise InputError(where, "samples", "are fewer than the plan's rounds")
    names = {entry.name for entry in run.entries}
    for i, sample in enumerate(run.samples):
        if problem := wrong(sample, run, names):
            raise InputError(where, f"samples[{i}]", problem)


def wrong(sample: Sample, run: Run, names: set[str]) -> str:
    """What is wrong with a sample; '' where it can be used."""
    if problem := results.misplaced(sample, run, names):
        return problem
    speed = sample.requests_per_second
    evidence: Any = sample.evidence
    if run.plan.together:
        spent = evidence.get("server_cpu_seconds") if isinstance(evidence, dict) else 0
        if spent is None or not is_number(spent) or not 0 < spent < FASTEST:
            return f"has no usable CPU time: {documents.formatted(spent)}"
    if not isinstance(evidence, dict):
        return f"has evidence that is no object: {documents.formatted(evidence)}"
    if not is_number(speed) or not (speed == 0 or SLOWEST < speed < FASTEST):
        return f"has no usable speed: {documents.formatted(speed)}"
    counts: list[Any] = [None]
    if isinstance(sample.errors, dict):
        counts = [sample.requests, sample.non_2xx, *sample.errors.values()]
    if not all(map(is_number, counts)):
        return "has counts of requests and errors that are not numbers"
    if not isinstance(sample.flags, list) or not all(isinstance(f, str) for f in sample.flags):
        return "has flags that are not a list of names"
    return ""


def shared_verdicts(found: Any, where: str) -> dict[str, SharedVerdict]:
    """The verdicts by statement that a run's own machine came to, from its member `results`.

    {} where that is null. Raises InputError for anything else that holds no verdicts.
    """
    if found is None:
        return {}
    try:
        verdicts = {each["id"]: shared_verdict(each) for each in clean(found)["verdicts"]}
    except (KeyError, TypeError):
        raise InputError(where, "results.verdicts", "are not verdicts") from None
    known = (isinstance(v.says, str) and v.verdict in VERDICTS for v in verdicts.values())
    if not all(known):
        raise InputError(where, "results.verdicts", "contain a word that is not a verdict")
    return verdicts


def shared_verdict(verdict: dict[str, Any]) -> SharedVerdict:
    tests = verdict["tests"]
    pair = (str(tests[0]["a"]), str(tests[0]["b"])) if len(tests) == 1 else None
    return SharedVerdict(verdict["says"], verdict["verdict"], pair)
