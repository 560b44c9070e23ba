"""Race a pair under one condition after the other, for as long as there is time."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import benchbook
from benchbook.analysis.judging import judge
from benchbook.compare import question
from benchbook.compare.attack.conditions import Condition, conditions
from benchbook.compare.service import mode_of
from benchbook.model import documents, results
from benchbook.model.claims import Statement
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.functions import Functions
from benchbook.model.kinds.http import Http
from benchbook.model.profiles.attack import Attack, Attempt
from benchbook.model.variants import Variant
from benchbook.race import limits, service
from benchbook.race.options import Options, RaceRequest
from benchbook.race.service import Audience
from benchbook.race.turn import StoppedWaiting
from benchbook.system import machine, paths
from benchbook_kernels.base.errors import BenchError, InputError

FOLDER = "attacks"  # of an experiment's runs
LEAST_SECONDS, MOST_SECONDS = 20.0, 60.0  # of a race: a shorter one says little
NOT_RACED = "not raced"


class AttackStopped(KeyboardInterrupt):
    """Interrupted. attack: what there is."""

    def __init__(self, attack: Attack, *signal: object) -> None:
        super().__init__(*signal)
        self.attack = attack


def attack(
    experiment: Experiment,
    names: Sequence[str],
    audience: Audience,
    options: Options,
    seconds: float,
    afresh: bool = False,
) -> Attack:
    """Race two variants under all conditions that there are here, the decisive pair where no names
    are given, for about so many seconds. One that was not finished, of the same code on this
    machine, is continued, unless `afresh`.

    Raises InputError for what makes no sense, BenchError where they can't even be raced as usual,
    AttackStopped where it is interrupted; what is complete is kept.
    """
    a, b = pair_of(experiment, names)
    if not isinstance(experiment.kind, Http | Functions):
        problem = "can't be attacked: only servers and functions can"
        raise InputError(f"experiment {experiment.number}", "", problem)
    offered = conditions(experiment.kind, (a, b), swappable(experiment, a, b))
    found = begun(experiment, a, b, offered, afresh, audience)
    share = limits.read().share
    deadline = time.monotonic() + seconds * share
    each = max(LEAST_SECONDS, min(MOST_SECONDS, seconds / len(offered))) * share
    for place, condition in enumerate(offered, 1):
        if condition.name not in found.left:
            continue
        if found.attempts and time.monotonic() + each > deadline:
            break
        audience.say(f"{place} of {len(offered)}: {condition.name}")
        try:
            attempt = raced(experiment, (a, b), condition, options, each, found, audience)
        except KeyboardInterrupt as interrupt:
            raise AttackStopped(found, *interrupt.args) from None
        except StoppedWaiting as stopped:  # for another race: nobody wants the next one, either
            if not found.attempts:
                raise
            raise AttackStopped(found, *stopped.interrupt.args) from None
        except BenchError as error:
            if not found.attempts:  # not even as usual
                raise
            attempt = Attempt(condition.name, NOT_RACED, str(error), None, None, None, 1.0, 0.0, "")
        found.attempts.append(attempt)
        found.save()
    return found


# ── What is raced ────────────────────────────────────────────────────────────────────────────────


def pair_of(experiment: Experiment, names: Sequence[str]) -> tuple[Variant, Variant]:
    """The two that are named, or those of the first statement that compares two; the baseline
    first where it is one of them. Raises InputError."""
    if names and len(set(names)) != 2:
        raise InputError("attack", "", f"got {' '.join(names)}", "name two variants, or none")
    if not names:
        of_two = (s.names for s in experiment.claim.statements if len(s.names) == 2)
        names = next(of_two, ())
    if not names:
        where, problem = f"experiment {experiment.number}", "has no statement about two variants"
        raise InputError(where, "", problem, "name two variants")
    a, b = sorted(names, key=lambda name: name != experiment.baseline)
    return experiment.variant(a), experiment.variant(b)


def swappable(experiment: Experiment, a: Variant, b: Variant) -> bool:
    """Are their answers alike as they are, so that either can be the baseline?"""
    plain = not (a.headers or b.headers or a.answers_like or b.answers_like)
    return a.name == experiment.baseline and plain


def about(experiment: Experiment, a: Variant, b: Variant) -> Statement:
    """Is b faster than a? With the δ of the experiment's own statement about them."""
    own = (s for s in experiment.claim.statements if set(s.names) == {a.name, b.name})
    said = next(own, None)
    delta = (said.smallest_effect or said.within) if said else None
    return replace(question.statement(b, a, delta or question.DELTA), id="attack")


