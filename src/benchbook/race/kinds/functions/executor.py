"""What carries out a race of functions: a process for each entry, timed in slices.

All processes of a launch live side by side and are idle but for the one that is asked. A block is
made of slices of milliseconds, in random order and back again, so that whatever the machine does
meets all entries alike; what is compared is the CPU time of a call. What happens in such a process:
harness.mjs for JavaScript, Slices.cs for C#. (After tango, https://github.com/bazhenov/tango, which
pairs two functions like that.)

Equal functions differ from start to start, by where their code and data come to lie. So launches
are many and short, each draws a layout of its own, and the processes of the next one start and warm
up on other CPUs while this one is measured.
"""

import contextlib
import math
import random
import statistics
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import psutil

from benchbook.model.samples import Evidence
from benchbook.model.variants import Variant
from benchbook.programs import given_environment
from benchbook.programs.programs import Command, Prepared, VariantError
from benchbook.race.evidence import Watch
from benchbook.race.executor import Executor, Measurement, Outcome, alone
from benchbook.race.kinds.asked import PATIENCE_SECONDS, AskedProcess
from benchbook.race.warming import STEADY, mean_cost
from benchbook.system import cores, dialogue, paths
from benchbook.system.dialogue import Dialogue
from benchbook_kernels.base import processes
from benchbook_kernels.base.processes import Keeper

MARK = "// benchbook "  # begins the lines that a harness prints for us
# Measured with experiment 05 in memory (28 functions, two CPUs): a sample of 50 ms scatters by 8 %
# in slices of 10 ms on any CPU, 6.5 % on one, 5 % in slices of 5 ms, 3.4 % in slices of 1 ms, in
# which cold caches cost up to a tenth more, where nothing fills them first (harness.mjs).
SLICE_SECONDS = 0.002
LAST_LINES = 6
FAR = 1.5  # times the median of a sample's slices
LAYOUT = "BENCHBOOK_LAYOUT"  # what a process draws its layout from
MOST_FILLING = 4096  # characters, which move what the system puts behind the environment
APART_SECONDS = 0.15  # between two starts ahead: about what one takes
AHEAD_SHARE = 0.25  # of the memory that is left, which processes that start ahead may take


class Harness(ABC):
    """The processes that time functions of one language."""

    @abstractmethod
    def command(self, variant: Variant) -> list[str]:
        """The command line of the process that times a variant."""

    def environment(self, variant: Variant) -> dict[str, str]:
        """What that process finds in its environment, beside what every variant does."""
        return {}

    @abstractmethod
    def explained(self, lines: Sequence[str], variant: Variant) -> Sequence[str]:
        """Of what a process said before it ended, the lines that tell why."""


@dataclass
class Timer(AskedProcess):
    """A process that waits, and measures when it is asked to."""

    mark = MARK

    harness: Harness

    def measure(self, seconds: float) -> dict[str, Any]:
        """Measure for so long. Raises VariantError where it ends or is silent."""
        return self.ask(f"{seconds}", PATIENCE_SECONDS + 10 * seconds)

    def where_to_look(self) -> str:
        return "is there an endless loop in it?"

    def ended(self) -> VariantError:
        said = self.harness.explained(self.dialogue.said(), self.variant)
        code = self.dialogue.process.returncode
        how = f"was ended by signal {-code}" if code < 0 else "failed"
        remedy = f"correct '{self.variant.benchmark}' in {paths.relative(self.variant.path)}"
        told = [how, *(said[:LAST_LINES] or [f"exit code {code}"])]
        return VariantError(self.variant, "\n    ".join(told), remedy)


