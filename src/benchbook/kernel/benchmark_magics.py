"""`%%benchmark`: a class with [Benchmark] methods in a cell, run by BenchmarkDotNet."""


from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from benchbook import cards, limits, micro_cards, micro_cell
from benchbook.errors import BenchError
from benchbook.kernel.progress import ProgressBlock
from benchbook.micro import Wish
from benchbook.plan import FEWEST_LAUNCHES


@magics_class
class BenchmarkMagics(Magics):
    """The benchmarks of a cell. `last` is what ran last, for who wants its numbers in Python."""

    last: micro_cell.CellRace | None = None

    @magic_arguments()
    @argument("--quick", dest="mode", action="store_const", const="quick", help="A short job.")
    @argument(
        "--full", dest="mode", action="store_const", const="full", help="The default job: minutes."
    )
    @argument("--launches", type=int, help="Starts of every benchmark, of a short job.")
    @argument("--seed", type=int, help="Seed of their order; drawn where not given.")
    @cell_magic
    def benchmark(self, line: str, cell: str) -> None:
        """Run the [Benchmark] methods of this cell's class with BenchmarkDotNet.

        The class must be public. It is compiled in Release and runs in processes of its own, not in
        the notebook's session, whose variables it does not see. [Params], [GlobalSetup],
        baselines and jobs work as in any project; #r "nuget: Package, 1.2.3" adds a package.
        Interrupt the kernel to stop: what was measured is kept.
        """
        chosen = parse_argstring(self.benchmark, line)
        block = ProgressBlock()
        try:
            race = micro_cell.prepare(cell, wish(chosen), block.say)
            self.last = race
            block.follow(race, lambda: micro_cards.headline(race))
        except BenchError as error:
            block.finish(cards.note("stopped"))
            raise UsageError(str(error)) from None
        block.finish(micro_cards.report(race))
        display(micro_cards.plot(race.report))


def wish(chosen) -> Wish:
    """What to run: as the cell says, within the environment's limits."""
    allowed, usual = limits.read(), Wish()
    launches = chosen.launches or max(FEWEST_LAUNCHES, round(usual.launches * allowed.share))
    iterations = max(2, round(usual.iterations * allowed.share))
    return Wish(
        full=limits.mode(chosen.mode) == "full",
        launches=allowed.most("launches", launches),
        iterations=allowed.most("blocks", iterations),
        iteration_seconds=allowed.most("seconds", usual.iteration_seconds),
        seed=micro_cell.seed() if chosen.seed is None else chosen.seed,
    )
