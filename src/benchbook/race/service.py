"""A race from the request to the verdict, and a replay: what `bench race` and %race share.

The path of a figure: `race` here prepares (prepare.py, which asks the experiment's kind, kinds/),
has the race run (race.py, which asks the kind's executor for each sample), judges and saves it.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from benchbook.analysis.judging import judge, judgement_json, stopping
from benchbook.analysis.judging.judge import Results
from benchbook.analysis.judging.stopping import Asked, Verdict
from benchbook.analysis.statistics import detectable
from benchbook.analysis.statistics.detectable import DetectableEffect
from benchbook.load import load_from
from benchbook.load.load_from import Remote
from benchbook.model import results
from benchbook.model.experiments import Experiment
from benchbook.model.picker import is_eligible, readable
from benchbook.model.runs import Run
from benchbook.race import replaying, turn
from benchbook.race.checks import pilot
from benchbook.race.options import QUICK, Options, RaceRequest
from benchbook.race.prepare import chosen, prepare
from benchbook.race.race import Race
from benchbook.race.record import Event
from benchbook.system import tidying
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.words import counted

LIKE_IT = 8  # of the newest races, those that were like this one
NOISIER = 1.5  # times as much as expected


class Raceable(Protocol):
    """A race or a replay that is ready to run."""

    run: Run

    def events(self) -> Generator[Event, None, None]:
        """Runs it to the end; what happens, as it happens."""


class Audience(Protocol):
    """Who is shown how far a race is: the terminal, or a notebook's output."""

    def say(self, text: str) -> None:
        """What is being built, before the race starts."""

    def wait(self, text: str) -> None:
        """For whom the race waits, again and again with the time left; '' when that is over."""

    def follow(self, race: Raceable) -> None:
        """Run it to the end and show how far it is. Raises what its events raise."""


def race(
    experiment: Experiment,
    asked: RaceRequest,
    options: Options,
    audience: Audience,
    undecided: Asked | None = None,
) -> tuple[Run, Results]:
    """Prepare a race, run it, judge it and save it with its verdicts; one of a machine at a time.
    undecided: see stopping.look.

    Raises InputError for options that make no sense, BenchError where the baseline or the load
    generator is not available or fails, KeyboardInterrupt as it comes: the run is then saved as
    incomplete.
    """
    chosen(experiment, options)  # it would be a pity to wait for another race first
    tidying.remove_old()
    with (
        turn.taken(f"experiment {experiment.number}", audience.wait, asked.anyway) as ours,
        loaded_from(asked, audience) as remote,
    ):
        ready = prepare(experiment, replace(options, remote=remote), audience.say)
        try:
            before = told_before(ready.run, experiment, ours.beside)
        except BaseException:  # what is set up, or runs already, ends
            ready.executor.close()
            raise
        if options.until:
            ready.needed = lambda run: judge.launches_needed(run, experiment.claim)
        if may_end(ready):
            ready.run.plan = replace(ready.run.plan, looks=ready.run.plan.launches)
            ready.look = lambda run: looked(run, experiment, undecided)
            ready.budget = experiment.modes[options.mode].budget_seconds * options.share
        if left := left_out(experiment, options):
            ready.run.messages.append(left)
            audience.say(left)
        audience.follow(ready)
    if before and (seen := detectable.of_race(ready.run)):
        ready.run.messages.append(effect_after(before, seen))
        if experiment.delta is None:  # an answer to a question of one's own says it itself
            audience.say(ready.run.messages[-1])
    found = judge.judge(ready.run, experiment.claim)
    ready.run.results = judgement_json.to_json(found)
    ready.run.save()
    return ready.run, found


def looked(run: Run, experiment: Experiment, undecided: Asked | None) -> Verdict:
    """What a look decided (see stopping.look), with those that are raced for their answers: others
    must equal them in each launch."""
    seen = stopping.look(run, experiment.claim, undecided)
    return replace(seen, names=experiment.with_references(seen.names))


