"""Run a plan: yields what happens as it happens, and saves meanwhile."""

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace

from benchbook.analysis.judging.stopping import Verdict
from benchbook.analysis.statistics import looks
from benchbook.model import results
from benchbook.model.experiments import Experiment
from benchbook.model.plan import Plan
from benchbook.model.runs import Run
from benchbook.race import limits
from benchbook.race.evidence import Setting
from benchbook.race.executor import Abilities, Executor
from benchbook.race.launch import Launch
from benchbook.race.options import Options
from benchbook.race.record import Event, Note, Record
from benchbook.race.warming import WarmUp
from benchbook_kernels.base.words import counted

WARM_SHARE = 0.6  # of a launch's time, that its warm-up may take where time is limited
LATE = 1.1  # times its time a race that may end earlier takes, at most
FEWEST = 3  # launches that it has, however late it is


@dataclass
class Race:
    """A race that is ready to run: iterate over events() to run it.

    needed: asked once, after the pilot of a plan with `until`: how many launches are wanted?
    look: asked after each launch but the last of a plan with `looks`: who is raced further?
    budget: seconds that such a race has; a slow machine has fewer launches. may_end: before its
    last launch, where somebody looks.
    warmth: how long all entries are warmed up together; None: one after the other.
    """

    experiment: Experiment
    run: Run
    executor: Executor
    setting: Setting
    needed: Callable[[Run], int] | None = None
    look: Callable[[Run], Verdict] | None = None
    budget: float = math.inf
    options: Options = Options()
    warmth: WarmUp | None = None
    may_end: bool = True

    @property
    def plan(self) -> Plan:
        return self.run.plan

    def events(self) -> Generator[Event, None, None]:
        """Run to the end. The run is saved after a block, at most once a second, and however
        this ends.

        Raises BenchError where the baseline or the load generator fails, KeyboardInterrupt as
        it comes; the run is then saved as incomplete.
        """
        record = Record(self.run, self.setting)
        with results.recording(self.run, record.save, self.executor.close):
            yield from (Note(message) for message in self.run.messages)
            yield from self.launches(record)

    def launches(self, record: Record) -> Iterator[Event]:
        run, able = self.run, Abilities.of(self.executor)
        run.timing["launch_seconds"] = run.timing["warmup_seconds"] = 0.0
        number, begun = 0, 0.0
        while number < self.plan.launches:
            share = (self.options.within or math.inf) / self.plan.launches
            over = (share * (number + WARM_SHARE), share * (number + 1))
            launch = Launch(number, record, self.executor, able, self.warmth, *over)
            yield from launch.events()
            number += 1
            if number == self.plan.pilot and self.needed:
                yield record.note(self.extend(self.needed(run), record.elapsed))
            if self.plan.looks and looks.FIRST <= number < self.plan.launches:
                yield from self.looked(record, number, record.elapsed - begun)
            begun = record.elapsed
        if self.options.within and run.samples:
            taken = max(sample.block for sample in run.samples) + 1
            run.plan = self.plan.cut(taken)
        for remark in able.remarking.closing_remarks() if able.remarking else ():
            yield record.note(remark)

    def looked(self, record: Record, launches: int, seconds: float) -> Iterator[Event]:
        """Look at the race after so many launches: end it, or go on with those who are needed.
        seconds: that the last launch took."""
        if not self.look or not self.run.samples:
            return
        seen = self.look(self.run)
        if seen.why:
            self.run.plan = self.plan.stopped(launches)
            yield record.note(seen.why)
        elif launches >= FEWEST and record.elapsed + seconds > LATE * self.budget:
            # the last look, at a time that does not follow what was found: it has the level of one
            planned = counted(self.plan.launches, "launch")
            self.run.plan = replace(self.plan.stopped(launches), looks=launches)
            told = f"stopped after {launches} of {planned}: on this machine they take longer than"
            yield record.note(f"{told} planned, and its time, {self.budget:.0f} s, is over")
        else:
            self.run.plan = self.plan.narrowed(launches, seen.names)

    def extend(self, wanted: int, pilot_seconds: float) -> str:
        """Decide, once, how many launches there will be: as many as wanted, or as time allows;
        in words."""
        pilot = self.plan.launches
        minutes, most = self.options.minutes, self.options.most.get("launches", math.inf)
        affordable = int(minutes * 60 / (pilot_seconds / pilot))
        launches = int(max(pilot, min(wanted, affordable, most)))
        self.run.plan = self.plan.extended(launches)
        width, needed = 100 * (self.plan.until or 0), counted(wanted, "launch")
        aim = f"intervals narrower than {width:.3g} points of the ratio need {needed}"
        if launches == most < wanted:
            aim += f", of which {limits.VARIABLE} allows {launches}"
        elif launches < wanted:
            time_given = f"{minutes:g} {'minute allows' if minutes == 1 else 'minutes allow'}"
            aim += f", of which {time_given} {launches}"
        return f"after {counted(pilot, 'launch')}: {aim}"
