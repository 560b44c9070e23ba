"""What carries out a race of commands: each run is a process from its start to its end.

A small program (timer.py) starts the commands and tells what each run took; it is started anew in
each launch. The runs of a block are interleaved: one of each entry, in random order, and again, as
long as the block lasts. Before a launch's first sample every command of an experiment runs once:
its exit code and its output must be what they should be, so that no program is fast because it
does something else. Commands that are typed may change what they work on, so they have few runs
that are not timed: those that are asked for with --warmup, or else one before the first launch, up
to three where it takes hardly more than its shell.
"""

import hashlib
import math
import random
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchbook.analysis.statistics import stats
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.commands import RunCount, WholeProcesses
from benchbook.model.plan import COPY
from benchbook.model.variants import Variant
from benchbook.programs import programs
from benchbook.programs.programs import VariantError
from benchbook.race.evidence import Watch
from benchbook.race.executor import Executor, Measurement, Outcome, alone
from benchbook.race.kinds.commands import deal, lines, remarks
from benchbook.race.kinds.commands.deal import Deal
from benchbook.race.kinds.commands.lines import CHECK, CLEANUP, RUN, SETUP, SHELL, Lines
from benchbook.race.kinds.commands.remarks import Start
from benchbook.race.kinds.commands.timing import MOST, CommandTimer, Failure, Runs, Step
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.processes import Keeper

FLOOR = 1.1  # times the timer's peak at its start: it still grows a little
OFFSETS = 4096  # bytes that an environment may be longer, as hyperfine has it
DRAWN = 50  # rounds that are drawn for a block; a longer one begins again
CALIBRATIONS = 20  # runs of the shell alone, in each launch
MOST_LOOKS, NEAR = 3, 3.0  # at a command that takes less than so many times the shell's time
# Whoever takes less than this part of the shell's time beside it can't be told from the shell.
LOST_IN_SHELL = 0.25
CENTRED = 100  # numbers that a centre is taken of, at most: it looks at all pairs


@dataclass(frozen=True)
class Written:
    """What a command wrote to its standard output, and how it ended."""

    sha256: str
    bytes: int
    exit_code: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Pilot:
    """How long a round of all entries takes, and to begin a launch, in seconds."""

    round_seconds: float
    launch_seconds: float


