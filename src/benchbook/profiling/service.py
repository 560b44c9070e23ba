"""A "why" from the request to what is kept: what the commands and the magics share."""

from collections.abc import Sequence
from pathlib import Path

from benchbook.model.experiments import Experiment
from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.profiling import experiment as profiling
from benchbook.profiling.cost import counting
from benchbook.profiling.cost.figures import Costing
from benchbook.profiling.options import WhyOptions
from benchbook.race import turn
from benchbook.race.service import Audience
from benchbook.system import tidying
from benchbook_kernels.base.errors import BenchError


def counted(
    experiment: Experiment, names: Sequence[str], options: WhyOptions, audience: Audience
) -> Costing:
    """Count what a request costs one program, or A and B, beside time. Raises as `profiled` does,
    and KeyboardInterrupt as it comes."""
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
    races are.

    Raises InputError for what makes no sense, BenchError where a program can't be profiled or
    fails, or the disk is full, and ProfilingStopped where it is interrupted after its begin.
    """
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
