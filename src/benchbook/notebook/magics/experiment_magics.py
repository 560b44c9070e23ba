"""The magics that drive an experiment in a notebook. `%race?` and so on show their help."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import click
from IPython.display import display

from benchbook.analysis.judging.judge import Results
from benchbook.compare.service import ComparisonRequest
from benchbook.model import experiments
from benchbook.notebook import lessons, predictions, workbench
from benchbook.notebook.magics.benchmark_magics import BenchmarkMagics
from benchbook.notebook.magics.compare_magics import (
    VARIANT_OPTIONS,
    CompareMagics,
    filled,
    language_of,
    own,
    take,
)
from benchbook.notebook.magics.exercise_magics import ExerciseMagics
from benchbook.notebook.magics.experiment_offers import (
    ExperimentContext,
    experiment_names,
    experiment_of,
    series,
    variants,
)
from benchbook.notebook.magics.explore_magics import ExploreMagics
from benchbook.notebook.magics.picture_magics import PictureMagics
from benchbook.notebook.magics.predict_magics import PredictMagics
from benchbook.notebook.magics.quiz_magics import QuizMagics
from benchbook.notebook.magics.race_magics import RaceMagics
from benchbook.notebook.magics.room_magics import RoomMagics
from benchbook.notebook.magics.variant_magics import VariantMagics
from benchbook.notebook.magics.version_magics import VersionMagics
from benchbook.notebook.magics.why_magics import WhyMagics
from benchbook.notebook.own.question import OwnQuestion
from benchbook.notebook.workbench import Workbench
from benchbook.programs import readiness
from benchbook.show import comparison, markup
from benchbook.show.cards import evidence_cards, race_cards
from benchbook.show.embed import Figure
from benchbook.show.figures import growth
from benchbook.show.figures.latencies import latencies_figure
from benchbook.show.figures.parts import parts_figure
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.figures.samples import samples_figure
from benchbook.show.markup import Output
from benchbook_kernels.base import nearest
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.notebook.offers import Asked, first, offers, use
from benchbook_kernels.notebook.typed import (
    Magics,
    cell_magic,
    helped,
    line_magic,
    magics_class,
    options_of,
    parsed,
)

SHOW = re.compile(r"(?:^|\s+)--show(?=\s|$)")


@magics_class
class ExperimentMagics(Magics):
    """State: the workbench of the experiment that %experiment chose."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.chosen: Workbench | None = None
        # the display of the chosen experiment's claim card, which folds what was published
        self.folded: Any = None

    @property
    def bench(self) -> Workbench:
        if self.chosen is None:
            remedy = "run a cell with %experiment 04, or write two %%variant cells of your own"
            raise InputError("%experiment", "", "was not run yet", remedy)
        return self.chosen

    def speak_of(self, asked: ComparisonRequest) -> OwnQuestion:
        """What %compare asks, of which the other magics speak from now on, where no experiment is
        chosen and no program of the reader's own is written."""
        bench = OwnQuestion.of(asked)
        chosen = self.chosen
        if chosen is None or isinstance(chosen, OwnQuestion) and not chosen.programs:
            self.chosen = bench
        return bench

    @line_magic
    @offers(first(experiment_names))
    def experiment(self, line: str) -> Output | None:
        """Choose an experiment and show its claim card: figures, source, method, variants.

        What was published is folded until you have guessed (%predict); a click shows it, too.

        Usage: %experiment 04         (number, name, or the path of a folder)
               %experiment 04 --show  (with what was published, before any guess)
               %experiment            (the list of all)
        """
        which = SHOW.sub("", line).strip()
        if not which:
            rows = [[e.number, e.title, e.question] for e in experiments.load_all()]
            return markup.table(["number", "experiment", "question"], rows)
        self.chosen, self.folded = workbench.find(which), None
        guess_first = which == line.strip() and not predictions.are_of(self.chosen.experiment.name)
        if not guess_first:
            return self.card(guess_first)
        self.folded = display(self.card(guess_first), display_id=True), self.chosen
        return None

    def card(self, guess_first: bool) -> Output:
        """The claim card of the chosen experiment."""
        found = self.bench.experiment
        reasons = {v.name: readiness.unavailable(v) for v in found.variants}
        return race_cards.claim(found, reasons, guess_first)

    def unfold(self) -> None:
        """Show what was published, which the first guess no longer needs to be kept from."""
        if self.folded:
            shown, bench = self.folded
            if bench is self.chosen:  # else %%variant has chosen programs of the reader's own
                shown.update(self.card(guess_first=False))
            self.folded = None

    @options_of(click.Argument(["name"], metavar="NAME"), *VARIANT_OPTIONS)
    @cell_magic
    @offers(lambda asked: [] if asked.words else variants(asked))
    def variant(self, line: str, cell: str) -> Output:
        """Show a variant's code, or race an edit of it; without an experiment, a program of yours.

        Running the cell as it is changes nothing. Edit it and run it: the next %race takes the
        edit, from a scratch copy; the file in snippets/ stays as it is. Undo the edit to go back.
        `%variant NAME --edit` makes such a cell of a program that is there.

        In a notebook without %experiment the cell is a program of your own, in the notebook's
        language; write two of them, and %race compares them. --server: the cell holds only what a
        server does to answer a request, with (req, res) in Node.js and (HttpContext context) in C#;
        return the text of the answer. What is added around it is shown.
        """
        given = parsed(self.variant, line)
        name = given.pop("name")
        mine = own(self.chosen, name, given)
        if mine is None:
            return markup.note(self.bench.edit(name, cell))
        shown = take(self.shell, mine, name, cell, given)
        self.chosen = mine
        return shown

    @cell_magic
    def claim(self, line: str, cell: str) -> Output:
        """Write what you conclude of the last race, in sentences; %check holds it against the race.

        Usage: %%claim
               b is 5 % faster than a …
               This does not say …

        {verdict} stands for the verdict's own sentence.
        """
        nothing_more("%%claim", line)
        if not cell.strip():
            raise InputError("%%claim", "", "is empty", "write a sentence below it")
        self.bench.sentences = filled(cell, self.bench)
        return markup.note(self.bench.sentences)

    @line_magic
    @offers(lambda asked: plot_words(asked))
    def plot(self, line: str) -> object:
        """Plot the last race.

        Usage: %plot ratios       (ratio to the baseline with intervals and verdicts)
               %plot samples      (every sample by launch and block: warm-up, drift)
               %plot latencies    (latency percentiles)
               %plot growth       (by size or shape of the job, a line a way to do it)
               %plot growth --to SERIES   (the same as a ratio to one of these ways)
               %plot parts        (what an operation consists of, where its parts were timed)
        """
        kind, to = parse_plot(line)
        if kind not in PLOTS:
            raise InputError("%plot", "", nearest.unknown("plot", kind, list(PLOTS)))
        found = self.bench.results()
        return PLOTS[kind](self.bench, found, to)

    @line_magic
    @helped(lessons.usage)
    @offers(lambda asked: lesson_words(asked))
    def lesson(self, line: str) -> Figure:
        """Show a figure that an experiment brings for its notebook: %lesson? lists them.

        Usage: %lesson NAME
        """
        kind, _, name = line.strip().partition(" ")
        every = lessons.known(self.chosen.experiment if self.chosen else None)
        if kind not in every:
            raise InputError("%lesson", "", nearest.unknown("lesson", kind, list(every)))
        lesson = every[kind]
        if not lesson.of_a_race:
            if name:
                problem = f"takes nothing more, but is given '{name.strip()}'"
                raise InputError("%lesson", kind, problem)
            return lesson.draw()
        variant = self.bench.experiment.variant(name.strip())
        found = self.bench.results()
        return lesson.draw(self.bench.last_run, found, variant.name)

    @line_magic
    def verdict(self, line: str) -> Output:
        """What the last race says of each statement: the verdict, the size, and why.

        Usage: %verdict
        """
        nothing_more("%verdict", line)
        found = self.bench.results()
        if self.bench.last_run.experiment.delta is not None:
            return comparison.shown(self.bench.last_run, found)
        return race_cards.judged(self.bench.last_run, found)

    @line_magic
    def evidence(self, line: str) -> Output:
        """Was the server the bottleneck? CPU of server and client, errors, Little's law, flags.

        Usage: %evidence
        """
        nothing_more("%evidence", line)
        found = self.bench.results()
        return markup.total(
            [evidence_cards.evidence(self.bench.last_run), *race_cards.remark_notes(found.remarks)]
        )

    @line_magic
    def witness(self, line: str) -> Output:
        """The same as %evidence, as older notebooks call it.

        Usage: %witness
        """
        nothing_more("%witness", line)
        return self.evidence("")

    @line_magic
    def control(self, line: str) -> Output:
        """How much two copies of the same program differed in the last race (A/A).

        Usage: %control
        """
        nothing_more("%control", line)
        return race_cards.control(self.bench.results())


