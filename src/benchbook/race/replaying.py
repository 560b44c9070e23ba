"""Get a replay ready: the method in the claim file, shortened if so asked, and its kind."""

from pathlib import Path

from benchbook.analysis.judging import judge
from benchbook.model import picker, results
from benchbook.model.experiments import Experiment
from benchbook.programs import readiness
from benchbook.race.kinds import registry
from benchbook.race.replay.outcome import AskedReplay, Honest
from benchbook.race.replay.replay import FOLDER, Replay
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError


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
    path = path or results.folder(experiment.saved_as) / FOLDER / f"{results.stamp()}.json"
    scratch = paths.scratch() / f"{experiment.name}-{results.stamp()}"
    staged = readiness.stage(experiment, scratch)
    asked = AskedReplay(
        experiment=staged,
        method=method,
        played=method.shortened(shorten),
        shorten=shorten,
        folder=experiment.folder if staged is experiment else scratch,
        honest=honest_race(experiment),
    )
    kind = method.kind_for(experiment.kind.name)
    return registry.replay(kind).prepare(asked, path, say)


def honest_race(experiment: Experiment) -> Honest | None:
    """The race to compare with: the one that speaks for the experiment (model/picker.py)."""
    run = picker.own_run(experiment)
    return Honest(run, judge.judge(run, experiment.claim)) if run else None
