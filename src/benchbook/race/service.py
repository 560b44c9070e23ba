"""A race from the request to the verdict, and a replay: what `bench race` and %race share.

The path of a figure: `race` here prepares (prepare.py, which asks the experiment's kind, kinds/),
has the race run (race.py, which asks the kind's executor for each sample), judges and saves it.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from benchbook.analysis import judge, judgement_json
from benchbook.analysis.judge import Results
from benchbook.load import load_from
from benchbook.load.load_from import Remote
from benchbook.model.experiments import Experiment
from benchbook.model.runs import Run
from benchbook.race import replay
from benchbook.race.options import Options, Request
from benchbook.race.prepare import prepare
from benchbook.race.race import Event
from benchbook.system.errors import InputError


class Raceable(Protocol):
    """A race or a replay that is ready to run."""

    run: Run

    def events(self) -> Generator[Event, None, None]:
        """Runs it to the end; what happens, as it happens."""


class Audience(Protocol):
    """Who is shown how far a race is: the terminal, or a notebook's output."""

    def say(self, text: str) -> None:
        """What is being built, before the race starts."""

    def follow(self, race: Raceable) -> None:
        """Run it to the end and show how far it is. Raises what its events raise."""


def race(
    experiment: Experiment, asked: Request, options: Options, audience: Audience
) -> tuple[Run, Results]:
    """Prepare a race, run it, judge it and save it with its verdicts.

    Raises InputError for options that make no sense, BenchError where the baseline or the load
    generator is not available or fails, KeyboardInterrupt as it comes: the run is then saved as
    incomplete.
    """
    with loaded_from(asked, audience) as remote:
        ready = prepare(experiment, replace(options, remote=remote), audience.say)
        if options.until:
            ready.needed = lambda run: judge.launches_needed(run, experiment.claim)
        audience.follow(ready)
    found = judge.judge(ready.run, experiment.claim)
    ready.run.results = judgement_json.to_json(found)
    ready.run.save()
    return ready.run, found


def as_published(
    experiment: Experiment, shorten: int, audience: Audience, path: Path | None = None
) -> Run:
    """Replay the article's own method and compare it with the race that speaks.

    Raises as `race` does.
    """
    ready = replay.prepare(experiment, shorten, path, audience.say)
    audience.follow(ready)
    return ready.run


@contextmanager
def loaded_from(asked: Request, audience: Audience) -> Iterator[Remote | None]:
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