def left_out(experiment: Experiment, options: Options) -> str:
    """Which programs a quick race could have had besides, in words; '' for none."""
    more = experiment.modes[options.mode].more
    if not more or options.more or options.variants:
        return ""
    return f"without {counted(len(more), 'entry')} that no statement needs: --more adds them"


def may_end(race: Race) -> bool:
    """May it end before its last launch, when all is decided? Quick ones do that ask something,
    unless somebody wants so many launches, or to see how a benchmark goes wrong."""
    options = race.options
    chosen = options.fixed or options.launches or options.until or not options.interleaved
    asks = options.mode == QUICK and bool(race.experiment.claim.statements)
    return asks and race.may_end and not chosen


def told_before(run: Run, experiment: Experiment, beside: bool) -> DetectableEffect | None:
    """Say in the run what is known before the race, and return what it will probably see. beside:
    does another race run on this machine?"""
    if beside:
        run.plan = replace(run.plan, beside=True)
    before = expected_effect(run, experiment)
    if before:
        run.messages.append(effect_before(before))
    elif run.plan.together and (machine := pilot.by_races()):
        run.messages.append(machine.text)
    return before


def expected_effect(run: Run, experiment: Experiment) -> DetectableEffect | None:
    """What this race will probably see, by the newest that were like it on this machine."""
    newest = readable(list(results.saved(experiment.saved_as))[:LIKE_IT])
    return detectable.expected(
        [each for each in newest if is_eligible(each) and is_like(each, run)]
    )


def is_like(earlier: Run, run: Run) -> bool:
    """Did an earlier race measure the same about as long, in the same way?

    Comparisons that were asked for in one folder may be of anything: their titles tell.
    """
    ours, theirs = run.plan, earlier.plan
    same = (ours.together, ours.mode) == (theirs.together, theirs.mode)
    same = same and run.experiment.title == earlier.experiment.title
    return same and 0.5 <= theirs.expected_seconds / ours.expected_seconds <= 2


def effect_before(seen: DetectableEffect) -> str:
    return seen.sentence("the last races here", "this one")


def effect_after(before: DetectableEffect, seen: DetectableEffect) -> str:
    expected = f"{100 * before.smallest:.1f} %"
    if seen.smallest > NOISIER * before.smallest:
        told = f"not {expected} as expected: the machine was noisier this time"
    else:
        told = f"{expected} was expected"
    return f"This race could see differences of {100 * seen.smallest:.1f} % and more ({told})."


def as_published(
    experiment: Experiment,
    shorten: int,
    audience: Audience,
    path: Path | None = None,
    anyway: bool = False,
) -> Run:
    """Replay the article's own method and compare it with the race that speaks.

    anyway: beside another race on this machine, if there is one. Raises as `race` does.
    """
    what = f"experiment {experiment.number} as published"
    with turn.taken(what, audience.wait, anyway) as ours:
        ready = replaying.prepare(experiment, shorten, path, audience.say)
        if ours.beside:
            ready.run.plan = replace(ready.run.plan, beside=True)
        audience.follow(ready)
    return ready.run


@contextmanager
def loaded_from(asked: RaceRequest, audience: Audience) -> Iterator[Remote | None]:
    """The host that the load comes from, None for this one; its connection ends with the context.

    Raises InputError where only one of --load-from and --listen is given.
    """
    if asked.load_from and not asked.listen:
        addresses = ", ".join(load_from.own_addresses()) or "none but 127.0.0.1"
        problem = "needs --listen ADDRESS: where that host reaches this machine"
        raise InputError("--load-from", "", problem, f"its addresses: {addresses}")
    if asked.listen and not asked.load_from:
        raise InputError("--listen", "", "needs --load-from")
    if not asked.load_from:
        yield None
        return
    with load_from.connect(asked.load_from, asked.listen, audience.say) as remote:
        yield remote
