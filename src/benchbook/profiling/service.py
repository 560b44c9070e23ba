"""A "why" from the request to what is kept: what the commands and the magics share."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from benchbook.model.experiments import Experiment
from benchbook.model.profiles import recorded
from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.model.profiles.cost import Costing
from benchbook.model.profiles.layers import Layers
from benchbook.profiling import experiment as profiling
from benchbook.profiling import layers as layering
from benchbook.profiling.cost import counting
from benchbook.profiling.differences import FEWEST_LAUNCHES
from benchbook.profiling.options import WhyOptions, check_once
from benchbook.profiling.profiler import ProfilerError
from benchbook.race import turn
from benchbook.race.service import Audience
from benchbook.system import tidying
from benchbook_kernels.base.errors import BenchError, InputError

ELSEWHERE = "recorded on another machine"
Found = TypeVar("Found", ProfileComparison, Costing, Layers)


class NotRecordedError(InputError):
    """What somebody wants to see as it was recorded is not there: no fault of a notebook's."""


def live_or_recorded(
    live: Callable[[Experiment, Sequence[str], WhyOptions, Audience], Found],
    read: Callable[[str, Sequence[str]], Found | None],
    experiment: Experiment,
    names: Sequence[str],
    options: WhyOptions,
    audience: Audience,
) -> Found:
    """What is found here; or, where somebody asks for it or it can't be found here, what Benchbook
    brings along: not of edited programs, nor of experiments that lie elsewhere. Raises
    NotRecordedError where that is asked for and not there."""

    def kept() -> Found | None:
        edited = any(experiment.variant(name).edited for name in names)
        return None if edited else read(experiment.saved_as, names)

    if options.recorded:
        if not (found := kept()):
            told = ", ".join(names)
            problem = f"nothing is recorded of {told}, as they stand here"
            raise NotRecordedError("--recorded", "", problem, "without it, they are measured here")
        found.recorded = ELSEWHERE
        return found
    try:
        return live(experiment, names, options, audience)
    except ProfilerError as error:
        if not (found := kept()):
            raise
        found.recorded = f"{ELSEWHERE}, because here {error.message}"
        return found


def counted(
    experiment: Experiment, names: Sequence[str], options: WhyOptions, audience: Audience
) -> Costing:
    """Count what a request costs one program, or A and B, beside time; where that can't be done
    here, what was recorded. Raises as `profiled` does, and KeyboardInterrupt as it comes."""
    return live_or_recorded(counted_here, recorded.cost, experiment, names, options, audience)


def counted_here(
    experiment: Experiment, names: Sequence[str], options: WhyOptions, audience: Audience
) -> Costing:
    """As `counted`; raises ProfilerError where that can't be done here."""
    tidying.remove_old()
    with turn.taken(f"costs of experiment {experiment.number}", audience.wait, options.anyway):
        ready = counting.ready(experiment, names, options, audience.say)
        audience.follow(ready)
    return ready.costing


class ProfilingStopped(KeyboardInterrupt):
    """An interrupt, with the launches that were complete by then."""

    def __init__(self, interrupt: KeyboardInterrupt, comparison: ProfileComparison) -> None:
        super().__init__(*interrupt.args)
        self.comparison = comparison


def profiled(
    experiment: Experiment, names: Sequence[str], options: WhyOptions, audience: Audience
) -> ProfileComparison:
    """Profile one program, or A and B, and keep what came of it; one at a time on a machine, as
    races are. Where they can't be profiled here, what was recorded.

    Raises InputError for what makes no sense, BenchError where a program can't be profiled or
    fails, or the disk is full, and ProfilingStopped where it is interrupted after its begin.
    """
    return live_or_recorded(profiled_here, recorded.profile, experiment, names, options, audience)


def profiled_here(
    experiment: Experiment, names: Sequence[str], options: WhyOptions, audience: Audience
) -> ProfileComparison:
    """As `profiled`; raises ProfilerError where that can't be done here."""
    tidying.remove_old()
    what = f"a profile of experiment {experiment.number}"
    with turn.taken(what, audience.wait, options.anyway):
        ready = profiling.ready(experiment, names, options, audience.say)
        try:
            audience.follow(ready)
        except OSError as error:
            where = ready.comparison.path or Path()
            problem = f"the profile can't be kept: {error.strerror}"
            raise BenchError(problem, f"make room in {where.parent}") from None
        except KeyboardInterrupt as interrupt:
            raise ProfilingStopped(interrupt, ready.comparison) from None
    return ready.comparison


class LayersStopped(KeyboardInterrupt):
    """An interrupt, with the programs that were complete by then; None where none was."""

    def __init__(self, interrupt: KeyboardInterrupt, found: Layers | None) -> None:
        super().__init__(*interrupt.args)
        self.found = found


def layered(
    experiment: Experiment, names: Sequence[str], options: WhyOptions, audience: Audience
) -> Layers:
    """What several programs spend by layer, each profiled beside the baseline, or beside the first
    that is named where the baseline is not; where that can't be done here, what was recorded.

    A fault in one leaves the others. Raises as `profiled` does where no program is left, and
    LayersStopped.
    """
    return live_or_recorded(layered_here, recorded.layers, experiment, names, options, audience)


def layered_here(
    experiment: Experiment, names: Sequence[str], options: WhyOptions, audience: Audience
) -> Layers:
    """As `layered`; raises ProfilerError where that can't be done here."""
    check_once("profile", names, "name each program once")
    known = [experiment.variant(name).name for name in names]
    first = experiment.baseline if experiment.baseline in known else known[0]
    found: list[ProfileComparison] = []
    faults: dict[str, BenchError] = {}

    def together() -> Layers:
        missing = {name: error.message for name, error in faults.items()}
        return layering.layers(found, known, missing)

    for name in known:
        if name == first:
            continue
        try:
            found.append(profiled_here(experiment, (first, name), options, audience))
        except BenchError as error:
            faults[name] = error
        except ProfilingStopped as stopped:
            if len(stopped.comparison.launches) >= FEWEST_LAUNCHES:
                found.append(stopped.comparison)
            raise LayersStopped(stopped, together() if found else None) from None
    if not found:
        raise next(iter(faults.values()))
    return together()
