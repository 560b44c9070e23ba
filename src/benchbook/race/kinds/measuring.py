"""What is asked of a kind when it is measured."""

from abc import ABC, abstractmethod

from benchbook.model.experiments import Experiment
from benchbook.model.plan import Plan
from benchbook.model.runs import Entry
from benchbook.model.samples import UsedTool
from benchbook.model.variants import Variant
from benchbook.programs import readiness, runners
from benchbook.race import job
from benchbook.race.evidence import Setting
from benchbook.race.executor import Executor
from benchbook.race.job import Job, Reasons
from benchbook.race.race import Race
from benchbook.system import cores, pinning
from benchbook.system.pinning import Pinning


class Measuring(ABC):
    """Builds what an experiment of its kind needs, and makes a race of it."""

    @abstractmethod
    def prepare(self, asked: Job) -> Race:
        """A race that is ready to run. Raises BenchError where its baseline is unavailable."""

    def by_hand(self, experiment: Experiment, variant: Variant) -> str:
        """The command that runs a variant without Benchbook; '' where none is known."""
        known = variant.executable or runners.find(variant.path)
        return runners.of(variant).by_hand(variant) if known else ""


class SelfTimed(Measuring):
    """A kind whose variants are timed by themselves or by a tool of their own, without load."""

    def reasons(self, asked: Job) -> Reasons:
        """Builds the chosen variants; why each is unavailable, '' where it is not."""
        check = lambda known: job.check_baseline(asked.experiment, known)  # noqa: E731
        return readiness.make_ready(asked.chosen, asked.say, check)

    @abstractmethod
    def make(self, asked: Job, reasons: Reasons) -> Race:
        """The race of what is available."""

    def prepare(self, asked: Job) -> Race:
        readiness.look_for_packages(asked.experiment.variants)
        reasons = self.reasons(asked)
        job.check_baseline(asked.experiment, reasons)
        return self.make(asked, reasons)

    def race(
        self,
        asked: Job,
        drawn: Plan,
        entries: list[Entry],
        version: str,
        executor: Executor,
        allocated: dict[str, float] | None = None,
        cpus: tuple[int, ...] | None = None,
    ) -> Race:
        """A race of one client; allocated: bytes by entry; cpus: of its processes."""
        reason = f"{drawn.tool}'s processes" if asked.options.pin else pinning.UNPINNED
        pins = Pinning(cpus, None, reason)
        run = asked.run(drawn, UsedTool(drawn.tool, version), pins, entries)
        run.allocated_bytes = allocated
        setting = Setting(1, 1, cpus=len(cores.affinity()))
        return Race(asked.experiment, run, executor, setting, options=asked.options)