@dataclass
class CommandsExecutor(Executor):
    """One timer for a launch.

    cpus: on which commands run, None for all; draw: of orders; deal: None where blocks are as long
    as they are planned; answers: what each wrote; start: what the shell takes by itself, in this
    launch, which is taken off where that can be (takes_off); untimed: runs that each command has
    had before the first sample; blocks: that each entry has had; seen: seconds of each run without
    the shell's, by entry; failing: those that ended with another exit code than 0; set_up: those
    that are to be cleaned up; notes: what must be known before the race.
    """

    experiment: Experiment
    variants: Mapping[str, Variant]
    cpus: tuple[int, ...] | None = None
    keeper: Keeper = field(default_factory=Keeper)
    draw: random.Random = field(default_factory=random.Random)
    deal: Deal | None = None
    timer: CommandTimer | None = None
    there: Lines = field(default_factory=Lines)
    answers: dict[str, Written] = field(default_factory=dict)
    start: Start | None = None
    takes_off: bool = True
    untimed: int = 0
    blocks: Counter[str] = field(default_factory=Counter)
    seen: dict[str, list[float]] = field(default_factory=dict)
    failing: set[str] = field(default_factory=set)
    set_up: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def kind(self) -> WholeProcesses:
        return self.experiment.kind_as(WholeProcesses)

    def by_shell(self, name: str) -> bool:
        """Is an entry started by the shell whose time is taken off?"""
        by = self.kind.shell
        return bool(by) and self.variants[name].words[: len(by)] == by

    # ── Before the race ──────────────────────────────────────────────────────────────────────────

    def pilot(self) -> Pilot:
        """What a race costs, by a short look. Everything is ended if an entry fails.

        Of commands that are typed: sets them up, and finds out whether the shell's time can be
        taken off. Raises VariantError as a launch does.
        """
        try:
            if self.kind.count is None:
                self.begin([self.experiment.baseline])
                return Pilot(self.once(self.experiment.baseline).seconds[0], 0.0)
            return self.first_looks(list(self.variants))
        except BaseException:
            self.close()
            raise
        finally:
            self.end()

    def first_looks(self, names: Sequence[str]) -> Pilot:
        """As pilot, of commands that are typed."""
        began = time.monotonic()
        self.begin(names)
        self.calibrate()
        launch_seconds = time.monotonic() - began
        own = [name for name in names if not name.endswith(COPY)]
        for name in own:
            self.set_up.append(name)
            if (name, SETUP) in self.there:
                self.once(name, SETUP)
        count, least = self.kind.count or RunCount(), math.inf
        most = min(MOST_LOOKS, count.warm_up or count.least)
        began = time.monotonic()
        while not self.untimed or (
            self.untimed < most and self.start and least < NEAR * self.start.seconds
        ):
            seconds = {name: self.once(name).seconds[0] for name in own}
            least = min([least, *(seconds[name] for name in own if self.by_shell(name))])
            self.untimed += 1
        round_seconds = (time.monotonic() - began) / self.untimed * len(names) / len(own)
        if self.start and least < math.inf:
            self.takes_off = least >= (1 + LOST_IN_SHELL) * self.start.seconds
            self.notes.append(self.start.taken_off() if self.takes_off else self.start.left(least))
        return Pilot(round_seconds, launch_seconds)

    # ── Launches ─────────────────────────────────────────────────────────────────────────────────

    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        self.end()
        self.begin(self.experiment.starting_order(names, self.variants))
        errors: dict[str, VariantError] = {}
        if self.kind.count is None:
            self.check_all(errors)
            return errors
        if self.deal:
            self.deal.learn()
        if (left := self.kind.count.warm_up - self.untimed) > 0:
            own = [name for name in names if not name.endswith(COPY)]
            _, errors = self.rounds(own, least=left, most=left, untimed=True)
            self.untimed += left
        if self.takes_off:
            self.calibrate()
        return errors

    def begin(self, names: Sequence[str]) -> None:
        """Start the timer, which waits to be asked, for these entries."""
        self.there = lines.of(self.experiment, self.variants, names, self.keeper.folder)
        limit = self.kind.longest_seconds
        self.timer = CommandTimer.start(self.keeper, self.there.lines, limit, self.cpus)

    def check_all(self, errors: dict[str, VariantError]) -> None:
        """Run each once; the error of each that can't take part."""
        for name in self.there.names:
            try:
                self.check(name)
            except VariantError as error:
                errors[name] = error
                if name == self.experiment.baseline:
                    break  # the race is over: no need to wait for the others

    def check(self, name: str) -> None:
        """Run it once, and compare what it wrote. Raises VariantError."""
        output = Path(self.there.line(name, CHECK).write)
        code = int(self.once(name, CHECK).exit_code[0] or 0)
        with output.open("rb") as written:
            digest = hashlib.file_digest(written, "sha256").hexdigest()
        self.answers[name] = seen = Written(digest, output.stat().st_size, code)
        output.unlink()
        other = self.experiment.reference(self.variants[name])
        wanted = self.answers.get(other)
        if not self.kind.same_output or seen == wanted:
            return
        if wanted is None:
            raise programs.reference_gone(self.variants[name], other)
        raise VariantError(
            self.variants[name],
            f"wrote {seen.bytes} bytes with the digest {seen.sha256[:12]}…, not "
            f"{wanted.bytes} with {wanted.sha256[:12]}… as '{other}' did",
            'all must write the same; set commands.output = "any" where they need not',
        )

    def calibrate(self) -> None:
        """Find out what the shell takes by itself."""
        if ("", SHELL) not in self.there:
            return
        place = self.there.place("", SHELL)
        found = self.asked().run(self.steps([[place]]), CALIBRATIONS, CALIBRATIONS)
        if failure := found.failed.get(place):
            shell = " ".join(self.kind.shell)
            told = failure.problem or programs.how_ended(failure.exit_code or 0)
            raise BenchError(f"the shell ({shell} '') {told}", "give another --shell, or none")
        self.start = Start.of(found.runs[place], self.kind.shell)

    # ── Runs ─────────────────────────────────────────────────────────────────────────────────────

    def asked(self) -> CommandTimer:
        assert self.timer, "it is asked during a launch only"
        return self.timer

    def steps(self, rounds: Iterable[Sequence[int]]) -> list[list[Step]]:
        """Rounds of places, each with a length for its environment."""
        return [[(place, self.draw.randrange(OFFSETS)) for place in each] for each in rounds]

    def once(self, name: str, role: str = RUN) -> Runs:
        """One run, prepared. Raises VariantError."""
        place = self.there.place(name, role)
        numbers = {place: self.untimed} if role == RUN else {}
        told = self.asked().run(self.steps([[place]]), 1, 1, numbers=numbers, untimed=True)
        if failure := told.failed.get(place):
            raise self.error(name, failure)
        return told.runs[place]

    def rounds(
        self,
        names: Sequence[str],
        least: int = 1,
        most: int = MOST,
        seconds: float = 0.0,
        untimed: bool = False,
    ) -> tuple[dict[str, Runs], dict[str, VariantError]]:
        """Rounds of one run of each of these entries; the error of each that failed."""
        places = {self.there.place(name, RUN): name for name in names}
        orders = [self.draw.sample(list(places), len(places)) for _ in range(min(most, DRAWN))]
        had = {place: len(self.seen.get(name, ())) for place, name in places.items()}
        numbers = dict.fromkeys(had, self.untimed) if untimed else had
        told = self.asked().run(self.steps(orders), least, most, seconds, numbers, untimed)
        errors = {places[each]: self.error(places[each], f) for each, f in told.failed.items()}
        return {places[each]: runs for each, runs in told.runs.items()}, errors

    def error(self, name: str, failure: Failure) -> VariantError:
        """What is said of a run that did not end as it should."""
        variant, typed = self.variants[name], self.kind.count is not None
        role = self.there.role(failure.place)
        what = "" if role in (RUN, CHECK) else f"{'--' if typed else 'commands.'}{role} failed: it "
        code = failure.exit_code
        if code is None:
            remedy = "does it wait for something?" if "did not end" in failure.problem else ""
            told = [f"{what}{failure.problem}", *failure.last_words]
            return VariantError(variant, "\n    ".join(told), remedy or "try it by hand")
        wanted = "" if what or not self.kind.exit_code else f", not {self.kind.exit_code}"
        if not what and not typed:
            wanted = f", not {self.kind.exit_code}"
        problem = "\n    ".join([f"{what}{programs.how_ended(code)}{wanted}", *failure.last_words])
        if typed:
            allowed = "append ' || true'" if what else "--ignore-failure (-i) accepts it"
            return VariantError(variant, problem, f"where that is as it should be: {allowed}")
        remedy = "where that is how they end, say so in commands.exit_code"
        return VariantError(variant, problem, "" if code < 0 or what else remedy)

    def measure(self, name: str, seconds: float) -> Measurement:
        return alone(self.measure_in_slices, name, seconds)

    def measure_in_slices(self, names: Sequence[str], seconds: float) -> dict[str, Outcome]:
        """One block: as many rounds as begin within so many seconds for each, or as are dealt."""
        least, most, limit = 1, MOST, seconds * len(names)
        if self.deal:
            least, most = self.deal.of(min(self.blocks[name] for name in names), seconds)
            limit *= deal.FAR
        self.blocks.update(names)
        timer, watch, began = self.asked(), Watch([]), time.monotonic()
        used = timer.cpu_seconds()
        told, errors = self.rounds(names, least, most, limit)
        spent = watch.evidence(timer.cpu_seconds() - used)
        whole = max(1e-9, time.monotonic() - began)
        if self.deal:
            self.deal.took(whole, sum(len(runs.seconds) for runs in told.values()))
        found: dict[str, Outcome] = dict(errors)
        for name, runs in told.items():
            if name not in errors:
                taken = sum(runs.seconds)
                # what a command waits for is part of what it takes: idle CPUs are no evidence
                evidence = replace(spent.part(taken / whole), server_cpu_seconds=math.nan)
                found[name] = self.measurement(name, runs, began, evidence)
                began += taken
        return {name: found[name] for name in names}

    def measurement(self, name: str, runs: Runs, began: float, evidence: Any) -> Measurement:
        """The runs of an entry in a block, as one sample."""
        start = self.start if self.takes_off and self.by_shell(name) else None
        found = measures(runs, start)
        peak, floor = found.get("peak_bytes", 0), self.asked().floor or 0
        if 0 < peak <= FLOOR * floor:
            found["peak_at_most"] = peak
        off = start.seconds if start else 0.0
        self.seen.setdefault(name, []).extend(each - off for each in runs.seconds)
        if any(runs.exit_code):
            self.failing.add(name)
        taken, kept = sum(runs.seconds), runs.to_json()
        return Measurement.timed(taken, len(runs.seconds), evidence, began, found, kept)

    # ── The end ──────────────────────────────────────────────────────────────────────────────────

    def closing_remarks(self) -> Sequence[str]:
        """What the runs show, and which cleanups failed."""
        shelled = [name for name in self.seen if self.takes_off and self.by_shell(name)]
        said = list(remarks.of_runs(self.seen, self.kind, shelled)) if self.deal else []
        if self.kind.exit_code is None and self.failing:
            said.append(f"exit codes other than 0 are ignored: {', '.join(sorted(self.failing))}")
        return [*said, *self.tidy_up()]

    def tidy_up(self) -> list[str]:
        """Run what is to be run after the last run, of each entry that was set up; what failed."""
        names, self.set_up, failed = self.set_up, [], list[str]()
        wanted = [name for name in names if self.kind.around_of(name).cleanup]
        if not wanted:
            return failed
        self.end()
        self.begin(wanted)
        for name in wanted:
            try:
                self.once(name, CLEANUP)
            except BenchError as error:
                failed.append(str(error))
        return failed

    def land(self) -> dict[str, VariantError]:
        self.end()
        return {}

    def end(self) -> None:
        if self.timer:
            timer, self.timer = self.timer, None
            timer.dialogue.close(self.keeper)

    def close(self) -> None:
        try:
            self.notes += self.tidy_up()
        finally:
            self.keeper.close()
            self.end()


def measures(runs: Runs, start: Start | None) -> dict[str, float]:
    """The centre of the runs' times, user and system CPU time of a run in milliseconds, their
    means, and the largest peak in bytes; less where the system tells none. start: what is taken
    off, in start_…; of the centre it is not yet."""
    found = start.measures() if start else {}
    found["centre_ms"] = 1e3 * centre(runs.seconds)
    for who in ("user", "system"):
        known = [each for each in getattr(runs, who) if each is not None]
        if known:
            off = found.get(f"start_{who}_ms", 0.0)
            found[f"{who}_ms"] = max(0.0, 1e3 * fmean(known) - off)
    peaks = [each for each in runs.peak_bytes if each is not None]
    return {**found, "peak_bytes": max(peaks)} if peaks else found


def centre(seconds: Sequence[float]) -> float:
    """The Hodges-Lehmann centre, of many runs that of their quantiles."""
    values = np.array(seconds)
    if values.size > CENTRED:
        values = np.quantile(values, (np.arange(CENTRED) + 0.5) / CENTRED)
    return stats.hodges_lehmann(values)