def ratios_of(bench: Workbench, found: Results) -> Figure:
    """Ratios with their intervals; of a comparison, which says no size, without a claim's."""
    run = bench.last_run
    said = bench.experiment.claim if run.experiment.delta is None else None
    return ratios_figure(run, found, said)


PLOTS: dict[str, Callable[[Workbench, Results, str], object]] = {
    "ratios": lambda bench, found, _: ratios_of(bench, found),
    "samples": lambda bench, found, _: samples_figure(bench.last_run, found.left_out),
    "latencies": lambda bench, *_: latencies_figure(bench.last_run),
    "growth": lambda bench, _, to: growth.growth_figure(bench.last_run, to),
    "parts": lambda bench, *_: parts_figure(bench.last_run),
}


def plot_words(asked: Asked) -> Iterable[str]:
    """What may stand after %plot."""
    match asked.words:
        case ():
            return PLOTS
        case ("growth",):
            return ["--to"]
        case ("growth", "--to"):
            return series(asked)
    return ()


def lesson_words(asked: Asked) -> Iterable[str]:
    """What may stand after %lesson."""
    every = lessons.known(experiment_of(asked))
    match asked.words:
        case ():
            return every
        case (name,) if name in every and every[name].of_a_race:
            return variants(asked)
    return ()


