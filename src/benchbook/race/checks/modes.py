"""Together and in turns, compared on this machine: which is narrower, and does one err?

Both modes race the same programs, in alternation, for about the same time. Work of known size is
added in one experiment: it is calibrated by the largest amount, which is thirty times the
smallest, so a mode that is not in proportion shows. In another programs have unlike neighbours.
"""

import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from benchbook.analysis.simulation import IN_TURNS, TOGETHER
from benchbook.analysis.statistics.compared import Compared
from benchbook.model import experiments, results
from benchbook.race import prepare
from benchbook.race.options import Options

FOLDER = Path(__file__).parent
PLANTS, NEIGHBOURS, FEW = "plants", "neighbours", "neighbours, 8 connections"
CHECKS = {PLANTS: ("plants", None), NEIGHBOURS: ("neighbours", None), FEW: ("neighbours", 8)}
UNITS = {f"plus-{count}": count for count in (1, 3, 5, 10, 30)}
MODES = (IN_TURNS, TOGETHER)


@dataclass(frozen=True)
class ModeRace:
    """One race in one mode.

    check: one of CHECKS; seconds: its wall time; error: the standard error of ln(A/A ratio);
    costs: what each entry (baseline#2 is the A/A copy) cost, as a ratio to the baseline, with its
    95 % interval; cpu: the same by CPU time per request, medians only; stolen: share of the
    machine's CPU time that the hypervisor took; load: the load average of a minute before it.
    """

    check: str
    mode: str
    seconds: float
    error: float
    costs: dict[str, tuple[float, float, float]]
    cpu: dict[str, float]
    stolen: float
    load: float

    @property
    def copy(self) -> tuple[float, float, float]:
        """What the A/A copy cost, as a ratio to the baseline."""
        return next(each for name, each in self.costs.items() if name.endswith("#2"))


def compare(pairs: int) -> Iterator[ModeRace]:
    """Race every check in both modes, in alternation, `pairs` times."""
    for i in range(pairs):
        for check in CHECKS:
            for mode in MODES if i % 2 else reversed(MODES):
                yield raced(check, mode)


def raced(check: str, mode: str) -> ModeRace:
    """One quick race of a check. Raises BenchError where it can't be raced."""
    folder, connections = CHECKS[check]
    path = results.folder("selfcheck") / f"{results.stamp()}.json"
    options = Options(together=mode == TOGETHER, connections=connections, path=path)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan
    prepared = prepare.prepare(experiments.load(FOLDER / folder), options)
    before, begun = psutil.cpu_times(), time.monotonic()
    for _ in prepared.events():
        pass
    seconds, spent = time.monotonic() - begun, np.subtract(psutil.cpu_times(), before)
    stolen = dict(zip(before._fields, spent, strict=True)).get("steal", 0.0)
    run, compared = prepared.run, Compared.of(prepared.run)
    costs, error = {}, math.nan
    for name in compared.places:
        found = compared.interval(run.baseline, name)  # of speeds: the inverse of costs
        assert found
        costs[name] = found.ratio, found.low, found.high
        if name == run.control:
            error = found.error
    spent_by = {
        name: float(np.median([s.cpu_microseconds for s in run.samples if s.variant == name]))
        for name in compared.places
    }
    cpu = {name: each / spent_by[run.baseline] for name, each in spent_by.items()}
    return ModeRace(
        check, mode, seconds, error, costs, cpu, float(stolen / sum(spent)), round(load, 2)
    )


def of(told: list[ModeRace], check: str, mode: str) -> list[ModeRace]:
    """Those races of a check that were raced in a mode."""
    return [each for each in told if (each.check, each.mode) == (check, mode)]


def mean(races: list[ModeRace], name: str) -> tuple[float, float]:
    """(ln of what an entry cost as a ratio to the baseline, its standard error), over races."""
    logs = [math.log(each.costs[name][0]) for each in races]
    error = float(np.std(logs, ddof=1) / math.sqrt(len(logs))) if len(logs) > 1 else math.nan
    return float(np.mean(logs)), error


def known_cost(races: list[ModeRace], name: str) -> float:
    """ln of what known work must cost, by the largest one in the same races."""
    largest = max(UNITS, key=UNITS.__getitem__)
    unit = (math.exp(mean(races, largest)[0]) - 1) / UNITS[largest]
    return math.log1p(unit * UNITS[name])
