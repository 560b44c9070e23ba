"""Races with known effects: two equal programs, and one that does a known amount of extra work."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.analysis.judging import judge
from benchbook.analysis.judging.verdicts import SMALLEST_EFFECT, Test, direction
from benchbook.analysis.simulation import APART, IN_TURNS, TOGETHER
from benchbook.model import results
from benchbook.model.experiments import Experiment
from benchbook.race import prepare
from benchbook.race.options import Options
from benchbook.system import paths
from benchbook_kernels.base import untrusted
from benchbook_kernels.base.errors import InputError

EXPERIMENT, TWIN, SLOWER = "00", "twin", "plus-ten"
ORDERS = (TOGETHER, IN_TURNS, APART)


@dataclass(frozen=True)
class RaceOutcome:
    """What one real race said: the ratio of each variant with its interval, and the verdict on
    "a difference to the baseline". order: one of ORDERS; control: half of its interval's width."""

    order: str
    control: float
    ratios: dict[str, tuple[float, float, float]]
    verdicts: dict[str, str]


def raced(experiment: Experiment, order: str) -> RaceOutcome:
    """Race two equal programs and one with 10 % more work, once, in quick mode."""
    path = results.folder("selfcheck") / f"{results.stamp()}.json"
    options = Options(interleaved=order != APART, together=order == TOGETHER, path=path)
    prepared = prepare.prepare(experiment, options)
    for _ in prepared.events():
        pass
    found = judge.judge(prepared.run, experiment.claim)
    assert found.control  # a whole race has a copy of its baseline
    verdicts = {}
    for name in (TWIN, SLOWER):
        interval = found.ratios[name]
        test = Test(name, experiment.baseline, interval, interval.p)
        verdicts[name] = direction(test, SMALLEST_EFFECT)[0]
    ratios = {n: (r.ratio, r.low, r.high) for n in verdicts for r in [found.ratios[n]]}
    return RaceOutcome(order, found.control.half_width, ratios, verdicts)


def load_known_effects(path: Path) -> list[RaceOutcome]:
    """The races with known effects of a report on disk, as recorded in data/runs.

    Raises InputError where the file is missing or holds something else.
    """
    try:
        document = untrusted.read_json(path, paths.relative(path), finite=True)
        return [outcome(told) for told in document["planted"]]
    except (InputError, KeyError, TypeError) as error:
        remedy = f"make it: ./bench selfcheck --full --json {paths.relative(path)}"
        problem = f"is not a selfcheck's report ({error})"
        raise InputError(paths.relative(path), "planted", problem, remedy) from None


def outcome(told: dict[str, Any]) -> RaceOutcome:
    """A race of a report; older ones say `interleaved` and `floor`."""
    if "interleaved" in told:
        told = {**told, "order": IN_TURNS if told["interleaved"] else APART}
        told["control"] = told.pop("floor")
        del told["interleaved"]
    return RaceOutcome(**told)