def measurement(
    slices: Sequence[Mapping[str, Any]], spent: Evidence, whole: float, begun: float
) -> Measurement:
    """Slices of one entry as one sample.

    spent: what happened in the `whole` seconds of all entries' slices, of which it has its part;
    begun: as though entries had run one after the other.
    """
    seconds = sum(each["seconds"] for each in slices)
    operations = sum(each["operations"] for each in slices)
    part = max(0.0, seconds) / whole
    evidence = replace(
        spent.part(part),
        server_cpu_seconds=math.nan,
        voluntary_switches=None,
        involuntary_switches=sum(each["switches"] for each in slices),
    )
    flags = ("disturbed",) if disturbed(slices) else ()
    return replace(Measurement.timed(seconds, operations, evidence, begun), flags=flags)


def disturbed(slices: Sequence[Mapping[str, Any]]) -> bool:
    """Took some of them far more than the others, which had a context switch or a collection in
    them? They count nevertheless: what a function leaves to be collected is its own."""
    costs = [each["seconds"] / each["operations"] for each in slices]
    far = FAR * statistics.median(costs)
    return any(
        cost > far and (each["switches"] or each.get("collections"))
        for cost, each in zip(costs, slices)
    )


def long_enough(slices: Sequence[Mapping[str, Any]], seconds: float) -> bool:
    """Did they take the time of a whole sample? Fewer do where a call is longer than a slice."""
    return bool(sum(each["seconds"] for each in slices) >= seconds)


def layout() -> str:
    """A number from which a process draws where its data come to lie, and so many characters behind
    it that the environment is of another size each time."""
    return f"{random.getrandbits(31)} {'.' * random.randrange(MOST_FILLING)}"


class NoTimeError(VariantError):
    """A function that does nothing."""

    def __init__(self, variant: Variant) -> None:
        problem = "takes no time that can be measured: as long as an empty function"
        remedy = "the optimiser may have removed the work: return its result"
        super().__init__(variant, problem, remedy)


