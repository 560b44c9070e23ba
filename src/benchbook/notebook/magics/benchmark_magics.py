"""`%%benchmark`: a class with [Benchmark] methods in a cell, run by BenchmarkDotNet."""

from typing import Any

import click
from IPython.display import display

from benchbook.model.plan import FEWEST_LAUNCHES
from benchbook.notebook.progress import ProgressBlock, saved_message
from benchbook.race import limits, turn
from benchbook.race.kinds.benchmarks import cell_project, cell_race
from benchbook.race.kinds.benchmarks.events import BenchmarkRequest
from benchbook.show import markup
from benchbook.show.cards import micro_cards
from benchbook.show.figures.benchmarks import benchmarks_figure
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.notebook.sessions import csharp
from benchbook_kernels.notebook.sessions.csharp import CSharpSession
from benchbook_kernels.notebook.sessions.session import SessionError
from benchbook_kernels.notebook.typed import (
    Interrupted,
    Magics,
    cell_magic,
    magics_class,
    options_of,
    parsed,
)

SYNTAX_SECONDS = 20.0  # for the session to start, and to read the cell


@magics_class
class BenchmarkMagics(Magics):
    """The benchmarks of a cell. last: what ran last, for those who want its numbers in Python."""

    last: cell_race.CellRace | None = None

    @options_of(
        click.Option(["--quick"], is_flag=True, help="A short job."),
        click.Option(["--full"], is_flag=True, help="The default job: minutes."),
        click.Option(["--launches"], type=int, help="Starts of every benchmark, of a short job."),
        click.Option(["--seed"], type=int, help="Seed of their order; drawn where not given."),
        click.Option(["--anyway"], is_flag=True, help="Don't wait for another race here."),
    )
    @cell_magic
    def benchmark(self, line: str, cell: str) -> None:
        """Run the [Benchmark] methods of this cell's class with BenchmarkDotNet.

        The class must be public. It is compiled in Release and runs in processes of its own, not in
        the notebook's session, whose variables it does not see. [Params], [GlobalSetup],
        baselines and jobs work as in any project; #r "nuget: Package, 1.2.3" adds a package.
        Interrupt the kernel to stop: what was measured is kept.
        """
        options = parsed(self.benchmark, line)
        anyway, block = options.pop("anyway"), ProgressBlock()
        asked = [each for each in ("quick", "full") if options.pop(each)]
        mode = asked[-1] if asked else None
        try:
            cell_project.check(cell)  # before it waits for another race
            self.check_syntax(cell)
            with turn.taken("a cell's benchmarks", block.wait, anyway):
                race = cell_race.prepare(cell, request(mode, **options), block.say)
                self.last = race
                block.follow(race, lambda: micro_cards.interrupted_note(race))
        except BenchError:
            block.stop()
            raise
        except KeyboardInterrupt:
            if block.race is None:
                block.finish(markup.note("interrupted"))
                raise Interrupted("the benchmarks were interrupted before they began") from None
            told = f"the benchmarks were interrupted: {saved_message(block.race.run)}"
            raise Interrupted(told) from None
        if race.report:
            block.finish(micro_cards.report_tables(race, race.report))
            display(benchmarks_figure(race.report))

    def check_syntax(self, cell: str) -> None:
        """Raises InputError where a cell is no C#; Roslyn tells it at once, a build in seconds.

        Where no session of ours can tell, the build will.
        """
        code = "\n" + cell_project.without_packages(cell)  # below the magic's line
        if errors := syntax_errors(self.shell, code):
            raise InputError("%%benchmark", "", f"the cell is no C#:\n{errors}")


def syntax_errors(shell: Any, code: str) -> str:
    """What is no C# in a cell, with its line; '' where nothing is, or no session can tell."""
    kernel = getattr(shell, "kernel", None)  # plain IPython has none
    if kernel is None or not hasattr(kernel, "language_session"):
        return ""
    try:
        session = kernel.language_session("csharp")
        if not isinstance(session, CSharpSession) or not csharp.built():
            return ""
        was_alive = session.alive
        session.start()
        try:
            return session.syntax_errors(code, "cell").result(SYNTAX_SECONDS)
        finally:
            if not was_alive:
                session.close()
    except (SessionError, TimeoutError):
        return ""


def request(mode: str | None, launches: int | None, seed: int | None) -> BenchmarkRequest:
    """What to run: as the cell says, within the environment's limits."""
    allowed, usual = limits.read(), BenchmarkRequest()
    launches = launches or max(FEWEST_LAUNCHES, round(usual.launches * allowed.share))
    iterations = max(2, round(usual.iterations * allowed.share))
    return BenchmarkRequest(
        full=limits.mode(mode) == "full",
        launches=int(allowed.most("launches", launches)),
        iterations=int(allowed.most("blocks", iterations)),
        iteration_seconds=allowed.most("seconds", usual.iteration_seconds),
        seed=cell_race.seed() if seed is None else seed,
    )
