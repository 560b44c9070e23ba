"""Everything that `./bench check` looks at, in one experiment or all parts of it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchbook.model.experiments import FILE, Experiment
from benchbook.notebook.checking import answers, quizzes, solutions, sources, statements, story
from benchbook.notebook.checking.findings import Problem, Report
from benchbook.notebook.headless import execute
from benchbook.programs import readiness
from benchbook.system import paths
from benchbook_kernels.base.words import counted


def check(folders: Sequence[Path], say: readiness.Say, start: bool = True) -> Report:
    """What is right and what is wrong in these folders, all parts of one experiment.

    start: also start the programs, to see whether they answer alike.
    """
    report = Report()
    found = list[Experiment]()
    for folder in folders:
        experiment, wrong = sources.read(folder)
        report.add(f"{paths.relative(folder / FILE)} and its claim: the form, names, files", wrong)
        if experiment and not wrong:
            found.append(experiment)
    for experiment in found:
        count = len(experiment.claim.statements)
        for what, problems in (
            (f"{counted(count, 'statement')}: decidable", statements.undecidable(experiment)),
            ("figures and statements: sourced", statements.unsourced(experiment)),
            (
                f"{counted(len(experiment.variants), 'variant')}: differ",
                statements.alike(experiment),
            ),
        ):
            report.add(prefix(experiment) + what, lines(problems, experiment))
    if len(found) == len(folders):
        for path in sorted({experiment.notebook for experiment in found}):
            check_notebook(path, [each for each in found if each.notebook == path], report)
        for experiment in found if start else ():
            answers.check(experiment, report, say)
    return report


def prefix(experiment: Experiment) -> str:
    """Which part is meant, where there are several."""
    return f"{experiment.number}: " if "/" in experiment.number else ""


def lines(problems: Iterator[Problem], experiment: Experiment) -> Iterator[Problem]:
    """The problems with the lines of their fields."""
    files = {paths.relative(path): path for path in sources.files(experiment.folder)}
    yield from (sources.placed(each, files) for each in problems)


def check_notebook(path: Path, found: list[Experiment], report: Report) -> None:
    """A notebook of these parts, and its exercises; none is no fault of an experiment that has
    none."""
    if not path.is_file():
        report.notes.append(f"no notebook: {paths.relative(path)} would be it")
        return
    where = paths.relative(path)
    report.add(f"{where}: in order, without outputs, with the code as it is", story.told(path))

    def solved() -> Iterator[Problem]:
        yield from solutions.wrong(execute.read(path), path, found)

    report.add("exercises: whole, and done once they are solved", solved())

    def asked() -> Iterator[Problem]:
        yield from quizzes.wrong(execute.read(path), path, found)

    if quizzes.there(path, found):
        report.add("quiz: asked, with an answer for each question, and none given away", asked())
