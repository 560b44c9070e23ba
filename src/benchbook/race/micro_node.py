"""What carries out a race of JavaScript functions: mitata, in a Node.js process for each entry.

All processes of a launch live side by side and are idle but for the one that is asked: so rounds
are interleaved as those of servers are, and drift cancels within a block. What happens in such a
process: tools/micro/harness.mjs.
"""

import math
import os
import shlex
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchbook.load.tool import NO_ERRORS, Load
from benchbook.model.variants import Variant
from benchbook.programs import node_versions, programs, runners
from benchbook.programs.programs import VariantError
from benchbook.race.executor import Executor, Measurement
from benchbook.race.micro_executor import NO_LATENCY, scaled
from benchbook.race.witness import Evidence, Watch
from benchbook.system import dialogue, paths
from benchbook.system.dialogue import Dialogue, Ended, Silent
from benchbook.system.processes import Keeper

TOOL = "mitata"
HARNESS = paths.PACKAGE / "race" / "harness.mjs"
MARK = "// benchbook "  # begins the lines that the harness prints for us
PATIENCE_SECONDS = 30.0  # for a start, and for a measurement beyond its own length
LAST_LINES = 6


def lacking(variant: Variant) -> str:
    """What must be installed before a variant can be timed, with the remedy; '' if nothing."""
    return programs.lacks(f"npm:{TOOL}") or programs.lacking(variant)


def command(module: Path, variant: Variant) -> list[str]:
    """The command line of the harness for a variant."""
    files = [str(HARNESS), str(module), str(variant.path)]
    node = node_versions.command(variant.needs)
    return [node, "--expose-gc", *files, variant.benchmark, variant.case]


def by_hand(module: Path, variant: Variant) -> str:
    """The command line for a reader, which measures for half a second."""
    node, option, *files, benchmark, case = command(module, variant)
    words = [f"{name}={value}" for name, value in variant.env.items()]
    words += [paths.relative(Path(node)) if os.sep in node else node, option]
    words += [
        *(paths.relative(Path(file)) for file in files),
        benchmark,
        *([shlex.quote(case)] if case else []),
    ]
    return f"echo 0.5 | {' '.join(words)}"


@dataclass
class Timer:
    """A process that waits, and measures when it is asked to."""

    variant: Variant
    dialogue: Dialogue

    def ready(self) -> None:
        """Wait until it can be asked. Raises VariantError where it ends or is silent."""
        self.answer(lambda: self.dialogue.hear(PATIENCE_SECONDS, MARK), PATIENCE_SECONDS)

    def measure(self, seconds: float) -> dict[str, Any]:
        """Measure for so long. Raises VariantError as ready does."""
        limit = PATIENCE_SECONDS + 10 * seconds
        told: dict[str, Any] = self.answer(
            lambda: self.dialogue.ask(f"{seconds}", limit, MARK), limit
        )
        return told

    def answer(self, hear: Callable[[], Any], limit_seconds: float) -> Any:
        try:
            return hear()
        except Silent:
            problem = f"gave no result within {limit_seconds:g} s"
            remedy = "is there an endless loop in it?"
            raise VariantError(self.variant, problem, remedy) from None
        except Ended:
            raise self.ended() from None

    def ended(self) -> VariantError:
        """The error of a process that is gone: what it said, and where."""
        lines = self.dialogue.said()
        first = next((i for i, line in enumerate(lines) if "Error" in line), 0)
        foreign = ("node:", str(HARNESS), HARNESS.as_uri(), "node_modules/mitata", "Node.js v")
        kept = [line.strip() for line in lines[first:] if not any(x in line for x in foreign)]
        kept = [line for line in kept if line != "^"]
        said = [brief(line, self.variant.path.parent) for line in kept[:LAST_LINES]]
        code = self.dialogue.process.returncode
        how = f"was ended by signal {-code}" if code < 0 else "failed"
        remedy = f"correct '{self.variant.benchmark}' in {paths.relative(self.variant.path)}"
        return VariantError(
            self.variant, "\n    ".join([how, *(said or [f"exit code {code}"])]), remedy
        )


def within(spent: Evidence, seconds: float, of_seconds: float) -> Evidence:
    """What falls on a sample that is a part of the time watched; a process is not a server."""
    return replace(
        spent,
        server_cpu_seconds=math.nan,
        outside_cpu_seconds=scaled(spent.outside_cpu_seconds, seconds / of_seconds),
        stolen_cpu_seconds=scaled(spent.stolen_cpu_seconds, seconds / of_seconds),
    )


def brief(line: str, folder: Path) -> str:
    """A line of an error with paths as a reader knows them."""
    for place in (folder, paths.root()):
        line = line.replace(f"{place.as_uri()}/", "").replace(f"{place}{os.sep}", "")
    return line


@dataclass
class NodeExecutor(Executor):
    """A process for each entry of a launch, asked in turn.

    module: of the experiment; allocated: bytes an operation, by entry.
    """

    variants: Mapping[str, Variant]
    module: Path
    keeper: Keeper = field(default_factory=Keeper)
    running: dict[str, Timer] = field(default_factory=dict)
    heaps: dict[str, list[float]] = field(default_factory=dict)
    allocated: dict[str, float] = field(default_factory=dict)

    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        self.end()
        errors: dict[str, VariantError] = {}
        for name in names:
            self.running[name] = self.start(self.variants[name])
        for name, timer in list(self.running.items()):
            try:
                timer.ready()
            except VariantError as error:
                errors[name] = error
                self.drop(name)
        return errors

    def start(self, variant: Variant) -> Timer:
        environment = {**runners.environment(), **variant.env}
        words = command(self.module, variant)
        folder = variant.path.parent
        return Timer(variant, Dialogue.start(self.keeper, words, cwd=folder, env=environment))

    def measure(self, name: str, seconds: float) -> Measurement:
        timer = self.running[name]
        watch, begun = Watch((timer.dialogue.process.pid,)), time.monotonic()
        try:
            result = timer.measure(seconds)
            evidence = within(watch.evidence(0.0), result["seconds"], time.monotonic() - begun)
            if result["empty"]:
                raise VariantError(
                    timer.variant,
                    "takes no time that can be measured: as long as an empty function",
                    "the optimiser may have removed the work: return its result",
                )
        except VariantError:
            self.drop(name)
            raise
        if result["allocated"] is not None:
            self.heaps.setdefault(name, []).append(result["allocated"])
            self.allocated[name] = round(statistics.median(self.heaps[name]))
        spent = Load(
            result["seconds"], result["operations"], dict(NO_LATENCY), dict(NO_ERRORS), 0, 0
        )
        return Measurement(spent, evidence)

    def land(self) -> dict[str, VariantError]:
        self.end()
        return {}

    def drop(self, name: str) -> None:
        self.running.pop(name).dialogue.close(self.keeper)

    def end(self) -> None:
        dialogue.end_all([timer.dialogue for timer in self.running.values()], self.keeper)
        self.running.clear()

    def close(self) -> None:
        self.keeper.close()
        self.end()
