"""A race of commands as hyperfine writes its results: JSON, CSV and tables for three markups.

The shapes are those of files that hyperfine 1.15 wrote, which tests hold, and of the source below
for fields that are newer; what reads theirs reads these.
They hold every run, in seconds, without the shell's own time, as there; the baseline's A/A copy is
no command of the reader's, so it is not among them. The means are of all runs, and ± is their
standard deviation: ratios with intervals, and the verdict, are Benchbook's own output.
https://github.com/sharkdp/hyperfine/blob/master/src/benchmark/benchmark_result.rs
"""

import csv
import io
import json
import math
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.compare.command_options import BY_TIME, Exports
from benchbook.model.runs import CONTROL, Entry, Run
from benchbook.model.samples import Sample
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.files import write_atomically

COLUMNS = ("mean", "stddev", "median", "user", "system", "min", "max")  # of the CSV
KILLED = 128  # a shell's exit code of what a signal ended: this and the signal
UNITS = {"microsecond": ("µs", 1e6, 1), "millisecond": ("ms", 1e3, 1), "second": ("s", 1.0, 3)}
Row = Sequence[str]


@dataclass(frozen=True)
class CommandTimes:
    """What hyperfine keeps of a command. Times in seconds, without the shell's."""

    command: str
    times: list[float]
    user: float
    system: float
    memory_usage_byte: list[int]
    exit_codes: list[int]
    parameters: dict[str, str]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.times)

    @property
    def stddev(self) -> float | None:
        return statistics.stdev(self.times) if len(self.times) > 1 else None

    def to_json(self) -> dict[str, Any]:
        """As hyperfine's JSON has it; memory and parameters only where there are some."""
        found = {
            "command": self.command,
            "mean": self.mean,
            "stddev": self.stddev,
            "median": statistics.median(self.times),
            "user": self.user,
            "system": self.system,
            "min": min(self.times),
            "max": max(self.times),
            "times": self.times,
            "memory_usage_byte": self.memory_usage_byte,
            "exit_codes": self.exit_codes,
            "parameters": dict(sorted(self.parameters.items())),
        }
        return {k: v for k, v in found.items() if v or k not in ("memory_usage_byte", "parameters")}


def results_of(run: Run) -> list[CommandTimes]:
    """The commands of a race that were run, in the order in which they were given.

    Raises InputError for a race of something else than commands.
    """
    if not any(sample.runs for sample in run.samples):
        problem = "is no race of commands, of which each run was kept"
        raise InputError(f"the race of {run.experiment.title}", "", problem, "compare commands")
    entries = [entry for entry in run.entries if entry.role != CONTROL]
    return [found for entry in entries if (found := result(entry, run))]


def result(entry: Entry, run: Run) -> CommandTimes | None:
    """What was measured of an entry; None where nothing was."""
    samples = [s for s in run.samples if s.variant == entry.name and s.runs]
    times = runs_of(samples, "seconds", "start_ms")
    if not times:
        return None
    peaks, codes = (runs_of(samples, name) for name in ("peak_bytes", "exit_code"))
    user, system = (runs_of(samples, who, f"start_{who}_ms") for who in ("user", "system"))
    return CommandTimes(
        entry.title,
        times,
        statistics.fmean(user or [0.0]),
        statistics.fmean(system or [0.0]),
        [round(each) for each in peaks],
        [round(each) if each >= 0 else KILLED - round(each) for each in codes],
        entry.parameters or {},
    )


def runs_of(samples: Sequence[Sample], name: str, start: str = "") -> list[float]:
    """What each run took, in the order of the blocks; start: the measure of what is taken off."""
    found = []
    for sample in sorted(samples, key=lambda s: (s.launch, s.block)):
        off = (sample.measures or {}).get(start, 0.0) / 1e3
        known = [each for each in (sample.runs or {}).get(name, []) if each is not None]
        found += [max(0.0, each - off) if start else each for each in known]
    return found


# ── The formats ──────────────────────────────────────────────────────────────────────────────────


def as_json(results: Sequence[CommandTimes], exports: Exports) -> str:
    return json.dumps({"results": [each.to_json() for each in results]}, indent=2) + "\n"


