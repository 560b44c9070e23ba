"""What functions have in common, in whichever language: slices that take turns."""


import benchbook
from benchbook.model.kinds.functions import SLICES
from benchbook.race import job
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.functions.executor import Harness, SlicedExecutor
from benchbook.race.kinds.measuring import SelfTimed
from benchbook.race.race import Race


class Sliced(SelfTimed):
    """A kind whose variants are functions, timed in slices that take turns."""

    def sliced(self, asked: Job, reasons: Reasons, harness: Harness) -> Race:
        """The race of functions in processes of this harness."""
        variants, entries = job.enter(asked.experiment, asked.chosen, reasons)
        cpus = asked.cpus and asked.cpus[-1:]  # one, for one function at a time
        executor = SlicedExecutor(variants, harness, cpus)
        drawn, version = asked.plan(entries, SLICES), benchbook.__version__
        return self.race(asked, drawn, entries, version, executor, executor.allocated, cpus)