def nothing_more(magic: str, line: str) -> None:
    """Raises InputError where something stands behind a magic that takes nothing."""
    if line.strip():
        raise InputError(magic, "", f"takes nothing, but is given '{line.strip()}'")


def parse_plot(line: str) -> tuple[str, str]:
    """`growth --to JSON.stringify` as (kind, series). Raises InputError for --to with others."""
    kind, given, to = (part.strip() for part in line.partition("--to"))
    kind = kind or "ratios"
    if given and (kind != "growth" or not to):
        problem = "goes with growth, and names a series"
        raise InputError("%plot", "--to", problem, "write %plot growth --to SERIES")
    return kind, to.strip("\"'")


def load_ipython_extension(shell: Any) -> None:
    """Called by IPython's %load_ext."""
    chosen = ExperimentMagics(shell)
    shell.register_magics(chosen)
    use(shell, ExperimentContext(lambda: chosen.chosen, lambda: language_of(shell)))
    shell.register_magics(RaceMagics(shell, lambda: chosen.bench))
    shell.register_magics(VariantMagics(shell, lambda: chosen.bench))
    shell.register_magics(WhyMagics(shell, lambda: chosen.bench))
    shell.register_magics(VersionMagics(shell, lambda: chosen.bench))
    shell.register_magics(CompareMagics(shell, chosen.speak_of))
    shell.register_magics(BenchmarkMagics)
    shell.register_magics(RoomMagics)
    shell.register_magics(PictureMagics)
    shell.register_magics(ExploreMagics)
    shell.register_magics(ExerciseMagics)
    shell.register_magics(PredictMagics)
    shell.register_magics(QuizMagics)