def under(
    experiment: Experiment, pair: tuple[Variant, Variant], condition: Condition, seconds: float
) -> Experiment:
    """The race under a condition: the pair alone, and the baseline where it is none of them."""
    a, b = pair
    names = {a.name, b.name, experiment.baseline}
    variants = tuple(each for each in experiment.variants if each.name in names)
    names |= {each.answers_like for each in variants} - {""}
    variants = tuple(each for each in experiment.variants if each.name in names)
    mode = mode_of(experiment.kind, seconds, len(variants) + 1)
    claim = replace(experiment.claim, statements=(about(experiment, a, b),), figures=())
    found = replace(
        experiment,
        claim=claim,
        variants=variants,
        baseline=b.name if condition.swapped else experiment.baseline,
        modes={**experiment.modes, "quick": mode},
    )
    return condition.applied(found)


def raced(
    experiment: Experiment,
    pair: tuple[Variant, Variant],
    condition: Condition,
    options: Options,
    seconds: float,
    found: Attack,
    audience: Audience,
) -> Attempt:
    """Race the pair under a condition, and keep the run beside the attack's file."""
    assert found.path
    changed = under(experiment, pair, condition, seconds)
    path = found.path.with_suffix("") / f"{len(found.attempts)}.json"
    options = replace(
        condition.options(options), path=path, within=seconds, most=limits.read().lengths
    )
    run, _ = service.race(changed, RaceRequest(), options, audience)
    name = f"{path.parent.name}/{path.name}"
    [judgement] = judge.judge(run, changed.claim).judgements
    spent = run.timing.get("total_seconds", 0.0)
    if not judgement.tests:
        why = (judgement.verdict, judgement.why)
        return Attempt(condition.name, *why, None, None, None, 1.0, spent, name)
    [test] = judgement.tests
    ratio = test.interval
    return Attempt(
        condition.name,
        judgement.verdict,
        judgement.why,
        ratio.ratio,
        ratio.low,
        ratio.high,
        min(1.0, ratio.p),
        spent,
        name,
    )


# ── What is kept ─────────────────────────────────────────────────────────────────────────────────


def begun(
    experiment: Experiment,
    a: Variant,
    b: Variant,
    offered: Sequence[Condition],
    afresh: bool,
    audience: Audience,
) -> Attack:
    """The attack that is to be continued, or a new one."""
    folder = results.folder(experiment.saved_as) / FOLDER
    new = Attack(
        experiment=experiment.name,
        a=a.name,
        b=b.name,
        code=hashlib.sha256(a.path.read_bytes() + b"\0" + b.path.read_bytes()).hexdigest(),
        delta=about(experiment, a, b).smallest_effect or 0.0,
        machine=machine.manifest(),
        benchbook=benchbook.__version__,
        started=results.now(),
        conditions=[each.name for each in offered],
        path=folder / f"{results.stamp()}.json",
    )
    for path in () if afresh else sorted(folder.glob("*.json"), reverse=True):
        older = read(path)
        if older and continues(new, older):
            done = len(older.attempts)
            audience.say(f"continues {paths.relative(path)}: {done} of {len(offered)} are done")
            return older
    return new


def continues(new: Attack, older: Attack) -> bool:
    """Is it the same attack, which was not finished?"""
    same = ("experiment", "a", "b", "code", "delta", "benchbook", "conditions")
    return bool(older.left) and all(getattr(new, name) == getattr(older, name) for name in same)


def read(path: Path) -> Attack | None:
    """The attack in a file; None for a run's file, and for one that can't be read."""
    try:
        return Attack.from_json(documents.read_json(path, "attack"), path)
    except InputError:
        return None
