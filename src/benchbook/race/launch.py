"""One launch of a race: all entries are started, warmed up, measured block by block, and ended."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchbook.analysis.judging import connections
from benchbook.model.plan import Plan
from benchbook.programs.programs import VariantError
from benchbook.race.executor import Abilities, Block, Executor, Outcome
from benchbook.race.record import Event, Record, check_sides
from benchbook.race.warming import WINDOW_SECONDS, Warming, WarmUp

CUT = "warm-ups were cut short, what a request costs may still fall; give the race more time"
WARM_UPS = 4  # of a launch, at most
FEWEST_BLOCKS = 2  # of a launch, however late it is


@dataclass
class Launch:
    """The launch with this number (0 and on). warmth: how long all entries are warmed up together;
    None: one after the other; warm_at, over_at: seconds of the race after which programs that had
    the least warm-up need no more, and no further block begins."""

    number: int
    record: Record
    executor: Executor
    able: Abilities
    warmth: WarmUp | None = None
    warm_at: float = math.inf
    over_at: float = math.inf

    @property
    def plan(self) -> Plan:
        return self.record.run.plan

    @property
    def where(self) -> str:
        """In words: launch 1 of 3."""
        return f"launch {self.number + 1} of {self.plan.launches}"

    def events(self) -> Iterator[Event]:
        """Run it to the end. Raises BenchError where the baseline fails, or all entries do."""
        record, run = self.record, self.record.run
        yield record.progress(f"{self.where}: starting", landed=self.number)
        with record.spent_on("launch_seconds"):
            errors = self.executor.launch(self.starting())
        for name, error in errors.items():
            yield record.fail(name, error)
        if self.able.answering and (answers := self.able.answering.answers):
            run.parity = {name: answer.to_json() for name, answer in answers.items()}
            told = connections.warnings(run) if not self.number else ()
            yield from [record.note(text) for text in told]
        with record.spent_on("warmup_seconds"):
            yield from self.warm_up()
        measure = self.able.block(self.plan)
        yield from self.groups(measure) if measure else self.turns()
        with record.spent_on("launch_seconds"):
            errors = self.executor.land()
        for name, error in errors.items():
            yield record.fail(name, error)

    def starting(self) -> list[str]:
        """The launch's entries in the order in which they are started and warmed up, which is that
        of its plan. Who came first cost 0.6 % less than equal programs when it was the same one in
        each launch (docs/method.md)."""
        planned = dict.fromkeys(name for block in self.plan.order[self.number] for name in block)
        return [name for name in planned if name in self.record.active]

    # ── Warming up ───────────────────────────────────────────────────────────────────────────────

    def warm_up(self) -> Iterator[Event]:
        """Load every entry for a moment, so that its JIT has compiled the hot code.

        Again, for shorter moments, as long as the executor says that it was not all.
        """
        seconds, again = self.plan.warmup_seconds, self.able.warming_again
        if not seconds:
            return
        if self.warmth:
            yield from self.warm_together(Warming(self.warmth))
            return
        for count in range(WARM_UPS):
            yield from self.load_all(seconds)
            if not (again and again.is_warm_up_due(count)):
                break
            seconds = min(seconds, again.again_seconds)

    def warm_together(self, warming: Warming) -> Iterator[Event]:
        """Load all entries at the same time until what a request costs them no longer falls.

        On all CPUs, and for one more window on those where they are timed, where no continuous load
        begins with one.
        """
        record, executor = self.record, self.able.warming
        assert executor, "who plans a warm-up together has an executor for it"
        while not warming.over():
            if record.elapsed > self.warm_at and warming.had_least:
                if CUT not in record.run.messages:
                    yield record.note(CUT)
                break
            first = len(record.run.warmups)
            yield from self.window(executor.warm_up, warming.goal.window)
            warming.add(record.run.warmups[first:], executor.compiled)
        executor.warmed_up()
        if not self.plan.continuous:
            seconds = warming.goal.at_most(WINDOW_SECONDS)
            yield from self.window(executor.measure_together, seconds)

    def window(self, load: Block, seconds: float) -> Iterator[Event]:
        """One window of a warm-up together."""
        begun = self.record.elapsed
        found = load(self.starting(), seconds)
        check_sides(found)
        for name, outcome in found.items():
            yield from self.warmed(name, outcome, begun)
        yield self.record.progress(f"{self.where}: warming up")

    def load_all(self, seconds: float) -> Iterator[Event]:
        for name in self.starting():
            yield from self.warmed(name, *self.measured(name, seconds))
            yield self.record.progress(f"{self.where}: warming up")

    def warmed(self, name: str, outcome: Outcome, begun: float) -> Iterator[Event]:
        """Keep what an entry did in a warm-up."""
        if isinstance(outcome, VariantError):
            yield self.record.fail(name, outcome)
        else:
            sample = self.record.sample(outcome, self.number, -1, -1, name, begun)
            self.record.run.warmups.append(sample)

    # ── Measuring ────────────────────────────────────────────────────────────────────────────────

    def groups(self, measure: Block) -> Iterator[Event]:
        """The blocks of a launch, each of which has one sample of every entry."""
        record, through = self.record, self.able.through
        planned = enumerate(self.plan.order[self.number])
        for _, blocks in itertools.groupby(planned, key=lambda each: frozenset(each[1])):
            consecutive, first = list(blocks), len(record.run.samples)
            if through:
                names = [name for name in consecutive[0][1] if name in record.active]
                through.begin(names, len(consecutive) * self.plan.sample_seconds)
            for block, members in consecutive:
                if block >= FEWEST_BLOCKS and self.record.elapsed > self.over_at and not through:
                    return
                yield from self.block(measure, block, members)
            if through:
                yield from record.complete(through.finish(), first)

    def block(self, measure: Block, number: int, names: Sequence[str]) -> Iterator[Event]:
        """One sample of each of these entries that is still in the race."""
        record = self.record
        there = [name for name in names if name in record.active]
        begun = record.elapsed
        found = measure(there, self.plan.sample_seconds)
        check_sides(found)
        first = len(record.run.samples)
        for position, (name, outcome) in enumerate(found.items()):
            yield self.taken(outcome, number, position, name, begun)
        yield from record.complaints(record.run.samples[first:])
        record.keep()
        yield self.between(number)

    def turns(self) -> Iterator[Event]:
        """The rounds of a launch, one entry after the other."""
        record = self.record
        first = len(record.run.samples)  # of the block
        for turn, (block, position, name) in enumerate(self.plan.rounds(self.number), 1):
            late = block >= FEWEST_BLOCKS and record.elapsed > self.over_at
            if late and (not position or not self.plan.interleaved):
                return
            if name in record.active:
                outcome, begun = self.measured(name, self.plan.sample_seconds)
                yield self.taken(outcome, block, position, name, begun)
            if turn % len(self.plan.order[self.number][block]) == 0:
                yield from record.complaints(record.run.samples[first:])
                first = len(record.run.samples)
                record.keep()
                yield self.between(block)

    def measured(self, name: str, seconds: float) -> tuple[Outcome, float]:
        """What came of one round of an entry, and when it began, in seconds since the race did."""
        begun = self.record.elapsed
        try:
            return self.executor.measure(name, seconds), begun
        except VariantError as error:
            return error, begun

    def taken(self, outcome: Outcome, block: int, position: int, name: str, begun: float) -> Event:
        """Keep a sample, or see an entry out of the race."""
        if isinstance(outcome, VariantError):
            return self.record.fail(name, outcome)
        sample = self.record.sample(outcome, self.number, block, position, name, begun)
        return self.record.take(sample, self.at(block))

    def at(self, block: int) -> str:
        return f"{self.where}, block {block + 1} of {self.plan.blocks}"

    def between(self, block: int) -> Event:
        """This block is over: who follows the race may look at it now."""
        return self.record.progress(self.at(block), between=True)
