"""Whole processes, which a small program starts that tells what each took."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace

import benchbook
from benchbook.model.experiments import FILE, Experiment
from benchbook.model.kinds.commands import RunCount, WholeProcesses
from benchbook.model.plan import PILOT, Plan
from benchbook.model.runs import Entry
from benchbook.model.variants import Variant
from benchbook.programs import readiness
from benchbook.race import job
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.commands.deal import Deal
from benchbook.race.kinds.commands.executor import CommandsExecutor
from benchbook.race.kinds.measuring import SelfTimed
from benchbook.race.race import Race
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

TOOL = "Benchbook's timer"
FEWEST_LAUNCHES, MOST_LAUNCHES = 3, 10  # of typed commands
UNTIL_SHARE = 0.5  # of the time, for the pilot of a race with --until
MOST_BLOCKS = 12  # of a launch of them
LAUNCHES_SHARE = 0.15  # of the time, for starting them: the timer, and timing the shell
SHORTEST_SECONDS = 0.001  # of a sample in the plan, where hardly any time is left
PORT = "PORT=8080 "  # a server's, in the command for a reader


class CommandsMeasuring(SelfTimed):
    """A sample is as many runs as begin within its time, one at least, or as are dealt to it."""

    def prepare(self, asked: Job) -> Race:
        return super().prepare(asked.staged())

    def make(self, asked: Job, reasons: Reasons) -> Race:
        make_prepare(asked)
        variants, entries = job.enter(asked.experiment, asked.chosen, reasons)
        kind = asked.experiment.kind_as(WholeProcesses)
        cpus = None if kind.count else asked.cpus  # who typed them may want all
        executor = CommandsExecutor(asked.experiment, raced(variants, entries), cpus)
        try:
            drawn = (counted if kind.count else timed)(asked, entries, executor)
        except BaseException:  # what was set up is cleaned up
            executor.close()
            raise
        executor.draw.seed(drawn.seed)
        if executor.deal and not executor.deal.may_be_cut(drawn):
            asked = replace(asked, options=replace(asked.options, within=None))
        race = self.race(asked, drawn, entries, benchbook.__version__, executor, cpus=executor.cpus)
        race.may_end = not kind.count  # typed commands run as often as was said
        race.run.messages.extend(executor.notes)
        executor.notes = race.run.messages  # where the end of the race adds to them
        return race

    def by_hand(self, experiment: Experiment, variant: Variant) -> str:
        kind = experiment.kind_as(WholeProcesses)
        words = [super().by_hand(experiment, variant).replace(PORT, "", 1)]
        words += map(shlex.quote, kind.arguments)
        return " ".join(words + (["<", paths.relative(kind.input)] if kind.input else []))


def raced(variants: Mapping[str, Variant], entries: Iterable[Entry]) -> dict[str, Variant]:
    """The variants that can be raced."""
    return {e.name: variants[e.name] for e in entries if e.status == "raced"}


def timed(asked: Job, entries: list[Entry], executor: CommandsExecutor) -> Plan:
    """The plan of an experiment's commands, by time."""
    # a sample is a run at least, so the plan must know how long one takes
    seconds = max(
        asked.options.seconds or asked.mode.sample_seconds, executor.pilot().round_seconds
    )
    return asked.plan(entries, TOOL, seconds)


def counted(asked: Job, entries: list[Entry], executor: CommandsExecutor) -> Plan:
    """The plan of typed commands: as many runs as fit in the time, within what their kind says.

    Where all is fresh in each run there is little that launches differ by, so there are many, and
    the blocks of each are short; but a run at least.
    """
    options, names = asked.options, [e.name for e in entries if e.status == "raced"]
    count, budget = executor.kind.count or RunCount(), asked.mode.budget_seconds * options.share
    if options.until:  # the first half says how many launches are wanted
        budget *= UNTIL_SHARE
    looked = executor.pilot()

    def fitting(seconds: float) -> int:
        found = max(count.least, int(seconds / looked.round_seconds))
        return min(found, count.most or found)

    rounds = fitting(budget)
    affordable = int(LAUNCHES_SHARE * budget / looked.launch_seconds)
    most = min(PILOT if options.until else MOST_LAUNCHES, rounds // 2, affordable)
    launches = min(options.launches or max(FEWEST_LAUNCHES, most), rounds)
    left = budget - launches * looked.launch_seconds
    blocks = min(options.blocks or MOST_BLOCKS, max(1, fitting(left) // launches))
    seconds = max(SHORTEST_SECONDS, left / (launches * blocks * len(names)))
    sized = replace(options, launches=launches, blocks=blocks, warmup=0.0)
    drawn = replace(asked, options=sized).plan(entries, TOOL, seconds)
    run_seconds = looked.round_seconds / len(names)
    executor.deal = Deal(count.least, count.most, drawn.launches * drawn.blocks, run_seconds)
    return drawn


def make_prepare(asked: Job) -> None:
    """Build what is to be run before each run. Raises InputError where it can't be run here."""
    if not (prepared := asked.experiment.kind_as(WholeProcesses).prepared):
        return
    if reason := readiness.make_ready([prepared], asked.say)[prepared.name]:
        raise InputError(paths.relative(asked.experiment.folder / FILE), "commands.prepare", reason)


MEASURING = CommandsMeasuring()
