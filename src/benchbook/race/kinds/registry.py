"""Finds how a kind of experiment is measured, and how a kind of article's method is replayed."""

from importlib import import_module
from importlib.util import find_spec

from benchbook.model.experiments import Experiment
from benchbook.race.kinds.copies import Copies
from benchbook.race.kinds.measuring import Measuring
from benchbook.race.replay.replay import Replay

FOLDERS = {"loop": "functions"}  # of methods, where it has not the name of their kind


def of(experiment: Experiment) -> Measuring:
    """How the variants of an experiment are measured: the folder of the kind's name says it."""
    module = import_module(f"benchbook.race.kinds.{experiment.kind.name}.measuring")
    found: Measuring = module.MEASURING
    return found


def replay(kind: str) -> type[Replay]:
    """What replays a method of this kind, as run files name it."""
    module = import_module(f"benchbook.race.kinds.{FOLDERS.get(kind, kind)}.published")
    found: type[Replay] = module.REPLAY
    return found


def copies(kind: str) -> type[Copies] | None:
    """What runs copies of programs of this kind; None where they can't be looked at so."""
    name = f"benchbook.race.kinds.{kind}.copies"
    if not find_spec(name):
        return None
    found: type[Copies] = import_module(f"benchbook.race.kinds.{kind}.copies").COPIES
    return found
