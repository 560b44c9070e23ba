"""The picture of a question: a plot of a recorded run that says nothing of a verdict."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from benchbook.analysis.judging import judge
from benchbook.analysis.judging.judge import Results
from benchbook.model import claims, results
from benchbook.model.runs import Run
from benchbook.notebook.quiz.questions import QuizPicture
from benchbook.show import markup
from benchbook.show.embed import Figure, Still
from benchbook.show.figures import growth
from benchbook.show.figures.latencies import latencies_figure
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.figures.samples import samples_figure
from benchbook.show.markup import Output
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

TITLE = re.compile(r"<b>.*?</b>", re.DOTALL)
PLOTS: dict[str, Callable[[Run, Results], Figure]] = {
    "ratios": ratios_figure,
    "samples": lambda run, found: samples_figure(run, found.left_out),
    "latencies": lambda run, _: latencies_figure(run),
    "growth": lambda run, _: growth.growth_figure(run),
}


def drawn(picture: QuizPicture) -> Figure:
    """The figure, with what it shows as its title instead of what follows from it.

    Raises InputError where there is no such run, or no such entry in it.
    """
    return neutral(chosen(picture), picture.plot)


def neutral(run: Run, plot: str = "ratios") -> Figure:
    """A plot of a run that says of no program whether it is the faster one."""
    nothing = claims.none(run.experiment.title, paths.claims())
    figure = PLOTS[plot](run, judge.judge(run, nothing))
    title = f"A recorded race: {run.experiment.title}"
    layout = figure.plotly["layout"]
    text = TITLE.sub(lambda _: f"<b>{title}</b>", layout["title"]["text"], count=1)
    named: dict[str, Any] = {**layout, "title": {**layout["title"], "text": text}}
    return Figure(title, {**figure.plotly, "layout": named}, figure.numbers)


def shown(picture: QuizPicture) -> Still | Output:
    """The figure, as a picture alone: notebooks stay small. A sentence instead where the recorded
    runs are not there, as beside the wheel."""
    path = paths.references() / picture.run
    if path.is_file():
        return Still(drawn(picture))
    return markup.note(f"The picture is of {paths.relative(path)}, which is not there.")


def chosen(picture: QuizPicture) -> Run:
    """The recorded run with its baseline, its control, and what the picture names. Raises as
    drawn() does."""
    path = paths.references() / picture.run
    run = results.load(path)
    names = {entry.name for entry in run.entries}
    if lost := [name for name in picture.entries if name not in names]:
        raise InputError(paths.relative(path), "entries", f"holds no {', '.join(lost)}")
    return with_entries(run, picture.entries)


def with_entries(run: Run, names: Sequence[str]) -> Run:
    """A run with its baseline, its control, and these entries; with all of them for none."""
    if not names:
        return run
    kept = {*names, run.baseline, run.control}
    return replace(
        run,
        entries=[entry for entry in run.entries if entry.name in kept],
        samples=[sample for sample in run.samples if sample.variant in kept],
        warmups=[sample for sample in run.warmups if sample.variant in kept],
    )
