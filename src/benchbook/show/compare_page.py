"""The page of a comparison: the answer, its plots, and the details."""

from datetime import UTC, datetime

from benchbook.analysis.judging.judge import Results
from benchbook.model.runs import Run
from benchbook.show import page
from benchbook.show.cards import compare_cards
from benchbook.show.embed import Figure
from benchbook.show.figures.growth import growth_figure, suits
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.figures.samples import samples_figure
from benchbook.show.figures.steady import Steady


def plot(run: Run, results: Results, steady: Steady | None = None) -> Figure:
    """The figure that answers: of each thing, or of a sweep's lines. steady: while it is raced."""
    return growth_figure(run) if suits(run) else ratios_figure(run, results, steady=steady)


def render(run: Run, results: Results) -> str:
    """The whole page, which needs no network."""
    samples = samples_figure(run, results.left_out)
    sections = [
        ("Answer", [compare_cards.answer(run, results).html, plot(run, results).html()]),
        ("Details", [compare_cards.details(run, results).html]),
        ("Every sample", [samples.html()]),
    ]
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return page.render_room(run.experiment.title, when, sections)
