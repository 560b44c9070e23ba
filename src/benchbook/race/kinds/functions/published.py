"""A script that times itself: it is run once, and the times that it prints are read."""

import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from benchbook.model.published import PublishedLoop
from benchbook.model.replayed import Figures, Measured, Replayed
from benchbook.model.runs import Entry
from benchbook.model.variants import Variant
from benchbook.programs.readiness import Say
from benchbook.race.record import Event
from benchbook.race.replay.outcome import AskedReplay
from benchbook.race.replay.replay import PATIENCE_SECONDS, UNIT_MS, Replay, make_run
from benchbook.system import paths, versions
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.words import counted

FEW_CYCLES_NS = 2.0  # an iteration that takes less can hardly have done any work
# As console.time prints: 12.3ms, 3.896s, 1:02.345 (m:ss.mmm), 1:00:02.345 (h:mm:ss.mmm)
PRINTED = re.compile(
    r"^(?P<label>.+?):\s+(?:(?P<number>\d+(?:\.\d+)?)(?P<unit>ms|s)\b|"
    r"(?:(?P<h>\d+):)?(?P<m>\d+):(?P<s>\d+\.\d+) \()"
)


@dataclass
class LoopReplay(Replay):
    """A script that times itself, run once by Node.js; the times that it prints are the figures."""

    kind = "loop"
    each = "everything, in a single process"

    method: PublishedLoop
    played: PublishedLoop

    def command(self, method: PublishedLoop) -> list[str]:
        arguments = [] if method.iterations is None else [str(method.iterations)]
        return ["node", method.script, *arguments]

    def line(self) -> str:
        return " ".join(self.command(self.method))

    @staticmethod
    def reasons(replayed: Replayed) -> list[str]:
        said = (
            "All loops ran in one process: what the first makes the compiler do changes the next."
        )
        found, unit = [said], replayed.columns[0]
        iterations = replayed.played.as_kind(PublishedLoop).iterations
        if not iterations:
            return found
        for thing in replayed.measured:
            values = [value for run in thing.runs if (value := run.figures[unit]) is not None]
            each = [value * UNIT_MS[unit] * 1e6 / iterations for value in values]
            if each and min(each) < FEW_CYCLES_NS:
                found.append(
                    f"An iteration of '{thing.name}' took {min(each):.2g} ns, a few clock cycles: "
                    "the optimiser may have removed the work, because nothing used its result."
                )
        return found

    @property
    def expected_seconds(self) -> float:
        """As long as the article's own figures say."""
        unit = self.method.columns[0]
        shown = {row.figure for row in self.method.rows}
        told = [
            f.value for f in self.experiment.claim.figures if f.label in shown and f.unit == unit
        ]
        mean = statistics.fmean(told) * UNIT_MS[unit] / 1000
        return mean * len(self.measured) * self.played.figures / self.shorten

    def play(self) -> Iterator[Event]:
        waiting = [measured for measured in self.measured if measured.status == "waiting"]
        if not waiting:
            return
        command = self.command(self.played)
        with tempfile.TemporaryDirectory(dir=self.keeper.folder) as temporary:
            out = Path(temporary) / "output"
            for measured in waiting:
                measured.command = command
            with open(out, "wb") as file:
                process = self.keeper.start(
                    command, cwd=self.folder, stdout=file, stderr=subprocess.STDOUT
                )
            try:
                doing = f"{self.played.script} is running"
                most = max(PATIENCE_SECONDS, 10 * self.expected_seconds)
                yield from self.wait(process, most, doing, lambda: self.listen(out))
            finally:
                self.keeper.end(process)
                self.listen(out)
            yield from self.complaints(process.returncode, out)

    def listen(self, out: Path) -> None:
        """Take the figures that the script has printed since the last look, and save them."""
        before = [len(measured.runs) for measured in self.measured]
        times = printed(out.read_text("utf-8", "replace"))
        for measured in self.measured:
            for milliseconds in times.get(measured.name, [])[len(measured.runs) :]:
                unit = self.method.columns[0]
                self.take(measured, Figures({unit: milliseconds / UNIT_MS[unit]}))
        if before != [len(measured.runs) for measured in self.measured]:
            self.save()

    def complaints(self, code: int, out: Path) -> Iterator[Event]:
        """Every label must have as many figures as the method says, and the script end well."""
        script, wanted = self.played.script, self.played.figures
        for measured in self.measured:
            if len(measured.runs) == wanted and code == 0:
                measured.status = "measured"
                continue
            problem = (
                f"{script} printed {len(measured.runs)} of {counted(wanted, 'figure')} of "
                f"'{measured.name}'"
            )
            if code:
                problem += "\n".join([f" and ended with exit code {code}", *last_words(out)])
            remedy = f"run it by hand, in the experiment's folder: {' '.join(measured.command)}"
            yield self.fail(measured, BenchError(problem, remedy))
        self.save()

    @classmethod
    def prepare(cls, asked: AskedReplay, path: Path, _: Say) -> Self:
        experiment, method = asked.experiment, asked.method.as_kind(PublishedLoop)
        if len(method.columns) != 1 or method.columns[0] not in UNIT_MS:
            where = paths.relative(experiment.claim.path)
            problem = f"a script prints times, not {' and '.join(method.columns)}"
            raise InputError(where, "published.columns", problem, f"one of {', '.join(UNIT_MS)}")
        reason = ""
        if not shutil.which("node"):
            reason = "Node.js is not installed; `./bench doctor` says how to get it"
        status = "unavailable" if reason else "waiting"
        labels = dict.fromkeys(row.reads for row in method.rows)
        measured = [Measured(label, label, status, reason) for label in labels]
        script = asked.folder / method.script
        entries = [
            Entry.of(Variant(method.script, "the article's loop", script), "variant", reason)
        ]
        version = versions.tool_version("node") or ""
        run = make_run(experiment, "node", version, entries, path)
        return cls(**vars(asked), run=run, measured=measured)


def last_words(out: Path) -> list[str]:
    """The error in what a script printed, else the end of it."""
    lines = out.read_text("utf-8", "replace").strip().splitlines()
    return [line for line in lines if "Error" in line][:2] or lines[-3:]


def printed(text: str) -> dict[str, list[float]]:
    """The times in a script's output, in milliseconds, by label; an unfinished line is left out."""
    found: dict[str, list[float]] = {}
    for line in text.splitlines(keepends=True):
        match = PRINTED.match(line)
        if not match or not line.endswith("\n"):
            continue
        if match["number"]:
            milliseconds = float(match["number"]) * UNIT_MS[match["unit"]]
        else:
            hours, minutes = int(match["h"] or 0), int(match["m"])
            milliseconds = ((hours * 60 + minutes) * 60 + float(match["s"])) * 1000
        found.setdefault(match["label"].strip(), []).append(milliseconds)
    return found


REPLAY = LoopReplay
