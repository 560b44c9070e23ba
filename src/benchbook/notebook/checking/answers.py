"""Do the programs of an experiment answer alike? All are started once, as in a race's launch."""

from collections.abc import Iterator, Mapping

from benchbook.model.experiments import FILE, Experiment
from benchbook.notebook.checking.findings import Problem, Report
from benchbook.programs import readiness
from benchbook.race.options import Options
from benchbook.race.prepare import prepare
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.words import counted


def check(experiment: Experiment, report: Report, say: readiness.Say) -> None:
    """Start the programs, ask them, and end them; those that can't run here are noted."""
    where = f"{experiment.number}: " if "/" in experiment.number else ""
    names = tuple(variant.name for variant in experiment.variants)
    try:
        race = prepare(experiment, Options(variants=names), say)
    except BenchError as error:
        report.notes.append(f"{where}not started here: {error}")
        return
    there = [entry.name for entry in race.run.entries if entry.status == "raced"]
    lost: dict[str, list[str]] = {}
    for entry in race.run.entries:
        if entry.status != "raced" and entry.role == "variant":
            lost.setdefault(entry.short_reason, []).append(entry.name)
    for reason, several in lost.items():
        report.notes.append(f"{where}{', '.join(several)}: can't run here: {reason}")
    try:
        errors = race.executor.launch(there)
    finally:
        race.executor.close()
    count = counted(len(there) - 1, "program")  # without the control
    report.add(f"{where}answers of {count}: alike", wrong(experiment, errors))


def wrong(experiment: Experiment, errors: Mapping[str, BenchError]) -> Iterator[Problem]:
    places = {v.name: f"variants[{i}] ('{v.name}')" for i, v in enumerate(experiment.variants)}
    where = paths.relative(experiment.folder / FILE)
    for name, error in errors.items():
        yield Problem(where, places.get(name, name), error.message, error.remedy)