def as_csv(results: Sequence[CommandTimes], exports: Exports) -> str:
    """Without the single runs, as there; a standard deviation that is not known is 0."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = sorted(results[0].parameters) if results else []
    writer.writerow(["command", *COLUMNS, *(f"parameter_{name}" for name in names)])
    for each in results:
        told = each.to_json()
        values = [repr(told[name] or 0).removesuffix(".0") for name in COLUMNS]
        writer.writerow([each.command, *values, *(each.parameters[name] for name in names)])
    return text.getvalue()


def as_markdown(results: Sequence[CommandTimes], exports: Exports) -> str:
    head, *rows = (f"| {' | '.join(row)} |" for row in table(results, exports, "`{}`"))
    return "\n".join([head, "|:---|---:|---:|---:|---:|", *rows]) + "\n"


def as_orgmode(results: Sequence[CommandTimes], exports: Exports) -> str:
    head, *rows = (
        f"| {first}  |  {' |  '.join(others)} |"
        for first, *others in table(results, exports, "={}=")
    )
    return "\n".join([head, "|--+--+--+--+--|", *rows]) + "\n"


def as_asciidoc(results: Sequence[CommandTimes], exports: Exports) -> str:
    rows = (" \n| ".join(row) for row in table(results, exports, "`{}`"))
    cells = "".join(f"\n| {row} \n" for row in rows)
    return f'[cols="<,>,>,>,>"]\n|==={cells}|===\n'


def table(results: Sequence[CommandTimes], exports: Exports, quoted: str) -> Iterator[Row]:
    """The rows of a table, its head first; "Relative" is to the fastest."""
    shown = sorted(results, key=lambda r: r.mean) if exports.sort == BY_TIME else list(results)
    fastest = min(results, key=lambda r: r.mean)
    unit, factor, digits = UNITS[exports.unit or unit_of(results[0].mean)]
    yield ["Command", *(f"{what} [{unit}]" for what in ("Mean", "Min", "Max")), "Relative"]
    for each in shown:
        mean, low, high = (
            f"{factor * value:.{digits}f}"
            for value in (each.mean, min(each.times), max(each.times))
        )
        spread = "" if each.stddev is None else f" ± {factor * each.stddev:.{digits}f}"
        name = quoted.format(with_parameters(each).replace("|", "\\|"))
        yield [name, f"{mean}{spread}", low, high, relative(each, fastest)]


def with_parameters(result: CommandTimes) -> str:
    """Its name, with the values of parameters that do not stand in it."""
    hidden = [f"{k} = {v}" for k, v in result.parameters.items() if v not in result.command]
    return f"{result.command} ({', '.join(hidden)})" if hidden else result.command


def relative(result: CommandTimes, fastest: CommandTimes) -> str:
    """How many times as long it takes, with the standard deviation of that."""
    if result is fastest:
        return "1.00"
    if not fastest.mean:
        return "inf"
    ratio = result.mean / fastest.mean
    if result.stddev is None or fastest.stddev is None:
        return f"{ratio:.2f}"
    spread = math.hypot(result.stddev / result.mean, fastest.stddev / fastest.mean)
    return f"{ratio:.2f} ± {ratio * spread:.2f}"


def unit_of(seconds: float) -> str:
    """The unit that suits a time."""
    if seconds < 1e-3:
        return "microsecond"
    return "millisecond" if seconds < 1 else "second"


WRITERS: dict[str, Callable[[Sequence[CommandTimes], Exports], str]] = {
    "json": as_json,
    "csv": as_csv,
    "markdown": as_markdown,
    "orgmode": as_orgmode,
    "asciidoc": as_asciidoc,
}


def write(run: Run, exports: Exports) -> list[Path]:
    """Write the files that were asked for; those that were. Raises BenchError where one can't be
    written, InputError for a race of something else."""
    if not exports.files:
        return []
    results, written = results_of(run), []
    for form, file in exports.files.items():
        text = WRITERS[form](results, exports)
        if file == "-":
            sys.stdout.write(text)
            continue
        try:
            write_atomically(Path(file), text)
        except OSError as error:
            problem = f"can't write {file}: {error.strerror or error}"
            raise BenchError(problem, "give --export-… another file") from None
        written.append(Path(file))
    return written
