"""Finds how a kind of experiment is measured, and how a kind of article's method is replayed."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from benchbook.model.experiments import Experiment
from benchbook.model.published import Published, PublishedClient, PublishedHttp, PublishedLoop
from benchbook.programs.readiness import Say
from benchbook.race.kinds.client.published import PageReplay, ProgramsReplay, prepare_client
from benchbook.race.kinds.functions.published import LoopReplay, prepare_loop
from benchbook.race.kinds.http.published import HttpReplay, prepare_http
from benchbook.race.kinds.measuring import Measuring
from benchbook.race.replay.outcome import AskedReplay
from benchbook.race.replay.replay import Replay

PREPARED: dict[type[Published], Callable[[AskedReplay, Path, Say], Replay]] = {
    PublishedHttp: prepare_http,
    PublishedLoop: prepare_loop,
    PublishedClient: prepare_client,
}
EVERY: tuple[type[Replay], ...] = (HttpReplay, LoopReplay, ProgramsReplay, PageReplay)
REPLAYS = {each.kind: each for each in EVERY}  # by the kind that a run file names


def of(experiment: Experiment) -> Measuring:
    """How the variants of an experiment are measured: the folder of the kind's name says it."""
    module = import_module(f"benchbook.race.kinds.{experiment.kind.name}.measuring")
    found: Measuring = module.MEASURING
    return found
