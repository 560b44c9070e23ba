"""What carries out a race of commands: each run is a process from its start to its end.

A small program for each entry (timer.py) starts the command and tells what it took; it lives as
long as a launch. Before a launch's first sample every command runs once: its exit code and its
output must be what they should be, so that no program is fast because it does something else.
"""

import hashlib
import math
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import psutil

from benchbook.model.experiments import Experiment
from benchbook.model.kinds.commands import WholeProcesses
from benchbook.model.variants import Variant
from benchbook.programs import given_environment, programs, runners
from benchbook.programs.programs import VariantError
from benchbook.race.evidence import Watch
from benchbook.race.executor import Executor, Measurement
from benchbook.race.kinds.asked import PATIENCE_SECONDS, AskedProcess
from benchbook.system import dialogue, paths
from benchbook.system.dialogue import Dialogue
from benchbook_kernels.base.processes import Keeper

TIMER = paths.PACKAGE / "race" / "kinds" / "commands" / "timer.py"
LONGEST_SECONDS = 120.0  # of one run
LAST_LINES = 4
FLOOR = 1.1  # times the timer's peak at its start: it still grows a little


@dataclass(frozen=True)
class Written:
    """What a command wrote to its standard output, and how it ended."""

    sha256: str
    bytes: int
    exit_code: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class CommandTimer(AskedProcess):
    """An entry's timer.

    what: begins what is said of a failure, where it is not the entry's own; floor: the timer's peak
    in bytes, below which that of a command can't be told, None where none can.
    """

    what: str = ""
    floor: int | None = None

    def run(self, output: Path | str, exit_code: int) -> dict[str, Any]:
        """One run. Raises VariantError where it takes too long or ends in another way."""
        self.dialogue.forget()  # what good runs said is no reason of a bad one's
        told = self.ask(f"{LONGEST_SECONDS} {output}", LONGEST_SECONDS + PATIENCE_SECONDS)
        if told["late"]:
            problem = f"did not end within {LONGEST_SECONDS:g} s"
            raise VariantError(self.variant, self.what + problem, self.where_to_look())
        if (code := told["exit_code"]) != exit_code:
            how = f"{self.what}{programs.how_ended(code)}, not {exit_code}"
            problem = "\n    ".join([how, *self.said()])
            remedy = "where that is how they end, say so in commands.exit_code"
            raise VariantError(self.variant, problem, "" if code < 0 or self.what else remedy)
        return told

    def cpu_seconds(self) -> float:
        """CPU time so far of the timer and of all that it has started and seen the end of; NaN
        where that can't be known."""
        try:
            times = psutil.Process(self.dialogue.process.pid).cpu_times()
        except psutil.Error:
            return math.nan
        own = float(times.user + times.system)
        return own + getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)

    def said(self) -> list[str]:
        return self.dialogue.said()[-LAST_LINES:]

    def where_to_look(self) -> str:
        return "does it wait for something?"

    def ended(self) -> VariantError:
        problem = "\n    ".join(["can't be started", *self.said()[-1:]])
        return VariantError(self.variant, problem, "try it by hand")


