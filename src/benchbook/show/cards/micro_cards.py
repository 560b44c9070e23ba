"""What BenchmarkDotNet reports, as tables; its plot is in figures/benchmarks.py."""

import itertools

import numpy as np

from benchbook.analysis.statistics import moderated, stats
from benchbook.race.kinds.benchmarks.cell_race import CellRace
from benchbook.race.kinds.benchmarks.events import (
    BenchmarkReport,
    BenchmarkRequest,
    BenchmarkResult,
)
from benchbook.show import markup
from benchbook.show.cards import race_cards
from benchbook.show.markup import Output
from benchbook.system import paths
from benchbook_kernels.base.words import counted

STEADY = 0.9  # a last iteration under this fraction of the first, in every launch: not warm yet
NOT_NUMBERS = ("Type", "Method", "Job")  # columns of BenchmarkDotNet's table


def report_tables(race: CellRace, report: BenchmarkReport) -> Output:
    """BenchmarkDotNet's table, and what limits it."""
    rows: list[list[str]] = []
    for row, starts_group in itertools.zip_longest(report.rows, report.groups):
        if starts_group and rows:
            rows.append([""] * len(row))
        rows.append([value.replace(" ", "\u00a0") for value in row])  # 4.5 ns stays on a line
    right = [i for i, name in enumerate(report.columns) if name not in NOT_NUMBERS]
    parts = [markup.table(report.columns, rows, right=right)]
    if report.own_jobs:
        parts.append(markup.paragraph("The class has jobs of its own: they ran as they are."))
    elif not race.request.full:
        parts.append(markup.paragraph(limits_text(race.request, report)))
    parts += map(markup.paragraph, [*unsteady(report), *warning_texts(report)])
    parts += [failure(race, each) for each in report.found if not each.success]
    return markup.total([*parts, details(report)])


def failure(race: CellRace, result: BenchmarkResult) -> Output:
    """Why a benchmark has no result."""
    log = paths.relative(race.folder / "artifacts")
    words = race.failures.get(result.entry.title) or f"BenchmarkDotNet's log is in {log}"
    return markup.note(f"{result.entry.title} failed:\n{words}")


def limits_text(request: BenchmarkRequest, report: BenchmarkReport) -> str:
    """What a short job can't tell."""
    text = (
        f"Quick: launches {request.launches}, iterations in each {request.iterations}, of "
        f"{request.iteration_seconds:g} s; the benchmarks take turns. "
    )
    if controls := copy_ratios(report):
        title, widest = max(controls, key=lambda each: each[1].half_width)
        text += f"{race_cards.control_text(widest, title)} "
    return text + (
        "It can't show what happens rarely, nor code that the JIT compiler improves later; "
        "--full is BenchmarkDotNet's default job."
    )


def copy_ratios(report: BenchmarkReport) -> list[tuple[str, stats.Interval]]:
    """How much each copy differs from its original: (title, ratio of their speeds)."""
    originals = {(f.entry.benchmark, f.entry.case): f for f in report.found if not f.entry.copy}
    ratios = []
    for copy in report.found:
        original = originals.get((copy.entry.benchmark, copy.entry.case))
        if not copy.entry.copy or original is None:
            continue
        times = [each.times_ns for each in (original, copy)]
        shape = [[len(launch) for launch in each] for each in times]
        if shape[0] and shape[0] == shape[1] and len(set(shape[0])) == 1:
            logs = -moderated.logs_of([np.array(each) for each in times])
            if stats.has_data(logs.sum(-1)):
                ratios.append((original.entry.title, moderated.fit(logs).interval((1,), (0,))))
    return ratios


def unsteady(report: BenchmarkReport) -> list[str]:
    """Benchmarks that became faster in every launch, to its very end."""
    found = []
    zero = {w.title for w in report.warnings if w.analyser == "ZeroMeasurement"}
    for each in (f for f in report.found if f.entry.title not in zero):
        launches = [launch for launch in each.times_ns if len(launch) > 2 and launch[0] > 0]
        if launches and all(launch[-1] < STEADY * launch[0] for launch in launches):
            found.append(
                f"{each.entry.title} became faster in every launch: it is not warm yet; try --full."
            )
    return found


def warning_texts(report: BenchmarkReport) -> list[str]:
    """What BenchmarkDotNet's analysers say, similar warnings together."""
    together: dict[tuple[str, str], list[str]] = {}
    for warning in report.warnings:
        if warning.analyser == "Outliers":
            message = "outliers; they stay in the samples"
        elif warning.analyser == "MinIterationTime":
            message = "iterations shorter than 0.1 s; do more work in each, or use --full"
        else:
            message = warning.message
        together.setdefault((warning.kind, message), []).append(warning.title)
    return [
        f"BenchmarkDotNet, {kind.lower()}: {message} ({', '.join(filter(None, titles))})"
        for (kind, message), titles in together.items()
    ]


def details(report: BenchmarkReport) -> Output:
    """Machine and runtime, as BenchmarkDotNet names them."""
    return markup.folded(report.header.splitlines()[0], markup.note(report.header))


def interrupted_note(race: CellRace) -> Output:
    """What is left of a run that was interrupted."""
    count = f"{counted(len(race.run.samples), 'sample')} kept in the run file"
    return markup.paragraph(f"INCOMPLETE: {race.run.reason}; {count}")
