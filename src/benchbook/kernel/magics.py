"""The magics that drive an experiment in a notebook. `%race?` and so on show their help."""

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from benchbook import (
    cards,
    experiments,
    figures,
    growth,
    judge,
    lessons,
    limits,
    parts,
    predictions,
    programs,
    replay_cards,
    workbench,
)
from benchbook.cards import Output
from benchbook.embed import Figure
from benchbook.errors import InputError
from benchbook.kernel import kernel_cost
from benchbook.kernel.benchmark_magics import BenchmarkMagics
from benchbook.kernel.exercise_magics import ExerciseMagics
from benchbook.kernel.plainly import plainly
from benchbook.kernel.progress import ProgressBlock
from benchbook.kernel.room_magics import RoomMagics
from benchbook.prepare import prepare
from benchbook.replay import prepare as prepare_replay
from benchbook.workbench import Workbench, parse_share


@magics_class
class ExperimentMagics(Magics):
    """State: the workbench of the experiment that %experiment chose."""

    def __init__(self, shell) -> None:
        super().__init__(shell)
        self.chosen: Workbench | None = None
        self.guesses_in = ""  # the id of the request to run a cell

    @property
    def bench(self) -> Workbench:
        if self.chosen is None:
            raise InputError("%experiment", "", "was not run yet", "run a cell with %experiment 04")
        return self.chosen

    @line_magic
    @plainly
    def experiment(self, line: str) -> Output:
        """Choose an experiment and show its claim card: figures, source, method, variants.

        Usage: %experiment 04         (number, name, or the path of a folder)
               %experiment            (the list of all)
        """
        if not line.strip():
            rows = [[e.number, e.title, e.question] for e in experiments.load_all()]
            return cards.table(["number", "experiment", "question"], rows)
        self.chosen = workbench.find(line.strip())
        found = self.chosen.experiment
        return cards.claim(found, {v.name: programs.unavailable(v) for v in found.variants})

    @cell_magic
    @plainly
    def variant(self, line: str, cell: str) -> Output:
        """Show a variant's code, or race an edit of it.

        Usage: %%variant NAME
               …its code…

        Running the cell as it is changes nothing. Edit it and run it: the next %race takes the
        edit, from a scratch copy; the file in snippets/ stays as it is. Undo the edit to go back.
        """
        words = line.split()
        if len(words) != 1:
            raise InputError("%%variant", "", "takes one name", "write %%variant NAME")
        return cards.note(self.bench.edit(words[0], cell))

    @line_magic
    @plainly
    def predict(self, line: str) -> None:
        """Note your guess before you race; %race and %verdict show it beside the result.

        Usage: %predict write-head-length +5%     (5 % more requests/s than the baseline)
               %predict no-header 1.2x
               %predict                           (your guesses so far)
        """
        if line.strip():
            self.bench.guess(*workbench.parse_guess(line))
        self.show_guesses(cards.guesses(self.bench.guesses, self.bench.experiment.baseline))

    def show_guesses(self, guesses: Output) -> None:
        """Once in a cell, however many guesses it holds."""
        cell = self.shell.kernel.get_parent()["header"]["msg_id"]
        display(guesses, display_id=f"guesses-{cell}", update=self.guesses_in == cell)
        self.guesses_in = cell

    @magic_arguments()
    @argument("--quick", dest="mode", action="store_const", const="quick", help="About a minute.")
    @argument("--full", dest="mode", action="store_const", const="full", help="About ten minutes.")
    @argument("--launches", type=int, help="Starts of every program.")
    @argument("--blocks", type=int, help="Rounds of all variants in a launch.")
    @argument("--seconds", type=float, help="Length of one sample.")
    @argument("--connections", type=int, help="Connections kept open at once.")
    @argument("--tool", choices=["auto", "wrk", "ab", "autocannon"], help="Load generator.")
    @argument("--variants", help="Only these: name,name (and the baseline).")
    @argument("--seed", type=int, help="Seed of the order; drawn where not given.")
    @argument("--until", help="Race on until every interval is narrower than this: 1%%.")
    @argument("--minutes", type=float, help="At most this long, with --until (default 30).")
    @argument("--warmup", type=float, help="Seconds of load before the first sample.")
    @argument("--one-after-another", action="store_true", help="Don't interleave the variants.")
    @argument("--as-published", action="store_true", help="Replay the article's own method.")
    @argument("--shorten", type=int, help="With --as-published: divide its durations by this.")
    @line_magic
    @plainly
    def race(self, line: str) -> None:
        """Race the variants of the chosen experiment, with your edits, and plot the ratios.

        Every program is started anew for each launch and measured in random order, never inside
        this kernel. Interrupt the kernel to stop: what was measured is kept.
        """
        chosen = vars(parse_argstring(self.race, line))
        as_published, shorten = chosen.pop("as_published"), chosen.pop("shorten")
        if as_published or shorten is not None:
            self.replay(as_published, shorten, chosen)
            return
        chosen["variants"] = tuple((chosen["variants"] or "").replace(" ", "").split(","))
        chosen["variants"] = tuple(name for name in chosen["variants"] if name)
        chosen["until"] = parse_share(chosen["until"]) if chosen["until"] else None
        chosen["interleaved"] = not chosen.pop("one_after_another")
        bench = self.bench
        options = bench.options(**chosen)
        block = ProgressBlock()
        ready = prepare(bench.raced_experiment, options, block.say)
        if options.until:
            ready.needed = lambda run: judge.launches_needed(run, bench.experiment.claim)
        bench.run = bench.raced_here = ready.run
        block.follow(ready, lambda: cards.headline(ready.run))
        found = bench.results()
        ready.run.results = judge.to_json(found)
        ready.run.save()
        notes = [cards.note(message) for message in ready.run.messages]
        block.finish(cards.total([cards.headline(ready.run), *notes, cards.floor(found)]))
        if growth.suits(ready.run):
            display(growth.growth(ready.run))
        else:
            display(figures.ratios(ready.run, found, bench.experiment.claim))
        display(cards.ratios(ready.run, found, bench.guesses))
        if problem := predictions.settle(bench, found):
            display(cards.note(problem))

    def replay(self, as_published: bool, shorten: int | None, others: dict) -> None:
        """%race --as-published. The last race stays the one that %verdict and %plot speak of."""
        if not as_published or any(others.values()):
            problem = "goes with --shorten N only" if as_published else "is missing"
            raise InputError("%race", "--as-published", problem, "write %race --as-published")
        if shorten is not None and shorten < 1:
            raise InputError("%race", "--shorten", f"must be at least 1, found {shorten}")
        block = ProgressBlock()
        shorten = max(shorten or 1, limits.read().shorten)
        ready = prepare_replay(self.bench.raced_experiment, shorten, say=block.say)
        block.follow(ready, lambda: replay_cards.headline(ready.run))
        block.finish(replay_cards.summary(ready.run))

    @line_magic
    @plainly
    def plot(self, line: str) -> object:
        """Plot the last race.

        Usage: %plot ratios       (ratio to the baseline with intervals, the floor as a band)
               %plot samples      (every sample in the order it was taken: is there drift?)
               %plot latencies    (latency percentiles)
               %plot growth       (by size or shape of the job, a line a way to do it)
               %plot growth --to SERIES   (the same as a ratio to one of these ways)
               %plot parts        (what an operation consists of, where its parts were timed)
        """
        found = self.bench.results()
        run = self.bench.run
        kind, to = parse_plot(line)
        kinds = {
            "ratios": lambda: figures.ratios(run, found, self.bench.experiment.claim),
            "samples": lambda: figures.samples(run),
            "latencies": lambda: figures.latencies(run),
            "growth": lambda: growth.growth(run, to),
            "parts": lambda: parts.parts(run),
        }
        if kind not in kinds:
            problem = experiments.unknown("plot", kind, list(kinds))
            raise InputError("%plot", "", problem)
        return kinds[kind]()

    @line_magic
    @plainly
    def lesson(self, line: str) -> Figure:
        """What a careless reader would have seen (notebook 00).

        Usage: %lesson interleaving         (recorded races, in blocks and one after the other)
               %lesson launches VARIANT     (each launch of the last race by itself)
               %lesson best-of-3 VARIANT    (what the best of three samples would have said)
               %lesson stall                (a server that stalls, closed loop and open loop)
               %lesson kernel               (what a kernel costs: a loop in a cell, and alone)
        """
        kind, _, name = line.strip().partition(" ")
        alone = {
            "interleaving": lessons.recorded_interleaving,
            "stall": lessons.stall,
            "kernel": kernel_cost.lesson,
        }
        of_a_race = {"launches": lessons.launches, "best-of-3": lessons.best_of_three}
        if kind in alone:
            return alone[kind]()
        if kind not in of_a_race:
            problem = experiments.unknown("lesson", kind, [*alone, *of_a_race])
            raise InputError("%lesson", "", problem)
        found = self.bench.results()
        variant = self.bench.experiment.variant(name.strip())
        return of_a_race[kind](self.bench.run, found, variant.name)

    @line_magic
    @plainly
    def verdict(self, line: str) -> Output:
        """What the last race says of each statement: published, measured, verdict, why.

        Usage: %verdict
        """
        found = self.bench.results()
        return cards.total([cards.verdicts(found), cards.floor(found), cards.paragraph(cards.HOLM)])

    @line_magic
    @plainly
    def witness(self, line: str) -> Output:
        """Was the server the bottleneck? CPU of server and client, errors, Little's law, flags.

        Usage: %witness
        """
        found = self.bench.results()
        return cards.total([cards.witness(self.bench.run), *cards.remarks(found)])

    @line_magic
    @plainly
    def floor(self, line: str) -> Output:
        """How much two copies of the same program differed in the last race (A/A).

        Usage: %floor
        """
        return cards.floor(self.bench.results())


def parse_plot(line: str) -> tuple[str, str]:
    """`growth --to JSON.stringify` as (kind, series). Raises InputError for --to with others."""
    kind, given, to = (part.strip() for part in line.partition("--to"))
    kind = kind or "ratios"
    if given and (kind != "growth" or not to):
        problem = "goes with growth, and names a series"
        raise InputError("%plot", "--to", problem, "write %plot growth --to SERIES")
    return kind, to.strip("\"'")


def load_ipython_extension(shell) -> None:
    shell.register_magics(ExperimentMagics)
    shell.register_magics(BenchmarkMagics)
    shell.register_magics(RoomMagics)
    shell.register_magics(ExerciseMagics)