@dataclass
class SlicedExecutor(Executor):
    """A process for each entry of a launch, asked in turn.

    cpus: on which they are timed, None for all; allocated: bytes an operation, by entry. costs: of
    a call, in seconds, since the last warm-up; before: their mean then. ahead: processes of the
    next launch; next_start: of the next of them, by time.monotonic(); prepared: changes how entries
    are started, by their names.
    """

    again_seconds = 0.02

    variants: Mapping[str, Variant]
    harness: Harness
    cpus: tuple[int, ...] | None = None
    keeper: Keeper = field(default_factory=Keeper)
    running: dict[str, Timer] = field(default_factory=dict)
    heaps: dict[str, list[float]] = field(default_factory=dict)
    allocated: dict[str, float] = field(default_factory=dict)
    costs: list[float] = field(default_factory=list)
    before: float = math.nan
    ahead: dict[str, Timer] = field(default_factory=dict)
    next_start: float = math.inf
    prepared: Mapping[str, Prepared] = field(default_factory=dict)

    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        self.end()
        errors: dict[str, VariantError] = {}
        self.close_all(self.ahead.pop(name) for name in self.ahead.keys() - set(names))
        for name in names:
            started = self.ahead.pop(name) if name in self.ahead else None
            self.running[name] = started or self.start(self.variants[name])
        for name, timer in list(self.running.items()):
            try:
                timer.first()
            except VariantError as error:
                errors[name] = error
                self.drop(name)
        if self.cpus:
            processes.move(self.members, self.cpus)
        self.next_start = 0.0 if self.has_room() else math.inf
        return errors

    def has_room(self) -> bool:
        """May the next launch start meanwhile: is there another CPU for it, and memory?"""
        if not self.cpus or set(cores.affinity()) <= set(self.cpus):
            return False
        used = 0
        for pid in self.members:
            with contextlib.suppress(psutil.Error):
                used += psutil.Process(pid).memory_info().rss
        return bool(used < AHEAD_SHARE * psutil.virtual_memory().available)

    def start_ahead(self) -> None:
        """Start a process of the next launch, when the one before had time to start.

        One after the other, each finds an idle CPU; they are not put there, because .NET would take
        that for all that it may use.
        """
        if time.monotonic() < self.next_start:
            return
        left = [name for name in self.running if name not in self.ahead]
        if left:
            name = random.choice(left)
            self.ahead[name] = self.start(self.variants[name])
        self.next_start = time.monotonic() + APART_SECONDS if left else math.inf

    @property
    def members(self) -> list[int]:
        """The entries' processes: what they use is not used by other programs."""
        return [timer.dialogue.process.pid for timer in self.running.values()]

    def start(self, variant: Variant) -> Timer:
        """A process of a variant, with a layout of its own."""
        own = {**self.harness.environment(variant), LAYOUT: layout()}
        environment = {**given_environment.environment(), **own, **variant.env}
        command = Command(self.harness.command(variant), variant.runs_in, environment)
        if prepared := self.prepared.get(variant.name):
            command = prepared(command)
        there = {"cwd": command.folder, "env": command.env}
        dialogue = Dialogue.start(self.keeper, command.words, **there)
        return Timer(variant, dialogue, self.harness)

    def measure(self, name: str, seconds: float) -> Measurement:
        return alone(self.measure_in_slices, name, seconds)

    def measure_in_slices(self, names: Sequence[str], seconds: float) -> dict[str, Outcome]:
        """One block: so many seconds of each entry, in slices that take turns."""
        count = max(1, round(seconds / SLICE_SECONDS))
        orders = self.orders(names, count)
        taken: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
        errors: dict[str, VariantError] = {}
        watch, begun = Watch(self.members), time.monotonic()
        for order in orders:
            if len(names) > 1:
                self.start_ahead()
            for name in order:
                if name in errors or long_enough(taken[name], seconds):
                    continue
                try:
                    taken[name].append(self.slice(self.running[name], seconds / count))
                except VariantError as error:
                    errors[name] = error
                    self.drop(name)
        spent, whole = watch.evidence(0.0), time.monotonic() - begun
        found: dict[str, Outcome] = {}
        for name, slices in taken.items():
            if name not in errors and sum(each["seconds"] for each in slices) <= 0:
                errors[name] = NoTimeError(self.variants[name])
                self.drop(name)
            if name in errors:
                found[name] = errors[name]
                continue
            found[name] = measured = measurement(slices, spent, whole, begun)
            self.costs.append(measured.load.seconds / measured.load.requests)
            begun += measured.load.seconds
            self.heaps.setdefault(name, []).extend(
                each["allocated"] for each in slices if each["allocated"] is not None
            )
            if self.heaps[name]:
                self.allocated[name] = round(statistics.median(self.heaps[name]))
        return found

    def orders(self, names: Sequence[str], count: int) -> Iterator[Sequence[str]]:
        """So many orders: a random one, then the same backwards, and again."""
        draw = random.Random(" ".join(names))  # they come in an order drawn by the race's seed
        for _ in range(0, count, 2):
            order = draw.sample(list(names), len(names))
            yield order
            yield order[::-1]

    def slice(self, timer: Timer, seconds: float) -> dict[str, Any]:
        """What one slice took. Raises VariantError where it fails, or does no work."""
        result = timer.measure(seconds)
        if result["empty"]:
            raise NoTimeError(timer.variant)
        return result

    def is_warm_up_due(self, count: int) -> bool:
        """Is what a call costs, in the mean of all entries, still falling?"""
        now, self.costs = mean_cost(self.costs), []
        before, self.before = self.before, now
        return count == 0 or now < (1 - STEADY) * before

    def land(self) -> dict[str, VariantError]:
        self.end()
        return {}

    def drop(self, name: str) -> None:
        self.running.pop(name).dialogue.close(self.keeper)

    def end(self) -> None:
        self.close_all(self.running.values())
        self.running.clear()

    def close_all(self, timers: Iterable[Timer]) -> None:
        dialogue.end_all([timer.dialogue for timer in timers], self.keeper)

    def close(self) -> None:
        self.keeper.close()
        self.close_all(self.ahead.values())
        self.end()
