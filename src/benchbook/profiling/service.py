"""A "why" from the request to what is kept: what the commands and the magics share."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from benchbook.model.experiments import Experiment
from benchbook.model.profiles import recorded
from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.model.profiles.cost import Costing
from benchbook.profiling import experiment as profiling
from benchbook.profiling.cost import counting
from benchbook.profiling.options import WhyOptions
from benchbook.profiling.profiler import ProfilerError
from benchbook.race import turn
from benchbook.race.service import Audience
from benchbook.system import tidying
from benchbook_kernels.base.errors import BenchError, InputError

ELSEWHERE = "recorded on another machine"
Found = TypeVar("Found", ProfileComparison, Costing)


def live_or_recorded(
    live: Callable[[Experiment, Sequence[str], WhyOptions, Audience], Found],
    read: Callable[[str, Sequence[str]], Found | None],
    experiment: Experiment,
    names: Sequence[str],
    options: WhyOptions,
    audience: Audience,
) -> Found:
    """What is found here; or, where somebody asks for it or it can't be found here, what Benchbook
    brings along: not of edited programs, nor of experiments that lie elsewhere. Raises InputError
    where that is asked for and not there."""

    def kept() -> Found | None:
        edited = any(experiment.variant(name).edited for name in names)
        return None if edited else read(experiment.saved_as, names)

    if options.recorded:
        if not (found := kept()):
            problem, remedy = "nothing of these programs is recorded", f"see {recorded.folder()}"
            raise InputError("--recorded", "", problem, remedy)
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