@dataclass
class CommandsExecutor(Executor):
    """A timer for each entry.

    cpus: on which they run, None for all; preparing: the timer of what is run before each run, by
    entry; answers: what each wrote; at_floor: those whose peak of memory is only known to be at
    most so many bytes.
    """

    experiment: Experiment
    variants: Mapping[str, Variant]
    cpus: tuple[int, ...] | None = None
    keeper: Keeper = field(default_factory=Keeper)
    running: dict[str, CommandTimer] = field(default_factory=dict)
    preparing: dict[str, CommandTimer] = field(default_factory=dict)
    answers: dict[str, Written] = field(default_factory=dict)
    at_floor: dict[str, float] = field(default_factory=dict)

    @property
    def kind(self) -> WholeProcesses:
        return self.experiment.kind_as(WholeProcesses)

    def closing_remarks(self) -> Sequence[str]:
        """Whose peak of memory is only known to be small."""
        if not self.at_floor:
            return []
        most, names = max(self.at_floor.values()) / 1e6, ", ".join(self.at_floor)
        return [
            f"peak memory: that of {names} is only known to be at most {most:.0f} MB, as much as "
            "the program that starts them has"
        ]

    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        self.end()
        errors: dict[str, VariantError] = {}
        for name in self.experiment.starting_order(names, self.variants):
            try:
                self.start(name)
                self.check(name)
            except VariantError as error:
                errors[name] = error
                self.drop(name)
                if name == self.experiment.baseline:
                    break  # the race is over: no need to wait for the others
        return errors

    def try_baseline(self) -> float:
        """How long a run of the baseline takes, in seconds; everything is ended if it fails.

        Raises VariantError as a launch does.
        """
        name = self.experiment.baseline
        try:
            self.start(name)
            seconds: float = self.once(name)["seconds"]
        except BaseException:
            self.close()
            raise
        self.end()
        return seconds

    def start(self, name: str) -> None:
        """Start the timers of an entry, which wait to be asked. Raises VariantError."""
        variant, kind = self.variants[name], self.kind
        if before := kind.prepared:
            words = self.command(before)
            self.preparing[name] = self.timer(variant, words, "", "commands.prepare failed: it ")
        words = [*self.command(variant), *kind.arguments]
        self.running[name] = self.timer(variant, words, str(kind.input or ""))

    def timer(
        self, variant: Variant, words: Sequence[str], given: str, what: str = ""
    ) -> CommandTimer:
        """A program that starts a command when it is asked to. Raises VariantError."""
        python = [sys.executable, "-I", "-S", "-X", "utf8"]
        started = Dialogue.start(
            self.keeper,
            [*python, str(TIMER), given or os.devnull, *words],
            cwd=variant.runs_in,
            env={**given_environment.environment(), **variant.env},
            cpus=self.cpus,
        )
        timer = CommandTimer(variant, started, what)
        try:
            timer.floor = timer.first()["peak_bytes"]
        except BaseException:
            started.close(self.keeper)
            raise
        return timer

    def command(self, variant: Variant) -> list[str]:
        """The command line of a program."""
        return runners.get(variant.path).command(variant, {}, self.keeper.folder)

    def check(self, name: str) -> None:
        """Run it once, and compare what it wrote. Raises VariantError."""
        output = self.keeper.folder / "written"
        code = self.once(name, output)["exit_code"]
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

    def once(self, name: str, output: Path | str = os.devnull) -> dict[str, Any]:
        """Prepare and run a command once. Raises VariantError."""
        if before := self.preparing.get(name):
            before.run(os.devnull, 0)
        return self.running[name].run(output, self.kind.exit_code)

    def measure(self, name: str, seconds: float) -> Measurement:
        """As many runs as begin within so long, one at least."""
        watch, began, runs = Watch([]), time.monotonic(), list[dict[str, Any]]()
        timers = [each[name] for each in (self.running, self.preparing) if name in each]
        before = sum(timer.cpu_seconds() for timer in timers)
        taken = 0.0
        try:
            while not runs or taken < seconds:
                runs.append(self.once(name))
                taken += runs[-1]["seconds"]
        except VariantError:
            self.drop(name)
            raise
        used = sum(timer.cpu_seconds() for timer in timers) - before
        spent = watch.evidence(used if used == used else 0.0)
        part = taken / max(taken, time.monotonic() - began)  # of the time, that was timed
        # what a command waits for is part of what it takes: idle CPUs speak against nothing
        evidence = replace(spent.part(part), server_cpu_seconds=math.nan)
        found = measures(runs)
        peak, floor = found.get("peak_bytes", 0), self.running[name].floor or 0
        if 0 < peak <= FLOOR * floor:
            self.at_floor[name] = peak
        return Measurement.timed(taken, len(runs), evidence, began, measures=found)

    def land(self) -> dict[str, VariantError]:
        self.end()
        return {}

    def drop(self, name: str) -> None:
        gone = [timers.pop(name, None) for timers in (self.running, self.preparing)]
        dialogue.end_all([timer.dialogue for timer in gone if timer], self.keeper)

    def end(self) -> None:
        for name in [*self.running, *self.preparing]:
            self.drop(name)

    def close(self) -> None:
        self.keeper.close()
        self.end()


def measures(runs: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """User and system CPU time of a run in milliseconds, their means, and the largest peak in
    bytes; empty where the system tells none."""
    if any(each["user"] is None for each in runs):
        return {}
    times = {f"{who}_ms": 1e3 * fmean(each[who] for each in runs) for who in ("user", "system")}
    return {**times, "peak_bytes": max(each["peak_bytes"] for each in runs)}
