"""Get a replay ready: the method in the claim file, shortened if so asked, and its kind."""

import math
from dataclasses import replace
from pathlib import Path

from benchbook.analysis import judge
from benchbook.model import picker, results
from benchbook.model.claims import Published, PublishedClient, PublishedHttp, PublishedLoop
from benchbook.model.experiments import Experiment
from benchbook.programs import readiness
from benchbook.race.kinds.client.published import prepare_client
from benchbook.race.kinds.functions.published import prepare_loop
from benchbook.race.kinds.http.published import prepare_http
from benchbook.race.replay.replay import FOLDER, Honest, Replay
from benchbook.system import paths
from benchbook.system.errors import InputError


def prepare(
    experiment: Experiment,
    shorten: int = 1,
    path: Path | None = None,
    say: readiness.Say = lambda text: None,
) -> Replay:
    """A replay of the method in the experiment's claim file, ready to run.

    shorten: divide durations, requests and iterations by this. path: where the run file goes.
    say: told what is being built.
    Raises InputError where the claim file holds no method, or one that can't be shortened.
    """
    method = experiment.claim.method
    if method is None:
        where = paths.relative(experiment.claim.path)
        remedy = "write down the article's method, or race without --as-published"
        problem = f"is missing (the article's method: {experiment.claim.source.method})"
        raise InputError(where, "published", problem, remedy)
    path = path or results.folder(experiment.kept_as) / FOLDER / f"{results.stamp()}.json"
    scratch = paths.scratch() / f"{experiment.name}-{results.stamp()}"
    staged = readiness.stage(experiment, scratch)
    given = {
        "experiment": staged,
        "method": method,
        "played": shortened(method, shorten),
        "shorten": shorten,
        "honest": honest_race(experiment),
    }
    if isinstance(method, PublishedHttp):
        return prepare_http(given, path, say)
    if isinstance(method, PublishedClient):
        return prepare_client(given, path, say)
    folder = experiment.folder if staged is experiment else scratch
    return prepare_loop({**given, "folder": folder}, path)


def honest_race(experiment: Experiment) -> Honest | None:
    """The race to compare with: the one that speaks for the experiment (model/picker.py)."""
    run = picker.own_run(experiment)
    return Honest(run, judge.judge(run, experiment.claim)) if run else None


def shortened(method: Published, by: int) -> Published:
    """The method with durations, requests and iterations divided by this (1: as it is).

    Durations stay whole seconds, at least one; requests stay at least as many as the connections.
    Raises InputError where the method states no length.
    """
    if by == 1:
        return method
    changed: dict[str, int] = {}
    if isinstance(method, PublishedLoop):
        if method.iterations is None:
            problem = "can't shorten a script whose length is not stated"
            remedy = "give published.iterations in the claim file, and let the script read it"
            raise InputError("--shorten", "", problem, remedy)
        changed["iterations"] = max(1, method.iterations // by)
    if isinstance(method, PublishedClient):
        changed["iterations"] = max(1, method.iterations // by)
    if isinstance(method, PublishedHttp):
        if method.duration_seconds:
            changed["duration_seconds"] = max(1, round(method.duration_seconds / by))
        if method.requests:
            changed["requests"] = max(method.connections or 1, math.ceil(method.requests / by))
        if method.warmup_seconds:
            changed["warmup_seconds"] = max(1, round(method.warmup_seconds / by))
    return replace(method, **changed)
